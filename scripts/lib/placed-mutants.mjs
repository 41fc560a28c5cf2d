// Changes that a general tool does not think of: each would make a game unfair, a deadline wrong or a proof hollow. [what, crate, file, before, after]:
// `before` stands exactly once in the file. scripts/mutants placed makes each alone and runs the tests of its crate.

const RULES = "crates/rules/src/";
const SEAL = "crates/seal/src/";
const of = (crate, dir, file) => (what, before, after) => ({ what, crate, file: dir + file, before, after });

const decided = of("rules", RULES, "decided.rs");
const decide = of("rules", RULES, "game/decide.rs");
const fold = of("rules", RULES, "game/fold.rs");
const odds = of("rules", RULES, "odds.rs");
const amount = of("rules", RULES, "amount.rs");
const palier = of("rules", RULES, "palier.rs");
const number = of("rules", RULES, "number.rs");
const time = of("rules", RULES, "time.rs");
const ticket = of("rules", RULES, "ticket.rs");
const code = of("rules", RULES, "code.rs");
const stream = of("seal", SEAL, "stream.rs");
const tree = of("seal", SEAL, "tree.rs");
const opening = of("seal", SEAL, "opening.rs");
const blend = of("seal", SEAL, "blend.rs");
const draw = of("seal", SEAL, "draw.rs");
const player = of("seal", SEAL, "player.rs");
const check = of("seal", SEAL, "check.rs");
const transcript = of("seal", SEAL, "transcript.rs");
const json = of("seal", SEAL, "json.rs");
const hash = of("seal", SEAL, "hash.rs");
const codes = of("seal", SEAL, "codes.rs");
const receipt = of("seal", SEAL, "receipt.rs");
const keys = of("seal", SEAL, "receipt/keys.rs");
const saved = of("seal", SEAL, "receipt/saved.rs");
const sign = of("seal", SEAL, "receipt/sign.rs");
const close = of("qod", "crates/qod/src/", "close.rs");

export default [
    // Deadlines.
    decided("30 × 24 h less a millisecond", "30 * 24 * 60 * 60 * 1000;", "30 * 24 * 60 * 60 * 1000 - 1;"),
    decided("30 × 24 h and a millisecond", "30 * 24 * 60 * 60 * 1000;", "30 * 24 * 60 * 60 * 1000 + 1;"),
    decided("28 days after the closing date", "i32 = 29;", "i32 = 28;"),
    decided("30 days after the closing date", "i32 = 29;", "i32 = 30;"),
    decide("CONTINUER at the very end of its time", "start_before.is_some_and(|end| now >= end)", "start_before.is_some_and(|end| now > end)"),
    decide("CONTINUER at any time", "start_before.is_some_and(|end| now >= end)", "start_before.is_some_and(|_| false)"),
    decide("payment at the very end of its time", "pay_before.is_some_and(|end| now >= end)", "pay_before.is_some_and(|end| now > end)"),
    decide("a clock that goes back opens a deadline again", "    let now = game.not_before_last(now);\n    match command", "    match command"),
    decide("a clock that goes back makes an event before the one before it", "let at = game.not_before_last(now);", "let at = now;"),
    fold("a pick at the very end of the 30 days", "self.not_before_last(now) >= start.finish_before", "self.not_before_last(now) > start.finish_before"),
    fold("a pick after the 30 days is folded", "let out_of_time = self.is_running() && self.has_expired(at) != (event == Event::Expired);", "let out_of_time = event == Event::Expired && !self.has_expired(at);"),
    fold("an expiry before the end of the 30 days is folded", "self.has_expired(at) != (event == Event::Expired)", "self.has_expired(at) && event != Event::Expired"),
    fold("a start that gives itself more than 30 days", "if finish_before != at.finish_before()", "if finish_before < at.finish_before()"),
    fold("a start that gives itself less than 30 days", "if finish_before != at.finish_before()", "if finish_before > at.finish_before()"),
    fold("an event before the one before it", "|| self.last.is_some_and(|last| at < last)", ""),
    fold("two events at one instant are refused", "|| self.last.is_some_and(|last| at < last)", "|| self.last.is_some_and(|last| at <= last)"),
    time("the 30 days are counted from 1970", "Self(self.0.saturating_add(PLAY_MILLIS))", "Self(PLAY_MILLIS)"),

    // Ends, and what they give.
    decided("an expiry on a palier gives what was set for between two", "(State::OnPalier(_), _) => Kept::Acquired", "(State::OnPalier(_), Unfinished::LastPalier) => Kept::Acquired"),
    decided("an expiry before the first palier gives the potential gain back", "if towards.before().is_some() => Kept::Acquired", "if { let _ = towards; true } => Kept::Acquired"),
    decided("an expiry between two paliers always gives the last one's gain", "(State::Picking(towards), Unfinished::LastPalier)", "(State::Picking(towards), _)"),
    decided("the other setting is the default", "    #[default]\n    NoGain,", "    NoGain,\n    #[default]"),
    decided("a void game gives nothing", "pub const fn kept_when_voided() -> Kept {\n    Kept::Acquired", "pub const fn kept_when_voided() -> Kept {\n    Kept::Nothing"),
    decide("the setting for unfinished games is not recorded", "unfinished: terms.unfinished", "unfinished: crate::decided::Unfinished::default()"),
    fold("the setting for unfinished games is not read", "|start| start.unfinished)", "|_| Unfinished::default())"),
    fold("palier 4 does not end the game", "palier.as_stop().map_or(State::Won(palier, Payment::Due), State::OnPalier)", "palier.as_stop().map_or(State::Picking(palier), State::OnPalier)"),
    fold("QUITTER wins the next palier", "State::Won(stop.palier(), Payment::Due)", "State::Won(stop.next(), Payment::Due)"),
    fold("a lost game keeps its gain", "State::Lost => Some(Amount::ZERO),", "State::Lost => Some(self.acquired()),"),
    decided("one can stop between two paliers", "if let State::OnPalier(stop) = state { Some(*stop) } else { None }",
        "match state {\n        State::OnPalier(stop) => Some(*stop),\n        State::Picking(towards) => towards.before(),\n        _ => None,\n    }"),
    decide("a suspension of new games stops running ones", "State::OnPalier(_) => in_time(game, now),\n            State::Picking(_) => in_time(game, now).and(Err(Refusal::BetweenPaliers)),\n            _ => Err(closed(game)),\n        },\n        Command::Pick",
        "State::OnPalier(_) if terms.suspended => Err(Refusal::Suspended),\n            State::OnPalier(_) => in_time(game, now),\n            State::Picking(_) => in_time(game, now).and(Err(Refusal::BetweenPaliers)),\n            _ => Err(closed(game)),\n        },\n        Command::Pick"),
    decide("a game starts although new ones are suspended", "State::NotStarted if terms.suspended", "State::NotStarted if terms.suspended && terms.start_before.is_some()"),

    // Refusals that change something.
    fold("a refused event moves the clock", "        // Nothing is changed before all is checked.", "        self.last = Some(at);"),
    fold("a refused event counts as an action", "        // Nothing is changed before all is checked.", "        if matches!(event, Event::Expired) { self.actions += 1; }"),
    fold("a refused start is kept", "                if finish_before != at.finish_before() {", "                self.start = Some(Start { at, finish_before, unfinished });\n                if finish_before != at.finish_before() {"),
    fold("a refused pick is kept", "                if picks.len() >= palier.found_in_all() {\n", "                self.picks = picks;\n                if picks.len() >= palier.found_in_all() {\n"),
    fold("a refused multiplier is kept", "                if multiplier != Multiplier::Two &&", "                self.multipliers[palier.index()] = multiplier;\n                self.reached = palier.rank();\n                if multiplier != Multiplier::Two &&"),

    // Picks and paliers.
    fold("a losing number without its pick", "self.took(self.picks.with(number).ok_or(Misfit::PickedAlready)?);\n                State::Lost", "State::Lost"),
    fold("a palier one number too late", "if picks.len() >= palier.found_in_all()", "if picks.len() > palier.found_in_all()"),
    fold("a palier without its count", "if picks.len() != palier.found_in_all()", "if picks.len() > palier.found_in_all()"),
    fold("×3 at 50,000 € is folded", "if multiplier != Multiplier::Two && self.potential_gain.always_doubles()", "if false"),
    decide("a number is picked twice", "if game.picked().contains(*number) { Err(Refusal::PickedAlready) } else { Ok(()) }", "{ let _ = number; Ok(()) }"),
    decide("a palier is reached one number early", "game.found() + 1 == palier.found_in_all()", "game.found() + 2 == palier.found_in_all()"),
    decide("a losing number is taken for a good one", "outcomes.nature(number) == Nature::Losing", "outcomes.nature(number) == Nature::Losing && game.found() < 17"),
    palier("5 numbers for the first palier", "Self::One => 6,\n            Self::Two => 5,", "Self::One => 5,\n            Self::Two => 6,"),
    palier("17 numbers in all", "Self::Four => 18,", "Self::Four => 17,"),
    palier("×4 for ×3", "Self::Three => 3,\n        }\n    }\n\n    /// The multiplier of that factor", "Self::Three => 4,\n        }\n    }\n\n    /// The multiplier of that factor"),
    number("a grid of 31 numbers", "pub const NUMBERS: u8 = 30;", "pub const NUMBERS: u8 = 31;"),
    number("two losing numbers", "pub const LOSING: u8 = 3;", "pub const LOSING: u8 = 2;"),
    number("no number 30", "number <= NUMBERS", "number < NUMBERS"),
    number("a number 0", "number >= 1 && number", "number"),

    // Payment.
    fold("a running game is paid", "State::Picking(_) | State::OnPalier(_) | State::Lost => None,\n            State::Won", "State::OnPalier(_) => Some(Payment::Due),\n            State::Picking(_) | State::Lost => None,\n            State::Won"),
    fold("a lost game is paid", "State::Picking(_) | State::OnPalier(_) | State::Lost => None,\n            State::Won", "State::Lost => Some(Payment::Due),\n            State::Picking(_) | State::OnPalier(_) => None,\n            State::Won"),
    fold("a payment of a running game is folded", "            _ => Err(Misfit::State),\n        }\n    }\n}\n", "            Self::OnPalier(stop) if to == Payment::Paid => Ok(Self::Won(stop.palier(), to)),\n            _ => Err(Misfit::State),\n        }\n    }\n}\n"),
    fold("a gain is paid twice", "Self::Won(palier, payment) if payment == from", "Self::Won(palier, payment) if payment == from || to == Payment::Paid"),
    fold("a paid potential gain starts a game", "(State::NotStarted, Event::Started { finish_before, unfinished })", "(State::NotStarted | State::PotentialGainPaid, Event::Started { finish_before, unfinished })"),
    fold("the reversal of a potential gain's payment leaves stage 2 closed", "Self::PotentialGainPaid if to == Payment::Due => Ok(Self::NotStarted)", "Self::PotentialGainPaid if to == Payment::Due => Ok(Self::PotentialGainPaid)"),
    decide("what was paid is paid again", "Some(payable) if payable.paid => Err(Refusal::PaidAlready),", ""),
    decide("a payment is taken back after its time only", "Some(payable) if payable.paid => Ok(()),\n            _ => Err(Refusal::NotPaid)", "Some(payable) if payable.paid && terms.pay_before.is_none() => Ok(()),\n            _ => Err(Refusal::NotPaid)"),

    // Amounts.
    amount("a largest gain of 750,000 €", "from_eur(800_000)", "from_eur(750_000)"),
    amount("gains capped one step too low", "Self(self.0.saturating_mul(multiplier.factor() as u64))", "{\n        let gain = self.0.saturating_mul(multiplier.factor() as u64);\n        if gain >= Self::LARGEST_GAIN.0 { Self(Self::LARGEST_GAIN.0 - 100) } else { Self(gain) }\n    }"),
    amount("1,000 € always doubles too", "matches!(self, Self::Eur50000)", "matches!(self, Self::Eur50000 | Self::Eur1000)"),
    amount("50,000 € does not always double", "matches!(self, Self::Eur50000)", "false"),
    amount("a ticket at 2 €", "from_eur(3)", "from_eur(2)"),
    fold("the gain is that of the last multiplier alone", "self.multipliers().iter().fold(", "self.multipliers().iter().rev().take(1).fold("),

    // The law.
    odds("the first multiplier from the joint odds", "Palier::One => (3, 506)", "Palier::One => (3, 1015)"),
    odds("the second multiplier from the joint odds", "Palier::Two => (86, 969)", "Palier::Two => (86, 2024)"),
    odds("the third multiplier from the joint odds", "Palier::Three => (59, 455)", "Palier::Three => (59, 969)"),
    odds("the fourth multiplier from the joint odds", "Palier::Four => (3, 44)", "Palier::Four => (3, 91)"),
    odds("one value less draws ×3", "Palier::Three => (59, 455)", "Palier::Three => (58, 455)"),
    odds("one value more draws ×3", "value < self.threes && !gain", "value <= self.threes && !gain"),
    odds("×3 above the threshold", "value < self.threes && !gain", "value >= self.out_of - self.threes && !gain"),
    odds("×3 at 50,000 €", "value < self.threes && !gain.always_doubles()", "value < self.threes && { let _ = gain; true }"),
    odds("the odds say ×3 at 50,000 €", "if gain.always_doubles() {\n        return Fraction::ZERO;\n    }\n", ""),
    odds("numbers are put back", "Fraction::reduced(good, good + LOSING as u64)", "Fraction::reduced(good, 30)"),
    odds("fractions are not reduced", "Self { num: num / common, den: den / common }", "{ let _ = common; Self { num, den } }"),

    // Names and codes.
    ticket("a block of 3,000,001 tickets", "u32 = 3_000_000;", "u32 = 3_000_001;"),
    ticket("an emission 1000", "emission <= 999", "emission <= 1_000"),
    code("a check character modulo another number", "const MODULUS: u32 = 1271;", "const MODULUS: u32 = 1270;"),
    code("a code shows in Debug", 'f.write_str("Code(…)")', "f.write_str(&self.grouped())"),

    // The draw: bias and mixing.
    stream("a modulo instead of rejection", "if x < limit {", "if true {"),
    stream("one word too many accepted", "if x < limit {", "if x <= limit {"),
    stream("one word too few accepted", "if x < limit {", "if x + 1 < limit {"),
    stream("a multiplication instead of a modulo", "return (x % n) as u32;", "return ((x * n) >> 32) as u32;"),
    stream("an exchange with any place (a biased shuffle)", "self.uniform(i as u32 + 1)", "self.uniform(N as u32)"),
    stream("Sattolo's shuffle, which moves every number", "self.uniform(i as u32 + 1)", "self.uniform(i as u32)"),
    stream("a shuffle in the other order", "for i in (1..N).rev()", "for i in 1..N"),
    stream("words in the other byte order", "u32::from_be_bytes(word)", "u32::from_le_bytes(word)"),
    stream("every block of the stream is the first", "self.counter = self.counter.wrapping_add(1);", ""),
    stream("half of each block is used", "if self.at >= self.block.len()", "if self.at >= self.block.len() / 2"),
    draw("two losing cells", "[..usize::from(LOSING)]", "[..usize::from(LOSING) - 1]"),
    draw("the losing cells are the shuffle's last", "for losing in &deck[..usize::from(LOSING)]", "for losing in &deck[usize::from(NUMBERS - LOSING)..]"),
    draw("one draw for all tickets", '.mac(&[b"qod/1 server seed", &ticket.0])', '.mac(&[b"qod/1 server seed", &[0; 16]])'),
    draw("one nonce for all leaves", "nonce.mac(&[&[i as u8]])", "nonce.mac(&[&[0 * i as u8]])"),
    draw("the server's share alone is always 0", "shares.uniform(multiplier_draw(palier).out_of());", "shares.uniform(1);"),
    blend("the server's share alone draws", "u64::from(server_share) + u64::from(client_share)", "u64::from(server_share) + 0 * u64::from(client_share)"),
    blend("the player's share alone draws", "u64::from(server_share) + u64::from(client_share)", "0 * u64::from(server_share) + u64::from(client_share)"),
    blend("the sum is cut off instead of taken modulo", "% u64::from(draw.out_of())", ".min(0).max(u64::from(server_share).min(u64::from(draw.out_of()) - 1))"),
    player("a player's half without the commitment", "[name, &commitment.0].concat()", "[name, &[0u8; 32]].concat()"),
    player("a player's half that moves no number", "self.cell_of_number[number.index()]", "{ let _ = self.cell_of_number; number.index() as u8 }"),

    // Tags.
    tree("leaves hashed as nodes", "sha256(&[&[0], leaf])", "sha256(&[&[1], leaf])"),
    tree("nodes hashed as leaves", "sha256(&[&[1], left, right])", "sha256(&[&[0], left, right])"),
    tree("siblings exchanged", "sha256(&[&[1], left, right])", "sha256(&[&[1], right, left])"),
    tree("an odd last node is paired with itself (Bitcoin's tree)", "_ => pair[0],", "_ => node_hash(&pair[0], &pair[0]),"),
    tree("hashes left over in a path are let pass", "if path.next().is_none() { Some(hash) } else { None }", "Some(hash)"),
    opening("ticket and gain exchanged in the commitment", "&ticket.0, &eur, &root.0", "&eur, &ticket.0, &root.0"),
    opening("a commitment without its tag", '&[b"qod/1 commitment", ', "&[b\"\", "),
    opening("a commitment without the potential gain", "&ticket.0, &eur, &root.0", "&ticket.0, &[0 * eur[0]; 4], &root.0"),
    opening("a commitment without the ticket", "&ticket.0, &eur, &root.0", "&[0 * ticket.0[0]; 16], &eur, &root.0"),
    opening("a losing ticket sealed with another gain than 0", "gain.map_or(0, PotentialGain::eur)", "gain.map_or(1, PotentialGain::eur)"),
    opening("a leaf without its index", "leaf[0] = index;", "let _ = index;"),
    draw("the deck's tag for the multipliers", 'b"qod/1 deck"', 'b"qod/1 multipliers"'),
    draw("the multipliers' tag for the deck", 'Stream::new(&key, b"qod/1 multipliers")', 'Stream::new(&key, b"qod/1 deck")'),
    draw("another tag for nonces", 'b"qod/1 nonce"', 'b"qod/1 nonces"'),
    draw("another tag for the server's seed", 'b"qod/1 server seed"', 'b"qod/1 seed"'),
    player("the multipliers' tag for the cells", 'b"qod/1 cells"', 'b"qod/1 multipliers"'),
    player("the cells' tag for the multipliers", '&label(b"qod/1 multipliers")', '&label(b"qod/1 cells")'),
    codes("control codes hashed under the codes' tag", 'b"qod/1 control"', 'b"qod/1 code"'),
    codes("codes hashed under the control codes' tag", 'mac(&[b"qod/1 code", code', 'mac(&[b"qod/1 control", code'),
    codes("control codes hashed without their serial number", "&number.serial().to_be_bytes()", "&[0; 4]"),
    receipt("another tag for receipts", 'b"qod/1 receipt"', 'b"qod/1 reckipt"'),
    receipt("the kinds of two actions exchanged", "WENT_ON: u8 = 5;", "WENT_ON: u8 = 6;"),

    // Hashes.
    hash("no bit after the message", "self.block[at] = 0x80;", "self.block[at] = 0;"),
    hash("what was left of the block before is hashed too", "self.block[at + 1..].fill(0);", ""),
    hash("a length in bytes", "(self.fed * 8).to_be_bytes()", "self.fed.to_be_bytes()"),
    hash("no second block for 56 to 63 bytes", "if at >= BLOCK - 8 {", "if at > BLOCK - 8 {"),
    hash("a second block for 55 bytes too", "if at >= BLOCK - 8 {", "if at >= BLOCK - 9 {"),
    hash("inner and outer key pads exchanged", "inner: padded(0x36), outer: padded(0x5c)", "inner: padded(0x5c), outer: padded(0x36)"),
    hash("upper-case hex is read", "b'a'..=b'f' => Ok(c - b'a' + 10),", "b'a'..=b'f' => Ok(c - b'a' + 10),\n            b'A'..=b'F' => Ok(c - b'A' + 10),"),

    // Checks left out.
    opening("an opening of another leaf", "if self.index != leaf || usize::from(leaf) >= LEAVES", "if usize::from(leaf) >= LEAVES"),
    opening("a cell's value beyond 1", "_ => return Err(BadOpening::Value),", "_ => Nature::Good,"),
    opening("a share beyond its draw", "if self.value >= multiplier_draw(palier).out_of()", "if self.value > multiplier_draw(palier).out_of()"),
    opening("any root", "if made == sealed.commitment { Ok(()) } else { Err(BadOpening::Commitment) }", "{ let _ = made; Ok(()) }"),
    check("another palier than the one reached", "if claim.palier != reached", "if false"),
    check("the multiplier as it is told", "if claim.multiplier == drawn { Ok(drawn) }", "if true { Ok(claim.multiplier) }"),
    check("the gain as it is told", "if claim.gain_eur != next.acquired().eur()", "if false"),
    check("a palier told after a losing number", "(Nature::Losing, _, None) => Event::Losing(number)", "(Nature::Losing, _, _) => Event::Losing(number)"),
    check("a refused pick changes the game", "self.multiplier(reached, claim)?;", "self.multiplier(reached, claim)?;\n                self.game = self.after(Event::PalierReached(number, drawn))?;"),
    check("any revealed seed", "if grid.commitment(self.sealed.ticket, Some(self.sealed.potential_gain)) != self.sealed.commitment", "if false"),
    transcript("a version 2", "!= Some(1)", "== None"),
    transcript("the outcome as it is told", "if Outcome::of(&game) != Some(self.outcome)", "if false"),
    transcript("the end's gain as it is told", "if self.gain_eur != gain.map(Amount::eur)", "if false"),
    transcript("a seed revealed early", "(Some(_), false) => return Err(Wrong::RevealedEarly)", "(Some(_), false) => None"),
    transcript("a seed never revealed", "(None, true) => return Err(Wrong::NotRevealed)", "(None, true) => None"),
    transcript("the last palier's gain for no expiry between two", "if self.outcome == Outcome::Expired && self.gain_eur", "if self.outcome == Outcome::Void && self.gain_eur"),
    transcript("paths of any length are read", "if path.len() > LONGEST_PATH", "if false"),
    transcript("a palier without its pick", "Action::Palier(_) => Err(Fault::PalierUnexpected)", "Action::Palier(_) => Ok(())"),
    transcript("a game that no CONTINUER starts", "if !matches!(actions.next(), Some((_, Action::Continue)))", "if actions.next().is_none()"),
    json("a key given twice", "if members.iter().any(|(k, _)| *k == key)", "if false"),
    json("one level deeper", "if depth >= MAX_DEPTH", "if depth > MAX_DEPTH"),
    json("one member more", "if members.len() >= MAX_MEMBERS", "if members.len() > MAX_MEMBERS"),

    // Receipts.
    receipt("the chain does not hold the statement before", "bytes.extend_from_slice(&self.previous);", "bytes.extend_from_slice(&[0; 32]);"),
    receipt("the chain stays at the opening", "        self.previous = statement.digest();\n", ""),
    receipt("a statement without its time", "bytes.extend_from_slice(&at.millis().to_be_bytes());", "bytes.extend_from_slice(&[0; 8]);"),
    receipt("a statement without its ticket", "bytes.extend_from_slice(&ticket.0);", "bytes.extend_from_slice(&[0 * ticket.0[0]; 16]);"),
    receipt("a start without the player's seed", "bytes.extend_from_slice(&seed.0);", "bytes.extend_from_slice(&[0 * seed.0[0]; 32]);"),
    receipt("a start without the setting for unfinished games", "u8::from(unfinished == Unfinished::LastPalier)", "0 * u8::from(unfinished == Unfinished::LastPalier)"),
    receipt("a pick without what was opened", "bytes.extend_from_slice(&opened(cell));", "bytes.extend_from_slice(&[0; 32]);"),
    receipt("what was at stake is stated of a lost game", "State::Lost => (4, 0)", "State::Lost => (4, game.acquired().eur())"),
    receipt("an opening without its potential gain", "&sealed.potential_gain.eur().to_be_bytes()", "&[0; 4]"),
    keys("a key signs at its very end", "at < until", "at <= until"),
    keys("a key does not sign at its first instant", "self.from <= at", "self.from < at"),
    keys("a key given twice", "keys[..at].iter().any(", "keys[..0 * at].iter().any("),
    keys("an id that is not its key's", "!= Some(public.id())", "== None"),
    saved("fewer receipts than actions", "if actions != self.actions.len()", "if actions < self.actions.len()"),
    saved("more receipts than actions", "if actions != self.actions.len()", "if actions > self.actions.len()"),
    saved("a key outside of its time", "if at.is_some_and(|at| !key.signs_at(at))", "if at.is_some_and(|_| false)"),
    saved("any signature", "if genuine { Ok(()) }", "if genuine || true { Ok(()) }"),
    saved("the opening's receipt is not checked", "holds(Place::Opening, &self.opening, None, &signed[0])?;", "let _ = holds(Place::Opening, &self.opening, None, &signed[0]);"),
    saved("the receipts' times are those of the first", "Some(receipt.at), statement)", "None, statement)"),
    sign("keys of small order", "key.verify_strict(message, &signature)", "ed25519_dalek::Verifier::verify(&key, message, &signature)"),

    // The closing of an emission, in `qod`.
    close("the 29th day ends a millisecond early", "from_millis(instant.as_millisecond())", "from_millis(instant.as_millisecond() - 1)"),
    close("the 29th day ends a millisecond late", "from_millis(instant.as_millisecond())", "from_millis(instant.as_millisecond() + 1)"),
    close("the 29th day's beginning instead of its end", "START_DAYS_AFTER_CLOSING + 1", "START_DAYS_AFTER_CLOSING"),
    close("the day's end in UTC", 'day_after.in_tz("Europe/Paris")', 'day_after.in_tz("UTC")'),
    close("29 × 24 h instead of 29 days", "(START_DAYS_AFTER_CLOSING + 1).days())?;\n    let instant = day_after.in_tz(\"Europe/Paris\")?.timestamp();",
        "(1).days())?;\n    let instant = day_after.in_tz(\"Europe/Paris\")?.timestamp() + jiff::SignedDuration::from_hours(24 * i64::from(START_DAYS_AFTER_CLOSING));"),
];
