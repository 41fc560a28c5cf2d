//! HTTP/1.1 over one kept connection, as little of it as the servers' answers need: the driver shares the cores with what it
//! measures, and a general client costs as much as the server.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The longest answer that is read, in bytes.
const LARGEST: usize = 1 << 20;

/// One client's connection to one server.
pub(crate) struct Connection {
    server: SocketAddr,
    stream: Option<TcpStream>,
    request: Vec<u8>,
    answer: Vec<u8>,
}

/// An answer's status and body.
pub(crate) struct Answer<'a> {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The body.
    pub(crate) body: &'a [u8],
}

impl Connection {
    pub(crate) fn new(server: SocketAddr) -> Self {
        Self { server, stream: None, request: Vec::new(), answer: Vec::new() }
    }

    /// Posts a body and reads the answer. After an error it is not known whether the request was done.
    pub(crate) async fn post(&mut self, path: &str, token: Option<&str>, body: &str) -> io::Result<Answer<'_>> {
        self.request.clear();
        io::Write::write_fmt(
            &mut self.request,
            format_args!(
                "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
                self.server,
                body.len()
            ),
        )?;
        if let Some(token) = token {
            io::Write::write_fmt(&mut self.request, format_args!("authorization: Bearer {token}\r\n"))?;
        }
        self.request.extend_from_slice(b"\r\n");
        self.request.extend_from_slice(body.as_bytes());
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.server).await?;
                stream.set_nodelay(true)?;
                stream
            }
        };
        stream.write_all(&self.request).await?;
        self.answer.clear();
        let (status, head, keep) = read_head(&mut stream, &mut self.answer).await?;
        if keep {
            self.stream = Some(stream);
        }
        Ok(Answer { status, body: self.answer.get(head..).unwrap_or_default() })
    }
}

/// Reads a whole answer; gives its status, where its body begins, and whether the connection stays.
async fn read_head(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<(u16, usize, bool)> {
    let broken = |why: &'static str| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut head = None;
    loop {
        if stream.read_buf(answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if answer.len() > LARGEST {
            return Err(broken("an answer is too long"));
        }
        if head.is_none() {
            let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let text =
                str::from_utf8(answer.get(..end).unwrap_or_default()).map_err(|_| broken("a head is no text"))?;
            let status = text.get(9..12).and_then(|status| status.parse().ok()).ok_or(broken("no status"))?;
            let mut length = None;
            let mut keep = true;
            for line in text.lines().skip(1) {
                let Some((name, value)) = line.split_once(':') else { continue };
                if name.eq_ignore_ascii_case("content-length") {
                    length = value.trim().parse::<usize>().ok();
                } else if name.eq_ignore_ascii_case("connection") {
                    keep = !value.trim().eq_ignore_ascii_case("close");
                }
            }
            head = Some((status, end + 4, length.ok_or(broken("an answer without its length"))?, keep));
        }
        if let Some((status, start, length, keep)) = head
            && answer.len() >= start + length
        {
            return Ok((status, start, keep));
        }
    }
}
