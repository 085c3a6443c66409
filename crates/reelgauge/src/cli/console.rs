//! Flags of `console`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use reelgauge_console::http_server::{DEFAULT_LISTEN, DEFAULT_PORT};
use reelgauge_console::public_url::PublicUrl;
use reelgauge_record::run_dir::DEFAULT_PARENT;

/// Flags of `console`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_CONSOLE)]
pub struct ConsoleArgs {
    /// Folder of runs: lists its runs, stores new ones there
    #[arg(long, value_name = "DIR", default_value = DEFAULT_PARENT)]
    pub runs: PathBuf,
    /// Allow targets below this directory; may be repeated [default: the current directory]
    #[arg(long, value_name = "PATH")]
    pub root: Vec<PathBuf>,
    /// Address to listen on, with or without a port
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub listen: SocketAddr,
    /// Require the token in this file, which only you may read (mode 0600); created if missing [default: a
    /// new token at every start, printed with the link]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Require no token: every user of this host can start and delete runs with your rights. Only for a
    /// loopback address
    #[arg(long, conflicts_with_all = ["token_file", "public_url"])]
    pub no_token: bool,
    /// URL of the console behind a proxy, with its path: https://nas.example.com/reelgauge/
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// Use TLS with this certificate and its chain, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate, as PEM, without a password
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let text = match text.strip_prefix("localhost") {
        Some(port) => format!("127.0.0.1{port}"),
        None => text.to_owned(),
    };
    let alone = text.parse::<IpAddr>().map(|address| SocketAddr::new(address, DEFAULT_PORT));
    text.parse()
        .or(alone)
        .map_err(|_| "use an address with or without a port, such as 127.0.0.1:8642 or 0.0.0.0".to_owned())
}

const AFTER_CONSOLE: &str = "\
Examples:
  # For this host, with targets below /mnt/nas
  reelgauge console --root /mnt/nas
  # For other hosts, too
  reelgauge console --root /mnt/nas --listen 0.0.0.0 \\
          --tls-cert nas1.crt --tls-key nas1.key
  # As a service, behind a proxy
  reelgauge console --root /mnt/nas --token-file /etc/reelgauge/token \\
          --public-url https://nas.example.com/

Anyone with the printed link has access until the console ends. A browser that opened it stays logged in \
until it is closed. Programs, and Prometheus for /metrics, send the token as 'Authorization: Bearer TOKEN'. \
To use your own token, put it in a file (--token-file). All users of the host could see a token on the \
command line, and every run could see one in the environment.

Ctrl-C ends the console. Runs that it started continue, even if you close the browser.

Exit codes: 0 ended, 2 wrong usage, or the console cannot listen.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_understood_with_and_without_a_port() {
        for (text, address_text) in [
            ("127.0.0.1:8642", "127.0.0.1:8642"),
            ("0.0.0.0", "0.0.0.0:8642"),
            ("::1", "[::1]:8642"),
            ("[::]:80", "[::]:80"),
            ("localhost", "127.0.0.1:8642"),
            ("localhost:0", "127.0.0.1:0"),
        ] {
            assert_eq!(address(text).map(|address| address.to_string()), Ok(address_text.to_owned()));
        }
        for text in ["", "8642", "nas1:80", "127.0.0.1:99999", "localhosts:80"] {
            assert!(address(text).is_err(), "{text}");
        }
    }
}
