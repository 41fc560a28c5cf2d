//! What comes back after a database is lost: all that was acknowledged, from a copy and the log kept beside it; and what is
//! to be done where there is an older copy alone.

use protocol::StateName;
use rules::Palier;
use system_tests::postgres::{House, Journal, Load};
use system_tests::{Deed, Layout, Player};

#[test]
fn a_copy_and_the_log_that_was_kept_elsewhere_give_back_everything_acknowledged() {
    let house = House::issue(3000);
    let mut cluster = cluster::Cluster::start();
    let url = cluster.database();
    house.import(&url);
    let archive = cluster.archive("archive");
    // An answer waits until its write is in the archive, on disk.
    cluster.server().set("synchronous_standby_names = 'archive'");
    cluster.server().sql("postgres", "SELECT pg_reload_conf()");
    let mut copy = cluster.copy("copy");
    let both = format!("{url}&host={}&target_session_attrs=read-write", copy.socket().display());
    let servers = [house.serve(&both), house.serve(&both)];
    let load = Load::new(&house, &[&servers[0], &servers[1]]);
    let journals = load.run(8, |load| {
        load.goes_on(300);
        // Its disk is lost with it.
        cluster.server().kill();
        archive.complete(&copy);
        copy.start();
        load.goes_on(200);
        println!("the longest time without an answer: {:?}", load.longest_pause());
    });
    assert!(journals.iter().map(Journal::actions).sum::<usize>() >= 300);
    for (at, journal) in journals.iter().enumerate() {
        journal.holds(servers[at % 2].addr);
    }
    assert_eq!(super::half_done(&copy).trim(), "0");
    copy.kill();
}

#[test]
fn over_an_older_copy_nothing_is_played_again_once_new_games_are_suspended_and_running_ones_void() {
    let house = House::issue(10);
    let cluster = cluster::Cluster::start();
    let url = cluster.database();
    house.import(&url);
    let (tickets, key) = (house.tickets(), house.draw_key());
    let server = house.serve(&url);
    let open = |addr, at: usize| Player::open(addr, &tickets[at].code, [at as u8; 32]).unwrap();
    let lose = |player: &Player, at: usize, from: usize| {
        let deeds = Layout::new(&key, &tickets[at], &player.seed).lose_after(4);
        for (seq, deed) in (0..).zip(&deeds).skip(from) {
            player.send(seq, *deed).unwrap().expect(200);
        }
        assert_eq!(player.look().unwrap().state, StateName::Lost);
    };

    // One game runs when the copy is made, another one has not begun. Then both are lost, and their grids are open.
    let running = open(server.addr, 0);
    let first = Layout::new(&key, &tickets[0], &running.seed).lose_after(4);
    for (seq, deed) in (0..).zip(&first[..3]) {
        running.send(seq, *deed).unwrap().expect(200);
    }
    let dump = cluster.dump("test_0");
    lose(&running, 0, 3);
    lose(&open(server.addr, 1), 1, 0);
    server.end();
    house.serve(&url).end();

    // The copy knows nothing of it: whoever lost could play the same grid again, with open eyes.
    let restored = cluster.database();
    cluster.restore("test_1", &dump);
    let refused = house.refuses(&restored);
    assert!(refused.contains("older") && refused.contains("docs/operations.md"), "{refused}");
    let why = ["--emission", "1", "--by", "test", "--why", "restored from an older copy", "--store", &restored];
    house.qod(&[&["suspend"], &why[..]].concat());
    let still_running = "SELECT lpad(t.emission::text, 3, '0') || '-' || lpad(t.block::text, 4, '0') || '-' || lpad(t.serial::text, 7, '0')
        FROM games g JOIN tickets t USING (ticket_id) WHERE g.finish_before IS NOT NULL";
    let numbers = cluster.sql("test_1", still_running);
    assert_eq!(numbers.trim(), tickets[0].number);
    for number in numbers.lines() {
        let void = ["void", "--ticket", number, "--reason", "malfunction", "--by", "test", "--why", "lost", "--store"];
        house.qod(&[&void[..], &[&restored]].concat());
    }
    std::fs::remove_file(house.data().join("acknowledged")).unwrap();
    let server = house.serve(&restored);
    let winning = Layout::new(&key, &tickets[0], &running.seed).win_at(Palier::One);
    let again = open(server.addr, 0);
    assert_eq!(again.game.state, StateName::Void);
    again.send(3, winning[3]).unwrap().expect(409);
    let again = open(server.addr, 1);
    assert_eq!(again.game.state, StateName::NotStarted);
    again.send(0, Deed::GoOn).unwrap().expect(409);
    assert_eq!(open(server.addr, 1).game.state, StateName::NotStarted);
}
