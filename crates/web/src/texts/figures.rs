//! What figures look like, wherever the language does not decide it; and the browser's own words for a time.

use rules::Timestamp;

use super::Texts;

/// An integer in groups of three, with `group` between them.
#[must_use]
pub fn grouped(n: u64, group: &str) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push_str(group);
        }
        text.push(digit);
    }
    text
}

/// A decimal number given in units of `1 / 10^places`, without zeros at its end; `group` and `point` as the language has them.
#[must_use]
pub fn decimal(n: u64, places: u32, point: &str, group: &str) -> String {
    let unit = 10_u64.pow(places);
    let mut text = grouped(n / unit, group);
    let part = n % unit;
    if part > 0 {
        // The unit in front keeps the zeros that lead.
        let digits = (unit + part).to_string();
        text.push_str(point);
        text.push_str(digits[1..].trim_end_matches('0'));
    }
    text
}

/// The day and the minute of an instant where the player is, whose clock it will be read against: « 12 avril 2026 à 18 h 04 ».
#[must_use]
pub fn instant(texts: &Texts, at: Timestamp) -> String {
    browser_format(texts.figures.locale, at, true).replacen(':', texts.figures.hour_sign, 1)
}

/// The last day before an instant that ends a day in Paris: « 14 mars 2026 ».
#[must_use]
pub fn last_day(texts: &Texts, before: Timestamp) -> String {
    browser_format(texts.figures.locale, Timestamp::from_millis(before.millis() - 1), false)
}

#[cfg(target_arch = "wasm32")]
fn browser_format(locale: &str, at: Timestamp, with_time: bool) -> String {
    use wasm_bindgen::JsValue;

    let options = js_sys::Object::new();
    let set = |key: &str, value: &str| {
        // Setting a member of a new plain object cannot fail.
        let _ = js_sys::Reflect::set(&options, &key.into(), &value.into());
    };
    set("dateStyle", "long");
    if with_time {
        set("timeStyle", "short");
    } else {
        // A day of the règlement is one of Paris.
        set("timeZone", "Europe/Paris");
    }
    // An instant of this century is an integer that a double holds exactly.
    #[allow(clippy::cast_precision_loss)]
    let date = js_sys::Date::new(&JsValue::from_f64(at.millis() as f64));
    date.to_locale_string(locale, &options).into()
}

/// Outside a browser (tests, scenes rendered to text) there is no Intl.
#[cfg(not(target_arch = "wasm32"))]
fn browser_format(_locale: &str, at: Timestamp, with_time: bool) -> String {
    let (day, minute) = (at.millis() / 86_400_000, at.millis() / 60_000 % 1440);
    if with_time { format!("jour {day} à {:02}:{:02}", minute / 60, minute % 60) } else { format!("jour {day}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped_and_keep_only_the_decimals_that_say_something() {
        assert_eq!(grouped(5, "_"), "5");
        assert_eq!(grouped(800_000, "_"), "800_000");
        assert_eq!(grouped(1_000_000, "_"), "1_000_000");
        assert_eq!(decimal(201, 2, ",", "_"), "2,01");
        assert_eq!(decimal(33_833, 2, ",", "_"), "338,33");
        assert_eq!(decimal(250, 2, ",", "_"), "2,5");
        assert_eq!(decimal(100, 2, ",", "_"), "1");
        assert_eq!(decimal(499, 1, ",", "_"), "49,9");
    }
}
