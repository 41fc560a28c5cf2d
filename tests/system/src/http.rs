//! HTTP/1.1 as far as these tests need it: one request per connection, bodies by length, in chunks or to the end.

use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use seal::Json;

/// How long a peer may stay silent before a test gives up on it. Far beyond anything usual: no verdict rests on it.
const SILENCE: Duration = Duration::from_secs(60);
/// What a head, and a body, may take.
const LARGEST_HEAD: u64 = 64 << 10;
const LARGEST_BODY: u64 = 64 << 20;

/// A request or a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `POST /path HTTP/1.1`, or `HTTP/1.1 200 OK`.
    pub start: String,
    /// Names in lower case, with their values, in order.
    pub headers: Vec<(String, String)>,
    /// The body, as one piece.
    pub body: Vec<u8>,
}

/// Which of the two is read: they end in different ways.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Without a length it has no body.
    Request,
    /// Without a length it goes on to the end of the connection.
    Response,
}

impl Message {
    /// A request from its parts.
    #[must_use]
    pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Self {
        let headers = headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), (*value).to_owned())).collect();
        Self { start: format!("{method} {path} HTTP/1.1"), headers, body }
    }

    /// Reads one; none where the connection ends before it begins.
    ///
    /// # Errors
    /// The connection breaks in the middle, or what comes is no HTTP.
    pub fn read(from: impl Read, kind: Kind) -> io::Result<Option<Self>> {
        let mut from = BufReader::new(from.take(LARGEST_HEAD + LARGEST_BODY));
        let Some(start) = line(&mut from)? else { return Ok(None) };
        let mut headers = Vec::new();
        loop {
            let line = line(&mut from)?.ok_or(ErrorKind::UnexpectedEof)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or(ErrorKind::InvalidData)?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut message = Self { start, headers, body: Vec::new() };
        let bodiless = kind == Kind::Response && matches!(message.status(), 100..=199 | 204 | 304);
        if bodiless {
            return Ok(Some(message));
        }
        if message.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
            message.body = chunks(&mut from)?;
        } else if let Some(length) = message.header("content-length") {
            let length: usize = length.parse().map_err(|_| ErrorKind::InvalidData)?;
            message.body = vec![0; length];
            from.read_exact(&mut message.body)?;
        } else if kind == Kind::Response {
            from.read_to_end(&mut message.body)?;
        }
        Ok(Some(message))
    }

    /// Writes it, with the length of its body and the end of the connection after it.
    ///
    /// # Errors
    /// The peer takes no more.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut head = format!("{}\r\n", self.start);
        let own = ["connection", "content-length", "transfer-encoding"];
        for (name, value) in self.headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\nconnection: close\r\n\r\n", self.body.len()));
        to.write_all(&[head.as_bytes(), &self.body].concat())?;
        to.flush()
    }

    /// A response's status; 0 where there is none.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.start.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// A request's method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.start.split(' ').next().unwrap_or_default()
    }

    /// A request's path, with its query.
    #[must_use]
    pub fn path(&self) -> &str {
        self.start.split(' ').nth(1).unwrap_or_default()
    }

    /// The first header of that name (in lower case).
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("a body that is text")
    }

    /// The body as the strict JSON of this house.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Json {
        Json::parse(self.text()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// Itself, if it has this status.
    ///
    /// # Panics
    /// It has another one.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status(), status, "{} {}", self.start, String::from_utf8_lossy(&self.body));
        self
    }
}

/// Sends a request over a connection of its own and waits for the answer.
///
/// # Errors
/// No connection, or it broke before the answer was whole: whether the request was done is not known then.
pub fn send(addr: SocketAddr, request: &Message) -> io::Result<Message> {
    let mut connection = TcpStream::connect_timeout(&addr, SILENCE)?;
    connection.set_read_timeout(Some(SILENCE))?;
    connection.set_write_timeout(Some(SILENCE))?;
    connection.set_nodelay(true)?;
    let mut request = request.clone();
    if request.header("host").is_none() {
        request.headers.push(("host".to_owned(), addr.to_string()));
    }
    request.write(&mut connection)?;
    Message::read(connection, Kind::Response)?.ok_or_else(|| Error::from(ErrorKind::UnexpectedEof))
}

/// Asks for a path.
///
/// # Errors
/// As [`send`].
pub fn get(addr: SocketAddr, path: &str, headers: &[(&str, &str)]) -> io::Result<Message> {
    send(addr, &Message::request("GET", path, headers, Vec::new()))
}

fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    from.take(LARGEST_HEAD).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    let line = line.strip_suffix(b"\n").ok_or(ErrorKind::UnexpectedEof)?;
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Ok(Some(String::from_utf8(line.to_vec()).map_err(|_| ErrorKind::InvalidData)?))
}

fn chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?.ok_or(ErrorKind::UnexpectedEof)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| ErrorKind::InvalidData)?;
        if size == 0 {
            // Trailers, if any, up to the empty line.
            while line(from)?.is_some_and(|trailer| !trailer.is_empty()) {}
            return Ok(body);
        }
        if size > LARGEST_BODY || from.take(size).read_to_end(&mut body)? as u64 != size {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        line(from)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(bytes: &str) -> io::Result<Option<Message>> {
        Message::read(bytes.as_bytes(), Kind::Response)
    }

    #[test]
    fn bodies_by_length_in_chunks_and_to_the_end_are_read() {
        let head = "HTTP/1.1 200 OK\r\nX-One: a\r\n";
        for rest in [
            "Content-Length: 5\r\n\r\nhello and more",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
            "\r\nhello",
        ] {
            let read = response(&format!("{head}{rest}")).unwrap().unwrap();
            assert_eq!((read.status(), read.header("x-one"), read.text()), (200, Some("a"), "hello"));
        }
        assert_eq!(response("HTTP/1.1 304 Not Modified\r\n\r\n").unwrap().unwrap().status(), 304);
    }

    #[test]
    fn a_message_that_breaks_off_is_an_error_and_never_a_short_answer() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(response("").unwrap(), None);
        for cut in 1..whole.len() {
            assert!(response(&whole[..cut]).is_err(), "{cut}");
        }
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        assert!(response(chunked).is_err());
    }
}
