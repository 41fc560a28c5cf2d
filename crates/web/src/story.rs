//! A game told step by step, from its actions alone.

use rules::{Event, Game, Nature, Recorded, State};
use seal::check::PalierClaim;
use seal::transcript::Action;

use crate::model::Step;

/// The steps of a game that came to this by these actions, each with the game after it.
#[must_use]
pub fn steps(actions: &[Action], now: &Game) -> Vec<(Step, Game)> {
    let Some(start) = now.start() else { return Vec::new() };
    let mut game = Game::new(now.potential_gain());
    let mut steps = Vec::with_capacity(actions.len() + 1);
    let mut go = |event, at| {
        if let Ok(next) = game.apply(Recorded { at, event }) {
            steps.extend(step(&game, event, &next).map(|step| (step, next)));
            game = next;
        }
    };
    for (at, action) in actions.iter().enumerate() {
        let event = match (action, actions.get(at + 1)) {
            (Action::Continue, _) if at == 0 => {
                Event::Started { finish_before: start.finish_before, unfinished: start.unfinished }
            }
            (Action::Continue, _) => Event::WentOn,
            (Action::Quit, _) => Event::Quit,
            (Action::Pick(number, _), Some(Action::Palier(PalierClaim { multiplier, .. }))) => {
                Event::PalierReached(*number, *multiplier)
            }
            (Action::Pick(number, opening), _) if opening.value == 0 => Event::Losing(*number),
            (Action::Pick(number, _), _) => Event::Good(*number),
            (Action::Palier(_), _) => continue,
        };
        go(event, start.at);
    }
    match now.state() {
        State::Expired(_) => go(Event::Expired, start.finish_before),
        State::Void(reason, _) => go(Event::Voided(reason), start.at),
        _ => {}
    }
    steps
}

/// What a player sees of an event.
fn step(before: &Game, event: Event, after: &Game) -> Option<Step> {
    Some(match (event, before.state()) {
        (Event::Started { .. }, _) => Step::Started,
        (Event::Good(number), _) => Step::Picked(number, Nature::Good),
        (Event::Losing(number), _) => Step::Picked(number, Nature::Losing),
        (Event::PalierReached(number, multiplier), State::Picking(palier)) => {
            Step::PalierReached { number, palier, multiplier, gain: after.acquired() }
        }
        (Event::WentOn, State::OnPalier(stop)) => Step::WentOn(stop),
        (Event::Quit, State::OnPalier(stop)) => Step::Quit(stop),
        (Event::Expired, _) => Step::Expired,
        (Event::Voided(_), _) => Step::Voided,
        _ => return None,
    })
}
