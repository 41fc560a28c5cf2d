use rules::{Multiplier, Palier};
use seal::receipt::{PublishedKey, ReceiptKey, verify};

use super::*;
use crate::codec::decode;

const T0: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const KEY: DrawKey = DrawKey([7; 32]);
const SEED: ClientSeed = ClientSeed([9; 32]);

/// The key of an instant: it changes two seconds after the beginning.
fn signer(at: Timestamp) -> ReceiptKey {
    ReceiptKey::from_secret(&[if at.millis() < T0.millis() + 2000 { 1 } else { 2 }; 32])
}

fn published() -> PublishedKeys {
    let (start, change) = (Timestamp::from_millis(0), Timestamp::from_millis(T0.millis() + 2000));
    let key = |at, from, until| PublishedKey { public: signer(at).public(), from, until };
    PublishedKeys::new(vec![key(T0, start, Some(change)), key(change, change, None)]).unwrap()
}

/// A ticket whose events are kept as a server would.
struct Kept(Ticket);

impl Kept {
    fn new(potential_gain: PotentialGain) -> Self {
        Self(Ticket {
            id: TicketId([3; 16]),
            number: TicketNumber::new(1, 1, 1).unwrap(),
            potential_gain,
            terms: Terms::default(),
            client_seed: None,
            events: Vec::new(),
            receipts: Vec::new(),
        })
    }

    fn table(&self) -> Table {
        Table::new(self.0.clone(), &KEY).unwrap()
    }

    fn keep(&mut self, append: Append) {
        assert_eq!(append.version as usize, self.0.events.len());
        self.0.events.push(Recorded { at: append.at, event: decode(&append.payload).unwrap() });
        self.0.client_seed = self.0.client_seed.or(append.client_seed);
        self.0.receipts.push(append.receipt);
    }

    /// Asks, keeps and answers, as a server would.
    fn act_at(&mut self, seq: u32, action: Action, now: Timestamp) -> Result<Answer, Problem> {
        loop {
            match self.table().act(seq, action, now) {
                Turn::Again(answer) => return Ok(answer),
                Turn::Refuse(problem) => return Err(problem),
                Turn::Settle(append) => self.keep(append),
                Turn::Write(mut append, answer) => {
                    let receipt = append.sign(|statement, at| Ok(signer(at).sign(statement)))?;
                    self.keep(append);
                    return Ok(answer.receipted(receipt));
                }
            }
        }
    }

    #[track_caller]
    fn act(&mut self, seq: u32, action: Action) -> Answer {
        self.act_at(seq, action, T0).unwrap_or_else(|problem| panic!("{problem:?}"))
    }

    #[track_caller]
    fn refused(&mut self, seq: u32, action: Action, code: ProblemCode) {
        let before = self.0.events.len();
        let problem = self.act_at(seq, action, T0).unwrap_err();
        assert_eq!(problem.code, code);
        assert_eq!(*problem.game.unwrap(), self.table().view());
        assert_eq!(self.0.events.len(), before);
    }

    fn first(&self) -> Action {
        Action::Continue(Some(FirstContinue { commitment: self.table().commitment, client_seed: SEED }))
    }

    /// Good and losing numbers, as only the holder of both halves knows them.
    fn numbers(&self, nature: Nature) -> Vec<Number> {
        let table = self.table();
        let player = PlayersHalf::new(&SEED, &table.commitment);
        let blend = table.blend(&player);
        Number::all().filter(|n| rules::Outcomes::nature(&blend, *n) == nature).collect()
    }

    /// CONTINUER, then so many good numbers, going on at each palier on the way. Gives the next `seq`.
    fn find(&mut self, count: u8) -> u32 {
        let mut seq = 0;
        let mut next = |kept: &mut Self, action| {
            kept.act(seq, action);
            seq += 1;
        };
        next(self, self.first());
        for number in self.numbers(Nature::Good).into_iter().take(count.into()) {
            if matches!(self.table().game.state(), State::OnPalier(_)) {
                next(self, Action::Continue(None));
            }
            next(self, Action::Pick(number));
        }
        seq
    }
}

#[test]
fn a_whole_game_is_played_and_its_transcript_holds_at_every_step() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    assert_eq!(kept.table().transcript(), None);
    for count in 0..=18 {
        let mut kept = Kept::new(PotentialGain::Eur20);
        kept.find(count);
        let transcript = kept.table().transcript().unwrap();
        let checked = transcript.check().unwrap();
        assert_eq!(checked.game.found(), count);
        assert_eq!(Transcript::from_json(&transcript.to_json()), Ok(transcript));
    }
    kept.find(18);
    let view = kept.table().view();
    assert_eq!((view.state, view.palier, view.picks.len()), (StateName::Won, 4, 18));
    let factor: u64 = view.multipliers.iter().map(|m: &Multiplier| u64::from(m.factor())).product();
    assert_eq!(view.gain_eur, Some(20 * factor));
}

#[test]
fn every_action_has_its_receipt_and_all_hold_at_every_step_also_where_the_key_changed() {
    for count in 0..=18 {
        let mut kept = Kept::new(PotentialGain::Eur20);
        // Paid in error, and taken back: nothing of the player's, so without a receipt.
        for command in [Command::Pay, Command::ReversePayment] {
            kept.keep(kept.table().operate(command, T0).unwrap());
        }
        let seq = kept.find(count);
        let late = Timestamp::from_millis(T0.millis() + 2000);
        let last = match kept.table().game.state() {
            State::OnPalier(_) => Some(Action::Quit),
            State::Picking(_) => Some(Action::Pick(kept.numbers(Nature::Losing)[0])),
            _ => None,
        };
        let answer = last.map(|action| (action, kept.act_at(seq, action, late).unwrap()));
        let table = kept.table();
        let transcript = table.transcript().unwrap();
        transcript.check().unwrap();
        let receipts = table.receipts(signer(late).sign(&table.opening()), published()).unwrap();
        let statements = receipts.check(&transcript, &published(), verify).unwrap();
        assert_eq!(statements.len(), table.game.seq() as usize + 1);
        // A statement of each kind is signed, and each once.
        assert_eq!(
            receipts.actions.last().map(|r| r.signed.key),
            Some(signer(if last.is_some() { late } else { T0 }).id())
        );
        if let Some((action, answer)) = answer {
            // Asked for again when the key has long changed: the very same.
            assert_eq!(kept.act_at(seq, action, Timestamp::from_millis(T0.millis() + 9_000)).unwrap(), answer);
            assert!(answer.to_json().contains(&format!(r#""receipt":{{"at_ms":{},"key":"#, late.millis())));
        }
    }
}

#[test]
fn without_all_its_receipts_a_game_tells_none() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    let opening = signer(T0).sign(&kept.table().opening());
    assert_eq!(kept.table().receipts(opening, published()), None);
    kept.find(2);
    assert!(kept.table().receipts(opening, published()).is_some());
    kept.0.receipts[1] = None;
    assert_eq!(kept.table().receipts(opening, published()), None);
}

#[test]
fn a_losing_number_ends_the_game_and_only_then_is_the_draw_revealed() {
    let mut kept = Kept::new(PotentialGain::Eur100);
    let seq = kept.find(7);
    assert_eq!(kept.table().view().server_seed, None);
    let losing = kept.numbers(Nature::Losing)[1];
    let Answer::Pick(answer) = kept.act(seq, Action::Pick(losing)) else { panic!("not a pick's answer") };
    assert_eq!((answer.nature, answer.game.state, answer.game.gain_eur), (Nature::Losing, StateName::Lost, Some(0)));
    assert_eq!(answer.game.server_seed, Some(kept.table().seed));
    let checked = kept.table().transcript().unwrap().check().unwrap();
    assert_eq!(checked.losing.unwrap().iter().collect::<Vec<_>>(), kept.numbers(Nature::Losing));
}

#[test]
fn quitter_on_a_palier_wins_its_gain_and_what_comes_later_gets_the_final_state() {
    let mut kept = Kept::new(PotentialGain::Eur50);
    let seq = kept.find(11);
    kept.act(seq, Action::Quit);
    assert_eq!(kept.table().view().state, StateName::Won);
    let other = kept.numbers(Nature::Good)[20];
    kept.refused(seq + 1, Action::Quit, ProblemCode::Over);
    kept.refused(seq + 1, Action::Pick(other), ProblemCode::Over);
    kept.refused(seq + 9, Action::Continue(None), ProblemCode::Over);
}

#[test]
fn the_same_action_again_gets_the_same_answer_to_the_byte_and_has_no_other_effect() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    let mut told = Vec::new();
    let good = kept.numbers(Nature::Good);
    let mut actions = vec![kept.first()];
    for (i, number) in good[..11].iter().enumerate() {
        if i == usize::from(Palier::One.found_in_all()) {
            actions.push(Action::Continue(None));
        }
        actions.push(Action::Pick(*number));
    }
    actions.push(Action::Quit);
    for (seq, action) in (0..).zip(&actions) {
        let answer = kept.act(seq, *action).to_json();
        assert_eq!(kept.act(seq, *action).to_json(), answer);
        told.push(answer);
    }
    let events = kept.0.events.len();
    let a_year_later = Timestamp::from_millis(T0.millis() + 365 * 86_400_000);
    for ((seq, action), answer) in (0..).zip(&actions).zip(&told) {
        assert_eq!(kept.act_at(seq, *action, a_year_later).unwrap().to_json(), *answer);
    }
    assert_eq!(kept.0.events.len(), events);
}

#[test]
fn another_action_at_a_used_seq_gets_the_current_game_and_a_conflict() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    let seq = kept.find(3);
    let other = kept.numbers(Nature::Good)[9];
    kept.refused(1, Action::Pick(other), ProblemCode::SeqConflict);
    kept.refused(1, Action::Quit, ProblemCode::SeqConflict);
    kept.refused(seq + 1, Action::Pick(other), ProblemCode::SeqConflict);
}

#[test]
fn continuer_needs_the_commitment_and_a_seed_and_never_takes_another_one() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    let commitment = kept.table().commitment;
    let with = |commitment, client_seed| Action::Continue(Some(FirstContinue { commitment, client_seed }));
    kept.refused(0, Action::Continue(None), ProblemCode::SeedMissing);
    kept.refused(0, with(Commitment([1; 32]), SEED), ProblemCode::OtherCommitment);
    kept.refused(0, Action::Quit, ProblemCode::NotStarted);
    kept.act(0, with(commitment, SEED));
    kept.refused(0, with(commitment, ClientSeed([8; 32])), ProblemCode::OtherSeed);
    kept.refused(0, with(Commitment([1; 32]), SEED), ProblemCode::OtherCommitment);
    kept.refused(0, Action::Continue(None), ProblemCode::SeedMissing);
    assert_eq!(kept.table().view().client_seed, Some(SEED));
}

#[test]
fn a_game_whose_time_has_ended_is_settled_before_anything_else() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    let seq = kept.find(6);
    let end = T0.finish_before();
    let just_before = Timestamp::from_millis(end.millis() - 1);
    assert!(kept.table().settle(just_before).is_none());
    let problem = kept.act_at(seq, Action::Quit, end).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Over);
    let view = kept.table().view();
    assert_eq!(view.state, StateName::Expired);
    let palier_gain = 20 * u64::from(view.multipliers[0].factor());
    assert_eq!(view.gain_eur, Some(palier_gain));
    assert!(kept.table().transcript().unwrap().check().is_ok());
}

#[test]
fn paying_closes_stage_2_and_continuer_closes_the_payment_of_the_potential_gain() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    kept.keep(kept.table().operate(Command::Pay, T0).unwrap());
    assert_eq!(kept.table().view().state, StateName::PotentialGainPaid);
    kept.refused(0, kept.first(), ProblemCode::PotentialGainPaid);
    let mut kept = Kept::new(PotentialGain::Eur20);
    kept.find(0);
    assert!(matches!(kept.table().operate(Command::Pay, T0), Err(Refusal::StillRunning)));
}

#[test]
fn what_is_stored_and_does_not_follow_is_corrupt() {
    let mut kept = Kept::new(PotentialGain::Eur20);
    kept.find(2);
    let mut missing = kept.0.clone();
    missing.events.remove(0);
    assert!(Table::new(missing, &KEY).is_err());
    assert!(Table::new(Ticket { client_seed: None, ..kept.0 }, &KEY).is_err());
}
