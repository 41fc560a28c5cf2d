//! Which encoding of a file to send (`Accept-Encoding`, RFC 9110, 12.5.3).

/// An encoding of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Brotli,
}

impl Encoding {
    /// In `Content-Encoding`.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }
}

/// The best of those there are, by the caller's weights; at equal weights the smallest file. Where nothing acceptable
/// is there, the file as it is: an answer that may be read is better than none.
pub(super) fn best<'a>(accepted: impl Iterator<Item = &'a str>, brotli: bool, gzip: bool) -> Encoding {
    let mut weights = Weights::default();
    accepted.flat_map(|header| header.split(',')).for_each(|item| weights.take(item));
    let other = weights.any.unwrap_or(0);
    let brotli = if brotli { weights.brotli.unwrap_or(other) } else { 0 };
    let gzip = if gzip { weights.gzip.unwrap_or(other) } else { 0 };
    // Not named, identity is acceptable, but comes after all that was named.
    let identity = weights.identity.or(weights.any).unwrap_or(1);
    if brotli > 0 && brotli >= gzip && brotli >= identity {
        Encoding::Brotli
    } else if gzip > 0 && gzip >= identity {
        Encoding::Gzip
    } else {
        Encoding::Identity
    }
}

/// Weights in thousandths, where they are given.
#[derive(Default)]
struct Weights {
    brotli: Option<u16>,
    gzip: Option<u16>,
    identity: Option<u16>,
    any: Option<u16>,
}

impl Weights {
    fn take(&mut self, item: &str) {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = match parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="))) {
            None => 1000,
            // What cannot be read is not taken as a wish.
            Some(text) => thousandths(text).unwrap_or(0),
        };
        let slot = match name.to_ascii_lowercase().as_str() {
            "br" => &mut self.brotli,
            "gzip" | "x-gzip" => &mut self.gzip,
            "identity" => &mut self.identity,
            "*" => &mut self.any,
            _ => return,
        };
        *slot = Some(weight);
    }
}

/// A weight as written: 0 to 1, with at most three digits after the point.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if part.len() > 3 || !part.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part: u16 = format!("{part:0<3}").parse().ok()?;
    match whole {
        "0" => Some(part),
        "1" if part == 0 => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: Encoding) {
        assert_eq!(best([header].into_iter(), true, true), expected, "{header}");
    }

    #[test]
    fn the_encoding_with_the_greatest_weight_is_sent_and_brotli_before_gzip_at_equal_weights() {
        use Encoding::{Brotli, Gzip, Identity};
        for (header, expected) in [
            ("", Identity),
            ("gzip, deflate, br, zstd", Brotli),
            ("br, gzip", Brotli),
            ("gzip", Gzip),
            ("GZIP", Gzip),
            ("x-gzip", Gzip),
            ("deflate", Identity),
            ("br;q=0.5, gzip;q=0.9", Gzip),
            ("br;q=0.9, gzip;q=0.5", Brotli),
            ("br;q=0.001, gzip;q=0", Brotli),
            ("br ; q=0 , gzip ; q=0.3", Gzip),
            ("br;q=0, gzip;q=0", Identity),
            ("gzip;q=0.5, identity;q=1", Identity),
            ("gzip;q=0.5, identity;q=0.5", Gzip),
            ("*", Brotli),
            ("*;q=0.2, br;q=0", Gzip),
            ("*;q=0", Identity),
            ("identity", Identity),
            ("identity;q=0, br", Brotli),
            ("identity;q=0", Identity),
            ("br;q=2", Identity),
            ("br;q=x", Identity),
            ("br;q=0.0001", Identity),
            ("br;q=1.001", Identity),
            ("br;q=1.000", Brotli),
        ] {
            check(header, expected);
        }
    }

    #[test]
    fn only_what_is_there_is_sent() {
        let header = || ["br, gzip"].into_iter();
        assert_eq!(best(header(), false, true), Encoding::Gzip);
        assert_eq!(best(header(), true, false), Encoding::Brotli);
        assert_eq!(best(header(), false, false), Encoding::Identity);
        assert_eq!(best(["gzip", "br;q=0.1"].into_iter(), true, true), Encoding::Gzip);
    }
}
