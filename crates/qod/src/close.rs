//! `qod close`: gives an emission the closing date of its notice (2.2.4).

use std::sync::Arc;

use anyhow::Context as _;
use jiff::ToSpan as _;
use jiff::civil::Date;
use protocol::time::to_rfc3339;
use rules::Timestamp;
use rules::decided::START_DAYS_AFTER_CLOSING;
use server::audit::{Entry, Kind};
use server::records;
use store::{Emission, Replaced};

use crate::audit::record;
use crate::data::block_on;
use crate::operator::By;
use crate::store_args::StoreArgs;

/// What `qod close` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The emission's number
    #[arg(long)]
    emission: u16,
    /// The closing date of the notice in the Journal officiel, as 2026-11-30
    #[arg(long)]
    date: Date,
    #[command(flatten)]
    by: By,
}

/// Closes the emission: from the end of the 29th day after the date, CONTINUER starts no game.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (start_before, person) = (start_before(args.date)?, args.by.person()?);
    block_on(async {
        let store = args.store.open().await?;
        let current = store.emission(args.emission).await?;
        let current = current.with_context(|| format!("there is no emission {}", args.emission))?;
        let next = Emission { start_before: Some(records::millis(start_before)), ..current };
        // Written first: no change is ever without its line.
        let entry = Entry::new(Kind::Setting)
            .text("what", "an emission was closed")
            .int("emission", args.emission.into())
            .text("closing_date", args.date.to_string())
            .text("start_before", to_rfc3339(start_before))
            .text("who", &person);
        record(Arc::clone(&store), &args.store.data, "close", entry).await?;
        let replaced = store.replace_emission(current, next).await?;
        anyhow::ensure!(replaced == Replaced::Done, "someone else changed the emission at the same time: try again");
        store.close().await?;
        Ok(())
    })?;
    let until = jiff::Timestamp::from_millisecond(start_before.millis())?.in_tz("Europe/Paris")?;
    println!("Emission {} is closed: games can be started before {until}.", args.emission);
    Ok(())
}

/// The end of the 29th day after the closing date in Europe/Paris: the first instant of the 30th.
pub(crate) fn start_before(closing: Date) -> anyhow::Result<Timestamp> {
    let day_after = closing.checked_add(i64::from(START_DAYS_AFTER_CLOSING + 1).days())?;
    let instant = day_after.in_tz("Europe/Paris")?.timestamp();
    Ok(Timestamp::from_millis(instant.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_can_be_started_until_the_29th_days_end_in_paris_across_clock_changes_and_leap_days() {
        for (closing, until) in [
            // Winter: UTC+1.
            ("2026-11-30", "2026-12-29T23:00:00Z"),
            // Summer: UTC+2.
            ("2026-06-01", "2026-06-30T22:00:00Z"),
            // The clock goes forward on 2027-03-28, in between.
            ("2027-03-01", "2027-03-30T22:00:00Z"),
            // The 29th day is the very day of the change: it ends at UTC+2.
            ("2027-02-27", "2027-03-28T22:00:00Z"),
            // The clock goes back on 2026-10-25: that day ends at UTC+1.
            ("2026-09-26", "2026-10-25T23:00:00Z"),
            // A leap year: 29 February counts.
            ("2028-02-01", "2028-03-01T23:00:00Z"),
            ("2027-02-01", "2027-03-02T23:00:00Z"),
        ] {
            let expected: jiff::Timestamp = until.parse().unwrap();
            let found = start_before(closing.parse().unwrap()).unwrap();
            assert_eq!(found.millis(), expected.as_millisecond(), "{closing}");
        }
    }

    /// By another route than the calendar library: days counted from 1970, and the clock changes of the European directive, on the last Sunday of
    /// March and of October at 01:00 UTC. Every date of a century, leap years and both changes included.
    #[test]
    fn the_time_to_start_ends_29_days_after_the_closing_date_on_every_date() {
        const DAY: i64 = 86_400_000;
        let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let months =
            |year: i64| [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].map(i64::from);
        // Day 0, 1970-01-01, was a Thursday: day 3 was a Sunday.
        let last_sunday = |last_day: i64| last_day - (last_day - 3).rem_euclid(7);
        let mut first_of_year = 0;
        let mut summers = Vec::new();
        let mut dates = Vec::new();
        for year in 1970..2101 {
            let mut day = first_of_year;
            for (month, length) in (1..).zip(months(year)) {
                if year >= 2000 {
                    dates.extend(
                        (1..=length).map(|of_month| (format!("{year}-{month:02}-{of_month:02}"), day + of_month - 1)),
                    );
                }
                day += length;
                if month == 3 || month == 10 {
                    summers.push(last_sunday(day - 1) * DAY + 3_600_000);
                }
            }
            first_of_year = day;
        }
        dates.truncate(365 * 100);
        for (date, day) in dates {
            // Midnight in Paris at the end of the 29th day, which begins the 30th: 23:00 UTC before it in winter, 22:00 in summer.
            let winter = (day + 30) * DAY - 3_600_000;
            let summer = summers.partition_point(|change| *change <= winter) % 2 == 1;
            let expected = winter - if summer { 3_600_000 } else { 0 };
            assert_eq!(start_before(date.parse().unwrap()).unwrap().millis(), expected, "{date}");
        }
    }
}
