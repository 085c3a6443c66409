//! Listens for one measurement, and counts the bytes of clients that have proved that they know its
//! secret.
//!
//! The system chooses the port, which is open for a bounded time even if no client connects. A client
//! that does not prove itself, or that connects when all are there, is rejected and reported.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::handshake::{HandshakeError, let_in};
use super::messages::{OneTimeSecret, Received};
use super::rate_limit::Pace;
use super::{COMES_WITHIN, LEFT_OUT};

/// The largest number of clients that are about to prove themselves.
const PENDING_MAX: usize = 32;
/// The number of bytes per read.
const BUFFER_BYTES: usize = 256 << 10;
/// The interval of checks for the end.
const BEAT: Duration = Duration::from_millis(50);

/// The terms of an agent's part in a measurement.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The secret that entitles to take part.
    pub secret: OneTimeSecret,
    /// The number of connections.
    pub connections: u32,
    pub during: Duration,
    /// The owner's limit on this host.
    pub owner_bytes_per_s: Option<u64>,
    /// Set when this host has other work.
    pub stop: Arc<AtomicBool>,
}

/// A port of the system's choice, on every address of this host.
///
/// # Errors
/// If the system gives none.
pub async fn listen() -> io::Result<TcpListener> {
    // On other systems an IPv6 socket accepts no IPv4.
    if cfg!(unix)
        && let Ok(listener) = TcpListener::bind((Ipv6Addr::UNSPECIFIED, 0)).await
    {
        return Ok(listener);
    }
    TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).await
}

/// Waits for its connections, and counts. `refused` receives every rejected client.
///
/// # Errors
/// Why nothing was measured, as text.
pub async fn receive(
    listener: TcpListener,
    terms: &Terms,
    mut refused: impl FnMut(SocketAddr, &str),
) -> Result<Received, String> {
    let mut turned_away = 0;
    let mut refuse = |from: SocketAddr, why: &str| {
        turned_away += 1;
        refused(from, why);
    };
    let streams = gather(&listener, terms, &mut refuse).await?;
    let count = Arc::new(Count::new(terms.owner_bytes_per_s));
    let mut drains = JoinSet::new();
    for stream in streams {
        drains.spawn(drain(stream, Arc::clone(&count)));
    }
    let began = Instant::now();
    let left_out = terms.during.mul_f64(LEFT_OUT);
    let mut from = None;
    loop {
        let elapsed = began.elapsed();
        if from.is_none() && elapsed >= left_out {
            from = Some((count.bytes(), Instant::now()));
        }
        if terms.stop.load(Ordering::Relaxed) {
            return Err("a run began".to_owned());
        }
        if elapsed >= terms.during {
            break;
        }
        let next = if from.is_none() { left_out } else { terms.during };
        tokio::select! {
            came = listener.accept() => match came {
                Ok((_, from)) => refuse(from, "the measurement already has all its connections"),
                // No more files may be open; the open connections continue.
                Err(_) => tokio::time::sleep(BEAT).await,
            },
            Some(_) = drains.join_next() => return Err("a connection ended early".to_owned()),
            () = tokio::time::sleep(next.saturating_sub(elapsed).min(BEAT)) => {}
        }
    }
    let (bytes_before, from) = from.unwrap_or((0, began));
    let (bytes, elapsed) = (count.bytes().saturating_sub(bytes_before), from.elapsed());
    if bytes == 0 {
        return Err("nothing came".to_owned());
    }
    Ok(Received {
        bytes,
        elapsed_ns: u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX),
        owner_bytes_per_s: count.held_to(),
        refused: turned_away,
    })
}

/// Admits clients that know the secret, until all are there.
async fn gather(
    listener: &TcpListener,
    terms: &Terms,
    refuse: &mut impl FnMut(SocketAddr, &str),
) -> Result<Vec<TcpStream>, String> {
    let until = tokio::time::Instant::now() + COMES_WITHIN;
    let mut there = Vec::new();
    let mut pending: JoinSet<(SocketAddr, Result<TcpStream, HandshakeError>)> = JoinSet::new();
    while there.len() < terms.connections as usize {
        if terms.stop.load(Ordering::Relaxed) {
            return Err("a run began".to_owned());
        }
        tokio::select! {
            came = listener.accept(), if pending.len() < PENDING_MAX => match came {
                Ok((mut stream, from)) => {
                    let secret = terms.secret.clone();
                    pending.spawn(async move {
                        let proved = let_in(&mut stream, &secret).await;
                        (from, proved.map(|()| stream))
                    });
                }
                Err(_) => tokio::time::sleep(BEAT).await,
            },
            Some(Ok((from, proved))) = pending.join_next() => match proved {
                Ok(stream) => there.push(stream),
                Err(why) => refuse(from, &why.to_string()),
            },
            () = tokio::time::sleep(BEAT) => {}
            () = tokio::time::sleep_until(until) => {
                return Err(format!(
                    "{} of {} connections arrived within {} s",
                    there.len(),
                    terms.connections,
                    COMES_WITHIN.as_secs()
                ));
            }
        }
    }
    Ok(there)
}

async fn drain(mut stream: TcpStream, count: Arc<Count>) -> io::Result<()> {
    let mut buffer = vec![0; count.piece_bytes(BUFFER_BYTES)];
    loop {
        let bytes = stream.read(&mut buffer).await?;
        if bytes == 0 {
            return Ok(());
        }
        count.take(bytes as u64).await;
    }
}

/// Bytes of all connections together, throttled to the owner's limit.
#[derive(Debug)]
pub(super) struct Count {
    bytes: AtomicU64,
    began: Instant,
    pace: Option<(u64, Mutex<Pace>)>,
    is_held: AtomicBool,
}

impl Count {
    pub(super) fn new(owner_bytes_per_s: Option<u64>) -> Count {
        let pace = owner_bytes_per_s.map(|bytes_per_s| (bytes_per_s, Mutex::new(Pace::new(bytes_per_s))));
        Count { bytes: AtomicU64::new(0), began: Instant::now(), pace, is_held: AtomicBool::new(false) }
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The owner's limit, if it slowed the measurement down.
    pub(super) fn held_to(&self) -> Option<u64> {
        let (bytes_per_s, _) = self.pace.as_ref()?;
        self.is_held.load(Ordering::Relaxed).then_some(*bytes_per_s)
    }

    pub(super) fn piece_bytes(&self, most: usize) -> usize {
        let piece = |(_, pace): &(u64, Mutex<Pace>)| {
            pace.lock().unwrap_or_else(PoisonError::into_inner).piece_bytes(most)
        };
        self.pace.as_ref().map_or(most, piece)
    }

    /// Counts these bytes, and waits until more may go.
    pub(super) async fn take(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let Some((_, pace)) = &self.pace else { return };
        let now_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let wait_ns = pace.lock().unwrap_or_else(PoisonError::into_inner).went(now_ns, bytes);
        if wait_ns > 0 {
            self.is_held.store(true, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_nanos(wait_ns)).await;
        }
    }
}
