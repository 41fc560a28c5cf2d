//! Every worked case of `tests/vectors/sealed-grid-v1.json`, natively and, in a headless browser, in Wasm.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its vectors must fail")]

use rules::{Multiplier, Nature, Number, Outcomes as _, Palier, PotentialGain};
use seal::check::PalierClaim;
use seal::opening::Sealed;
use seal::stream::uniform;
use seal::transcript::{Action, Outcome, Transcript};
use seal::{
    Blend, Checker, ClientSeed, Commitment, DrawKey, Json, Opening, PlayersHalf, Root, SealedGrid, ServerSeed, TicketId,
};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const VECTORS: &str = include_str!("../../../tests/vectors/sealed-grid-v1.json");

fn vectors(of: &str) -> Vec<Json> {
    let cases = Json::parse(VECTORS).unwrap().get(of).unwrap().as_array().unwrap().to_vec();
    assert!(!cases.is_empty());
    cases
}

fn int(case: &Json, name: &str) -> u64 {
    case.get(name).unwrap().as_int().unwrap()
}

fn ints(case: &Json, name: &str) -> Vec<u64> {
    case.get(name).unwrap().as_array().unwrap().iter().map(|n| n.as_int().unwrap()).collect()
}

fn text<'a>(case: &'a Json, name: &str) -> &'a str {
    case.get(name).unwrap().as_str().unwrap()
}

fn number(n: u64) -> Number {
    Number::new(u8::try_from(n).unwrap()).unwrap()
}

/// A worked game, made anew from its draw key, ticket and client seed.
struct Worked {
    case: Json,
    seed: ServerSeed,
    client_seed: ClientSeed,
    grid: SealedGrid,
    player: PlayersHalf,
    sealed: Sealed,
}

impl Worked {
    fn new(case: Json) -> Self {
        let ticket: TicketId = text(&case, "ticket_id").parse().unwrap();
        let seed = DrawKey::from_hex(text(&case, "draw_key")).unwrap().server_seed(ticket);
        let potential_gain = PotentialGain::from_eur(int(&case, "potential_gain_eur")).unwrap();
        let grid = SealedGrid::new(&seed);
        let commitment = grid.commitment(ticket, Some(potential_gain));
        let client_seed = ClientSeed::from_hex(text(&case, "client_seed")).unwrap();
        let player = PlayersHalf::new(&client_seed, &commitment);
        Self { seed, client_seed, grid, player, sealed: Sealed { ticket, potential_gain, commitment }, case }
    }

    /// Plays the game's picks as a server would, and gives the transcript.
    fn played(&self) -> Transcript {
        let blend = Blend { sealed: &self.grid, player: &self.player, potential_gain: self.sealed.potential_gain };
        let last = Palier::from_rank(int(&self.case, "stop_after_palier")).unwrap();
        let mut actions = vec![Action::Continue];
        let mut gain = self.sealed.potential_gain.amount();
        let mut outcome = Outcome::InProgress;
        for (found, pick) in (1..).zip(ints(&self.case, "picks").into_iter().map(number)) {
            actions.push(Action::Pick(pick, self.grid.open(self.player.cell(pick)).unwrap()));
            if blend.nature(pick) == Nature::Losing {
                outcome = Outcome::Lost;
                break;
            }
            if let Some(palier) = Palier::ALL.into_iter().find(|p| p.found_in_all() == found) {
                let multiplier = blend.multiplier(palier);
                gain = gain.times(multiplier);
                let opening = self.grid.open(29 + palier.rank()).unwrap();
                actions.push(Action::Palier(PalierClaim { palier, multiplier, gain_eur: gain.eur(), opening }));
                match palier {
                    Palier::Four => outcome = Outcome::Won,
                    _ if palier == last => {
                        actions.push(Action::Quit);
                        outcome = Outcome::Won;
                    }
                    _ => actions.push(Action::Continue),
                }
            }
        }
        let gain_eur = Some(if outcome == Outcome::Lost { 0 } else { gain.eur() });
        let (sealed, client_seed) = (self.sealed, self.client_seed);
        Transcript { sealed, client_seed, server_seed: Some(self.seed), actions, outcome, gain_eur }
    }
}

fn worked_games() -> impl Iterator<Item = Worked> {
    vectors("games").into_iter().map(Worked::new)
}

#[test]
fn uniform_passes_over_words_beyond_the_last_multiple() {
    for case in vectors("uniform") {
        let words = ints(&case, "words");
        let mut read = 0;
        let result = uniform(u32::try_from(int(&case, "n")).unwrap(), || {
            read += 1;
            u32::try_from(words[read - 1]).unwrap()
        });
        assert_eq!((u64::from(result), read as u64), (int(&case, "result"), int(&case, "words_read")));
    }
}

#[test]
fn the_two_shares_draw_the_multiplier_on_both_sides_of_every_limit() {
    for case in vectors("multipliers") {
        let share = |name| u32::try_from(int(&case, name)).unwrap();
        let palier = Palier::from_rank(int(&case, "palier")).unwrap();
        let gain = PotentialGain::from_eur(int(&case, "potential_gain_eur")).unwrap();
        let drawn = seal::blend::multiplier(palier, gain, share("server_share"), share("client_share"));
        assert_eq!(Some(drawn), Multiplier::from_factor(int(&case, "multiplier")));
    }
}

#[test]
fn every_worked_game_is_drawn_and_sealed_to_the_byte() {
    for game in worked_games() {
        let case = &game.case;
        assert_eq!(game.seed, ServerSeed::from_hex(text(case, "server_seed")).unwrap());
        assert_eq!(game.grid.root(), Root::from_hex(text(case, "root")).unwrap());
        assert_eq!(game.sealed.commitment, Commitment::from_hex(text(case, "commitment")).unwrap());
        let losing: Vec<u64> = (0..30).filter(|c| game.grid.is_losing(*c)).map(u64::from).collect();
        assert_eq!(losing, ints(case, "losing_cells"));
        assert_eq!(Palier::ALL.map(|p| u64::from(game.grid.share(p))).to_vec(), ints(case, "server_shares"));
        assert_eq!(Palier::ALL.map(|p| u64::from(game.player.share(p))).to_vec(), ints(case, "client_shares"));
        let cells: Vec<u64> = Number::all().map(|n| game.player.cell(n).into()).collect();
        assert_eq!(cells, ints(case, "cell_of_number"));
        let start = rules::Timestamp::from_millis(0);
        let checker = Checker::start(game.sealed, &game.client_seed, start, rules::Unfinished::NoGain).unwrap();
        assert_eq!(checker.sealed(), &game.sealed);
        assert!(Number::all().map(|n| u64::from(checker.cell(n))).eq(cells));
        let first = number(ints(case, "picks")[0]);
        assert_eq!(game.grid.open(game.player.cell(first)), Opening::read(case.get("first_opening")));
        assert_eq!(game.grid.open(33), Opening::read(case.get("palier_4_opening")));
    }
}

#[test]
fn every_worked_game_is_played_and_checked_to_its_outcome() {
    for game in worked_games() {
        let case = &game.case;
        let transcript = game.played();
        let checked = transcript.check().unwrap();
        assert_eq!(transcript.outcome.name(), text(case, "outcome"));
        assert_eq!(checked.game.gain().unwrap().eur(), int(case, "gain_eur"));
        let losing: Vec<u64> = checked.losing.unwrap().iter().map(|n| n.get().into()).collect();
        assert_eq!(losing, ints(case, "losing_numbers"));
        let mut picks = checked.game.picks();
        let mut multipliers = checked.game.multipliers().iter();
        for step in case.get("steps").unwrap().as_array().unwrap() {
            if step.get("number").is_some() {
                let (pick, nature) = picks.next().unwrap();
                assert_eq!(u64::from(pick.get()), int(step, "number"));
                assert_eq!(u64::from(game.player.cell(pick)), int(step, "cell"));
                assert_eq!(Some(nature == Nature::Good), step.get("good").unwrap().as_bool());
            } else {
                assert_eq!(Multiplier::from_factor(int(step, "multiplier")), multipliers.next().copied());
            }
        }
        assert_eq!((picks.next(), multipliers.next()), (None, None));
    }
}

#[test]
fn a_transcript_is_read_back_as_it_was_written() {
    for game in worked_games() {
        let transcript = game.played();
        assert_eq!(Transcript::from_json(&transcript.to_json()), Ok(transcript));
    }
}

#[test]
fn each_leaf_opens_to_what_was_sealed() {
    for game in worked_games() {
        for cell in 0..30 {
            let nature = game.grid.open(cell).unwrap().cell(&game.sealed, cell).unwrap();
            assert_eq!(nature == Nature::Losing, game.grid.is_losing(cell));
        }
        for palier in Palier::ALL {
            let opening = game.grid.open(29 + palier.rank()).unwrap();
            assert_eq!(opening.share(&game.sealed, palier), Ok(game.grid.share(palier)));
        }
        assert_eq!(game.grid.open(34), None);
    }
}

/// Whether an opening is accepted for a leaf.
fn accepted(opening: &Opening, sealed: &Sealed, leaf: u8) -> bool {
    match leaf.checked_sub(29).and_then(|rank| Palier::from_rank(rank.into())) {
        Some(palier) => opening.share(sealed, palier).is_ok(),
        None => opening.cell(sealed, leaf).is_ok(),
    }
}

#[test]
fn each_single_byte_change_of_an_opening_is_refused() {
    let game = worked_games().next().unwrap();
    for leaf in 0..34 {
        // Every change of every byte of two leaves; one change of every byte of all others (the page's engine is slower).
        let changes = if leaf == 7 || leaf == 31 { 1..=255 } else { 1..=1 };
        let opening = game.grid.open(leaf).unwrap();
        assert!(accepted(&opening, &game.sealed, leaf));
        for change in changes {
            let refuse =
                |changed: Opening| assert!(!accepted(&changed, &game.sealed, leaf), "leaf {leaf}: {changed:?}");
            refuse(Opening { index: opening.index ^ change, ..opening.clone() });
            for byte in 0..4 {
                refuse(Opening { value: opening.value ^ u32::from(change) << (8 * byte), ..opening.clone() });
            }
            for byte in 0..32 {
                let mut changed = opening.clone();
                changed.nonce[byte] ^= change;
                refuse(changed);
                for hash in 0..opening.path.len() {
                    let mut changed = opening.clone();
                    changed.path[hash][byte] ^= change;
                    refuse(changed);
                }
            }
        }
    }
}

#[test]
fn each_single_byte_change_of_the_commitment_the_ticket_or_the_potential_gain_is_refused() {
    for game in worked_games() {
        for leaf in 0..34 {
            let opening = game.grid.open(leaf).unwrap();
            for byte in 0..32 {
                let mut sealed = game.sealed;
                sealed.commitment.0[byte] ^= 1;
                assert!(!accepted(&opening, &sealed, leaf));
            }
            for byte in 0..16 {
                let mut sealed = game.sealed;
                sealed.ticket.0[byte] ^= 1;
                assert!(!accepted(&opening, &sealed, leaf));
            }
            for potential_gain in PotentialGain::ALL.into_iter().filter(|g| *g != game.sealed.potential_gain) {
                assert!(!accepted(&opening, &Sealed { potential_gain, ..game.sealed }, leaf));
            }
        }
    }
}

#[test]
fn each_single_byte_change_of_the_server_seed_is_refused() {
    let game = worked_games().next().unwrap();
    let checker =
        Checker::start(game.sealed, &game.client_seed, rules::Timestamp::from_millis(0), rules::Unfinished::NoGain);
    let checker = checker.unwrap();
    assert!(checker.reveal(&game.seed).is_ok());
    for byte in 0..32 {
        for bit in 0..8 {
            let mut seed = game.seed;
            seed.0[byte] ^= 1 << bit;
            assert_eq!(checker.reveal(&seed), Err(seal::Fault::ServerSeed));
        }
    }
}
