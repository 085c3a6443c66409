//! A worker of the original Media Storage Meter, as seen from outside by its protocol. It connects,
//! sends its greeting, treats each received portion as one message, and reports in the three pieces of
//! the original.
//!
//! It does no I/O. Its figures are derived from its number, so that a test knows every record. The
//! original itself is under the GPL, needs Windows tools and is not built here.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The interval between operations.
const EVERY: Duration = Duration::from_millis(20);

/// How a worker deviates from a good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// No deviation.
    None,
    /// It has too few test files and does nothing when it is started, like the original.
    NoFiles,
    /// Its connection breaks after so many records.
    BreaksAfter(usize),
    /// It counts reads that fail as done.
    FailedReads,
    /// It stalls for two seconds after so many records.
    StallsAfter(usize),
    /// It reports nothing more after so many records.
    StallsForGoodAfter(usize),
}

/// A worker that runs in a thread of the test.
pub struct MeterWorker {
    thread: JoinHandle<()>,
    messages: Receiver<String>,
    records: Receiver<String>,
}

/// The messages a worker received and the records it sent.
pub struct Met {
    /// Received messages, in order.
    pub messages: Vec<String>,
    /// Records sent completely.
    pub records: Vec<String>,
}

impl MeterWorker {
    /// Connects to a controller on the local host and waits for its greeting.
    ///
    /// # Panics
    /// If no controller greets it.
    pub fn connect(port: u16, number: usize, of: Trait) -> MeterWorker {
        let until = Instant::now() + Duration::from_secs(20);
        let mut stream = loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => break stream,
                Err(error) => assert!(Instant::now() < until, "no controller at {port}: {error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        stream.write_all(b"hello\n\0").unwrap();
        let mut greeting = [0; 11];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting, b"hellotoyou\0");
        stream.set_read_timeout(Some(EVERY)).unwrap();
        let (message, messages) = channel();
        let (record, records) = channel();
        let thread = std::thread::spawn(move || {
            work(stream, number, of, &|text| message.send(text).unwrap(), &|text| record.send(text).unwrap());
        });
        MeterWorker { thread, messages, records }
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// If the worker panicked.
    pub fn met(self) -> Met {
        self.thread.join().unwrap();
        Met { messages: self.messages.iter().collect(), records: self.records.iter().collect() }
    }
}

fn work(mut stream: TcpStream, number: usize, of: Trait, message: &dyn Fn(String), record: &dyn Fn(String)) {
    let (mut runs, mut done) = (false, 0);
    loop {
        let mut portion = [0; 255];
        match stream.read(&mut portion) {
            Ok(0) => return,
            // The original discards a full portion.
            Ok(255) => continue,
            Ok(count) => {
                for text in portion[..count].split(|byte| *byte == 0).filter(|text| !text.is_empty()) {
                    let text = String::from_utf8_lossy(text).into_owned();
                    match text.as_str() {
                        "start" => {
                            runs = of != Trait::NoFiles;
                            if of == Trait::NoFiles {
                                let _ = stream.write_all(b"nofiles\n\0");
                            }
                        }
                        "pause" => runs = false,
                        "stop" => {
                            message(text);
                            let _ = stream.write_all(b"\n\0bye\n");
                            return;
                        }
                        _ => {}
                    }
                    message(text);
                }
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
        if !runs {
            continue;
        }
        let line = line(number, done, of);
        let (file, rest) = line.split_once(',').unwrap();
        let (shape, figures) = rest.match_indices(',').nth(2).map(|(at, _)| rest.split_at(at + 1)).unwrap();
        let pieces = [format!("{file},\0"), format!("{shape}\0"), format!("{figures}\n\0")];
        if pieces.iter().any(|piece| stream.write_all(piece.as_bytes()).is_err()) {
            return;
        }
        record(line);
        done += 1;
        match of {
            Trait::BreaksAfter(most) if done == most => return,
            Trait::StallsForGoodAfter(most) if done == most => runs = false,
            Trait::StallsAfter(most) if done == most => std::thread::sleep(Duration::from_secs(2)),
            _ => {}
        }
    }
}

/// A record: of 357 KiB in blocks of 64, or of 1024 in one.
fn line(number: usize, done: usize, of: Trait) -> String {
    let mode = done % 4;
    let (length, block) = if done.is_multiple_of(2) { (357, 64) } else { (1024, 1024) };
    let rate =
        if of == Trait::FailedReads { 250_000.0 } else { 10.0 * (number + 1) as f64 + done as f64 / 8.0 };
    format!("test{:03},{mode},{length},{block},{rate:.6},{:.6}", done % 3, 1.0 + done as f64 / 4.0)
}
