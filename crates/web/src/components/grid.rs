//! The thirty numbers, as native buttons; after the game, as a picture of what was under them.

use rules::Number;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::Draw;
use super::elements::{element, given, nothing, text};
use super::parts::icon;
use crate::model::{Action, Cell, CellState};
use crate::texts::{Text, Texts};

/// How many numbers a row has; the style sheet says the same.
const ROW: usize = 6;

/// What an attribute, an icon and the state's name (its place among the texts) make of a cell.
const fn looks(state: CellState) -> (Text, Text, usize) {
    match state {
        CellState::Free => ("", "", 0),
        CellState::Pending => ("pending", "#dots", 1),
        CellState::Good => ("good", "#check", 2),
        CellState::Losing => ("bad", "#cross", 3),
        CellState::WasGood => ("was-good", "", 4),
        CellState::WasLosing => ("was-bad", "#cross", 5),
    }
}

/// The grid in play. `idle`: a number can be picked. `turned`: the number that was opened last.
pub(super) fn grid(d: Draw<'_>, cells: &[Cell; 30], idle: bool, turned: Option<Number>) -> Html {
    // One listener for all thirty: a click is told from its cell by the number that the cell bears.
    let picked = {
        let act = d.act.clone();
        Callback::from(move |event: MouseEvent| {
            let number =
                event.target().and_then(|t| t.dyn_into::<Element>().ok()).and_then(|inside| number_of(&inside));
            if let (true, Some(number)) = (idle, number) {
                act.emit(Action::Pick(number));
            }
        })
    };
    let cells: Vec<Html> = cells.iter().map(|cell| one(d.t, cell, turned, Some(idle))).collect();
    html! {
        <div
            class="grid" role="group" aria-label={d.t.play.grid} data-off={(!idle).then_some("")} onclick={picked}
            onkeydown={Callback::from(walk)}
        >
            { cells }
        </div>
    }
}

/// The grid as a picture: nothing in it can be pressed. `uncovered`: the cells that were not picked turn as well.
pub(super) fn picture(t: &Texts, cells: &[Cell; 30], uncovered: bool, turned: Option<Number>) -> Html {
    let cells = cells.iter().map(|cell| one(t, cell, turned, None)).collect();
    let values = vec![given("grid"), given("group"), given(t.play.grid), set(true), set(uncovered)];
    element("div", &["class", "role", "aria-label", "data-off", "data-reveal"], values, cells)
}

/// A cell: a button where a grid is played on (which is idle or not), else a picture.
fn one(t: &Texts, cell: &Cell, turned: Option<Number>, idle: Option<bool>) -> Html {
    let (state, sign, name) = looks(cell.state);
    let number = AttrValue::from(cell.number.get().to_string());
    let name = t.play.cell.get(name).copied().unwrap_or_default();
    let name = Some(AttrValue::from(format!("{number}, {name}")));
    let new = set(turned == Some(cell.number));
    let inside = vec![text("span", "", number.clone()), if sign.is_empty() { nothing() } else { icon(sign) }];
    match idle {
        Some(idle) => {
            let at_rest = if idle && cell.state == CellState::Free { None } else { given("true") };
            let keys = &["type", "class", "aria-label", "data-s", "data-new", "data-n", "aria-disabled"];
            let values = vec![given("button"), given("cell"), name, given(state), new, Some(number), at_rest];
            element("button", keys, values, inside)
        }
        None => {
            let keys = &["role", "class", "aria-label", "data-s", "data-new"];
            element("span", keys, vec![given("img"), given("cell"), name, given(state), new], inside)
        }
    }
}

/// An attribute that is there or not.
fn set(is: bool) -> Option<AttrValue> {
    is.then_some(AttrValue::Static(""))
}

/// The number of the cell that this element is, or lies in.
fn number_of(inside: &Element) -> Option<Number> {
    let cell = inside.closest("[data-n]").ok().flatten()?;
    cell.get_attribute("data-n")?.parse().ok().and_then(Number::new)
}

/// The arrow keys walk over the grid, beside the Tab key.
fn walk(event: KeyboardEvent) {
    let Some(cell) = event.target().and_then(|t| t.dyn_into::<HtmlElement>().ok()) else { return };
    let (Some(from), Some(grid)) = (number_of(&cell), cell.parent_element()) else { return };
    let from = from.index();
    let to = match event.key().as_str() {
        "ArrowRight" => Some(from + 1),
        "ArrowLeft" => from.checked_sub(1),
        "ArrowDown" => Some(from + ROW),
        "ArrowUp" => from.checked_sub(ROW),
        _ => return,
    };
    event.prevent_default();
    let next = to.and_then(|to| grid.children().item(u32::try_from(to).ok()?));
    if let Some(next) = next.and_then(|n| n.dyn_into::<HtmlElement>().ok()) {
        // Where the focus cannot go it stays.
        let _ = next.focus();
    }
}
