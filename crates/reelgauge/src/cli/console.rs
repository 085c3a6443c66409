//! Flags of `console`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use reelgauge_console::server::{DEFAULT_LISTEN, DEFAULT_PORT};

/// Flags of `console`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_CONSOLE)]
pub struct ConsoleArgs {
    /// Folder of the runs: those that are listed, and those that are started
    #[arg(long, value_name = "DIR", default_value = "reelgauge-runs")]
    pub runs: PathBuf,
    /// Directory below which targets may lie; may be repeated [default: the current directory]
    #[arg(long, value_name = "PATH")]
    pub root: Vec<PathBuf>,
    /// Listen on this address, with or without a port; one that others can reach asks for a token
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub listen: SocketAddr,
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
        .map_err(|_| "write an address and a port: 127.0.0.1:8642 or 0.0.0.0:8642".to_owned())
}

const AFTER_CONSOLE: &str = "\
Examples:
  reelgauge console --root /mnt/nas                    on this machine, targets below /mnt/nas
  reelgauge console --root /mnt/nas --listen 0.0.0.0   for others too, who need the link with its token

Ctrl-C ends the console. Runs that it has started go on, and a browser that is closed stops nothing.
Prometheus reads /metrics; where a token is asked for, as its bearer token.

Exit codes: 0 ended, 2 wrong usage, or it cannot listen.";

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
