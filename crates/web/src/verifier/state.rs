//! The verifier's reducer. It reads no file, clock or storage: what these say is handed in as an [`Input`].

use rules::{Amount, Game, NumberSet, Timestamp};
use seal::{Json, Transcript};

use super::account::{account, flaw};
use super::model::{Action, Replay, Screen, Speed, Trouble, Verdict};
use crate::model::Step;
use crate::screens::{cells, ladder};
use crate::story;

/// The largest file that is read, in bytes. A whole game takes about 12 KB.
pub const LARGEST: f64 = 1_048_576.0;

/// Something that happened outside.
pub enum Input {
    /// Somebody came here to verify a game.
    Asked,
    /// Somebody came here to see again the game that was just played; none where it is not kept any more.
    Handed(Option<String>),
    /// A file is being read.
    Reading,
    /// A file was read.
    Read {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
    /// A file was not read.
    Refused(Trouble),
    /// Something was done.
    Act(Action),
    /// A time that was asked for has come: of that play.
    Rang(u32),
}

/// Something to be done outside.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// Hand in the time of this play after so many milliseconds.
    Wait(u32, u32),
    /// Open the browser's choice of a file.
    Choose,
}

/// The whole of it.
#[derive(Default)]
pub struct State {
    at: At,
    speed: Speed,
    plays: u32,
}

#[derive(Default)]
enum At {
    #[default]
    Nothing,
    Trouble(Trouble),
    Reading,
    Open(Box<Open>),
}

/// A game that was opened.
struct Open {
    verdict: Verdict,
    /// It was not chosen here, but handed over.
    handed: bool,
    ticket_number: Option<String>,
    started_at: Option<Timestamp>,
    /// Its steps, each with the game after it; none where it does not hold.
    steps: Vec<(Step, Game)>,
    losing: Option<NumberSet>,
    /// The step that is shown, while it is seen again.
    replay: Option<usize>,
    /// The number of this play, while it goes on by itself.
    playing: Option<u32>,
}

impl State {
    /// The next state, and what is to be done outside for it.
    pub fn take(&mut self, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match input {
            Input::Asked => {
                // What was opened here is still open.
                if !matches!(&self.at, At::Open(open) if !open.handed) {
                    self.at = At::Nothing;
                }
            }
            Input::Handed(None) => self.at = At::Trouble(Trouble::Gone),
            Input::Handed(Some(text)) => {
                self.open(None, &text);
                if let At::Open(open) = &mut self.at {
                    open.replay = (!open.steps.is_empty()).then_some(0);
                }
            }
            Input::Reading => self.at = At::Reading,
            Input::Read { name, text } => self.open(Some(name), &text),
            Input::Refused(trouble) => self.at = At::Trouble(trouble),
            Input::Act(Action::Choose) => effects.push(Effect::Choose),
            Input::Act(action) => self.act(action, &mut effects),
            Input::Rang(play) => self.rang(play, &mut effects),
        }
        effects
    }

    /// What stands there.
    #[must_use]
    pub fn screen(&self) -> Screen {
        match &self.at {
            At::Nothing => Screen::Ask(None),
            At::Trouble(trouble) => Screen::Ask(Some(*trouble)),
            At::Reading => Screen::Reading,
            At::Open(open) => match open.replay.and_then(|at| self.replay(open, at)) {
                Some(replay) => Screen::Replay(Box::new(replay)),
                None => Screen::Verdict(Box::new(open.verdict.clone())),
            },
        }
    }

    fn open(&mut self, file: Option<String>, text: &str) {
        self.at = match open(file, text) {
            Ok(open) => At::Open(Box::new(open)),
            Err(trouble) => At::Trouble(trouble),
        };
    }

    fn act(&mut self, action: Action, effects: &mut Vec<Effect>) {
        let At::Open(open) = &mut self.at else { return };
        let last = open.steps.len().saturating_sub(1);
        match (action, &mut open.replay) {
            (Action::Replay, None) if !open.steps.is_empty() => open.replay = Some(0),
            (Action::Verdict, replay) => {
                *replay = None;
                open.playing = None;
            }
            (Action::To(step), Some(at)) => {
                *at = step.min(last);
                open.playing = None;
            }
            (Action::Play(on), Some(at)) => {
                self.plays += 1;
                open.playing = on.then_some(self.plays);
                if on {
                    // Played again from its end, it starts over.
                    *at = if *at == last { 0 } else { *at };
                    effects.push(Effect::Wait(self.plays, self.speed.millis()));
                }
            }
            (Action::Speed(speed), _) => self.speed = speed,
            _ => {}
        }
    }

    fn rang(&mut self, play: u32, effects: &mut Vec<Effect>) {
        let At::Open(open) = &mut self.at else { return };
        let last = open.steps.len().saturating_sub(1);
        if let (true, Some(at)) = (open.playing == Some(play), &mut open.replay) {
            *at = last.min(*at + 1);
            if *at == last {
                open.playing = None;
            } else {
                effects.push(Effect::Wait(play, self.speed.millis()));
            }
        }
    }

    fn replay(&self, open: &Open, at: usize) -> Option<Replay> {
        let (step, game) = open.steps.get(at)?;
        let over = game.is_over();
        Some(Replay {
            ticket_number: open.ticket_number.clone(),
            started_at: open.started_at,
            cells: cells(game, None, open.losing.filter(|_| over)),
            rungs: ladder(game).0,
            step: *step,
            at,
            steps: open.steps.len(),
            amount: if over { game.gain().unwrap_or(Amount::ZERO) } else { game.acquired() },
            playing: open.playing.is_some(),
            speed: self.speed,
        })
    }
}

/// Reads a game and checks all of it.
fn open(file: Option<String>, text: &str) -> Result<Open, Trouble> {
    // Some editors put a mark in front of a text that they have saved.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(Trouble::Empty);
    }
    let json = Json::parse(text).ok();
    let member = |name| json.as_ref().and_then(|json| json.get(name));
    let is_report = member("evidence").is_some();
    let transcript = Transcript::from_json(text).map_err(|malformed| {
        if is_report && member("version").is_none() { Trouble::ReportAlone } else { Trouble::NotAGame(malformed) }
    })?;
    let checked = transcript.check();
    let (steps, losing) = match &checked {
        Ok(checked) => (story::steps(&transcript.actions, &checked.game), checked.losing),
        Err(_) => (Vec::new(), None),
    };
    let started_at = member("started_at_ms").and_then(Json::as_int).and_then(|at| i64::try_from(at).ok());
    Ok(Open {
        handed: file.is_none(),
        verdict: Verdict {
            file,
            is_report,
            found: match checked {
                Ok(checked) => Ok(account(&transcript, &checked)),
                Err(wrong) => Err(flaw(&transcript, wrong)),
            },
        },
        ticket_number: member("ticket_number").and_then(Json::as_str).map(str::to_owned),
        started_at: started_at.map(Timestamp::from_millis),
        steps,
        losing,
        replay: None,
        playing: None,
    })
}
