//! The chances as they stand, in words and as a small picture; and how they are proved.

use rules::Fraction;
use rules::number::LOSING;
use yew::prelude::*;

use super::Draw;
use super::elements::{el, element, given, nothing, text};
use crate::model::{Action, Cell, CellState, Proof, Rung, Signing};
use crate::texts::{Text, Texts};

/// The chances of the next number and of the next palier.
pub(super) fn odds(texts: &Texts, cells: &[Cell; 30], next: &Rung) -> Html {
    let t = &texts.play;
    let (good, left) = left(cells);
    let three = Some(next.three).filter(|three| *three != Fraction::ZERO);
    el(
        "section",
        "odds",
        [
            text("h2", "", t.odds),
            el(
                "dl",
                "",
                [
                    el(
                        "div",
                        "",
                        [text("dt", "", t.next), text("dd", "", (t.good_of)(good, left)), numbers(good, left)],
                    ),
                    el(
                        "div",
                        "",
                        [
                            text("dt", "", (t.reach)(next.palier)),
                            text("dd", "", (texts.figures.percent)(next.reach)),
                            meter(next.reach),
                            text("dd", "fine", (texts.figures.one_in)(next.reach)),
                        ],
                    ),
                    three.map_or_else(nothing, |three| {
                        el(
                            "div",
                            "",
                            [text("dt", "", (t.three)(next.palier)), text("dd", "", (texts.figures.one_in)(three))],
                        )
                    }),
                ],
            ),
        ],
    )
}

/// How many numbers can still be picked, and how many of them are good, while the game runs: all three losing ones are among them.
pub(super) fn left(cells: &[Cell; 30]) -> (u32, u32) {
    let left = cells.iter().filter(|c| matches!(c.state, CellState::Free | CellState::Pending)).count();
    let left = u32::try_from(left).unwrap_or_default();
    (left.saturating_sub(LOSING.into()), left)
}

/// The numbers that are left, one mark each: the good ones, then the losing ones, lower.
fn numbers(good: u32, left: u32) -> Html {
    picture(
        format!("0 0 {left} 1"),
        [line("ok", format!("M.1 .5H{good}"), ".8 .2"), line("ko", format!("M{good}.1 .5H{left}"), ".8 .2")],
    )
}

fn meter(chance: Fraction) -> Html {
    picture(
        "0 0 1000 1".into(),
        [line("rail", "M0 .5H1000".into(), ""), line("ok", format!("M0 .5H{}", chance.per_mille()), "")],
    )
}

fn line(class: Text, path: String, dashes: Text) -> Html {
    let values = vec![given(class), Some(path.into()), given(dashes)];
    element("path", &["class", "d", "stroke-dasharray"], values, vec![])
}

fn picture(view_box: String, lines: [Html; 2]) -> Html {
    let values = vec![Some(view_box.into()), given("none")];
    let drawn = element("svg", &["viewBox", "preserveAspectRatio"], values, Vec::from(lines));
    element("dd", &["class", "aria-hidden"], vec![given("meter"), given("true")], vec![drawn])
}

/// The explanation behind the quiet mark, and the game so far to save.
pub(super) fn how(d: Draw<'_>, proof: Proof, signing: Signing) -> Html {
    let save = d.link(d.t.buttons.save_proof, Action::Save);
    el(
        "details",
        "fine",
        [text("summary", "", d.t.proof.how), text("p", "", (d.t.proof.how_body)(proof)), signed(d, signing), save],
    )
}

/// What is known of the operator's signatures.
pub(super) fn signed(d: Draw<'_>, signing: Signing) -> Html {
    text("p", "", (d.t.proof.signed)(signing))
}
