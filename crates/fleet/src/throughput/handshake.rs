//! Both ends of a connection prove that they know the secret of a measurement, without sending it.
//!
//! Each side draws a number for this connection and sends it; then each sends SHA-256 over a label of
//! its side, the secret and both numbers, all of fixed lengths. The listening side asks first, so that a
//! client without the secret learns nothing, and no side sends any load before the other has proved
//! itself.
//!
//! Comparisons take the same time wherever the first difference is.

use std::io;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::messages::OneTimeSecret;

/// The length of a drawn number, and of a proof, in bytes.
const BYTES: usize = 32;
/// How long one side waits for the other.
const WITHIN: Duration = Duration::from_secs(3);

/// The two sides of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Receives,
    Sends,
}

/// Why the other side is rejected.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// It sent a different proof.
    #[error("it has the wrong secret for this measurement")]
    Wrong,
    /// It sent nothing in time.
    #[error("it did not respond in time")]
    Late,
    #[error("it closed the connection before it authenticated ({0})")]
    Gone(#[from] io::Error),
}

fn proof(secret: &OneTimeSecret, side: Side, asked: &[u8; BYTES], own: &[u8; BYTES]) -> [u8; BYTES] {
    let label: &[u8; 24] = match side {
        Side::Receives => b"reelgauge net receives 1",
        Side::Sends => b"reelgauge net sends    1",
    };
    let hash = Sha256::new().chain_update(label).chain_update(secret.bytes());
    hash.chain_update(asked).chain_update(own).finalize().into()
}

/// Whether they are equal, in a time that does not depend on where they differ.
fn are_same(one: &[u8; BYTES], other: &[u8; BYTES]) -> bool {
    let difference = one.iter().zip(other).fold(0_u8, |all, (one, other)| all | (one ^ other));
    std::hint::black_box(difference) == 0
}

fn drawn() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

async fn in_time<T>(work: impl Future<Output = Result<T, HandshakeError>>) -> Result<T, HandshakeError> {
    tokio::time::timeout(WITHIN, work).await.unwrap_or(Err(HandshakeError::Late))
}

/// Admits a connecting client.
///
/// # Errors
/// If it does not know the secret.
pub async fn let_in(stream: &mut TcpStream, secret: &OneTimeSecret) -> Result<(), HandshakeError> {
    in_time(async {
        let question = drawn()?;
        stream.write_all(&question).await?;
        let mut said = [0; 2 * BYTES];
        stream.read_exact(&mut said).await?;
        let (theirs, proved) = halves(&said);
        if !are_same(&proof(secret, Side::Sends, &question, &theirs), &proved) {
            return Err(HandshakeError::Wrong);
        }
        stream.write_all(&proof(secret, Side::Receives, &theirs, &question)).await?;
        Ok(())
    })
    .await
}

/// Proves itself to the listening side, and makes that prove itself.
///
/// # Errors
/// If the other side does not know the secret.
pub async fn enter(stream: &mut TcpStream, secret: &OneTimeSecret) -> Result<(), HandshakeError> {
    in_time(async {
        let mut question = [0; BYTES];
        stream.read_exact(&mut question).await?;
        let own = drawn()?;
        let mut said = [0; 2 * BYTES];
        said[..BYTES].copy_from_slice(&own);
        said[BYTES..].copy_from_slice(&proof(secret, Side::Sends, &question, &own));
        stream.write_all(&said).await?;
        let mut proved = [0; BYTES];
        stream.read_exact(&mut proved).await?;
        match are_same(&proof(secret, Side::Receives, &own, &question), &proved) {
            true => Ok(()),
            false => Err(HandshakeError::Wrong),
        }
    })
    .await
}

fn halves(said: &[u8; 2 * BYTES]) -> ([u8; BYTES], [u8; BYTES]) {
    let (mut first, mut second) = ([0; BYTES], [0; BYTES]);
    first.copy_from_slice(&said[..BYTES]);
    second.copy_from_slice(&said[BYTES..]);
    (first, second)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_proof_is_of_its_side_its_secret_and_its_numbers() {
        let (secret, other) = (OneTimeSecret::draw().unwrap(), OneTimeSecret::draw().unwrap());
        let (one, two) = ([1; BYTES], [2; BYTES]);
        let right = proof(&secret, Side::Sends, &one, &two);
        assert!(are_same(&right, &proof(&secret, Side::Sends, &one, &two)));
        for wrong in [
            proof(&other, Side::Sends, &one, &two),
            proof(&secret, Side::Receives, &one, &two),
            proof(&secret, Side::Sends, &two, &one),
            proof(&secret, Side::Sends, &one, &one),
        ] {
            assert!(!are_same(&right, &wrong));
        }
    }

    #[test]
    fn a_difference_anywhere_is_one() {
        for at in 0..BYTES {
            let mut other = [7; BYTES];
            other[at] ^= 0x80;
            assert!(!are_same(&[7; BYTES], &other), "{at}");
        }
    }
}
