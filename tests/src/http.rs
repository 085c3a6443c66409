//! A small HTTP client that sends exactly what the test passes: paths unchanged, and headers that no
//! browser would send.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// How long a server may take to answer, or between two events.
const LIMIT: Duration = Duration::from_secs(60);

/// A client of a server on the local host.
#[derive(Clone, Debug)]
pub struct Client {
    /// Host and port: `127.0.0.1:8642`.
    pub address: String,
    /// A header with the credentials, sent with every request. `None` for an unauthenticated client.
    pub pass: Option<(&'static str, String)>,
}

/// A response.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as text.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Panics
    /// If it is not JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The server's error message.
    #[track_caller]
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_owned()
    }

    /// Returns the answer if the status is this one.
    ///
    /// # Panics
    /// If the status differs.
    #[track_caller]
    pub fn expect(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}", self.body.chars().take(2_000).collect::<String>());
        self
    }
}

impl Client {
    /// The same server, without credentials.
    pub fn stranger(&self) -> Client {
        Client { pass: None, ..self.clone() }
    }

    /// The same server, as a browser uses it: it presents this token once, and its cookie from then on.
    ///
    /// # Panics
    /// If the login is refused.
    #[track_caller]
    pub fn browser(&self, token: &str) -> Client {
        let shown = serde_json::json!({ "token": token }).to_string();
        let answer = self.stranger().change("POST", "/api/enter", &shown).expect(204);
        let cookie = answer.header("set-cookie").and_then(|cookie| cookie.split(';').next());
        Client { pass: Some(("Cookie", cookie.expect("a cookie").to_owned())), ..self.clone() }
    }

    /// Sends a GET request.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    /// Sends a request that changes something, with the headers of the console's page.
    #[track_caller]
    pub fn change(&self, method: &str, path: &str, body: &str) -> Answer {
        self.ask(method, path, &[("X-Reelgauge", "1"), ("Content-Type", "application/json")], body)
    }

    /// Sends a request with these headers. A header named `Host` replaces the default one.
    ///
    /// # Panics
    /// If there is no answer.
    #[track_caller]
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut reader = self.send(method, path, headers, body);
        let (status, headers) = head(&mut reader);
        let mut bytes = Vec::new();
        match is_chunked(&headers) {
            true => {
                while let Some(chunk) = chunk(&mut reader) {
                    bytes.extend(chunk);
                }
            }
            false => {
                reader.read_to_end(&mut bytes).unwrap();
            }
        }
        Answer { status, headers, body: String::from_utf8(bytes).unwrap() }
    }

    /// Subscribes to server-sent events. Dropping the result closes the connection.
    ///
    /// # Panics
    /// If the server sends none.
    #[track_caller]
    pub fn events(&self, path: &str) -> Events {
        let mut reader = self.send("GET", path, &[], "");
        let (status, headers) = head(&mut reader);
        assert!(status == 200 && is_chunked(&headers), "{status} {headers:?}");
        Events { reader, text: String::new() }
    }

    /// Sends a request without reading the whole answer. Returns its status.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn ask_status(&self, method: &str, path: &str) -> u16 {
        head(&mut self.send(method, path, &[], "")).0
    }

    /// Sends a request and closes the connection at once.
    #[track_caller]
    pub fn hang_up(&self, method: &str, path: &str) {
        drop(self.send(method, path, &[], ""));
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if headers.iter().all(|(name, _)| *name != "Host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        if let Some((name, value)) = &self.pass {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        write!(stream, "{text}\r\n{body}").unwrap();
        BufReader::new(stream)
    }
}

/// Server-sent events as they come: the JSON of each.
#[derive(Debug)]
pub struct Events {
    reader: BufReader<TcpStream>,
    text: String,
}

impl Iterator for Events {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let data: Vec<&str> = event.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
                let value = (!data.is_empty()).then(|| serde_json::from_str(&data.join("\n")).unwrap());
                self.text = rest.to_owned();
                if value.is_some() {
                    return value;
                }
                continue;
            }
            self.text.push_str(std::str::from_utf8(&chunk(&mut self.reader)?).unwrap());
        }
    }
}

fn line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

fn head(reader: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let status = line(reader);
    let status = status.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {status:?}")).parse().unwrap();
    let headers = std::iter::from_fn(|| Some(line(reader)).filter(|line| !line.is_empty()));
    let split = |line: String| {
        let (name, value) = line.split_once(':').unwrap();
        (name.to_ascii_lowercase(), value.trim().to_owned())
    };
    (status, headers.map(split).collect())
}

fn is_chunked(headers: &[(String, String)]) -> bool {
    headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked")
}

/// The next chunk; `None` after the last.
fn chunk(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let length = usize::from_str_radix(&line(reader), 16).ok().filter(|length| *length > 0)?;
    let mut bytes = vec![0; length + 2];
    reader.read_exact(&mut bytes).unwrap();
    bytes.truncate(length);
    Some(bytes)
}
