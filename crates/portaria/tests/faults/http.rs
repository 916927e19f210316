//! A plain HTTP client with one connection per request.

use std::{
    fmt,
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// Timeout for a response.
const PATIENCE: Duration = Duration::from_secs(90);

/// A response.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.status, String::from_utf8_lossy(&self.body))
    }
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let is_it = |line: &&str| line.split(':').next().unwrap().eq_ignore_ascii_case(name);
        Some(self.head.lines().find(is_it)?.split_once(':')?.1.trim())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The head of a request, with `connection: close`.
pub(crate) fn head(method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> String {
    let headers: String =
        headers.iter().map(|(name, value)| [name, ": ", value, "\r\n"].concat()).collect();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: portal\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    )
}

/// Sends a request and reads the response.
///
/// # Errors
/// When the connection breaks, as it does when the server dies.
pub(crate) fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    socket.write_all(head(method, path, headers, body.len()).as_bytes())?;
    // A server that refuses early stops reading.
    drop(socket.write_all(body));
    read(&mut socket, method == "HEAD")
}

/// Reads one response up to its announced length.
pub(crate) fn read(socket: &mut TcpStream, is_bare: bool) -> io::Result<Answer> {
    let broken = |why: &str| io::Error::new(io::ErrorKind::UnexpectedEof, why);
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    let (head, start) = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break (String::from_utf8_lossy(&bytes[..at]).into_owned(), at + 4);
        }
        match socket.read(&mut piece)? {
            0 => return Err(broken("no head")),
            read => bytes.extend_from_slice(&piece[..read]),
        }
    };
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut answer =
        Answer { status: status.ok_or_else(|| broken("no status"))?, head, body: vec![] };
    let length =
        answer.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let length: usize = if is_bare { 0 } else { length };
    let mut body = bytes.split_off(start);
    while body.len() < length {
        match socket.read(&mut piece)? {
            0 => return Err(broken("half a body")),
            read => body.extend_from_slice(&piece[..read]),
        }
    }
    answer.body = body;
    Ok(answer)
}
