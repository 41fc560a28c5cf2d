//! Events, states and entries of the ledger, in an operator's words.

use rules::game::VoidReason;
use rules::{Amount, Event, Game, State, Unfinished};
use seal::hash::to_hex;
use store::{LedgerEntry, Millis};

/// An instant, in UTC to the millisecond.
pub(crate) fn instant(at: Millis) -> String {
    protocol::time::to_rfc3339(rules::Timestamp::from_millis(at.0))
}

/// The name of an event, as it is exported.
pub(crate) const fn event_name(event: &Event) -> &'static str {
    match event {
        Event::Started { .. } => "continue",
        Event::Good(_) => "good_number",
        Event::PalierReached(..) => "palier_reached",
        Event::Losing(_) => "losing_number",
        Event::WentOn => "went_on",
        Event::Quit => "quit",
        Event::Expired => "expired",
        Event::Voided(_) => "voided",
        Event::Paid => "paid",
        Event::PaymentReversed => "payment_reversed",
    }
}

/// What an event says, in words; `after` is the game that it made.
pub(crate) fn event(event: &Event, after: &Game) -> String {
    let gain = |gain: Option<Amount>| gain.map_or(0, Amount::eur);
    match event {
        Event::Started { finish_before, unfinished } => {
            let rule = match unfinished {
                Unfinished::NoGain => "nothing between two paliers",
                Unfinished::LastPalier => "the last palier's gain between two paliers",
            };
            let until = instant(Millis(finish_before.millis()));
            format!("CONTINUER: {} € at stake, to be finished before {until} (then {rule})", after.acquired().eur())
        }
        Event::Good(number) => format!("number {}: good, {} found", number.get(), after.found()),
        Event::PalierReached(number, multiplier) => format!(
            "number {}: good, palier {} reached, multiplier {}, gain {} €",
            number.get(),
            after.palier_reached().map_or(0, rules::Palier::rank),
            multiplier.factor(),
            after.acquired().eur()
        ),
        Event::Losing(number) => format!("number {}: losing, the game is lost", number.get()),
        Event::WentOn => format!("CONTINUER: {} € at stake again", after.acquired().eur()),
        Event::Quit => format!("QUITTER: won, {} €", gain(after.gain())),
        Event::Expired => format!("the 30 days ended: {} €", gain(after.gain())),
        Event::Voided(reason) => format!("voided ({}): {} €", void_reason(*reason), gain(after.gain())),
        Event::Paid => format!("paid: {} €", after.payable().map_or(0, |payable| payable.amount.eur())),
        Event::PaymentReversed => "the payment was taken back".to_owned(),
    }
}

/// Why a game was voided, as it is written on the command line.
pub(crate) const fn void_reason(reason: VoidReason) -> &'static str {
    match reason {
        VoidReason::DrawLost => "draw-lost",
        VoidReason::Malfunction => "malfunction",
        VoidReason::Dispute => "dispute",
    }
}

/// Where a game stands, in words.
pub(crate) fn state(game: &Game) -> String {
    let due = |what: &str| match game.payable() {
        Some(payable) if payable.paid => format!("{what}; {} € paid", payable.amount.eur()),
        Some(payable) => format!("{what}; {} € to be paid", payable.amount.eur()),
        None => format!("{what}; nothing to be paid"),
    };
    match game.state() {
        State::NotStarted => due("not started"),
        State::PotentialGainPaid => due("the potential gain was asked for: stage 2 is closed"),
        State::Picking(palier) => format!("running, towards palier {}", palier.rank()),
        State::OnPalier(stop) => {
            format!("running, on palier {}, {} € acquired", stop.palier().rank(), game.acquired().eur())
        }
        State::Won(palier, _) => due(&format!("won at palier {}", palier.rank())),
        State::Lost => "lost".to_owned(),
        State::Expired(_) => due("the 30 days ended"),
        State::Void(reason, _) => due(&format!("void ({})", void_reason(reason))),
    }
}

/// What the ledger says beside an event.
pub(crate) fn entry(entry: &LedgerEntry) -> String {
    match entry {
        LedgerEntry::Payment(payment) => {
            let (id, by) = (to_hex(&payment.id.0), payment.point_of_sale.0);
            format!("payment {id} of {} € at point of sale {by}", payment.amount_eur)
        }
        LedgerEntry::Reversal(reversal) => {
            let by = reversal.point_of_sale.map_or("the operator".to_owned(), |by| format!("point of sale {}", by.0));
            let (id, who, why) = (to_hex(&reversal.payment.0), &reversal.who, &reversal.why);
            format!("reversal of payment {id} at {by}, by {who}: {why}")
        }
        LedgerEntry::Act(act) => format!("by {}: {}", act.who, act.why),
    }
}
