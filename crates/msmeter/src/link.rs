//! The connections of workers. A worker comes by itself and says "hello"; what it sends becomes lines, each
//! with the time at which it came.
//!
//! Who may come is a list of addresses: the protocol knows no other way to tell friend from stranger. Not
//! here: what is sent when ([`crate::session`]).

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::lines::{Line, Lines};
use crate::script::WORKERS_MAX;

/// What a worker says first, and what it is answered.
const HELLO: &str = "hello";
const ANSWER: &str = "hellotoyou";
/// How long it may take to say so.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// How long a message to a worker may take, which the system takes without it.
const SEND_WITHIN: Duration = Duration::from_secs(2);
/// How often the listener looks whether it is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Connections beyond the workers that have not said who they are.
const STRANGERS_MAX: usize = 16;
/// Events that wait. Where more come, workers are held up rather than this machine's memory filled.
const WAITING_MAX: usize = 65_536;

/// What happens at the connections.
#[derive(Debug)]
pub enum Event {
    /// A worker came.
    Joined(Link),
    /// It sent a line.
    Line {
        /// Which connection.
        key: usize,
        /// When it came.
        at: Instant,
        /// What.
        line: Line,
    },
    /// Its connection is gone.
    Gone {
        /// Which connection.
        key: usize,
        /// When that was seen.
        at: Instant,
        /// Why.
        why: String,
    },
    /// Somebody was sent away.
    Refused {
        /// Who.
        peer: SocketAddr,
        /// Why.
        why: &'static str,
    },
}

/// A worker's connection.
#[derive(Debug)]
pub struct Link {
    /// Which it is.
    pub key: usize,
    /// Who is there.
    pub peer: SocketAddr,
    stream: TcpStream,
}

impl Link {
    /// Sends a message: its text and one NUL, in one piece, since a worker takes each piece for a message.
    ///
    /// # Errors
    /// The connection is gone, or the machine does not take it within two seconds.
    pub fn send(&self, message: &str) -> io::Result<()> {
        let mut bytes = message.as_bytes().to_vec();
        bytes.push(0);
        (&self.stream).write_all(&bytes)
    }

    /// Ends the connection.
    pub fn close(&self) {
        // It is closed already where this fails.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Listens for workers until it is dropped.
#[derive(Debug)]
pub struct Workers {
    /// What happens.
    pub events: Receiver<Event>,
    /// Where they are to come to.
    pub address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Who may come. Nobody is on an empty list, and everybody of this machine is let in.
#[derive(Clone, Debug, Default)]
pub struct Guests(pub Vec<IpAddr>);

impl Guests {
    fn has(&self, peer: SocketAddr) -> bool {
        let ip = peer.ip().to_canonical();
        ip.is_loopback() || self.0.iter().any(|guest| guest.to_canonical() == ip)
    }
}

/// Listens at this address.
///
/// # Errors
/// The address is in use, or not this machine's.
pub fn listen(address: SocketAddr, guests: Guests) -> io::Result<Workers> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let (sender, events) = sync_channel(WAITING_MAX);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    std::thread::Builder::new()
        .name("msmeter-listen".to_owned())
        .spawn(move || accept(&listener, &guests, &sender, &over))?;
    Ok(Workers { events, address, is_over })
}

fn accept(listener: &TcpListener, guests: &Guests, sender: &SyncSender<Event>, over: &AtomicBool) {
    let (mut key, open) = (0, Arc::new(AtomicUsize::new(0)));
    while !over.load(Ordering::Relaxed) {
        let Ok((stream, peer)) = listener.accept() else {
            std::thread::sleep(LOOK_EVERY);
            continue;
        };
        let refused = match (guests.has(peer), open.load(Ordering::Relaxed) >= WORKERS_MAX + STRANGERS_MAX) {
            (false, _) => Some("it is on no --peer"),
            (true, true) => Some("there are too many connections"),
            (true, false) => None,
        };
        if let Some(why) = refused {
            // Nobody waits for it at the end of a session.
            let _ = sender.try_send(Event::Refused { peer, why });
            continue;
        }
        key += 1;
        open.fetch_add(1, Ordering::Relaxed);
        let (sender, count) = (sender.clone(), Arc::clone(&open));
        let serve = move || {
            serve(key, peer, stream, &sender);
            count.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("msmeter-worker".to_owned()).spawn(serve).is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Everything that comes by one connection.
fn serve(key: usize, peer: SocketAddr, stream: TcpStream, sender: &SyncSender<Event>) {
    let mut lines = Lines::default();
    let early = match hello(&stream, &mut lines) {
        Ok(early) => early,
        Err(why) => {
            let _ = sender.try_send(Event::Refused { peer, why });
            return;
        }
    };
    let joined = stream.try_clone().and_then(|of_link| {
        let link = Link { key, peer, stream: of_link };
        link.send(ANSWER).map(|()| link)
    });
    // A worker that is gone before it is there is none.
    let Ok(link) = joined else { return };
    if sender.send(Event::Joined(link)).is_err() {
        return;
    }
    let send_lines = |lines: Vec<Line>| {
        let at = Instant::now();
        lines.into_iter().all(|line| sender.send(Event::Line { key, at, line }).is_ok())
    };
    if !send_lines(early) {
        return;
    }
    let why = read_all(stream, &mut lines, send_lines);
    // Who listened is gone where this fails.
    let _ = sender.send(Event::Gone { key, at: Instant::now(), why });
}

/// Reads to the end of a connection; why it ended.
fn read_all(mut stream: TcpStream, lines: &mut Lines, mut send: impl FnMut(Vec<Line>) -> bool) -> String {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => {
                send(lines.end().into_iter().collect());
                return "it closed its connection".to_owned();
            }
            Ok(count) if !send(lines.take(&buffer[..count])) => return "the session is over".to_owned(),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return format!("its connection broke: {error}"),
        }
    }
}

/// Waits for a worker's first word, and makes the connection ready. What came behind it.
fn hello(mut stream: &TcpStream, lines: &mut Lines) -> Result<Vec<Line>, &'static str> {
    let unfit = "its connection can't be used";
    // Accepted from a listener that does not wait, which some systems pass on.
    stream.set_nonblocking(false).map_err(|_| unfit)?;
    stream.set_nodelay(true).map_err(|_| unfit)?;
    stream.set_write_timeout(Some(SEND_WITHIN)).map_err(|_| unfit)?;
    let begun = Instant::now();
    let mut buffer = [0; 4096];
    loop {
        let left = HELLO_WITHIN.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
        let Some(left) = left else { return Err("it did not say hello") };
        stream.set_read_timeout(Some(left)).map_err(|_| unfit)?;
        let count = stream.read(&mut buffer).map_err(|_| "it did not say hello")?;
        if count == 0 {
            return Err("it closed its connection before it said hello");
        }
        let mut received = lines.take(&buffer[..count]).into_iter();
        match received.next() {
            Some(Line::Text(text)) if text == HELLO => {
                stream.set_read_timeout(None).map_err(|_| unfit)?;
                return Ok(received.collect());
            }
            Some(_) => return Err("it said something else than hello"),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn loopback() -> Workers {
        listen("127.0.0.1:0".parse().unwrap(), Guests::default()).unwrap()
    }

    fn next(workers: &Workers) -> Event {
        workers.events.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    #[test]
    fn a_worker_is_greeted_and_what_it_sends_becomes_lines() {
        let workers = loopback();
        let mut worker = TcpStream::connect(workers.address).unwrap();
        worker.write_all(b"hello\n\0").unwrap();
        let Event::Joined(link) = next(&workers) else { panic!("not joined") };
        let mut answer = [0; 11];
        worker.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"hellotoyou\0");
        worker.write_all(b"test000,\0").unwrap();
        worker.write_all(b"0,64,64,\x0010.0,1.0\n\0").unwrap();
        let Event::Line { line, .. } = next(&workers) else { panic!("no line") };
        assert_eq!(line, Line::Text("test000,0,64,64,10.0,1.0".to_owned()));
        link.send("start").unwrap();
        let mut start = [0; 6];
        worker.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"start\0");
        drop(worker);
        assert!(matches!(next(&workers), Event::Gone { .. }));
    }

    #[test]
    fn who_says_something_else_is_sent_away() {
        let workers = loopback();
        let mut stranger = TcpStream::connect(workers.address).unwrap();
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        assert!(matches!(next(&workers), Event::Refused { why: "it said something else than hello", .. }));
        // What it had sent was not read to the end, so that its connection is reset, or closed.
        assert!(!matches!(stranger.read(&mut [0; 8]), Ok(count) if count > 0));
    }

    #[test]
    fn only_who_is_on_the_list_may_come() {
        let guests = Guests(vec!["10.0.0.7".parse().unwrap()]);
        let allowed = ["10.0.0.7:1", "[::ffff:10.0.0.7]:1", "127.0.0.1:1", "[::1]:1"];
        assert!(allowed.iter().all(|peer| guests.has(peer.parse().unwrap())));
        assert!(["10.0.0.8:1", "[fe80::1]:1"].iter().all(|peer| !guests.has(peer.parse().unwrap())));
    }
}
