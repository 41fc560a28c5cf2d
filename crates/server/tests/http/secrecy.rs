//! Before a game is over, nothing that leaves the server tells where a losing number lies; and the log tells nothing at all.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Arc;

use protocol::{ProblemCode, StateName};
use rules::{Nature, Number, PotentialGain};
use seal::hash::to_hex;
use seal::{DrawKey, PlayersHalf, SealedGrid};

use crate::harness::{KEYS, Player, Trial};
use store::SqliteStore;

#[tokio::test]
async fn before_the_end_nothing_that_leaves_the_server_holds_its_seed_or_the_nonce_of_an_unopened_cell() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    let good = player.numbers(Nature::Good);
    player.find(15).await;
    // Refusals carry the game too; transcripts are asked for while it runs.
    player.send_pick(1, good[20]).await.is(ProblemCode::SeqConflict);
    player.reload().await;
    player.transcript().await.unwrap();
    assert_eq!(player.game.state, StateName::OnPalier);
    let opened: Vec<_> = player.game.picks.iter().map(|pick| pick.number).collect();
    let secrets = secrets(&player, |cell| opened.contains(&cell));
    assert_eq!(secrets.len(), 1 + 2 + (30 - 15) + 1);
    let heard = trial.heard.lock().unwrap().join("\n");
    for secret in &secrets {
        assert!(!heard.contains(secret));
    }
    // The same search finds what was opened: it does look where it should.
    let grid = SealedGrid::new(&player.server_seed());
    let half = PlayersHalf::new(&player.seed, &player.game.commitment);
    for number in opened {
        assert!(heard.contains(&to_hex(&grid.open(half.cell(number)).unwrap().nonce)));
    }
}

/// In hex: the server seed, the keys, the nonces of the cells that are not opened, and of the paliers not reached.
fn secrets(player: &Player<'_>, is_open: impl Fn(Number) -> bool) -> Vec<String> {
    let grid = SealedGrid::new(&player.server_seed());
    let half = PlayersHalf::new(&player.seed, &player.game.commitment);
    let mut secrets = vec![player.server_seed().reveal_hex(), to_hex(&KEYS.draw.0), to_hex(&KEYS.pepper.0)];
    let closed = Number::all().filter(|number| !is_open(*number)).map(|number| half.cell(number));
    let paliers = (30 + player.game.palier)..34;
    secrets.extend(closed.chain(paliers).map(|leaf| to_hex(&grid.open(leaf).unwrap().nonce)));
    secrets
}

#[tokio::test]
async fn once_the_game_is_over_and_not_before_its_seed_is_told() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    let seed = player.server_seed().reveal_hex();
    player.find(6).await;
    assert!(!trial.heard.lock().unwrap().join("\n").contains(&seed));
    player.quit().await.unwrap();
    assert!(trial.heard.lock().unwrap().join("\n").contains(&seed));
}

#[tokio::test]
async fn twin_games_that_differ_in_cells_not_yet_opened_alone_look_the_same_from_outside() {
    let (one, other) = (Trial::drawn_with(DrawKey([7; 32])).await, Trial::drawn_with(DrawKey([17; 32])).await);
    let mut twins = [one.player(PotentialGain::Eur20).await, other.player(PotentialGain::Eur20).await];
    let [good, others] = twins.each_ref().map(|twin| twin.numbers(Nature::Good));
    assert_ne!(good, others);
    // Good in both, and the palier, whose multiplier may differ, not reached. Which cell lies under a number follows from
    // the commitment and the player's seed; those with two digits, so that sizes can be compared.
    let half = |twin: &Player<'_>| PlayersHalf::new(&twin.seed, &twin.game.commitment);
    let halves = twins.each_ref().map(half);
    let alike = |number: &Number| others.contains(number) && halves.iter().all(|half| half.cell(*number) >= 10);
    let picks: Vec<_> = good.into_iter().filter(alike).take(5).collect();
    for twin in &mut twins {
        twin.start().await;
        for number in &picks {
            twin.pick(*number).await;
        }
        twin.send_pick(1, picks[4]).await.is(ProblemCode::SeqConflict);
        twin.reload().await;
        twin.transcript().await.unwrap();
    }
    let look =
        |trial: &Trial| trial.heard.lock().unwrap().iter().map(|heard| without_digests(heard)).collect::<Vec<_>>();
    assert_eq!(look(&one), look(&other));
}

#[tokio::test]
async fn twins_look_the_same_from_outside_through_a_palier_with_one_multiplier_and_beyond() {
    for key in 20..200 {
        let (one, other) = (Trial::drawn_with(DrawKey([7; 32])).await, Trial::drawn_with(DrawKey([key; 32])).await);
        let mut twins = [one.player(PotentialGain::Eur20).await, other.player(PotentialGain::Eur20).await];
        let [good, others] = twins.each_ref().map(|twin| twin.numbers(Nature::Good));
        let halves = twins.each_ref().map(|twin| PlayersHalf::new(&twin.seed, &twin.game.commitment));
        let alike = |number: &Number| others.contains(number) && halves.iter().all(|half| half.cell(*number) >= 10);
        let picks: Vec<_> = good.iter().copied().filter(alike).take(9).collect();
        if picks.len() < 9 {
            continue;
        }
        for twin in &mut twins {
            twin.start().await;
            for number in &picks {
                if twin.game.state == StateName::OnPalier {
                    twin.go_on().await;
                }
                twin.pick(*number).await;
            }
            twin.send_pick(1, picks[4]).await.is(ProblemCode::SeqConflict);
            twin.trial.enter(&crate::harness::code(1).grouped()).await;
            twin.reload().await;
            twin.transcript().await.unwrap();
        }
        // What was opened is alike in both: the multiplier, and how many digits the number has that it was drawn by.
        let drawn = |trial: &Trial| drawn_by(&trial.heard.lock().unwrap().join("\n"));
        let lengths = [drawn(&one), drawn(&other)].map(|all| all.iter().map(String::len).collect::<Vec<_>>());
        if twins[0].game.multipliers != twins[1].game.multipliers || lengths[0] != lengths[1] {
            continue;
        }
        assert_eq!((twins[0].game.palier, twins[0].game.picks.len()), (1, 9));
        // Where their losing numbers lie they do differ.
        assert_ne!(good, others);
        let look = |trial: &Trial| -> Vec<_> {
            let without = |heard: &String| {
                let told = drawn_by(heard)
                    .into_iter()
                    .fold(heard.clone(), |text, drawn| text.replace(&format!("\"value\":{drawn}"), "\"value\":"));
                (heard.len(), without_digests(&told))
            };
            trial.heard.lock().unwrap().iter().map(without).collect()
        };
        assert_eq!(look(&one), look(&other));
        return;
    }
    panic!("no twins among these keys");
}

#[tokio::test]
async fn the_whole_database_holds_no_code_control_code_token_seed_or_key() {
    let folder = tempfile::tempdir().unwrap();
    let trial = Trial::over(Arc::new(SqliteStore::open(&folder.path().join("qod.sqlite")).unwrap())).await;
    let issued = trial.issue(20).await;
    let mut running = trial.open(issued).await;
    running.find(8).await;
    let mut over = trial.player(PotentialGain::Eur20).await;
    over.find(6).await;
    over.quit().await.unwrap();
    // As it lies there while the server runs, its log included.
    let mut dump = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        dump.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let holds = |bytes: &[u8]| dump.windows(bytes.len()).any(|window| window == bytes);
    // The search does look where it should.
    assert!(holds(&issued.id.0) && holds(&running.seed.0) && holds(b"picking"));
    let mut secrets: Vec<Vec<u8>> = vec![];
    for player in [&running, &over] {
        secrets.push(from_hex(&player.token));
        secrets.push(from_hex(&player.server_seed().reveal_hex()));
    }
    secrets.extend([KEYS.draw.0.to_vec(), KEYS.pepper.0.to_vec()]);
    let hex: Vec<_> = secrets.iter().map(|secret| secret.iter().map(|byte| format!("{byte:02x}")).collect()).collect();
    let code = issued.code.grouped();
    let texts: Vec<String> = hex.into_iter().chain([code.replace(' ', ""), code]).collect();
    for secret in secrets.iter().map(Vec::as_slice).chain(texts.iter().map(String::as_bytes)) {
        assert!(!holds(secret), "{} bytes", secret.len());
    }
    trial.app.store.close().await.unwrap();
}

/// The numbers that multipliers were drawn by, as they were opened: those of more than one digit.
fn drawn_by(text: &str) -> Vec<String> {
    let values = text.split("\"value\":").skip(1);
    let digits = values.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter(|digits| digits.len() > 1).collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// The text with every digest (16 hex digits or more) and every index of a leaf taken out.
fn without_digests(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_hexdigit() {
            word.push(c);
            continue;
        }
        if word.len() >= 16 {
            out.push_str(&format!("<{} hex>", word.len()));
        } else {
            out.push_str(&word);
        }
        word.clear();
        out.push(c);
    }
    let mut parts = out.split("\"index\":");
    let mut kept = parts.next().unwrap().to_owned();
    for part in parts {
        kept.push_str("\"index\":");
        kept.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    kept
}

#[tokio::test]
async fn the_log_of_a_whole_game_and_of_its_errors_holds_no_code_token_seed_or_key() {
    // One for the whole process: a subscriber of one thread may miss what other threads have made known already.
    let subscriber = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(|| Log).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    player.find(3).await;
    let other = player.numbers(Nature::Good)[20];
    player.send_pick(1, other).await.is(ProblemCode::SeqConflict);
    let code = issued.code.grouped();
    trial.get(&format!("/qod?code={}", code.replace(' ', "")), &[]).await;
    trial.get(&format!("/{}", code.replace(' ', "")), &[]).await;
    trial.enter(&code[..code.len() - 1]).await.is(ProblemCode::MalformedCode);
    player.pick(player.numbers(Nature::Losing)[0]).await;
    player.transcript().await.unwrap();
    trial.app.store.close().await.unwrap();
    trial.enter(&code).await.is(ProblemCode::Unavailable);

    let log = String::from_utf8(LOG.take()).unwrap();
    assert!(log.contains("/api/v1/game/picks") && log.contains("the store failed"), "{log}");
    let bare = code.replace(' ', "");
    let seeds = [player.seed.to_hex(), player.token.clone(), code.clone(), bare.clone(), bare[..8].to_owned()];
    for secret in secrets(&player, |_| false).iter().chain(&seeds) {
        assert!(!log.contains(secret.as_str()), "{log}");
    }
}

thread_local! {
    /// What this thread logged: a test runs on one.
    static LOG: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes to it.
struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOG.with_borrow_mut(|log| log.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
