//! What a transcript must hold, and every way of altering one that must be found.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot build its game must fail")]

mod games;

use games::{ended, played};
use rules::{Amount, Multiplier, Number, Palier};
use seal::check::PalierClaim;
use seal::transcript::{Action, Malformed, Outcome, Transcript, Wrong};
use seal::{ClientSeed, Fault};

/// The gain of the first palier in this draw.
fn first_gain() -> u64 {
    let game = played(6, false).check().unwrap().game;
    game.gain().map(Amount::eur).unwrap()
}

#[test]
fn an_unfinished_game_holds_at_every_step_and_reveals_nothing() {
    for found in 0..18 {
        let checked = played(found, false).check().unwrap();
        assert_eq!(usize::from(checked.game.found()), found);
        assert!(checked.losing.is_none());
    }
    let early = Transcript { server_seed: played(18, false).server_seed, ..played(7, false) };
    assert_eq!(early.check().unwrap_err(), Wrong::RevealedEarly);
    let gained = Transcript { gain_eur: Some(0), ..played(7, false) };
    assert_eq!(gained.check().unwrap_err(), Wrong::Gain(None));
}

#[test]
fn a_lost_and_a_won_game_hold_and_show_three_losing_numbers() {
    for transcript in [played(18, false), played(0, true), played(6, true), played(17, true)] {
        assert_eq!(transcript.check().unwrap().losing.unwrap().len(), 3);
        let hidden = Transcript { server_seed: None, ..transcript };
        assert_eq!(hidden.check().unwrap_err(), Wrong::NotRevealed);
    }
}

#[test]
fn an_expired_game_gives_what_the_rules_give_and_nothing_else() {
    let gain = first_gain();
    for eur in [0, 20, gain, gain + 1, 2 * gain] {
        let holds = |found| ended(found, Outcome::Expired, eur).check().is_ok();
        assert_eq!(holds(0), eur == 0, "not begun to pick, {eur} €");
        assert_eq!(holds(5), eur == 0, "before the first palier, {eur} €");
        assert_eq!(holds(6), eur == gain, "on the first palier, {eur} €");
        // Between two paliers the emission may be set either way.
        assert_eq!(holds(7), eur == 0 || eur == gain, "between two paliers, {eur} €");
    }
}

#[test]
fn a_void_game_gives_the_last_acquired_gain_and_nothing_else() {
    let gain = first_gain();
    for eur in [0, 20, gain, gain + 1] {
        for (found, expected) in [(0, 20), (5, 20), (6, gain), (7, gain)] {
            assert_eq!(ended(found, Outcome::Void, eur).check().is_ok(), eur == expected, "{found} found, {eur} €");
        }
    }
}

#[test]
fn what_is_over_cannot_expire_be_voided_or_go_on() {
    for outcome in [Outcome::InProgress, Outcome::Lost, Outcome::Expired, Outcome::Void] {
        for whole in [played(18, false), played(3, true)] {
            let other = Transcript { outcome, ..whole.clone() };
            assert_eq!(other.check().is_ok(), outcome == whole.outcome, "{outcome:?}");
        }
    }
    for more in [Action::Continue, Action::Quit, played(3, false).actions[1].clone()] {
        let mut longer = played(18, false);
        longer.actions.push(more);
        assert!(matches!(longer.check(), Err(Wrong::Action(_, Fault::Rules(_)))));
    }
}

#[test]
fn an_action_left_out_doubled_or_exchanged_is_found() {
    let whole = played(18, false);
    let altered = |change: &dyn Fn(&mut Vec<Action>)| {
        let mut actions = whole.actions.clone();
        change(&mut actions);
        Transcript { actions, ..whole.clone() }
    };
    for at in 0..whole.actions.len() {
        let left_out = altered(&|actions| drop(actions.remove(at)));
        let doubled = altered(&|actions| actions.insert(at, actions[at].clone()));
        assert!(left_out.check().is_err(), "action {at} left out");
        assert!(doubled.check().is_err(), "action {at} doubled");
        if at > 0 {
            let exchanged = altered(&|actions| actions.swap(at - 1, at));
            let picks = |t: &Transcript, at: usize| matches!(t.actions[at], Action::Pick(..));
            // Two good numbers may be found in either order, as long as the second completes no palier.
            let free = picks(&whole, at - 1) && picks(&whole, at);
            assert!(free || exchanged.check().is_err(), "actions {} and {at} exchanged", at - 1);
        }
    }
}

#[test]
fn another_number_multiplier_or_gain_is_found() {
    let whole = played(18, false);
    for (at, action) in whole.actions.iter().enumerate() {
        let with = |action| {
            let mut altered = whole.clone();
            altered.actions[at] = action;
            altered.check()
        };
        match action {
            Action::Pick(number, opening) => {
                for other in Number::all().filter(|n| n != number) {
                    assert!(with(Action::Pick(other, opening.clone())).is_err());
                }
            }
            Action::Palier(claim) => {
                let factor = 5 - u64::from(claim.multiplier.factor());
                let multiplier = Multiplier::from_factor(factor).unwrap();
                assert!(with(Action::Palier(PalierClaim { multiplier, ..claim.clone() })).is_err());
                let gained = with(Action::Palier(PalierClaim { gain_eur: claim.gain_eur + 1, ..claim.clone() }));
                assert_eq!(
                    gained.unwrap_err(),
                    Wrong::Action(at, Fault::Gain(Amount::from_eur(claim.gain_eur as u32)))
                );
                for palier in Palier::ALL.into_iter().filter(|p| *p != claim.palier) {
                    assert!(with(Action::Palier(PalierClaim { palier, ..claim.clone() })).is_err());
                }
            }
            Action::Continue | Action::Quit => {}
        }
    }
    assert!(Transcript { client_seed: ClientSeed([8; 32]), ..whole.clone() }.check().is_err());
    assert!(Transcript { gain_eur: Some(1), ..whole }.check().is_err());
}

#[test]
fn a_gain_is_compared_whole_and_not_by_its_last_bits() {
    let whole = played(18, false);
    for shift in [8, 16, 31, 32, 33, 63] {
        let more = 1 << shift;
        for (at, action) in whole.actions.iter().enumerate() {
            let Action::Palier(claim) = action else { continue };
            let mut altered = whole.clone();
            altered.actions[at] = Action::Palier(PalierClaim { gain_eur: claim.gain_eur + more, ..claim.clone() });
            let gain = Amount::from_eur(u32::try_from(claim.gain_eur).unwrap());
            assert_eq!(altered.check().unwrap_err(), Wrong::Action(at, Fault::Gain(gain)), "2^{shift}");
        }
        let gain = whole.gain_eur.unwrap();
        let altered = Transcript { gain_eur: Some(gain + more), ..whole.clone() };
        let gain = Amount::from_eur(u32::try_from(gain).unwrap());
        assert_eq!(altered.check().unwrap_err(), Wrong::Gain(Some(gain)), "2^{shift}");
    }
}

#[test]
fn a_number_that_is_too_large_is_refused_and_not_read_by_its_last_bits() {
    let text = played(7, false).to_json();
    let with_more = |name: &str, more: u64| {
        let start = text.find(&format!("\"{name}\":")).unwrap() + name.len() + 3;
        let end = start + text[start..].find(|c: char| !c.is_ascii_digit()).unwrap();
        let told: u64 = text[start..end].parse().unwrap();
        Transcript::from_json(&format!("{}{}{}", &text[..start], told + more, &text[end..]))
    };
    for (name, refused) in [
        ("version", Malformed::Version),
        ("potential_gain_eur", Malformed::Member("potential_gain_eur")),
        ("number", Malformed::Action(1, "number")),
        ("index", Malformed::Action(1, "opening")),
        ("value", Malformed::Action(1, "opening")),
        ("palier", Malformed::Action(7, "palier")),
        ("multiplier", Malformed::Action(7, "multiplier")),
    ] {
        assert!(with_more(name, 0).is_ok());
        for shift in [8, 16, 32, 40] {
            // A value has 32 bits: less than that can be read, and then opens nothing.
            if name == "value" && shift < 32 {
                assert!(with_more(name, 1 << shift).unwrap().check().is_err());
            } else {
                assert_eq!(with_more(name, 1 << shift), Err(refused), "{name} + 2^{shift}");
            }
        }
    }
}

/// ×3 for ×2, or the reverse, with every gain that would follow from it: only the shares tell.
#[test]
fn a_multiplier_told_with_the_gains_that_it_would_make_is_found() {
    for whole in [played(18, false), played(7, true)] {
        let paliers = whole.actions.iter().enumerate().filter(|(_, action)| matches!(action, Action::Palier(_)));
        for (at, _) in paliers {
            let mut forged = whole.clone();
            let (mut drawn, mut told) = (Multiplier::Two, Multiplier::Two);
            for action in &mut forged.actions[at..] {
                let Action::Palier(claim) = action else { continue };
                if drawn == told {
                    drawn = claim.multiplier;
                    told = if drawn == Multiplier::Two { Multiplier::Three } else { Multiplier::Two };
                    claim.multiplier = told;
                }
                claim.gain_eur = claim.gain_eur / u64::from(drawn.factor()) * u64::from(told.factor());
            }
            if forged.outcome == Outcome::Won {
                let gain = whole.gain_eur.unwrap();
                forged.gain_eur = Some(gain / u64::from(drawn.factor()) * u64::from(told.factor()));
            }
            assert_eq!(forged.check().unwrap_err(), Wrong::Action(at, Fault::Multiplier(drawn)));
        }
    }
}

#[test]
fn every_changed_character_of_a_saved_game_is_found() {
    let whole = played(7, true);
    let text = whole.to_json();
    let mut found = 0;
    for (at, c) in text.char_indices() {
        // Another digit for a digit, another letter for a letter: what still reads as a transcript.
        let other = match c {
            '0'..='8' => char::from(c as u8 + 1),
            '9' => '0',
            'a'..='e' => char::from(c as u8 + 1),
            'f' => 'a',
            _ => continue,
        };
        let mut changed = text.clone();
        changed.replace_range(at..=at, other.encode_utf8(&mut [0; 4]));
        let read = Transcript::from_json(&changed);
        assert!(!matches!(&read, Ok(t) if *t == whole), "byte {at} was not read");
        assert!(read.map_or(true, |t| t.check().is_err()), "byte {at}: {c} changed to {other}");
        found += 1;
    }
    assert!(found > 4000, "{found}");
}

#[test]
fn what_is_not_written_as_the_format_says_is_refused() {
    let text = played(7, false).to_json();
    let read = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        Transcript::from_json(&text.replacen(from, to, 1))
    };
    assert_eq!(read("\"version\":1", "\"version\":2"), Err(Malformed::Version));
    assert_eq!(read("\"version\":1", "\"version\":1.0"), Err(Malformed::Version));
    assert_eq!(
        read("\"potential_gain_eur\":20", "\"potential_gain_eur\":2e1"),
        Err(Malformed::Member("potential_gain_eur"))
    );
    assert_eq!(
        read("\"potential_gain_eur\":20", "\"potential_gain_eur\":30"),
        Err(Malformed::Member("potential_gain_eur"))
    );
    assert_eq!(read("\"outcome\":\"in_progress\"", "\"outcome\":\"draw\""), Err(Malformed::Member("outcome")));
    assert_eq!(read("\"server_seed\":null,", ""), Err(Malformed::Member("server_seed")));
    assert_eq!(read("\"gain_eur\":null}", "\"gain_eur\":-1}"), Err(Malformed::Member("gain_eur")));
    assert_eq!(read("{\"type\":\"continue\"}", "{\"type\":\"start\"}"), Err(Malformed::Action(0, "type")));
    assert!(matches!(read("\"version\":1", "\"version\":1,\"version\":1"), Err(Malformed::Json(_))));
    assert!(matches!(read("\"number\":", "\"number\":1,\"number\":"), Err(Malformed::Json(_))));
    let upper = played(7, false).sealed.commitment.to_hex();
    assert_eq!(read(&upper, &upper.to_uppercase()), Err(Malformed::Member("commitment")));
}

#[test]
fn other_members_at_any_level_are_ignored() {
    let whole = played(7, true);
    let text = whole.to_json();
    let more = text
        .replace("{\"type\"", "{\"at\":[1.5e3,{\"x\":null}],\"type\"")
        .replace("{\"index\"", "{\"sig\":\"é\",\"index\"");
    let more = more.replacen('{', "{\"receipts\":[{}],", 1);
    assert_ne!(more, text);
    assert_eq!(Transcript::from_json(&more), Ok(whole));
}

#[test]
fn what_is_wrong_is_told_in_plain_words_with_its_place() {
    use rules::{Misfit, Nature};
    use seal::opening::BadOpening;
    let told = |fault| Wrong::Action(4, fault).to_string();
    for (fault, words) in [
        (Fault::Rules(Misfit::State), "the rules have no such step here"),
        (Fault::Rules(Misfit::PickedAlready), "this number was picked before"),
        (Fault::Rules(Misfit::PalierCount), "a palier is reached with another count of good numbers"),
        (Fault::Rules(Misfit::Multiplier), "this potential gain is always multiplied by 2"),
        (Fault::Rules(Misfit::Time), "a step out of its time"),
        (Fault::Cell(BadOpening::Index), "the opening of the cell opens another leaf than the one asked for"),
        (Fault::Cell(BadOpening::Value), "the opening of the cell has a value that cannot stand there"),
        (
            Fault::Share(BadOpening::Commitment),
            "the opening of the palier does not lead to the commitment of this ticket and potential gain",
        ),
        (Fault::PalierMissing, "this number completes a palier, but the palier does not follow"),
        (Fault::PalierUnexpected, "a palier stands where none, or another one, is reached"),
        (Fault::Multiplier(Multiplier::Three), "the multiplier should be 3, as both shares draw it"),
        (Fault::Gain(Amount::from_eur(60)), "the gain should be 60 €"),
        (Fault::Nature(Nature::Good), "the number picked is good"),
        (Fault::Nature(Nature::Losing), "the number picked is losing"),
        (Fault::ServerSeed, "the server seed does not make the commitment"),
    ] {
        assert_eq!(told(fault), format!("action 5: {words}"));
    }
    for (wrong, words) in [
        (Wrong::Outcome, "\"outcome\" is not the one that the actions have"),
        (Wrong::Gain(Some(Amount::from_eur(40))), "\"gain_eur\" is not the gain of this game, 40 €"),
        (Wrong::Gain(None), "\"gain_eur\" must be null while the game is in progress"),
        (Wrong::NotRevealed, "the game is over, but \"server_seed\" is not revealed"),
        (Wrong::RevealedEarly, "\"server_seed\" is revealed although the game is in progress"),
        (Wrong::Reveal(Fault::ServerSeed), "the server seed does not make the commitment"),
    ] {
        assert_eq!(wrong.to_string(), words);
    }
    for (malformed, words) in [
        (Malformed::Version, "\"version\" is not 1: this program checks version 1 only"),
        (Malformed::Member("gain_eur"), "\"gain_eur\" is missing or not as the format says"),
        (Malformed::Action(2, "opening"), "action 3: \"opening\" is missing or not as the format says"),
    ] {
        assert_eq!(malformed.to_string(), words);
    }
    assert_eq!(Transcript::from_json("").unwrap_err().to_string(), "not a transcript: the text ends too soon (byte 0)");
}

#[test]
fn what_is_wrong_with_an_action_is_told_at_its_place() {
    let whole = played(18, false);
    let with = |at: usize, action: Action| {
        let mut actions = whole.actions.clone();
        actions[at] = action;
        Transcript { actions, ..whole.clone() }.check().unwrap_err()
    };
    // CONTINUER, six picks, the palier: the sixth pick is action 6 and the palier action 7, counted from 0.
    let Action::Palier(claim) = whole.actions[7].clone() else { panic!("a palier stands there") };
    let wrong = PalierClaim { gain_eur: claim.gain_eur + 1, ..claim.clone() };
    assert!(matches!(with(7, Action::Palier(wrong)), Wrong::Action(7, Fault::Gain(_))));
    let mut share = claim.clone();
    share.opening.value ^= 1;
    assert!(matches!(with(7, Action::Palier(share)), Wrong::Action(7, Fault::Share(_))));
    assert_eq!(with(7, Action::Continue), Wrong::Action(6, Fault::PalierMissing));
    assert_eq!(with(0, Action::Quit), Wrong::Action(0, Fault::Rules(rules::Misfit::State)));
    let Action::Pick(number, opening) = whole.actions[3].clone() else { panic!("a pick stands there") };
    let mut cell = opening;
    cell.nonce[0] ^= 1;
    assert!(matches!(with(3, Action::Pick(number, cell)), Wrong::Action(3, Fault::Cell(_))));
    assert_eq!(with(8, Action::Palier(claim)), Wrong::Action(8, Fault::PalierUnexpected));
    let empty = Transcript { actions: Vec::new(), ..whole };
    assert_eq!(empty.check().unwrap_err(), Wrong::Action(0, Fault::Rules(rules::Misfit::State)));
}

#[test]
fn a_losing_number_completes_no_palier() {
    let mut lost = played(5, true);
    let Some(Action::Palier(claim)) = played(6, false).actions.pop() else { panic!("a palier stands there") };
    lost.actions.push(Action::Palier(claim));
    assert_eq!(lost.check().unwrap_err(), Wrong::Action(7, Fault::PalierUnexpected));
}

#[test]
fn a_path_that_is_longer_than_any_is_not_read() {
    let mut game = played(1, false);
    if let Action::Pick(_, opening) = &mut game.actions[1] {
        opening.path.resize(7, [0; 32]);
    }
    assert_eq!(Transcript::from_json(&game.to_json()), Err(Malformed::Action(1, "opening")));
}

/// A server that seals what no draw can hold, and opens it truly.
#[test]
fn a_cell_or_a_share_that_no_draw_has_is_refused_though_it_was_sealed() {
    use seal::opening::{BadOpening, Opening, Sealed, commitment, leaf_bytes, palier_leaf};
    use seal::tree::{LEAVES, Tree, leaf_hash};
    let sealed_with = |value: u32| {
        let leaf = |i: usize| leaf_hash(&leaf_bytes(i as u8, value, &[i as u8; 32]));
        let tree = Tree::new(&core::array::from_fn::<_, LEAVES, _>(leaf));
        let (ticket, potential_gain) = (seal::TicketId([5; 16]), rules::PotentialGain::Eur20);
        let sealed = Sealed {
            ticket,
            potential_gain,
            commitment: commitment(ticket, Some(potential_gain), &seal::Root(*tree.root())),
        };
        let open = move |index: u8| Opening { index, value, nonce: [index; 32], path: tree.path(index.into()) };
        (sealed, open)
    };
    for value in [0, 1, 2, 43, 44, 454, 455, 505, 506, 968, 969, u32::MAX] {
        let (sealed, open) = sealed_with(value);
        let cell = [rules::Nature::Losing, rules::Nature::Good].get(value as usize).copied().ok_or(BadOpening::Value);
        assert_eq!(open(7).cell(&sealed, 7), cell, "{value}");
        for (palier, shares) in Palier::ALL.into_iter().zip([506, 969, 455, 44]) {
            let share = if value < shares { Ok(value) } else { Err(BadOpening::Value) };
            assert_eq!(open(palier_leaf(palier)).share(&sealed, palier), share, "{value}");
        }
        // Another leaf than the one asked for proves nothing, however true it is.
        let other = if value < 2 { BadOpening::Index } else { BadOpening::Value };
        assert_eq!(open(8).cell(&sealed, 7), Err(other));
        // There is no leaf 34.
        let beyond = Opening { index: 34, ..open(33) };
        assert_eq!(beyond.cell(&sealed, 34), Err(other));
    }
}
