//! Saved games altered in every place of their JSON, one at a time: each alteration is refused, or says the same game.
#![allow(clippy::unwrap_used, reason = "a test that cannot build its game must fail")]

mod games;

use games::{ended, played};
use seal::json::Writer;
use seal::transcript::{Outcome, Transcript};
use seal::{Json, SealedGrid};

/// In progress, lost, won by its last palier, won by QUITTER, expired and void; between them every kind of action.
fn saved() -> Vec<Transcript> {
    let mut quit = ended(6, Outcome::Won, 0);
    quit.actions.push(seal::transcript::Action::Quit);
    let gain = played(6, false).check().unwrap().game.acquired().eur();
    quit.gain_eur = Some(gain);
    vec![
        played(7, false),
        played(7, true),
        played(18, false),
        quit,
        ended(6, Outcome::Expired, gain),
        ended(3, Outcome::Expired, 0),
        ended(7, Outcome::Void, gain),
    ]
}

fn write(json: &Json, w: &mut Writer) {
    match json {
        Json::Null => w.null(),
        Json::Bool(b) => w.bool(*b),
        Json::Int(n) => w.int(*n),
        // The only other number that is put in here.
        Json::OtherNumber(_) => w.array(|_| {}),
        Json::Str(s) => w.string(s),
        Json::Array(items) => w.array(|w| items.iter().for_each(|item| write(item, w))),
        Json::Object(members) => w.object(|w| members.iter().for_each(|(k, v)| write(v, w.key(k)))),
    }
}

fn text(json: &Json) -> String {
    let mut w = Writer::new();
    write(json, &mut w);
    w.finish()
}

/// What can stand in the place of a value: other values of its kind, and values of every other kind.
fn instead_of(value: &Json) -> Vec<Json> {
    let mut others = vec![Json::Null, Json::Bool(true), Json::Int(0), Json::Int(1), Json::Int(2), Json::Int(3)];
    others.extend([Json::Int(u64::MAX), Json::Str(String::new()), Json::Array(vec![]), Json::Object(vec![])]);
    match value {
        Json::Int(n) => others.extend([n.wrapping_sub(1), n + 1, n + 256, n << 32, n * 2].map(Json::Int)),
        Json::Str(s) => {
            let words = ["continue", "pick", "palier", "quit", "in_progress", "won", "lost", "expired", "void"];
            others.extend(words.map(|word| Json::Str(word.to_owned())));
            let twice = format!("{s}{s}");
            others.extend([s.to_uppercase(), format!("{s} "), format!("0{s}"), twice].map(Json::Str));
            others.extend((!s.is_empty()).then(|| Json::Str(s[1..].to_owned())));
            others.extend((!s.is_empty()).then(|| Json::Str(s[..s.len() - 1].to_owned())));
            // Every fifth digit changed by its last bit; another order of the same.
            others.extend((0..s.len()).step_by(5).map(|at| {
                let mut bytes = s.clone().into_bytes();
                bytes[at] ^= 1;
                Json::Str(String::from_utf8_lossy(&bytes).into_owned())
            }));
            others.push(Json::Str(s.chars().rev().collect()));
        }
        _ => {}
    }
    others.retain(|other| other != value);
    others
}

type Members = Vec<(String, Json)>;

/// Every alteration of one value in the tree: `put` gives the whole with another value in its place.
fn altered(value: &Json, put: &dyn Fn(Json) -> Json, all: &mut dyn FnMut(Json)) {
    instead_of(value).into_iter().for_each(|other| all(put(other)));
    match value {
        Json::Object(members) => {
            for (at, (key, inner)) in members.iter().enumerate() {
                let with = |change: &dyn Fn(&mut Members)| {
                    let mut members = members.clone();
                    change(&mut members);
                    put(Json::Object(members))
                };
                all(with(&|members| drop(members.remove(at))));
                all(with(&|members| members.push((key.clone(), inner.clone()))));
                all(with(&|members| members.insert(0, (key.clone(), Json::Null))));
                all(with(&|members| members[at].0.push('_')));
                all(with(&|members| members.rotate_left(at)));
                altered(inner, &|other| with(&|members| members[at].1 = other.clone()), all);
            }
        }
        Json::Array(items) => {
            for (at, inner) in items.iter().enumerate() {
                let with = |change: &dyn Fn(&mut Vec<Json>)| {
                    let mut items = items.clone();
                    change(&mut items);
                    put(Json::Array(items))
                };
                all(with(&|items| drop(items.remove(at))));
                all(with(&|items| items.insert(at, inner.clone())));
                all(with(&|items| items.push(inner.clone())));
                all(with(&|items| items.truncate(at)));
                all(with(&|items| items.rotate_left(at)));
                let next = (at + 1) % items.len();
                all(with(&|items| items.swap(at, next)));
                altered(inner, &|other| with(&|items| items[at] = other.clone()), all);
            }
        }
        _ => {}
    }
}

/// Whether an altered transcript that holds is one that no checker can tell from a game that was played: a transcript alone shows a
/// consistent game. Everything that it says is still proven: the same ticket, stake, seeds and openings.
fn another_consistent_game(whole: &Transcript, other: &Transcript) -> bool {
    let same_draw =
        (whole.sealed, whole.client_seed, whole.server_seed) == (other.sealed, other.client_seed, other.server_seed);
    // Picks of a running or lost game left out, or in another order: none that was not opened, and no palier or gain moved.
    let same_steps = other.actions.iter().all(|action| whole.actions.contains(action));
    let same_end = (whole.outcome, whole.gain_eur) == (other.outcome, other.gain_eur);
    // An expiry and a void on a palier both give its gain; between two paliers an expiry may give it or not, as the emission is set.
    let ends = [whole.outcome, other.outcome];
    let early_end = whole.actions == other.actions
        && !ends.iter().any(|o| matches!(o, Outcome::Won | Outcome::Lost | Outcome::InProgress));
    same_draw && same_steps && (same_end || early_end)
}

#[test]
fn every_alteration_of_a_saved_game_is_refused_or_says_nothing_that_is_not_proven() {
    for whole in saved() {
        let json = Json::parse(&whole.to_json()).unwrap();
        assert_eq!(Transcript::from_json(&text(&json)), Ok(whole.clone()));
        whole.check().unwrap();
        let (mut tried, mut same, mut others) = (0, 0, 0);
        altered(&json, &|other| other, &mut |other| {
            tried += 1;
            let text = text(&other);
            let Ok(read) = Transcript::from_json(&text) else { return };
            if read == whole {
                same += 1;
            } else if read.check().is_ok() {
                others += 1;
                assert!(another_consistent_game(&whole, &read), "{:?}, altered to {text}", whole.outcome);
            }
        });
        assert!(tried > 1000 && same > 0, "{:?}: {tried} tried, {same} the same, {others} others", whole.outcome);
        // Nothing can be left out of a game that was won, nor put in another order across a palier.
        assert!(whole.outcome != Outcome::Won || others < tried / 20, "{others} of {tried}");
    }
}

#[test]
fn a_game_is_refused_with_the_parts_of_another() {
    let games = saved();
    let other = played(7, true);
    for whole in &games {
        // Another ticket's draw, sealed just as well.
        let mut moved = whole.clone();
        moved.sealed.ticket = seal::TicketId([9; 16]);
        assert!(moved.check().is_err());
        let seed = seal::DrawKey([1; 32]).server_seed(whole.sealed.ticket);
        moved = whole.clone();
        moved.sealed.commitment =
            SealedGrid::new(&seed).commitment(whole.sealed.ticket, Some(whole.sealed.potential_gain));
        assert!(moved.check().is_err());
        if whole.server_seed.is_some() {
            assert!(Transcript { server_seed: Some(seed), ..whole.clone() }.check().is_err());
        }
        // The losing pick of another game at the end of this one, which says that it goes on, won, expired or is void.
        if whole.outcome != Outcome::Lost {
            let actions = [&whole.actions[..], &other.actions[other.actions.len() - 1..]].concat();
            assert!(Transcript { actions, ..whole.clone() }.check().is_err());
        }
    }
}
