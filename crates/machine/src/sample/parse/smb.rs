//! `/proc/fs/cifs/Stats`: the requests of the local SMB client on the target's share.
//!
//! Reading it contacts no server. Times exist only in kernels that are built to record them. They cover
//! all shares of the server together, in steps of the kernel's clock (usually 4 ms).

use super::put;
use crate::sample::counter::{Layer, Look, Reading};

/// Numbers of the commands READ and WRITE in SMB 2 and 3.
const READ: u64 = 8;
const WRITE: u64 = 9;

/// The values of a server's part of the text.
#[derive(Clone, Copy, Debug, Default)]
struct Server {
    ticks_per_s: Option<u64>,
    /// Requests, and their total time in ticks.
    read: Option<(u64, u64)>,
    write: Option<(u64, u64)>,
    slow: Option<u64>,
}

/// The counters of a share, over all sessions of its server.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    found: bool,
    bytes: Option<(u64, u64)>,
    reads: Option<u64>,
    writes: Option<u64>,
    failed: u64,
}

/// The counters of the share of which `source` (`//server/share/below`) is a mount.
pub fn parse(text: &str, source: &str, look: &mut Look) {
    let wanted = share_of(source);
    let (mut server, mut servers_of_share) = (Server::default(), None);
    let mut share = Share::default();
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(reconnects) = reconnects(line) {
            put(look, Layer::Mount, "reconnects_per_s", Reading::PerSecond(reconnects));
        } else if line.starts_with("Max requests in flight") {
            (server, inside) = (Server::default(), false);
        } else if let Some(name) = share_heading(line) {
            inside = name.eq_ignore_ascii_case(&wanted);
            if inside {
                share.found = true;
                servers_of_share = Some(server);
            }
        } else if inside {
            share.read_line(line);
        } else {
            server.read_line(line);
        }
    }
    if share.found {
        share.put(look);
        servers_of_share.unwrap_or_default().put(look);
    }
}

/// `\\server\share` of `//server/share/below`.
fn share_of(source: &str) -> String {
    let path = source.replace('/', "\\");
    let parts: Vec<&str> = path.trim_start_matches('\\').splitn(3, '\\').take(2).collect();
    format!("\\\\{}", parts.join("\\"))
}

/// The share in `1) \\server\share`, which may be followed by a remark that it is disconnected.
fn share_heading(line: &str) -> Option<&str> {
    let (number, name) = line.split_once(") ")?;
    let is_heading = number.bytes().all(|byte| byte.is_ascii_digit()) && name.starts_with("\\\\");
    let name = name.split('\t').next().unwrap_or(name).trim_end();
    is_heading.then_some(name.strip_suffix("DISCONNECTED").unwrap_or(name).trim_end())
}

/// The sum of `N session N share reconnects`.
fn reconnects(line: &str) -> Option<u64> {
    let rest = line.strip_suffix(" share reconnects")?;
    let (sessions, shares) = rest.split_once(" session ")?;
    Some(sessions.parse::<u64>().ok()?.saturating_add(shares.parse().ok()?))
}

impl Server {
    fn read_line(&mut self, line: &str) {
        if let Some((_, rest)) = line.split_once("units are jiffies (") {
            self.ticks_per_s = rest.split(' ').next().and_then(|number| number.parse().ok());
            self.slow = Some(0);
            return;
        }
        if let Some((number, _)) = line.split_once(" slow responses from ") {
            let slow = number.parse::<u64>().unwrap_or(0);
            self.slow = Some(self.slow.unwrap_or(0).saturating_add(slow));
            return;
        }
        // `COMMAND REQUESTS TICKS FASTEST SLOWEST`.
        let numbers: Vec<u64> = super::numbers(line.split_ascii_whitespace()).collect();
        match numbers[..] {
            [READ, requests, ticks, _, _] => self.read = Some((requests, ticks)),
            [WRITE, requests, ticks, _, _] => self.write = Some((requests, ticks)),
            _ => {}
        }
    }

    fn put(self, look: &mut Look) {
        let ticks_per_s = self.ticks_per_s.filter(|ticks| *ticks > 0);
        for (name, times) in [("mean_read_us", self.read), ("mean_write_us", self.write)] {
            if let (Some((count, ticks)), Some(ticks_per_s)) = (times, ticks_per_s) {
                let sum = ticks as f64 * 1e6 / ticks_per_s as f64;
                put(look, Layer::Mount, name, Reading::Mean { sum, count });
            }
        }
        if let Some(slow) = self.slow {
            put(look, Layer::Mount, "slow_responses_per_s", Reading::PerSecond(slow));
        }
    }
}

impl Share {
    fn read_line(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace();
        let add = |total: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *total = Some(total.unwrap_or(0).saturating_add(more));
            }
        };
        // `Reads: 34 total 0 failed`; older kernels have `sent` instead of `total`.
        let mut counts = || {
            let total: Option<u64> = words.nth(1)?.parse().ok();
            Some((total?, words.nth(1)?.parse::<u64>().ok()?))
        };
        if let Some(rest) = line.strip_prefix("Bytes read: ") {
            let numbers = rest.split_once("Bytes written: ");
            let parsed = numbers.map(|(read, written)| (read.trim().parse(), written.trim().parse()));
            if let Some((Ok(read), Ok(written))) = parsed {
                let (read_before, written_before) = self.bytes.unwrap_or_default();
                let add = u64::saturating_add;
                self.bytes = Some((add(read_before, read), add(written_before, written)));
            }
        } else if line.starts_with("Reads: ") {
            let counted = counts();
            add(&mut self.reads, counted.map(|(total, _)| total));
            super::add(&mut self.failed, counted.map_or(0, |(_, failed)| failed));
        } else if line.starts_with("Writes: ") {
            let counted = counts();
            add(&mut self.writes, counted.map(|(total, _)| total));
            super::add(&mut self.failed, counted.map_or(0, |(_, failed)| failed));
        } else if line.starts_with("Flushes: ") {
            super::add(&mut self.failed, counts().map_or(0, |(_, failed)| failed));
        }
    }

    fn put(&self, look: &mut Look) {
        let (read, written) = self.bytes.unzip();
        for (name, total) in [
            ("read_bytes_per_s", read),
            ("written_bytes_per_s", written),
            ("reads_per_s", self.reads),
            ("writes_per_s", self.writes),
            ("failed_requests_per_s", Some(self.failed)),
        ] {
            if let Some(total) = total {
                put(look, Layer::Mount, name, Reading::PerSecond(total));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// From Debian's cloud kernel 6.1 with an SMB 3.1.1 mount of Samba 4.17, in the project's test
    /// guest, after 80 MiB were read and 32 MiB were written.
    const CAPTURED: &str = include_str!("../../../tests/captured/cifs_stats.txt");

    fn look(text: &str, source: &str) -> Look {
        let mut look = Look::new();
        parse(text, source, &mut look);
        look
    }

    #[test]
    fn recorded_text_is_parsed() {
        let look = look(CAPTURED, "//10.78.0.2/Share/below/it");
        all_known(&look);
        for (name, expected) in [
            ("read_bytes_per_s", Reading::PerSecond(90_177_536)),
            ("written_bytes_per_s", Reading::PerSecond(33_554_432)),
            ("reads_per_s", Reading::PerSecond(34)),
            ("writes_per_s", Reading::PerSecond(8)),
            // 241 and 330 ticks of 4 ms.
            ("mean_read_us", Reading::Mean { sum: 964_000.0, count: 34 }),
            ("mean_write_us", Reading::Mean { sum: 1_320_000.0, count: 8 }),
            ("reconnects_per_s", Reading::PerSecond(0)),
            ("failed_requests_per_s", Reading::PerSecond(0)),
            ("slow_responses_per_s", Reading::PerSecond(0)),
        ] {
            assert_eq!(reading(&look, name, ""), &expected, "{name}");
        }
    }

    #[test]
    fn shares_of_others_are_ignored() {
        let text = "\
3 session 4 share reconnects

Max requests in flight: 5
Total time spent processing by command. Time units are jiffies (100 per second)
  8\t\t10\t50\t\t2\t16
  2 slow responses from nas1 for command 8

1) \\\\nas1\\other
Bytes read: 1  Bytes written: 2
Reads: 1 total 1 failed

2) \\\\nas1\\media\tDISCONNECTED
Bytes read: 10  Bytes written: 20
Reads: 3 sent 2 failed
Flushes: 1 total 1 failed

Max requests in flight: 5
Total time spent processing by command. Time units are jiffies (100 per second)
  8\t\t99\t99\t\t2\t16

1) \\\\nas2\\media
Reads: 500 total 500 failed
";
        let unknown = look(text, "//nas1/absent");
        assert_eq!(unknown.keys().map(|key| key.name).collect::<Vec<_>>(), ["reconnects_per_s"]);
        let look = look(text, "//nas1/media");
        for (name, expected) in [
            ("read_bytes_per_s", Reading::PerSecond(10)),
            ("written_bytes_per_s", Reading::PerSecond(20)),
            ("reads_per_s", Reading::PerSecond(3)),
            ("mean_read_us", Reading::Mean { sum: 500_000.0, count: 10 }),
            ("reconnects_per_s", Reading::PerSecond(7)),
            ("failed_requests_per_s", Reading::PerSecond(3)),
            ("slow_responses_per_s", Reading::PerSecond(2)),
        ] {
            assert_eq!(reading(&look, name, ""), &expected, "{name}");
        }
        assert!(!look.keys().any(|key| key.name == "writes_per_s"));
    }
}
