//! The connections of workers. A worker connects and sends "hello". Its data is split into lines, each
//! with its time of arrival.
//!
//! A list of addresses controls who may connect: the protocol has no authentication. Not here: the
//! timing of messages ([`crate::session`]).

use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::command_script::WORKERS_MAX;
use crate::lines::{Lines, WireLine};

/// A worker's first message, and the answer to it.
const HELLO: &str = "hello";
const ANSWER: &str = "hellotoyou";
/// Time limit for a worker's first message.
const HELLO_WITHIN: Duration = Duration::from_secs(10);
/// Time limit for sending a message. Normally the system accepts it immediately.
const SEND_WITHIN: Duration = Duration::from_secs(2);
/// Interval at which the listener checks whether to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Limit of connections without a hello. Beyond it, each new one replaces another. A worker sends its
/// hello immediately, so it is greeted before so many others connect.
const STRANGERS_MAX: usize = 64;
/// Limit of connections that have sent a hello, in addition to the script's workers.
const SPARE_WORKERS_MAX: usize = 16;
/// Limit of queued events. Beyond it, workers are blocked, which protects the local host's memory.
const WAITING_MAX: usize = 65_536;

/// An event at the connections.
#[derive(Debug)]
pub enum Event {
    /// A worker connected and was greeted.
    Joined(Link),
    /// A worker sent a line.
    Line {
        /// The number of the worker's connection.
        key: usize,
        /// The time at which the line arrived.
        at: Instant,
        /// The line, without its end.
        line: WireLine,
    },
    /// A connection was closed.
    Gone {
        /// The number of the worker's connection.
        key: usize,
        /// When the close was seen.
        at: Instant,
        /// Why it was closed, as text.
        why: String,
    },
    /// A connection was refused.
    Refused {
        /// The address of the peer.
        peer: SocketAddr,
        /// Why it was refused, as text.
        why: &'static str,
    },
}

/// A connection to a greeted worker.
#[derive(Debug)]
pub struct Link {
    /// The number of the connection.
    pub key: usize,
    /// The address of the peer.
    pub peer: SocketAddr,
    stream: TcpStream,
}

impl Link {
    /// Sends a message: its text and one NUL, in one write, because a worker treats each read as a
    /// message.
    ///
    /// # Errors
    /// If the connection is closed, or the worker's host does not accept the message within two seconds.
    pub fn send(&self, message: &str) -> io::Result<()> {
        let mut bytes = message.as_bytes().to_vec();
        bytes.push(0);
        (&self.stream).write_all(&bytes)
    }

    /// Closes the connection in both directions.
    pub fn close(&self) {
        // Fails only if it is already closed.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// Listens for workers until it is dropped.
#[derive(Debug)]
pub struct Workers {
    /// Receives the events of all connections.
    pub events: Receiver<Event>,
    /// The address that workers connect to.
    pub address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// The addresses that may connect. With an empty list, only the local host may.
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
/// If the address is in use, or does not belong to the local host.
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
    let (mut key, strangers) = (0, Arc::new(Strangers::default()));
    let registered = Arc::new(Registered::default());
    while !over.load(Ordering::Relaxed) {
        let Ok((stream, peer)) = listener.accept() else {
            std::thread::sleep(LOOK_EVERY);
            continue;
        };
        if !guests.has(peer) {
            let why = "no --peer lists it. To allow it, add --peer with this address";
            // At the end of a session the receiver may be gone.
            let _ = sender.try_send(Event::Refused { peer, why });
            continue;
        }
        key += 1;
        if strangers.come(key, peer.ip().to_canonical(), &stream).is_err() {
            continue;
        }
        let (sender, of_thread) = (sender.clone(), (Arc::clone(&strangers), Arc::clone(&registered)));
        let serve = move || serve((key, peer), stream, &sender, &of_thread.0, &of_thread.1);
        if std::thread::Builder::new().name("msmeter-worker".to_owned()).spawn(serve).is_err() {
            strangers.go(key);
        }
    }
}

/// Connections that have not sent a hello yet. There are at most [`STRANGERS_MAX`] of them, and none
/// blocks another one. If all slots are taken, a new connection replaces the oldest one of the address
/// with the most connections.
#[derive(Debug, Default)]
struct Strangers(Mutex<Vec<Stranger>>);

#[derive(Debug)]
struct Stranger {
    key: usize,
    ip: IpAddr,
    stream: TcpStream,
}

impl Strangers {
    fn come(&self, key: usize, ip: IpAddr, stream: &TcpStream) -> io::Result<()> {
        let stream = stream.try_clone()?;
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while all.len() >= STRANGERS_MAX {
            let of_address = |ip: IpAddr| all.iter().filter(|other| other.ip == ip).count();
            let most = all.iter().map(|stranger| of_address(stranger.ip)).max();
            // They are in the order of arrival.
            let Some(at) = all.iter().position(|stranger| Some(of_address(stranger.ip)) == most) else {
                break;
            };
            // This also ends its thread, which waits for its hello.
            let _ = all.remove(at).stream.shutdown(Shutdown::Both);
        }
        all.push(Stranger { key, ip, stream });
        Ok(())
    }

    /// Removes a stranger that was greeted or has disconnected. Returns whether it still had a slot.
    fn go(&self, key: usize) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = all.len();
        all.retain(|stranger| stranger.key != key);
        all.len() < before
    }
}

/// Serves one connection from its hello to its end.
fn serve(
    (key, peer): (usize, SocketAddr),
    stream: TcpStream,
    sender: &SyncSender<Event>,
    strangers: &Strangers,
    registered: &Registered,
) {
    let mut lines = Lines::default();
    let said = hello(&stream, &mut lines);
    let was_there = strangers.go(key);
    let early = match said {
        Ok(early) => early,
        Err(_) if !was_there => {
            let why = "it sent nothing, and other workers connected";
            let _ = sender.try_send(Event::Refused { peer, why });
            return;
        }
        Err(why) => {
            let _ = sender.try_send(Event::Refused { peer, why });
            return;
        }
    };
    match registered.join((key, peer), &stream, sender) {
        Joined::No => return,
        Joined::NoPlace => {
            let _ = sender.try_send(Event::Refused { peer, why: "too many workers are connected" });
            return;
        }
        Joined::Yes => serve_worker(key, stream, sender, lines, early),
    }
    registered.leave();
}

/// Workers that are connected. They are greeted one by one, so that they are reported and numbered in
/// the order of their greetings.
#[derive(Debug, Default)]
struct Registered(Mutex<usize>);

enum Joined {
    Yes,
    /// It disconnected before its greeting, or there is no receiver any more.
    No,
    NoPlace,
}

impl Registered {
    fn join(
        &self,
        (key, peer): (usize, SocketAddr),
        stream: &TcpStream,
        sender: &SyncSender<Event>,
    ) -> Joined {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if *count >= WORKERS_MAX + SPARE_WORKERS_MAX {
            return Joined::NoPlace;
        }
        let greeted = stream.try_clone().and_then(|of_link| {
            let link = Link { key, peer, stream: of_link };
            link.send(ANSWER).map(|()| link)
        });
        let Ok(link) = greeted else { return Joined::No };
        if sender.send(Event::Joined(link)).is_err() {
            return Joined::No;
        }
        *count += 1;
        Joined::Yes
    }

    fn leave(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
    }
}

/// Serves a greeted worker until its connection ends.
fn serve_worker(
    key: usize,
    stream: TcpStream,
    sender: &SyncSender<Event>,
    mut lines: Lines,
    early: Vec<WireLine>,
) {
    let send_lines = |lines: Vec<WireLine>| {
        let at = Instant::now();
        lines.into_iter().all(|line| sender.send(Event::Line { key, at, line }).is_ok())
    };
    if !send_lines(early) {
        return;
    }
    let why = read_all(stream, &mut lines, send_lines);
    // Fails only if there is no receiver any more.
    let _ = sender.send(Event::Gone { key, at: Instant::now(), why });
}

/// Reads until the end of a connection. Returns why it ended.
fn read_all(mut stream: TcpStream, lines: &mut Lines, mut send: impl FnMut(Vec<WireLine>) -> bool) -> String {
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
            Err(error) => return format!("its connection failed: {error}"),
        }
    }
}

/// Waits for a worker's hello, and configures the connection. Returns the lines that followed the hello.
fn hello(mut stream: &TcpStream, lines: &mut Lines) -> Result<Vec<WireLine>, &'static str> {
    let unfit = "its connection cannot be used";
    // The listener is non-blocking, and some systems pass that on to accepted connections.
    stream.set_nonblocking(false).map_err(|_| unfit)?;
    stream.set_nodelay(true).map_err(|_| unfit)?;
    stream.set_write_timeout(Some(SEND_WITHIN)).map_err(|_| unfit)?;
    let begun = Instant::now();
    let mut buffer = [0; 4096];
    loop {
        let left = HELLO_WITHIN.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
        let Some(left) = left else { return Err("it did not send hello") };
        stream.set_read_timeout(Some(left)).map_err(|_| unfit)?;
        let count = stream.read(&mut buffer).map_err(|_| "it did not send hello")?;
        if count == 0 {
            return Err("it closed its connection before sending hello");
        }
        let mut received = lines.take(&buffer[..count]).into_iter();
        match received.next() {
            Some(WireLine::Text(text)) if text == HELLO => {
                stream.set_read_timeout(None).map_err(|_| unfit)?;
                return Ok(received.collect());
            }
            Some(_) => return Err("its first line was not hello"),
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
    fn worker_is_greeted_and_its_data_become_lines() {
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
        assert_eq!(line, WireLine::Text("test000,0,64,64,10.0,1.0".to_owned()));
        link.send("start").unwrap();
        let mut start = [0; 6];
        worker.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"start\0");
        drop(worker);
        assert!(matches!(next(&workers), Event::Gone { .. }));
    }

    #[test]
    fn connection_with_a_wrong_greeting_is_closed() {
        let workers = loopback();
        let mut stranger = TcpStream::connect(workers.address).unwrap();
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        assert!(matches!(next(&workers), Event::Refused { why: "its first line was not hello", .. }));
        // Its data was not read completely, so its connection is reset, or closed.
        assert!(!matches!(stranger.read(&mut [0; 8]), Ok(count) if count > 0));
    }

    #[test]
    fn silent_connections_do_not_block_workers() {
        let workers = loopback();
        let connect = || TcpStream::connect(workers.address).unwrap();
        // Three times the number of slots, all of which stay connected.
        let silent: Vec<TcpStream> = (0..3 * STRANGERS_MAX).map(|_| connect()).collect();
        let mut worker = connect();
        worker.write_all(b"hello\n\0").unwrap();
        let mut evicted = 0;
        let link = loop {
            match next(&workers) {
                Event::Joined(link) => break link,
                Event::Refused { why, .. } => evicted += usize::from(why.contains("other workers connected")),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(link.peer, worker.local_addr().unwrap());
        // Every evicted connection was reported, and is one of the earliest.
        assert!(evicted <= 2 * STRANGERS_MAX + 1, "{evicted}");
        assert!(matches!((&silent[0]).read(&mut [0; 1]), Ok(0) | Err(_)));
        assert_eq!(silent.len(), 3 * STRANGERS_MAX);
    }

    #[test]
    fn client_with_most_connections_loses_one() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let strangers = Strangers::default();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let come = |key: usize, ip: &str| strangers.come(key, ip.parse().unwrap(), &stream).unwrap();
        come(0, "10.0.0.2");
        (1..=3 * STRANGERS_MAX).for_each(|key| come(key, "10.0.0.1"));
        let keys = || strangers.0.lock().unwrap().iter().map(|stranger| stranger.key).collect::<Vec<_>>();
        assert_eq!((keys().len(), keys()[0]), (STRANGERS_MAX, 0), "the quiet address keeps its place");
        assert_eq!(keys()[1], 2 * STRANGERS_MAX + 2);
        assert!(strangers.go(0) && !strangers.go(1));
        assert_eq!(keys().len(), STRANGERS_MAX - 1);
    }

    #[test]
    fn only_listed_addresses_may_connect() {
        let guests = Guests(vec!["10.0.0.7".parse().unwrap()]);
        let allowed = ["10.0.0.7:1", "[::ffff:10.0.0.7]:1", "127.0.0.1:1", "[::1]:1"];
        assert!(allowed.iter().all(|peer| guests.has(peer.parse().unwrap())));
        assert!(["10.0.0.8:1", "[fe80::1]:1"].iter().all(|peer| !guests.has(peer.parse().unwrap())));
    }
}
