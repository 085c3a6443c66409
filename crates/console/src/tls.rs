//! TLS with the user's own key and certificate: the files, and connections that are ready to be used.
//!
//! Handshakes run in parallel, each with a time limit: a client that connects and sends nothing delays
//! no other.

use std::fs::Metadata;
use std::future::pending;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::serve::Listener;
use reelgauge_record::regular_file::open_regular;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{Error as PemError, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

/// The time limit of a handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The largest number of handshakes at once.
const HANDSHAKES: usize = 256;

/// A longer file is not a chain of certificates.
const PEM_BYTES_MAX: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate, followed by its chain, as PEM.
    pub cert: PathBuf,
    /// Its private key, as PEM.
    pub key: PathBuf,
}

/// Why the files can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}. Check the path of {flag} and its permissions", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The flag that named it.
        flag: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// A file has other content.
    #[error("{} contains no {what} in PEM format ({why}). {flag} needs a file with '-----BEGIN \
         {begin}-----'", path.display())]
    Pem {
        /// The path of the file.
        path: PathBuf,
        /// The expected content.
        what: &'static str,
        /// The flag that named it.
        flag: &'static str,
        /// The first line of the expected content.
        begin: &'static str,
        why: String,
    },
    /// All users can read or write the key, so it is not secret.
    #[error("all users may read or write the key in {} (mode {mode:04o}), so it is not secret. Run \
         'chmod 600' on it", path.display())]
    Loose {
        /// The path of the file.
        path: PathBuf,
        /// Its rights.
        mode: u32,
    },
    /// They do not belong together.
    #[error(
        "the key in {} does not belong to the certificate in {}; name a matching pair",
        key.display(),
        cert.display()
    )]
    Apart { cert: PathBuf, key: PathBuf },
    /// A file is of an unsupported kind.
    #[error("{} and {} cannot be used for TLS: {source}. Create an ECDSA P-256 or RSA key and a \
         certificate for it", cert.display(), key.display())]
    Unfit { cert: PathBuf, key: PathBuf, source: rustls::Error },
}

/// The TLS configuration with these files.
///
/// # Errors
/// If a file cannot be read or has other content, or the files do not belong together.
pub fn tls_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let (cert, key) = (files.cert.clone(), files.key.clone());
    let chain = certificates(&cert)?;
    let private_key = private_key(&key)?;
    let unfit = |source: rustls::Error| match source {
        rustls::Error::InconsistentKeys(_) => TlsError::Apart { cert: cert.clone(), key: key.clone() },
        source => TlsError::Unfit { cert: cert.clone(), key: key.clone(), source },
    };
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private_key));
    let mut config = config.map_err(unfit)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

const CERT: &str = "--tls-cert";
const KEY: &str = "--tls-key";

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unread = |error| unread(path, CERT, ("certificate", "CERTIFICATE"), error);
    let (text, _) = contents(path).map_err(|source| unread(PemError::Io(source)))?;
    let chain: Result<Vec<_>, PemError> = CertificateDer::pem_slice_iter(&text).collect();
    match chain.map_err(unread)? {
        chain if chain.is_empty() => Err(unread(PemError::NoItemsFound)),
        chain => Ok(chain),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    let unread = |error| unread(path, KEY, ("unencrypted private key", "PRIVATE KEY"), error);
    let (text, metadata) = contents(path).map_err(|source| unread(PemError::Io(source)))?;
    let key = PrivateKeyDer::from_pem_slice(&text).map_err(unread)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        // A group with access to the key is common (ssl-cert).
        const ANYBODY: u32 = 0o007;
        let mode = metadata.mode() & 0o7777;
        if mode & ANYBODY != 0 {
            return Err(TlsError::Loose { path: path.to_owned(), mode });
        }
    }
    #[cfg(not(unix))]
    let _ = metadata;
    Ok(key)
}

/// The content of a file, and its metadata.
fn contents(path: &Path) -> io::Result<(Vec<u8>, Metadata)> {
    let (file, metadata) = open_regular(path)?;
    let mut text = Vec::new();
    if file.take(PEM_BYTES_MAX + 1).read_to_end(&mut text)? as u64 > PEM_BYTES_MAX {
        return Err(io::Error::other("it is too large for a key or certificate"));
    }
    Ok((text, metadata))
}

fn unread(
    path: &Path,
    flag: &'static str,
    (what, begin): (&'static str, &'static str),
    error: PemError,
) -> TlsError {
    let path = path.to_owned();
    match error {
        PemError::Io(source) => TlsError::Io { path, flag, source },
        PemError::NoItemsFound => {
            TlsError::Pem { path, what, flag, begin, why: "the file has no such block".to_owned() }
        }
        error => TlsError::Pem { path, what, flag, begin, why: error.to_string() },
    }
}

/// A listener whose connections have completed the handshake.
#[derive(Debug)]
pub struct TlsListener {
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    address: SocketAddr,
}

impl TlsListener {
    /// Accepts connections from now on, on the runtime that calls this function.
    ///
    /// # Errors
    /// If the listener has no address.
    pub fn new(listener: TcpListener, config: Arc<ServerConfig>) -> io::Result<TlsListener> {
        let address = listener.local_addr()?;
        let (told, ready) = mpsc::channel(1);
        tokio::spawn(accept_all(listener, TlsAcceptor::from(config), told));
        Ok(TlsListener { ready, address })
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TlsStream<TcpStream>, SocketAddr) {
        match self.ready.recv().await {
            Some(connection) => connection,
            // This happens only when the runtime ends.
            None => pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

async fn accept_all(
    mut listener: TcpListener,
    acceptor: TlsAcceptor,
    ready: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let places = Arc::new(Semaphore::new(HANDSHAKES));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let (stream, from) = Listener::accept(&mut listener).await;
        let (acceptor, ready) = (acceptor.clone(), ready.clone());
        tokio::spawn(async move {
            // A failed handshake concerns only the client; no other party needs to know.
            if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await {
                drop(place);
                // The receiver is dropped when the server ends.
                let _ = ready.send((stream, from)).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn special_files_are_not_waited_for_and_keys_readable_by_all_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for path in [pipe.as_path(), Path::new("/dev/zero"), folder.path()] {
            let error = certificates(path).unwrap_err().to_string();
            assert!(error.contains("not a regular file") && error.contains(CERT), "{error}");
        }
        let key = folder.path().join("key.pem");
        std::fs::write(&key, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n").unwrap();
        for (mode, is_refused) in [(0o644, true), (0o602, true), (0o640, false), (0o600, false)] {
            std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
            let loose = private_key(&key).err().map(|error| error.to_string());
            assert_eq!(loose.is_some(), is_refused, "{mode:o}: {loose:?}");
            assert!(loose.is_none_or(|error| error.contains("chmod 600")));
        }
    }

    #[test]
    fn files_with_other_content_have_distinct_errors() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let error = |cert: &Path, key: &Path| {
            let files = TlsFiles { cert: cert.to_owned(), key: key.to_owned() };
            tls_config(&files).err().unwrap().to_string()
        };
        let cert = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let (cert, text) = (file("cert.pem", cert), file("text", "no PEM at all\n"));
        let broken = file("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n");
        let missing = folder.path().join("missing.pem");
        for (cert, key, wanted) in [
            (&missing, &text, ["missing.pem", "--tls-cert"]),
            (&text, &text, ["text contains no certificate", "--tls-cert"]),
            (&broken, &text, ["broken.pem contains no certificate", "--tls-cert"]),
            (&cert, &missing, ["missing.pem", "--tls-key"]),
            (&cert, &text, ["text contains no unencrypted private key", "--tls-key"]),
            (&cert, &cert, ["cert.pem contains no unencrypted private key", "BEGIN PRIVATE KEY"]),
        ] {
            let error = error(cert, key);
            assert!(wanted.iter().all(|wanted| error.contains(wanted)), "{error}");
        }
    }
}
