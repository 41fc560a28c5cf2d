//! A ticket from its issue to its payment at a point of sale, through the binary alone.

use std::net::SocketAddr;

use protocol::StateName;
use rules::Palier;
use seal::Json;
use seal::json::Writer;
use system_tests::chance::Chance;
use system_tests::http::{Message, send};
use system_tests::{Deed, Player, Service, Ticket};

/// Someone behind a counter: the point of sale's key, and the body that names a ticket.
struct Counter {
    bearer: String,
}

impl Counter {
    fn ask(&self, addr: SocketAddr, path: &str, key: Option<&str>, body: String) -> Message {
        let mut headers = vec![("authorization", &*self.bearer), ("content-type", "application/json")];
        headers.extend(key.map(|key| ("idempotency-key", key)));
        send(addr, &Message::request("POST", path, &headers, body.into_bytes())).unwrap()
    }

    fn quote(&self, service: &Service, ticket: &Ticket) -> Message {
        let body = body(&[("ticket_number", &ticket.number), ("control_code", &ticket.control)]);
        self.ask(service.pos_addr(), "/pos/v1/quotes", None, body)
    }

    fn pay(&self, service: &Service, ticket: &Ticket, key: &str) -> Message {
        let body = body(&[("ticket_number", &ticket.number), ("control_code", &ticket.control)]);
        self.ask(service.pos_addr(), "/pos/v1/payments", Some(key), body)
    }

    fn reverse(&self, service: &Service, payment: &str, key: &str) -> Message {
        let body = body(&[("who", "Ana Lopez"), ("why", "the wrong ticket was scanned")]);
        self.ask(service.pos_addr(), &format!("/pos/v1/payments/{payment}/reversal"), Some(key), body)
    }
}

fn body(members: &[(&str, &str)]) -> String {
    let mut w = Writer::new();
    w.object(|w| members.iter().for_each(|(name, text)| w.key(name).string(text)));
    w.finish()
}

#[track_caller]
fn text(answer: &Message, name: &str) -> String {
    let json = answer.json();
    json.get(name).and_then(Json::as_str).unwrap_or_else(|| panic!("no {name}: {}", answer.text())).to_owned()
}

#[track_caller]
fn int(answer: &Message, name: &str) -> u64 {
    answer.json().get(name).and_then(Json::as_int).unwrap_or_else(|| panic!("no {name}: {}", answer.text()))
}

#[test]
fn a_game_that_was_stopped_on_a_palier_is_paid_once_taken_back_with_who_and_why_and_paid_again() {
    let (mut service, mut chance) = (Service::start(), Chance::new());
    let said = service.qod(&["pos", "add", "Tabac des Lilas", "--by", "Ben", "--why", "contract 12"]);
    let key = said.lines().last().unwrap().to_owned();
    let counter = Counter { bearer: format!("Bearer {key}") };

    let ticket = service.ticket(20);
    assert_eq!(text(&counter.quote(&service, &ticket).expect(200), "gain"), "potential_gain");
    let player = Player::open(service.addr(), &ticket.code, chance.seed()).unwrap();
    let layout = service.layout(&ticket, &player.seed);
    let deeds = layout.win_at(Palier::Two);
    for (seq, deed) in (0..).zip(&deeds) {
        if *deed == Deed::Quit {
            assert_eq!(text(&counter.quote(&service, &ticket).expect(409), "code"), "still_running");
            assert_eq!(text(&counter.pay(&service, &ticket, "early").expect(409), "code"), "still_running");
        }
        player.send(seq, *deed).unwrap().expect(200);
    }
    assert_eq!(player.look().unwrap().state, StateName::Won);
    let gain = layout.gains_eur[1];

    let quote = counter.quote(&service, &ticket).expect(200);
    assert_eq!((text(&quote, "gain").as_str(), int(&quote, "payable_eur")), ("game", gain));
    let paid = counter.pay(&service, &ticket, "payment-1").expect(200);
    let (first, amount) = (text(&paid, "payment_id"), int(&paid, "paid_eur"));
    assert_eq!(amount, gain);
    // The answer was lost, and so is the server: the same request tells the same.
    service.kill();
    service.start_again();
    assert_eq!(counter.pay(&service, &ticket, "payment-1").expect(200).text(), paid.text());
    let refused = counter.pay(&service, &ticket, "payment-2").expect(409);
    assert_eq!((text(&refused, "code").as_str(), text(&refused, "payment_id")), ("paid_already", first.clone()));

    let reversed = counter.reverse(&service, &first, "reversal-1").expect(200);
    assert_eq!(int(&reversed, "reversed_eur"), gain);
    assert_eq!(counter.reverse(&service, &first, "reversal-1").expect(200).text(), reversed.text());
    assert_eq!(text(&counter.reverse(&service, &first, "reversal-2").expect(409), "code"), "reversed_already");
    let second = text(&counter.pay(&service, &ticket, "payment-2").expect(200), "payment_id");
    assert_ne!(first, second);
    assert_eq!(counter.pay(&service, &ticket, "payment-1").expect(200).text(), paid.text());
    // Someone who tries keys and control codes.
    let stranger = Counter { bearer: format!("Bearer {}", "0".repeat(64)) };
    stranger.quote(&service, &ticket).expect(401);
    let wrong = Ticket { control: "ZZZZZZZZ".to_owned(), ..ticket.clone() };
    counter.quote(&service, &wrong).expect(404);
    service.ask_to_end();
    assert!(service.ended().success());

    let history = service.qod(&["history", "--ticket", &ticket.number, "--by", "Ben"]);
    for told in [&first, &second, "Ana Lopez", "the wrong ticket was scanned", &format!("won, {gain} €")] {
        assert!(history.contains(told), "{told}: {history}");
    }
    let period = ["--from", "2000-01-01", "--to", "2100-01-01", "--by", "Ben", "--format", "csv"];
    let ledger = service.qod(&[&["export", "ledger"][..], &period].concat());
    let entries: Vec<_> = ledger.lines().filter(|line| line.contains(&ticket.number)).collect();
    assert_eq!(entries.len(), 3, "{ledger}");
    for (entry, kind, id) in
        [(entries[0], "payment", &first), (entries[1], "reversal", &first), (entries[2], "payment", &second)]
    {
        assert!(entry.contains(&format!(",{kind},{id},1,")), "{entry}");
    }
    assert!(entries[1].contains("Ana Lopez,the wrong ticket was scanned"), "{ledger}");
    let audit = service.qod(&["audit", "export"]);
    let of =
        |kind: &str| audit.lines().filter(|line| line.contains(&format!(r#""kind":"{kind}""#))).collect::<Vec<_>>();
    let payments: Vec<_> = of("paid").into_iter().filter(|line| line.contains(&ticket.number)).collect();
    assert!(payments.iter().any(|line| line.contains(&second)), "{audit}");
    assert!(of("payment_reversed").iter().any(|line| line.contains(&first) && line.contains("Ana Lopez")), "{audit}");
    assert!(of("point_of_sale").iter().any(|line| line.contains("Ben (uid ") && line.contains("contract 12")));
    assert!(of("failed_access").iter().any(|line| line.contains("point_of_sale_key")), "{audit}");
    assert!(of("failed_access").iter().any(|line| line.contains("control_code")), "{audit}");
    service.qod(&["audit", "verify"]);

    let log = service.printed();
    let secrets = [&key, &ticket.code, &ticket.control, &player.token, &"ZZZZZZZZ".to_owned(), &ticket.grouped()];
    for (place, text) in [("log", &log), ("history", &history), ("ledger", &ledger), ("audit log", &audit)] {
        assert!(text.contains(&ticket.number), "nothing of the ticket is in the {place}");
        for secret in secrets {
            assert!(!text.contains(&**secret), "{secret} is in the {place}");
        }
    }
}
