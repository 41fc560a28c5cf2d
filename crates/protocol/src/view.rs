//! What the server answers.

use core::cell::Cell;

use rules::game::{Payable, VoidReason};
use rules::{Amount, Game, Multiplier, Nature, Number, PotentialGain, State, TicketNumber, Timestamp, Unfinished};
use seal::check::PalierClaim;
use seal::json::Writer;
use seal::receipt::{Receipt, Signed};
use seal::{ClientSeed, Commitment, Json, Opening, ServerSeed, TicketId};

use crate::BadMember;
use crate::time::{from_rfc3339, to_rfc3339};

/// Where a game stands, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateName {
    /// Stage 2 has not begun.
    NotStarted,
    /// The potential gain was paid: stage 2 is closed.
    PotentialGainPaid,
    /// Numbers are being picked.
    Picking,
    /// Standing on a palier.
    OnPalier,
    /// Won.
    Won,
    /// Lost.
    Lost,
    /// The 30 days ended.
    Expired,
    /// Voided by the operator.
    Void,
}

impl StateName {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NotStarted,
        Self::PotentialGainPaid,
        Self::Picking,
        Self::OnPalier,
        Self::Won,
        Self::Lost,
        Self::Expired,
        Self::Void,
    ];

    /// On the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotStarted => "not_started",
            Self::PotentialGainPaid => "potential_gain_paid",
            Self::Picking => "picking",
            Self::OnPalier => "on_palier",
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Expired => "expired",
            Self::Void => "void",
        }
    }

    /// Of a state.
    #[must_use]
    pub const fn of(state: &State) -> Self {
        match state {
            State::NotStarted => Self::NotStarted,
            State::PotentialGainPaid => Self::PotentialGainPaid,
            State::Picking(_) => Self::Picking,
            State::OnPalier(_) => Self::OnPalier,
            State::Won(..) => Self::Won,
            State::Lost => Self::Lost,
            State::Expired(_) => Self::Expired,
            State::Void(..) => Self::Void,
        }
    }
}

/// Whether there is something to pay on the ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payment {
    /// Nothing is payable (a game runs, or there is no gain).
    None,
    /// Something is payable.
    Due,
    /// It was paid.
    Paid,
}

impl Payment {
    const ALL: [Self; 3] = [Self::None, Self::Due, Self::Paid];

    /// On the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Due => "due",
            Self::Paid => "paid",
        }
    }

    /// Of what is payable on a game.
    #[must_use]
    pub const fn of(payable: Option<Payable>) -> Self {
        match payable {
            None => Self::None,
            Some(Payable { paid: false, .. }) => Self::Due,
            Some(Payable { paid: true, .. }) => Self::Paid,
        }
    }
}

/// A number that was picked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickView {
    /// Which.
    pub number: Number,
    /// What it was.
    pub nature: Nature,
}

/// A game, as its player may see it: nothing here tells where a losing number lies before the game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameView {
    /// The ticket.
    pub ticket_id: TicketId,
    /// Its printed number.
    pub ticket_number: TicketNumber,
    /// Where the game stands.
    pub state: StateName,
    /// The `seq` of the next action.
    pub seq: u32,
    /// What stage 1 gained.
    pub potential_gain: PotentialGain,
    /// What the draw is sealed with.
    pub commitment: Commitment,
    /// The player's recorded seed, once the game is started.
    pub client_seed: Option<ClientSeed>,
    /// The last palier reached: 0 to 4.
    pub palier: u8,
    /// What the ticket gives if one stops here, or what the game gave, in whole euros; none where one cannot stop.
    pub gain_eur: Option<u64>,
    /// The numbers picked, in order.
    pub picks: Vec<PickView>,
    /// The multipliers of the paliers reached.
    pub multipliers: Vec<Multiplier>,
    /// CONTINUER can start the game before this instant; none while the emission is not closed.
    pub start_before: Option<Timestamp>,
    /// When CONTINUER started it.
    pub started_at: Option<Timestamp>,
    /// When its 30 days end.
    pub finish_before: Option<Timestamp>,
    /// What becomes of it if they end between two paliers.
    pub unfinished: Unfinished,
    /// Whether there is something to pay.
    pub payment: Payment,
    /// The emission's time to be paid, where it is set.
    pub pay_before: Option<Timestamp>,
    /// New games are suspended by the operator.
    pub suspended: bool,
    /// Why it was voided, if it was.
    pub void_reason: Option<VoidReason>,
    /// What the draw was made from, once the game is over.
    pub server_seed: Option<ServerSeed>,
}

impl GameView {
    /// Writes it as the value that follows a key, or as the whole body.
    pub fn write(&self, w: &mut Writer) {
        let time = |at: Option<Timestamp>| at.map(to_rfc3339);
        w.object(|w| {
            w.key("ticket_id").string(&self.ticket_id.to_string());
            w.key("ticket_number").string(&self.ticket_number.to_string());
            w.key("state").string(self.state.as_str());
            w.key("seq").int(self.seq.into());
            w.key("potential_gain_eur").int(self.potential_gain.eur().into());
            w.key("commitment").string(&self.commitment.to_hex());
            w.key("client_seed").string_or_null(self.client_seed.map(|s| s.to_hex()).as_deref());
            w.key("palier").int(self.palier.into());
            w.key("gain_eur").int_or_null(self.gain_eur);
            w.key("picks").array(|w| {
                for pick in &self.picks {
                    w.object(|w| {
                        w.key("number").int(pick.number.get().into());
                        w.key("good").bool(pick.nature == Nature::Good);
                    });
                }
            });
            w.key("multipliers").array(|w| self.multipliers.iter().for_each(|m| w.int(m.factor().into())));
            w.key("start_before").string_or_null(time(self.start_before).as_deref());
            w.key("started_at").string_or_null(time(self.started_at).as_deref());
            w.key("finish_before").string_or_null(time(self.finish_before).as_deref());
            w.key("unfinished").string(unfinished_name(self.unfinished));
            w.key("payment").string(self.payment.as_str());
            w.key("pay_before").string_or_null(time(self.pay_before).as_deref());
            w.key("suspended").bool(self.suspended);
            w.key("void_reason").string_or_null(self.void_reason.map(void_reason_name));
            w.key("server_seed").string_or_null(self.server_seed.map(|s| s.reveal_hex()).as_deref());
        });
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        Members::read(json, |member| {
            Some(Self {
                ticket_id: member.text("ticket_id")?.parse().ok()?,
                ticket_number: member.text("ticket_number")?.parse().ok()?,
                state: member.one_of("state", &StateName::ALL, |name| name.as_str())?,
                seq: member.int("seq")?.try_into().ok()?,
                potential_gain: PotentialGain::from_eur(member.int("potential_gain_eur")?)?,
                commitment: Commitment::from_hex(member.text("commitment")?).ok()?,
                client_seed: match member.text_or_null("client_seed")? {
                    None => None,
                    Some(hex) => Some(ClientSeed::from_hex(hex).ok()?),
                },
                palier: member.int("palier")?.try_into().ok().filter(|n| *n <= 4)?,
                gain_eur: member.int_or_null("gain_eur")?,
                picks: member.items("picks", |pick| {
                    let number = pick.get("number")?.as_int().and_then(|n| Number::new(n.try_into().ok()?))?;
                    Some(PickView { number, nature: nature(pick.get("good")?.as_bool()?) })
                })?,
                multipliers: member.items("multipliers", |m| Multiplier::from_factor(m.as_int()?))?,
                start_before: member.time_or_null("start_before")?,
                started_at: member.time_or_null("started_at")?,
                finish_before: member.time_or_null("finish_before")?,
                unfinished: member.one_of(
                    "unfinished",
                    &[Unfinished::NoGain, Unfinished::LastPalier],
                    unfinished_name,
                )?,
                payment: member.one_of("payment", &Payment::ALL, |payment| payment.as_str())?,
                pay_before: member.time_or_null("pay_before")?,
                suspended: member.get("suspended")?.as_bool()?,
                void_reason: match member.text_or_null("void_reason")? {
                    None => None,
                    Some(_) => Some(member.one_of("void_reason", &VOID_REASONS, void_reason_name)?),
                },
                server_seed: match member.text_or_null("server_seed")? {
                    None => None,
                    Some(hex) => Some(ServerSeed::from_hex(hex).ok()?),
                },
            })
        })
    }

    /// What a game says of itself; the ticket's members and the draw's are for the caller to know.
    #[must_use]
    pub fn of(
        game: &Game,
        ticket_id: TicketId,
        ticket_number: TicketNumber,
        commitment: Commitment,
        client_seed: Option<ClientSeed>,
    ) -> Self {
        let start = game.start();
        Self {
            ticket_id,
            ticket_number,
            state: StateName::of(&game.state()),
            seq: game.seq(),
            potential_gain: game.potential_gain(),
            commitment,
            client_seed,
            palier: game.palier_reached().map_or(0, rules::Palier::rank),
            gain_eur: game.gain().map(Amount::eur),
            picks: game.picks().map(|(number, nature)| PickView { number, nature }).collect(),
            multipliers: game.multipliers().to_vec(),
            start_before: None,
            started_at: start.map(|s| s.at),
            finish_before: start.map(|s| s.finish_before),
            unfinished: start.map_or_else(Unfinished::default, |s| s.unfinished),
            payment: Payment::of(game.payable()),
            pay_before: None,
            suspended: false,
            void_reason: if let State::Void(reason, _) = game.state() { Some(reason) } else { None },
            server_seed: None,
        }
    }
}

/// The answer to a code.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionAnswer {
    /// The session's token, for `Authorization: Bearer`. A secret.
    pub token: String,
    /// The ticket's game.
    pub game: GameView,
    /// The operator's signature over what was sealed; none where receipts are not given.
    pub receipt: Option<Signed>,
}

impl SessionAnswer {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("token").string(&self.token);
            self.game.write(w.key("game"));
            if let Some(receipt) = &self.receipt {
                receipt.write(w.key("receipt"));
            }
        });
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        let token = json.get("token").and_then(Json::as_str).ok_or(BadMember("token"))?;
        Ok(Self { token: token.to_owned(), game: read_game(json)?, receipt: read_receipt(json, Signed::read)? })
    }
}

/// The answer to a pick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickAnswer {
    /// Which number was picked.
    pub number: Number,
    /// What it is.
    pub nature: Nature,
    /// The cell under it, opened.
    pub opening: Opening,
    /// The palier that it completed, if it did.
    pub palier: Option<PalierClaim>,
    /// The game after it.
    pub game: GameView,
    /// The operator's receipt; none where receipts are not given.
    pub receipt: Option<Receipt>,
}

impl PickAnswer {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("number").int(self.number.get().into());
            w.key("good").bool(self.nature == Nature::Good);
            self.opening.write(w.key("opening"));
            if let Some(claim) = &self.palier {
                w.key("palier").object(|w| claim.write_members(w));
            }
            self.game.write(w.key("game"));
            if let Some(receipt) = &self.receipt {
                receipt.write(w.key("receipt"));
            }
        });
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        Ok(Self {
            number: Members::read(json, |member| Number::new(member.int("number")?.try_into().ok()?))?,
            nature: nature(json.get("good").and_then(Json::as_bool).ok_or(BadMember("good"))?),
            opening: Opening::read(json.get("opening")).ok_or(BadMember("opening"))?,
            palier: match json.get("palier") {
                None | Some(Json::Null) => None,
                Some(claim) => Some(PalierClaim::read(claim).map_err(BadMember)?),
            },
            game: read_game(json)?,
            receipt: read_receipt(json, Receipt::read)?,
        })
    }
}

/// The answer to CONTINUER and QUITTER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameAnswer {
    /// The game after it.
    pub game: GameView,
    /// The operator's receipt; none where receipts are not given.
    pub receipt: Option<Receipt>,
}

impl GameAnswer {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            self.game.write(w.key("game"));
            if let Some(receipt) = &self.receipt {
                receipt.write(w.key("receipt"));
            }
        });
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        Ok(Self { game: read_game(json)?, receipt: read_receipt(json, Receipt::read)? })
    }
}

fn read_receipt<T>(json: &Json, read: impl FnOnce(&Json) -> Option<T>) -> Result<Option<T>, BadMember> {
    match json.get("receipt") {
        None | Some(Json::Null) => Ok(None),
        Some(receipt) => read(receipt).map(Some).ok_or(BadMember("receipt")),
    }
}

/// Reads the member `game`.
///
/// # Errors
/// The member that is missing or wrong.
pub fn read_game(json: &Json) -> Result<GameView, BadMember> {
    GameView::read(json.get("game").ok_or(BadMember("game"))?)
}

const VOID_REASONS: [VoidReason; 3] = [VoidReason::DrawLost, VoidReason::Malfunction, VoidReason::Dispute];

const fn void_reason_name(reason: VoidReason) -> &'static str {
    match reason {
        VoidReason::DrawLost => "draw_lost",
        VoidReason::Malfunction => "malfunction",
        VoidReason::Dispute => "dispute",
    }
}

const fn unfinished_name(unfinished: Unfinished) -> &'static str {
    match unfinished {
        Unfinished::NoGain => "no_gain",
        Unfinished::LastPalier => "last_palier",
    }
}

const fn nature(good: bool) -> Nature {
    if good { Nature::Good } else { Nature::Losing }
}

/// Reads members of an object, each of which must be there, and remembers which it was at. (What varies by type is kept out of it: the page holds this
/// code once.)
struct Members<'a> {
    json: &'a Json,
    at: Cell<&'static str>,
}

impl<'a> Members<'a> {
    /// What `read` reads, or the member that it stopped at.
    fn read<T>(json: &'a Json, read: impl FnOnce(&Self) -> Option<T>) -> Result<T, BadMember> {
        let members = Self { json, at: Cell::new("") };
        read(&members).ok_or(BadMember(members.at.get()))
    }

    fn get(&self, name: &'static str) -> Option<&'a Json> {
        self.at.set(name);
        self.json.get(name)
    }

    fn text(&self, name: &'static str) -> Option<&'a str> {
        self.get(name)?.as_str()
    }

    fn text_or_null(&self, name: &'static str) -> Option<Option<&'a str>> {
        match self.get(name)? {
            Json::Null => Some(None),
            json => json.as_str().map(Some),
        }
    }

    fn time_or_null(&self, name: &'static str) -> Option<Option<Timestamp>> {
        match self.text_or_null(name)? {
            None => Some(None),
            Some(text) => from_rfc3339(text).map(Some),
        }
    }

    fn int(&self, name: &'static str) -> Option<u64> {
        self.get(name)?.as_int()
    }

    fn int_or_null(&self, name: &'static str) -> Option<Option<u64>> {
        match self.get(name)? {
            Json::Null => Some(None),
            json => json.as_int().map(Some),
        }
    }

    fn one_of<T: Copy>(&self, name: &'static str, all: &[T], name_of: impl Fn(T) -> &'static str) -> Option<T> {
        let text = self.text(name)?;
        all.iter().copied().find(|one| name_of(*one) == text)
    }

    fn items<T>(&self, name: &'static str, read: impl Fn(&Json) -> Option<T>) -> Option<Vec<T>> {
        self.get(name)?.as_array()?.iter().map(read).collect()
    }
}
