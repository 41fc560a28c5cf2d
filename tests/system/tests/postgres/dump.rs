//! What a copy of the database tells whoever finds it: nothing that could be played, opened or signed with.

use std::collections::HashSet;

use rules::Palier;
use system_tests::postgres::House;
use system_tests::{Layout, Player};

/// How many bytes the shortest form of a secret has at least.
const BEGINNING: usize = 8;

#[test]
fn a_dump_of_a_played_emission_holds_no_code_control_code_token_seed_or_key() {
    let house = House::issue(60);
    let cluster = cluster::Cluster::start();
    let url = cluster.database();
    house.import(&url);
    let server = house.serve(&url);
    let (tickets, key) = (house.tickets(), house.draw_key());
    // Some over, some running, on one only a session, and one entry of the log about a wrong code.
    let mut players = Vec::new();
    for (at, ticket) in tickets.iter().take(12).enumerate() {
        let player = Player::open(server.addr, &ticket.code, [at as u8; 32]).unwrap();
        let layout = Layout::new(&key, ticket, &player.seed);
        let deeds = if at % 3 == 0 { layout.lose_after(at) } else { layout.win_at(Palier::ALL[at % 4]) };
        let played = if at % 2 == 0 { deeds.len() } else { deeds.len() / 2 };
        for (seq, deed) in (0..).zip(&deeds[..if at == 11 { 0 } else { played }]) {
            player.send(seq, *deed).unwrap().expect(200);
        }
        players.push(player);
    }
    let dump = cluster_dump(&cluster);

    // Looked up by their first bytes: there are thousands of forms, and a dump is long.
    let beginnings: HashSet<&[u8]> = dump.as_bytes().windows(BEGINNING).collect();
    let holds = |text: &str| beginnings.contains(&text.as_bytes()[..BEGINNING]) && dump.contains(text);
    // The search does look where it should: a ticket's id, a player's seed, which is no secret, and a token's digest.
    assert!(holds(&tickets[0].id.to_string()) && holds(&hex(&[1; 32])) && holds("on_palier"));
    let token = from_hex(&players[0].token);
    assert!(holds(&hex(&seal::hash::sha256(&[b"qod/1 session", &token]))));

    let mut secrets: Vec<(String, Vec<u8>)> = Vec::new();
    for ticket in &tickets {
        secrets.push((format!("the code of {}", ticket.number), ticket.code.clone().into_bytes()));
        secrets.push((format!("the grouped code of {}", ticket.number), ticket.grouped().into_bytes()));
        secrets.push((format!("the control code of {}", ticket.number), ticket.control.clone().into_bytes()));
        let seed = key.server_seed(ticket.id).reveal_hex();
        secrets.push((format!("the seed of {}", ticket.number), from_hex(&seed)));
    }
    secrets.extend(players.iter().map(|player| ("a token".to_owned(), from_hex(&player.token))));
    for entry in std::fs::read_dir(house.data().join("keys")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            let text = std::fs::read_to_string(&path).unwrap();
            secrets.push((path.display().to_string(), from_hex(text.trim())));
        }
    }
    assert!(secrets.len() >= 4 * 60 + 12 + 3);
    for (name, secret) in &secrets {
        for (form, text) in forms(secret) {
            assert!(!holds(&text), "{name} is in the dump, {form}");
        }
    }
}

/// All of it as text, twice: as it is, and with every value of bytes as those bytes, where they are text.
fn cluster_dump(cluster: &cluster::Cluster) -> String {
    let dump = cluster.dump("test_0");
    let bytes = dump.split("\\\\x").skip(1).map(|value| {
        let digits: String = value.chars().take_while(char::is_ascii_hexdigit).collect();
        String::from_utf8_lossy(&from_hex(&digits[..digits.len() / 2 * 2])).into_owned()
    });
    let bytes: Vec<_> = bytes.collect();
    assert!(bytes.len() > 100 && bytes.iter().any(|text| text.contains("\"instance\"") || text.contains("serve")));
    format!("{dump}\n{}", bytes.join("\n"))
}

/// The forms in which bytes might stand in a text: as they are, in hex, in base64 at any place of a longer text.
fn forms(secret: &[u8]) -> Vec<(&'static str, String)> {
    let hex = hex(secret);
    let mut forms = vec![("in hex", hex.to_uppercase()), ("in hex", hex.clone())];
    // A secret that is text may stand there as such, and one that is given as hex may have been kept as that text.
    match str::from_utf8(secret) {
        Ok(text) => forms.push(("as it is", text.to_owned())),
        Err(_) => forms.extend(base64(hex.as_bytes()).into_iter().map(|text| ("as hex in base64", text))),
    }
    for text in base64(secret) {
        forms.push(("in base64", text.replace('+', "-").replace('/', "_")));
        forms.push(("in base64", text));
    }
    forms
}

/// What is sure of it in base64, after no byte, one, or two of something else.
fn base64(secret: &[u8]) -> [String; 3] {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    [0, 1, 2].map(|before| {
        let bits = std::iter::repeat_n(0, before).chain(secret.iter().copied()).collect::<Vec<u8>>();
        let symbols = (0..bits.len() * 8 / 6).map(|at| {
            let (byte, bit) = (at * 6 / 8, at * 6 % 8);
            let two = u16::from(bits[byte]) << 8 | u16::from(bits.get(byte + 1).copied().unwrap_or(0));
            char::from(ALPHABET[usize::from(two >> (10 - bit) & 63)])
        });
        // The first symbols have bits of what stands before.
        symbols.skip((before * 8).div_ceil(6)).collect()
    })
}

#[test]
fn base64_is_found_wherever_it_stands() {
    // "any carnal pleas" by RFC 4648, alone and after other bytes ("x", "xy").
    assert_eq!(base64(b"any carnal pleas"), ["YW55IGNhcm5hbCBwbGVhc", "FueSBjYXJuYWwgcGxlYX", "hbnkgY2FybmFsIHBsZWFz"]);
    for (whole, part) in ["YW55IGNhcm5hbCBwbGVhcw==", "eGFueSBjYXJuYWwgcGxlYXM=", "eHlhbnkgY2FybmFsIHBsZWFz"]
        .iter()
        .zip(base64(b"any carnal pleas"))
    {
        assert!(whole.contains(&part), "{whole} {part}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}
