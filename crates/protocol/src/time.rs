//! Instants as RFC 3339 UTC with milliseconds, `2026-11-30T18:49:00.000Z`.

use rules::Timestamp;

const DAY: i64 = 86_400_000;

/// Writes an instant (years 0000 to 9999).
#[must_use]
pub fn to_rfc3339(at: Timestamp) -> String {
    let (days, millis) = (at.millis().div_euclid(DAY), at.millis().rem_euclid(DAY));
    let (year, month, day) = civil_from_days(days);
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = String::with_capacity(24);
    for (value, width, after) in [
        (year, 4, '-'),
        (month, 2, '-'),
        (day, 2, 'T'),
        (hour, 2, ':'),
        (minute, 2, ':'),
        (second, 2, '.'),
        (millis, 3, 'Z'),
    ] {
        let mut unit = 10_i64.pow(width - 1);
        while unit > 0 {
            text.push(char::from(b'0' + (value / unit % 10) as u8));
            unit /= 10;
        }
        text.push(after);
    }
    text
}

/// Reads exactly what [`to_rfc3339`] writes.
#[must_use]
pub fn from_rfc3339(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    if bytes.len() != 24 {
        return None;
    }
    let number = |from: usize, to: usize| {
        let digits = &bytes[from..to];
        let all = digits.iter().all(u8::is_ascii_digit);
        all.then(|| digits.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second, millis) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 23)?);
    if !(1..=12).contains(&month) || day < 1 || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    let at = Timestamp::from_millis(days * DAY + ((hour * 60 + minute) * 60 + second) * 1000 + millis);
    // Written anew, a day that its month does not have, or a wrong separator, comes out differently.
    (to_rfc3339(at) == text).then_some(at)
}

/// Days since 1970-01-01 to year, month, day of the proleptic Gregorian calendar (years start in March here, so that the leap day comes last).
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn instants_are_written_as_a_calendar_library_writes_them_and_read_back(millis in 0i64..253_402_300_799_999) {
            let at = Timestamp::from_millis(millis);
            let text = to_rfc3339(at);
            let library = jiff::Timestamp::from_millisecond(millis).unwrap();
            prop_assert_eq!(&text, &format!("{library:.3}"));
            prop_assert_eq!(from_rfc3339(&text), Some(at));
        }
    }

    #[test]
    fn what_is_no_such_instant_is_refused() {
        for wrong in [
            "",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01 00:00:00.000Z",
            "2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.000+",
            "2026-00-10T00:00:00.000Z",
        ] {
            assert_eq!(from_rfc3339(wrong), None, "{wrong}");
        }
        assert!(from_rfc3339("2028-02-29T23:59:59.999Z").is_some());
    }
}
