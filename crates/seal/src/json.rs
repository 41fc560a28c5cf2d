//! JSON, as strictly as the transcript asks (sealed-grid-v1, "The transcript"), read and written in the same way natively and in the page.
//!
//! A general library was weighed. A checker must refuse a key given twice at any level, which takes code of one's own around the usual ones, and the lightest
//! costs the page over 10 KB. The reader here is tested against one of them.

use core::fmt;

/// Deepest nesting that is read.
pub const MAX_DEPTH: usize = 64;
/// The most members of one object that are read: it bounds the search for keys given twice.
pub const MAX_MEMBERS: usize = 1024;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number written as a plain non-negative integer below 2⁶⁴.
    Int(u64),
    /// Any other number, as written: never one that this project's formats use.
    OtherNumber(String),
    /// A string.
    Str(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, no key of which is given twice.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value and nothing after it.
    ///
    /// # Errors
    /// Where and why the text is not JSON, or not JSON of the strict kind.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        if reader.at == text.len() { Ok(value) } else { Err(reader.error(JsonProblem::Trailing)) }
    }

    /// The member of that name; none where there is none, or where this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The string it is.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Str(text) = self { Some(text) } else { None }
    }

    /// The integer it is.
    #[must_use]
    pub const fn as_int(&self) -> Option<u64> {
        if let Self::Int(n) = self { Some(*n) } else { None }
    }

    /// The truth value it is.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(b) = self { Some(*b) } else { None }
    }

    /// The elements it has.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Whether it is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// Why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonProblem {
    /// The text ends too soon.
    End,
    /// A character that cannot stand here.
    Unexpected,
    /// Something follows the value.
    Trailing,
    /// A key is given twice in one object.
    TwiceGiven,
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep,
    /// More than [`MAX_MEMBERS`] members in one object.
    TooMany,
}

/// Where and why a text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The byte at which reading stopped.
    pub at: usize,
    /// Why.
    pub problem: JsonProblem,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.problem {
            JsonProblem::End => "the text ends too soon",
            JsonProblem::Unexpected => "a character that cannot stand here",
            JsonProblem::Trailing => "something follows the value",
            JsonProblem::TwiceGiven => "a key is given twice",
            JsonProblem::TooDeep => "nested too deeply",
            JsonProblem::TooMany => "too many members in one object",
        };
        write!(f, "{what} (byte {})", self.at)
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, problem: JsonProblem) -> JsonError {
        let problem =
            if self.at >= self.text.len() && problem == JsonProblem::Unexpected { JsonProblem::End } else { problem };
        JsonError { at: self.at, problem }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn want(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.take(byte) { Ok(()) } else { Err(self.error(JsonProblem::Unexpected)) }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.space();
        if depth >= MAX_DEPTH {
            return Err(self.error(JsonProblem::TooDeep));
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::Str),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json, JsonError> {
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error(JsonProblem::Unexpected))
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.want(b'[')?;
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            self.want(b',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        self.want(b'{')?;
        let mut members: Vec<(String, Json)> = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.space();
            let key = self.string()?;
            if members.iter().any(|(k, _)| *k == key) {
                return Err(self.error(JsonProblem::TwiceGiven));
            }
            if members.len() >= MAX_MEMBERS {
                return Err(self.error(JsonProblem::TooMany));
            }
            self.space();
            self.want(b':')?;
            let value = self.value(depth + 1)?;
            members.push((key, value));
            self.space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            self.want(b',')?;
        }
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.error(JsonProblem::Unexpected));
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.take(b'-');
        // No leading zeros.
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let written = &self.text[start..self.at];
        Ok(written.parse().map_or_else(|_| Json::OtherNumber(written.to_owned()), Json::Int))
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.want(b'"')?;
        let mut string = String::new();
        loop {
            let start = self.at;
            // What needs no unescaping is copied whole; it starts and ends at ASCII characters.
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            string.push_str(&self.text[start..self.at]);
            if self.take(b'"') {
                return Ok(string);
            }
            self.want(b'\\')?;
            string.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let c = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.error(JsonProblem::Unexpected)),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, JsonError> {
        let mut unit = self.utf16_unit()?;
        // A high surrogate stands only before a low one.
        if (0xd800..0xdc00).contains(&unit) {
            self.want(b'\\')?;
            let low = self.utf16_unit()?;
            if !(0xdc00..0xe000).contains(&low) {
                return Err(self.error(JsonProblem::Unexpected));
            }
            unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        }
        char::from_u32(unit).ok_or_else(|| self.error(JsonProblem::Unexpected))
    }

    fn utf16_unit(&mut self) -> Result<u32, JsonError> {
        self.want(b'u')?;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|c| char::from(c).to_digit(16));
            unit = unit * 16 + digit.ok_or_else(|| self.error(JsonProblem::Unexpected))?;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// Writes JSON, without spaces. What is opened must be closed by the caller; commas come by themselves.
#[derive(Default)]
pub struct Writer(String);

impl Writer {
    /// Nothing written yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What was written.
    #[must_use]
    pub fn finish(self) -> String {
        self.0
    }

    /// An object, whose members `members` writes.
    pub fn object(&mut self, members: impl FnOnce(&mut Self)) {
        self.comma();
        self.0.push('{');
        members(self);
        self.0.push('}');
    }

    /// An array, whose elements `items` writes.
    pub fn array(&mut self, items: impl FnOnce(&mut Self)) {
        self.comma();
        self.0.push('[');
        items(self);
        self.0.push(']');
    }

    /// A key; its value must follow.
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.string(key);
        self.0.push(':');
        self
    }

    /// A string.
    pub fn string(&mut self, text: &str) {
        self.comma();
        self.0.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    self.0.push('\\');
                    self.0.push(c);
                }
                '\0'..='\u{1f}' => {
                    self.0.push_str("\\u00");
                    self.0.push_str(&crate::hash::to_hex(&[c as u8]));
                }
                _ => self.0.push(c),
            }
        }
        self.0.push('"');
    }

    /// An integer.
    pub fn int(&mut self, n: u64) {
        self.comma();
        let mut digits = [0; 20];
        let (mut at, mut n) = (digits.len(), n);
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.0.extend(digits[at..].iter().map(|d| char::from(*d)));
    }

    /// `true` or `false`.
    pub fn bool(&mut self, b: bool) {
        self.comma();
        self.0.push_str(if b { "true" } else { "false" });
    }

    /// `null`.
    pub fn null(&mut self) {
        self.comma();
        self.0.push_str("null");
    }

    /// A string, or `null`.
    pub fn string_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.string(text),
            None => self.null(),
        }
    }

    /// An integer, or `null`.
    pub fn int_or_null(&mut self, n: Option<u64>) {
        match n {
            Some(n) => self.int(n),
            None => self.null(),
        }
    }

    /// A comma, where a value or key follows another.
    fn comma(&mut self) {
        if !matches!(self.0.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(',');
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same value as the common library reads it, with integers told apart as this reader does.
    fn by_library(value: &serde_json::Value) -> Json {
        match value {
            serde_json::Value::Null => Json::Null,
            serde_json::Value::Bool(b) => Json::Bool(*b),
            serde_json::Value::Number(n) => n.as_u64().map_or_else(|| Json::OtherNumber(n.to_string()), Json::Int),
            serde_json::Value::String(s) => Json::Str(s.clone()),
            serde_json::Value::Array(items) => Json::Array(items.iter().map(by_library).collect()),
            serde_json::Value::Object(members) => {
                Json::Object(members.iter().map(|(k, v)| (k.clone(), by_library(v))).collect())
            }
        }
    }

    fn write(json: &Json, w: &mut Writer) {
        match json {
            Json::Null | Json::OtherNumber(_) => w.null(),
            Json::Bool(b) => w.bool(*b),
            Json::Int(n) => w.int(*n),
            Json::Str(s) => w.string(s),
            Json::Array(items) => w.array(|w| items.iter().for_each(|item| write(item, w))),
            Json::Object(members) => w.object(|w| members.iter().for_each(|(k, v)| write(v, w.key(k)))),
        }
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<u64>().prop_map(Json::Int),
            any::<String>().prop_map(Json::Str),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
                proptest::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Json::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_here_and_by_the_common_library(json in any_json()) {
            let mut w = Writer::new();
            write(&json, &mut w);
            let text = w.finish();
            prop_assert_eq!(Json::parse(&text).unwrap(), json.clone());
            prop_assert_eq!(by_library(&serde_json::from_str(&text).unwrap()), json);
        }

        #[test]
        fn a_text_is_read_only_where_the_common_library_reads_it(text in "[\\[\\]{}:,\"\\\\u0-9a-fA-F.eE+\\- tru\\n]{0,24}") {
            let library: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            match Json::parse(&text) {
                Ok(_) => prop_assert!(library.is_some() || text.contains(['e', 'E']), "{text}"),
                Err(error) => prop_assert!(library.is_none() || error.problem == JsonProblem::TwiceGiven, "{text}: {error}"),
            }
        }
    }

    #[test]
    fn a_key_given_twice_is_refused_at_any_level_however_it_is_written() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"x":{"a":1,"b":2,"\u0061":3}}]"#] {
            assert_eq!(Json::parse(text).unwrap_err().problem, JsonProblem::TwiceGiven);
        }
    }

    #[test]
    fn only_a_plain_integer_is_an_integer() {
        assert_eq!(Json::parse("20"), Ok(Json::Int(20)));
        assert_eq!(Json::parse("18446744073709551615"), Ok(Json::Int(u64::MAX)));
        for other in ["20.0", "2e1", "2E1", "2e+1", "2e-1", "-2.5e-10", "-20", "-0", "18446744073709551616"] {
            assert_eq!(Json::parse(other), Ok(Json::OtherNumber(other.to_owned())));
        }
        for wrong in ["020", "+1", "1.", ".5", "1e", "-", "0x1", "NaN"] {
            assert!(Json::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn escapes_are_read_as_the_standard_says() {
        let text = r#""\"\\\/\b\f\n\r\t\u00e9\ud83c\udf81""#;
        assert_eq!(Json::parse(text), Ok(Json::Str("\"\\/\u{8}\u{c}\n\r\té🎁".to_owned())));
        for wrong in [r#""\ud83c""#, r#""\ud83c\u0041""#, r#""\udf81""#, r#""\x""#, "\"\n\"", "\"", r#""\u12"#] {
            assert!(Json::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_control_character_from_u_0000_to_u_001f_stands_as_it_is_in_a_string_or_a_key() {
        for c in '\0'..='\u{1f}' {
            let refused = |at| Err(JsonError { at, problem: JsonProblem::Unexpected });
            assert_eq!(Json::parse(&format!("\"a{c}b\"")), refused(2), "{c:?}");
            assert_eq!(Json::parse(&format!("{{\"a{c}b\":1}}")), refused(3), "{c:?}");
            // Escaped it may.
            assert_eq!(Json::parse(&format!("\"\\u{:04x}\"", u32::from(c))), Ok(Json::Str(c.to_string())));
        }
        for c in [' ', '!', '\u{7f}', '\u{80}'] {
            assert_eq!(Json::parse(&format!("\"a{c}b\"")), Ok(Json::Str(format!("a{c}b"))));
        }
    }

    #[test]
    fn what_is_too_deep_or_too_wide_is_refused_and_not_followed() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Json::parse(&deep).unwrap_err().problem, JsonProblem::TooDeep);
        let wide: Vec<String> = (0..=MAX_MEMBERS).map(|i| format!("\"{i}\":0")).collect();
        assert_eq!(Json::parse(&format!("{{{}}}", wide.join(","))).unwrap_err().problem, JsonProblem::TooMany);
        // On both sides of the two limits.
        let nested = |depth| Json::parse(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
        assert!(nested(MAX_DEPTH).is_ok());
        let objects = |depth| Json::parse(&format!("{}0{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        assert!(objects(MAX_DEPTH - 1).is_ok());
        assert_eq!(objects(MAX_DEPTH).unwrap_err().problem, JsonProblem::TooDeep);
        assert_eq!(nested(MAX_DEPTH + 1).unwrap_err(), JsonError { at: MAX_DEPTH, problem: JsonProblem::TooDeep });
        assert!(Json::parse(&format!("{{{}}}", wide[..MAX_MEMBERS].join(","))).is_ok());
        assert_eq!((MAX_DEPTH, MAX_MEMBERS), (64, 1024));
        assert_eq!(Json::parse("[1] x").unwrap_err(), JsonError { at: 4, problem: JsonProblem::Trailing });
        assert_eq!(Json::parse("[1").unwrap_err().problem, JsonProblem::End);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        for (text, told) in [
            ("", "the text ends too soon (byte 0)"),
            ("{\"a\":", "the text ends too soon (byte 5)"),
            ("[1,]", "a character that cannot stand here (byte 3)"),
            ("[1 2]", "a character that cannot stand here (byte 3)"),
            ("1 2", "something follows the value (byte 2)"),
            ("{\"a\":1,\"a\":2}", "a key is given twice (byte 10)"),
            ("\"\\q\"", "a character that cannot stand here (byte 2)"),
        ] {
            assert_eq!(Json::parse(text).unwrap_err().to_string(), told, "{text}");
        }
        for (problem, told) in [
            (JsonProblem::TooDeep, "nested too deeply (byte 7)"),
            (JsonProblem::TooMany, "too many members in one object (byte 7)"),
        ] {
            assert_eq!(JsonError { at: 7, problem }.to_string(), told);
        }
    }

    #[test]
    fn a_value_is_asked_for_by_its_kind_and_is_no_other() {
        let json = Json::parse(r#"{"n":7,"b":true,"f":false,"s":"x","a":[null],"z":null}"#).unwrap();
        let member = |name| json.get(name).unwrap();
        for (name, value) in [("n", Some(7)), ("b", None), ("s", None), ("a", None), ("z", None)] {
            assert_eq!(member(name).as_int(), value);
        }
        assert_eq!(
            (member("b").as_bool(), member("f").as_bool(), member("n").as_bool()),
            (Some(true), Some(false), None)
        );
        assert_eq!((member("s").as_str(), member("n").as_str()), (Some("x"), None));
        assert_eq!((member("a").as_array(), member("s").as_array()), (Some(&[Json::Null][..]), None));
        assert_eq!((member("z").is_null(), member("a").is_null()), (true, false));
        assert_eq!((json.get("other"), member("a").get("n")), (None, None));
    }

    #[test]
    fn what_is_written_is_without_spaces_and_escapes_what_must_be() {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("a").int(0);
            w.key("b").int(u64::MAX);
            w.key("c").array(|w| [1, 20].into_iter().for_each(|n| w.int(n)));
            w.key("d").string("\"\\\u{1}\u{1f} é");
            w.key("e").string_or_null(None);
            w.key("f").int_or_null(Some(3));
            w.key("g").int_or_null(None);
            w.key("h").bool(true);
            w.key("i").object(|_| {});
        });
        let text = r#"{"a":0,"b":18446744073709551615,"c":[1,20],"d":"\"\\\u0001\u001f é","e":null,"f":3,"g":null,"h":true,"i":{}}"#;
        assert_eq!(w.finish(), text);
    }
}
