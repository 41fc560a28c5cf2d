//! A primary that is killed under load, and the synchronous standby that takes over.

use std::time::Instant;

use system_tests::postgres::{House, Journal, Load};

#[test]
fn two_servers_go_on_at_the_standby_that_takes_over_and_nothing_acknowledged_is_lost() {
    let house = House::issue(3000);
    let mut cluster = cluster::Cluster::start();
    let url = cluster.database();
    let mut standby = cluster.standby("standby");
    // Else a promotion may wait for up to 5 s, until it looks again for a primary that is gone.
    standby.set("wal_retrieve_retry_interval = '200ms'");
    standby.start();
    cluster.server().set("synchronous_standby_names = 'standby'");
    cluster.server().sql("postgres", "SELECT pg_reload_conf()");
    house.import(&url);
    // As an operator writes it: every host, whichever takes writes.
    let both = format!("{url}&host={}&target_session_attrs=read-write", standby.socket().display());
    let servers = [house.serve(&both), house.serve(&both)];
    let load = Load::new(&house, &[&servers[0], &servers[1]]);
    let journals = load.run(12, |load| {
        load.goes_on(300);
        let before = load.longest_pause();
        // Dead in the midst, and never to come back.
        cluster.server().kill();
        let asked = Instant::now();
        standby.promote();
        let promoted = asked.elapsed();
        load.goes_on(300);
        let away = load.longest_pause();
        println!("nobody was answered for {away:?} ({before:?} before the kill); the promotion took {promoted:?}");
    });
    let actions: usize = journals.iter().map(Journal::actions).sum();
    println!("{} games, {actions} acknowledged actions", journals.len());
    assert!(actions >= 400);
    for (at, journal) in journals.iter().enumerate() {
        journal.holds(servers[at % 2].addr);
    }
    assert_eq!(super::half_done(&standby).trim(), "0");
    for server in &servers {
        assert!(!server.printed().contains("panic"), "{}", server.printed());
    }
    standby.kill();
}
