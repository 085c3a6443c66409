//! Sends as much as possible to the receiver of a measurement, once the receiver has proved that it
//! knows the secret.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::handshake::enter;
use super::receive::{Count, Terms};

/// How long one address may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// The receiver ends the measurement; this is the extra time in case it cannot.
const LONGER: Duration = Duration::from_secs(2);
/// The number of bytes per write.
const BUFFER_BYTES: usize = 256 << 10;
/// A connection that ends before this share of the time is broken.
const EARLY: f64 = 0.8;
/// How often to check whether this host has other work.
const BEAT: Duration = Duration::from_millis(50);

/// The bytes sent, and the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub to: SocketAddr,
    /// The owner's limit, if it slowed the measurement down.
    pub owner_bytes_per_s: Option<u64>,
}

/// Sends for the time of the measurement.
///
/// # Errors
/// If it failed: the reason as text.
pub async fn send(to: &[SocketAddr], terms: &Terms) -> Result<Sent, String> {
    let (to, streams) = connect(to, terms).await?;
    let count = Arc::new(Count::new(terms.owner_bytes_per_s));
    let mut sending = JoinSet::new();
    for stream in streams {
        sending.spawn(fill(stream, Arc::clone(&count)));
    }
    let began = Instant::now();
    let most = terms.during + LONGER;
    while began.elapsed() < most {
        if terms.stop.load(Ordering::Relaxed) {
            return Err("a run began".to_owned());
        }
        if let Ok(Some(_)) = tokio::time::timeout(BEAT, sending.join_next()).await {
            break;
        }
    }
    // The other connections end with this one.
    sending.abort_all();
    if began.elapsed() < terms.during.mul_f64(EARLY) {
        return Err("a connection ended early".to_owned());
    }
    Ok(Sent { to, owner_bytes_per_s: count.held_to() })
}

/// All connections to the first address where the right receiver listens.
async fn connect(to: &[SocketAddr], terms: &Terms) -> Result<(SocketAddr, Vec<TcpStream>), String> {
    let mut why = "the sender received no address to connect to".to_owned();
    for address in to {
        match open(*address, terms).await {
            Ok(first) => {
                let mut streams = vec![first];
                while streams.len() < terms.connections as usize {
                    streams.push(open(*address, terms).await?);
                }
                return Ok((*address, streams));
            }
            Err(failed) => why = failed,
        }
    }
    Err(why)
}

async fn open(to: SocketAddr, terms: &Terms) -> Result<TcpStream, String> {
    let connected = tokio::time::timeout(ANSWERS_WITHIN, TcpStream::connect(to)).await;
    let mut stream = match connected {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Err(format!("no connection to {to}: {error}")),
        Err(_) => return Err(format!("no connection to {to} within {} s", ANSWERS_WITHIN.as_secs())),
    };
    enter(&mut stream, &terms.secret)
        .await
        .map_err(|why| format!("the program that listens at {to}: {why}"))?;
    Ok(stream)
}

async fn fill(mut stream: TcpStream, count: Arc<Count>) {
    // Random data, which nothing on the path can compress.
    let mut buffer = vec![0; count.piece_bytes(BUFFER_BYTES)];
    if getrandom::fill(&mut buffer).is_err() {
        return;
    }
    while stream.write_all(&buffer).await.is_ok() {
        count.take(buffer.len() as u64).await;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::net::Ipv4Addr;
    use std::sync::Mutex;

    use tokio::io::AsyncReadExt;

    use super::super::messages::{OneTimeSecret, Received};
    use super::super::receive::{listen, receive};
    use super::*;

    fn terms(secret: &OneTimeSecret, owner_bytes_per_s: Option<u64>) -> Terms {
        Terms {
            secret: secret.clone(),
            connections: 2,
            // A fifth of this must exceed any delay of one end on a busy host.
            during: Duration::from_secs(2),
            owner_bytes_per_s,
            stop: Arc::default(),
        }
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap()
            .block_on(work)
    }

    type Ends = (Result<Received, String>, Result<Sent, String>, Vec<String>);

    async fn measure(receiver: &Terms, sender: &Terms, disturb: impl AsyncFnOnce(SocketAddr)) -> Ends {
        let listener = listen().await.unwrap();
        let to: SocketAddr = (Ipv4Addr::LOCALHOST, listener.local_addr().unwrap().port()).into();
        let refused = Mutex::new(Vec::new());
        let told = |_: SocketAddr, why: &str| refused.lock().unwrap().push(why.to_owned());
        let receives = receive(listener, receiver, told);
        let sends = async {
            disturb(to).await;
            // The first address has no listener.
            send(&[(Ipv4Addr::LOCALHOST, 1).into(), to], sender).await
        };
        let (received, sent) = tokio::join!(receives, sends);
        (received, sent, refused.into_inner().unwrap())
    }

    #[test]
    fn sent_bytes_are_counted_by_the_receiver() {
        let secret = OneTimeSecret::draw().unwrap();
        let terms = terms(&secret, None);
        let (received, sent, refused) = block_on(measure(&terms, &terms, async |_| {}));
        let (received, sent) = (received.unwrap(), sent.unwrap());
        assert!(received.bytes > 1 << 20 && received.elapsed_ns > 300_000_000, "{received:?}");
        assert_ne!(sent.to.port(), 1);
        assert_eq!((received.owner_bytes_per_s, sent.owner_bytes_per_s, refused.len()), (None, None, 0));
    }

    #[test]
    fn a_client_with_another_secret_is_refused_and_reported() {
        let [one, other] = [(); 2].map(|()| OneTimeSecret::draw().unwrap());
        let (received, sent, refused) = block_on(async {
            let receiver = terms(&one, None);
            let sender = terms(&other, None);
            let stop = Arc::clone(&receiver.stop);
            let ends = measure(&receiver, &sender, async |_| {});
            // No further client connects: without this it would wait for ten seconds.
            let ends_it = async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                stop.store(true, Ordering::Relaxed);
            };
            tokio::join!(ends, ends_it).0
        });
        assert!(received.unwrap_err().contains("a run began"));
        assert!(sent.unwrap_err().contains("listens at"), "it learned no proof");
        assert_eq!(refused, ["it has the wrong secret for this measurement"]);
    }

    #[test]
    fn a_client_without_the_secret_does_not_affect_the_others() {
        let secret = OneTimeSecret::draw().unwrap();
        let terms = terms(&secret, None);
        let intrude = async |to: SocketAddr| {
            let mut stream = TcpStream::connect(to).await.unwrap();
            stream.write_all(&[7; 64]).await.unwrap();
            let mut said = Vec::new();
            let _ = stream.read_to_end(&mut said).await;
            assert_eq!(said.len(), 32, "a question, and no proof");
        };
        let (received, sent, refused) = block_on(measure(&terms, &terms, intrude));
        assert!(sent.is_ok(), "{sent:?}");
        assert_eq!(received.unwrap().refused, 1);
        assert_eq!(refused, ["it has the wrong secret for this measurement"]);
    }

    #[test]
    fn either_owner_s_limit_holds() {
        let secret = OneTimeSecret::draw().unwrap();
        let limit = 3_000_000;
        for (receiver, sender) in [(Some(limit), None), (None, Some(limit))] {
            let (receiver, sender) = (terms(&secret, receiver), terms(&secret, sender));
            let (received, sent, _) = block_on(measure(&receiver, &sender, async |_| {}));
            let (received, sent) = (received.unwrap(), sent.unwrap());
            let held = received.owner_bytes_per_s.or(sent.owner_bytes_per_s);
            assert_eq!(held, Some(limit));
            let bytes_per_s = received.bytes as f64 / (received.elapsed_ns as f64 / 1e9);
            assert!(bytes_per_s < 1.3 * limit as f64, "{bytes_per_s}");
        }
    }

    #[test]
    fn sending_stops_when_the_host_starts_a_run() {
        let secret = OneTimeSecret::draw().unwrap();
        let mut terms = terms(&secret, None);
        terms.during = Duration::from_secs(9);
        let stop = Arc::clone(&terms.stop);
        let began = Instant::now();
        let (received, sent, _) = block_on(async {
            let ends_it = async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                stop.store(true, Ordering::Relaxed);
            };
            tokio::join!(measure(&terms, &terms, async |_| {}), ends_it).0
        });
        assert!(received.is_err() && sent.is_err() && began.elapsed() < Duration::from_secs(8));
    }
}
