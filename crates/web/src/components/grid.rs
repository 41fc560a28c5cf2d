//! The thirty numbers, as native buttons; after the game, as a picture of what was under them.

use rules::Number;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use super::Draw;
use super::parts::icon;
use crate::model::{Action, Cell, CellState};
use crate::texts::Text;

/// How many numbers a row has; the style sheet says the same.
const ROW: usize = 6;

/// What an attribute, an icon and the state's name (its place among the texts) make of a cell.
const fn looks(state: CellState) -> (Option<Text>, Option<Text>, usize) {
    match state {
        CellState::Free => (None, None, 0),
        CellState::Pending => (Some("pending"), Some("#dots"), 1),
        CellState::Good => (Some("good"), Some("#check"), 2),
        CellState::Losing => (Some("bad"), Some("#cross"), 3),
        CellState::WasGood => (Some("was-good"), None, 4),
        CellState::WasLosing => (Some("was-bad"), Some("#cross"), 5),
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
    html! {
        <div class="grid" role="group" aria-label={d.t.play.grid} data-off={(!idle).then_some("")} onclick={picked} onkeydown={Callback::from(walk)}>
            { for cells.iter().map(|cell| {
                let (state, sign, name) = looks(cell.state);
                let number = cell.number.get();
                html! {
                    <button
                        type="button" class="cell" data-s={state} data-n={number.to_string()} data-new={(turned == Some(cell.number)).then_some("")}
                        aria-label={name_of(d, cell, name)} aria-disabled={(!idle || cell.state != CellState::Free).then_some("true")}
                    >
                        <span>{ number }</span>
                        if let Some(sign) = sign { { icon(sign) } }
                    </button>
                }
            }) }
        </div>
    }
}

/// The grid as a picture: nothing in it can be pressed. `uncovered`: the cells that were not picked turn as well.
pub(super) fn picture(d: Draw<'_>, cells: &[Cell; 30], uncovered: bool, turned: Option<Number>) -> Html {
    html! {
        <div class="grid" role="group" aria-label={d.t.play.grid} data-off="" data-reveal={uncovered.then_some("")}>
            { for cells.iter().map(|cell| {
                let (state, sign, name) = looks(cell.state);
                html! {
                    <span
                        role="img" class="cell" data-s={state} data-new={(turned == Some(cell.number)).then_some("")}
                        aria-label={name_of(d, cell, name)}
                    >
                        <span>{ cell.number.get() }</span>
                        if let Some(sign) = sign { { icon(sign) } }
                    </span>
                }
            }) }
        </div>
    }
}

fn name_of(d: Draw<'_>, cell: &Cell, name: usize) -> String {
    let state = d.t.play.cell.get(name).copied().unwrap_or_default();
    format!("{}, {state}", cell.number.get())
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
