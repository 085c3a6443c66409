//! Each finding as text: first the layer, then the evidence, then the remedy if there is exactly one.

use reelgauge_analysis::limit::{LimitFinding, LimitStep, Measure, Seen};

use super::Way;
use crate::text::plain_short;
use crate::units::{amount, count, duration, fixed, number};

/// The name of this program's processes.
const OWN_NAME: &str = "reelgauge";
/// From this share of reads on, in percent, a cache answered nearly everything, and the storage behind
/// it is not judged.
const NEARLY_ALL_PERCENT: f64 = 90.0;

/// Longer device names are cut.
const NAME_CHARS: usize = 48;

/// A finding as text, with its remedy separate from the fact.
struct Told {
    fact: String,
    /// The remedy, if there is exactly one, as a continuation of the fact.
    remedy: Option<String>,
}

impl Told {
    fn fact(fact: impl Into<String>) -> Told {
        Told { fact: fact.into(), remedy: None }
    }
}

/// `network loss: 2.1 % of what was read came out of order, 0.000 % of what was written was sent again`.
pub(crate) fn finding_words(finding: &LimitFinding, way: Way) -> String {
    let Told { fact, remedy } = of_step(finding, way);
    let during = finding.value(Measure::IncidentsS).map_or_else(String::new, |seconds| {
        format!(" (during the incidents, {} in total)", duration(seconds * 1e6))
    });
    format!("{fact}{}{during}", remedy.unwrap_or_default())
}

/// The same text for screens with separate advice: if there is a remedy, only the evidence.
pub(super) fn words_without_remedy(finding: &LimitFinding, way: Way) -> String {
    match of_step(finding, way).remedy {
        Some(_) => seen_words(finding),
        None => finding_words(finding, way),
    }
}

fn of_step(finding: &LimitFinding, way: Way) -> Told {
    match finding.step {
        LimitStep::MaxRate => Told::fact(max_rate(finding)),
        LimitStep::Cache => Told::fact(cache(finding)),
        LimitStep::LinkFull => Told::fact(link_full(finding)),
        LimitStep::PathBroken => path_broken(finding),
        LimitStep::NetworkLoss => network_loss(finding),
        LimitStep::TcpWindow => tcp_window(finding),
        LimitStep::Client => client(finding),
        LimitStep::SendBuffer => send_buffer(finding),
        LimitStep::ServerDisk => Told::fact(server_disk(finding)),
        LimitStep::Server => Told::fact(server(finding, way)),
        LimitStep::ServerThreads => Told::fact("too few threads on the server"),
        LimitStep::Disk => disk(finding),
        LimitStep::Latency => latency(finding),
    }
}

/// The evidence without a remedy: `disk vda busy 97 % of the time`.
fn seen_words(finding: &LimitFinding) -> String {
    let Some(seen) = finding.seen.first() else { return String::new() };
    margin_words(&LimitFinding { seen: vec![Seen { threshold: None, ..*seen }], ..finding.clone() })
}

/// A counter close to its threshold, and the threshold: `disk vda busy 71 % of the time (90 %)`.
pub(super) fn margin_words(finding: &LimitFinding) -> String {
    let Some(seen) = finding.seen.first() else { return String::new() };
    // A program next to Reelgauge's own workers is named separately.
    let at = finding.at.as_deref().filter(|_| seen.measure != Measure::WorkersAtWorkPercent);
    let at = at.map_or_else(String::new, |at| format!("{} ", plain_short(at, NAME_CHARS)));
    let threshold = seen.threshold.map_or_else(String::new, |threshold| {
        format!(" (threshold {})", value(&Seen { value: threshold, ..*seen }))
    });
    format!("{at}{} {}{threshold}", name(seen.measure), value(seen))
}

fn max_rate(finding: &LimitFinding) -> String {
    let limit = finding.value(Measure::MaxBytesPerS).map_or_else(
        || "an unknown rate".to_owned(),
        |limit| format!("{} MB/s", crate::units::mb_per_s(limit)),
    );
    format!(
        "--max-rate ({limit}). {} of the operations waited for it, so the storage was not loaded further",
        told(finding, Measure::HeldBackPercent)
    )
}

fn cache(finding: &LimitFinding) -> String {
    let share = finding.value(Measure::CachedPercent);
    let reads = share.map(|percent| format!("{} of the reads", percent_words(percent)));
    // The remaining reads came from the storage behind the cache, so they are evidence about it.
    let is_partly = share.is_some_and(|percent| percent < NEARLY_ALL_PERCENT);
    if let Some(name) = &finding.at {
        // Other users may have read from the disk below, so this is a lower bound for the share of the
        // cache.
        let reads = reads.map_or_else(String::new, |reads| format!(" at least {reads}"));
        let rest = if is_partly {
            ", and the disk below supplied at most the rest"
        } else {
            ", which shows nothing about the disk below"
        };
        return format!(
            "this client's cache, which the loop device {} uses: it answered{reads}{rest}",
            plain_short(name, NAME_CHARS)
        );
    }
    let rest = match (is_partly, share) {
        (true, _) => ", and the rest came from the storage, so the figure mixes both",
        (false, Some(_)) => ", so this is the speed of memory and shows nothing about the disks",
        (false, None) => {
            ", but its share of the reads is unknown, so the figure shows little about the disks"
        }
    };
    let reads = reads.map_or_else(String::new, |reads| format!(" {reads}"));
    format!("a cache: it answered{reads}{rest}")
}

fn link_full(finding: &LimitFinding) -> String {
    let name =
        finding.at.as_deref().map_or_else(String::new, |at| format!(" {}", plain_short(at, NAME_CHARS)));
    if let Some(held) = pauses(finding) {
        return format!("flow control on the link{name}: {held}");
    }
    let share = finding.value(Measure::LinkPercent);
    let share = share.map(|percent| format!(" at {} of its capacity", percent_words(percent.min(100.0))));
    let moved = [(Measure::ReadBytesPerS, "read"), (Measure::WrittenBytesPerS, "written")];
    let moved = moved.iter().find_map(|(measure, verb)| {
        Some(format!(", {} MB/s {verb}", crate::units::mb_per_s(finding.value(*measure)?)))
    });
    if let Some(waiting) = finding.value(Measure::QueueBytes) {
        return format!(
            "the link{name}: on average {} waited in its send queue{}",
            amount(waiting as u64),
            moved.unwrap_or_default()
        );
    }
    if let Some(ping) = finding.value(Measure::PingUs) {
        let idle = finding.value(Measure::RttUs);
        let idle = idle.map_or_else(String::new, |us| format!(", {} when idle", duration(us)));
        return format!(
            "a link on the network path is saturated: under this load, a ping takes {}{idle}{}",
            duration(ping),
            moved.unwrap_or_default()
        );
    }
    format!("the link{name}: saturated{}{}", share.unwrap_or_default(), moved.unwrap_or_default())
}

/// Which side sent pause frames; `None` if neither did.
fn pauses(finding: &LimitFinding) -> Option<String> {
    let per_s = |measure| finding.value(measure).map(number);
    let received = per_s(Measure::PausesReceivedPerS).map(|frames| {
        format!("the switch or server sent {frames} pause frames per second, and this client waited")
    });
    let sent = per_s(Measure::PausesSentPerS).map(|frames| {
        format!("this client sent {frames} pause frames per second, because it could not take more")
    });
    let both: Vec<String> = received.into_iter().chain(sent).collect();
    (!both.is_empty()).then(|| both.join("; "))
}

/// The client's send buffer as the limit: as reported by the kernel, or derived from the data in flight
/// compared with what the windows allow.
fn send_buffer(finding: &LimitFinding) -> Told {
    let bytes = |measure| finding.value(measure).map_or_else(|| "?".to_owned(), |bytes| amount(bytes as u64));
    if finding.value(Measure::SendBufferInFlightPercent).is_none() {
        return Told::fact(format!(
            "this client's TCP send buffer: while there was data to send, this client waited {} of the time \
             for space in the buffer",
            told(finding, Measure::SendBufferLimitedPercent)
        ));
    }
    let rtt = finding.value(Measure::RttUs);
    let rtt = rtt.map_or_else(String::new, |us| format!(" (round trip {})", duration(us)));
    let fact = format!(
        "this client's TCP send buffer of {}: on average, only {} were in flight{rtt}. The server's window \
         ({}) and the congestion window ({}) allow more",
        bytes(Measure::SendBufferBytes),
        bytes(Measure::InFlightBytes),
        bytes(Measure::WindowBytes),
        bytes(Measure::CongestionWindowBytes)
    );
    Told { fact, remedy: Some("; raise net.ipv4.tcp_wmem".to_owned()) }
}

/// The default MTU of Ethernet.
const USUAL_MTU_BYTES: f64 = 1_500.0;

/// Long packets that the path drops.
fn swallowed(finding: &LimitFinding) -> Told {
    let long = finding.value(Measure::PacketBytes);
    let words = long.map_or_else(
        || "large packets".to_owned(),
        |bytes| format!("packets of {} bytes", count(bytes as u64)),
    );
    let remedy = match long {
        // Jumbo frames are not the reason: this client sends none.
        Some(bytes) if bytes <= USUAL_MTU_BYTES => {
            "a tunnel, VPN or switch on the path has a smaller MTU. Lower this client's (ip link set dev IF \
             mtu 1400) until a full-size ping with -M do is answered. Or set tcp_mtu_probing=1"
        }
        _ => {
            "use this MTU on every switch and host of the path, or set this client's to 1500 (ip link set \
             dev IF mtu 1500)"
        }
    };
    let fact =
        format!("an MTU black hole: while no data moved, small packets were answered and {words} were not");
    Told { fact, remedy: Some(format!("; {remedy}")) }
}

fn path_broken(finding: &LimitFinding) -> Told {
    if finding.value(Measure::LongPingsLostPercent).is_some() {
        return swallowed(finding);
    }
    let name = finding.at.as_deref().map_or_else(|| "the link".to_owned(), |at| plain_short(at, NAME_CHARS));
    if let Some(changes) = finding.value(Measure::LinkChanges) {
        let times = if changes > 1.0 { format!(", {} times", count(changes as u64)) } else { String::new() };
        return Told::fact(format!(
            "this client's link {name}: it went down or came up{times} while operations waited"
        ));
    }
    match finding.value(Measure::InterfaceErrorsPerS).filter(|errors| *errors > 0.0) {
        Some(errors) => Told {
            fact: format!("a faulty link: {} errors per second on {name}", number(errors)),
            remedy: Some("; check cable, connector and port".to_owned()),
        },
        None => Told::fact(format!(
            "a faulty link: {name} runs in half duplex and cannot send and receive at once"
        )),
    }
}

/// One of several connections to a server: `one of several connections, 10.0.0.2:2049 from 700, carried 3 %
/// …`.
fn stuck_connection(finding: &LimitFinding, carried_percent: f64) -> String {
    let name =
        finding.at.as_deref().map_or_else(String::new, |at| format!(" ({})", plain_short(at, NAME_CHARS)));
    let again = finding.value(Measure::RetransmittedPercent);
    let wrong = match (again, finding.value(Measure::RttUs)) {
        (Some(percent), _) => format!("{} of what it sent was retransmitted", percent_words(percent)),
        (None, Some(us)) => format!("its round trip was {}", duration(us)),
        (None, None) => String::new(),
    };
    format!(
        "one of several connections to the server{name} transferred only {} as much as similar ones: {wrong}",
        percent_words(carried_percent)
    )
}

fn network_loss(finding: &LimitFinding) -> Told {
    if let Some(percent) = finding.value(Measure::OfLikeConnectionsPercent) {
        return Told::fact(stuck_connection(finding, percent));
    }
    let part = |seen: &Seen| match seen.measure {
        Measure::OutOfOrderPercent => {
            // One missing packet holds up all that follow it, so this is no loss rate.
            Some(format!("{} of the data read arrived out of order", percent_words(seen.value)))
        }
        Measure::RetransmittedPercent => {
            Some(format!("{} of the data written was retransmitted", percent_words(seen.value)))
        }
        Measure::TimeoutsPerS => Some(format!("{} TCP timeouts per second", number(seen.value))),
        _ => None,
    };
    let parts: Vec<String> = finding.seen.iter().filter_map(part).collect();
    let has = |measure| finding.value(measure).map(number);
    let follows = |id: &str| finding.rules.iter().any(|rule| rule == id);
    let remedy = match (has(Measure::QueueDropsPerS), has(Measure::ReceiveDropsPerS)) {
        (Some(drops), _) => {
            return Told::fact(format!(
                "network loss: {}: this client's send queue dropped {drops} packets per second",
                parts.join(", ")
            ));
        }
        (None, Some(drops)) => {
            return Told::fact(format!(
                "network loss: {}: this client dropped {drops} received packets per second",
                parts.join(", ")
            ));
        }
        (None, None) if follows("net.mtu.jumbo_fanin") => Some(
            ": a faulty link, or a fast server port that sends jumbo frames to slower client ports. In the \
             second case, use MTU 1500 or flow control on the server's switch port",
        ),
        (None, None) if follows("net.tcp.backpressure") => Some(
            ": a faulty link, or a fast server port that feeds slower client ports. In the second case, use \
             flow control on the server's switch port or MTU 1500",
        ),
        (None, None) => None,
    };
    Told { fact: format!("network loss: {}", parts.join(", ")), remedy: remedy.map(str::to_owned) }
}

fn tcp_window(finding: &LimitFinding) -> Told {
    let window = finding.value(Measure::WindowBytes).map(|bytes| amount(bytes as u64));
    let of_window = window.map_or_else(String::new, |window| format!(" of {window}"));
    let rtt = finding.value(Measure::RttUs);
    let rtt = rtt.map_or_else(String::new, |us| format!("; round trip {}", duration(us)));
    let seen = match finding.value(Measure::WindowFilledPercent) {
        Some(percent) => {
            format!("on average, {} of this client's window{of_window} was in flight", percent_words(percent))
        }
        None => format!(
            "while there was data to send, this client waited {} of the time for the server's \
             window{of_window}",
            told(finding, Measure::WindowLimitedPercent)
        ),
    };
    let connections = finding.value(Measure::Connections).unwrap_or(0.0) as u64;
    let remedy = match finding.value(Measure::ConnectionsWithoutScaling).unwrap_or(0.0) as u64 {
        0 => "; use larger TCP buffers",
        unscaled if unscaled == connections => "; window scaling is off: switch it on",
        _ => "; window scaling is off on some connections: switch it on",
    };
    Told { fact: format!("the TCP window: {seen}{rtt}"), remedy: Some(remedy.to_owned()) }
}

fn client(finding: &LimitFinding) -> Told {
    match finding.seen.first() {
        None => Told::fact("this client"),
        Some(first) if first.measure == Measure::QueueUs => Told {
            fact: format!(
                "this client's mount: a request waited {} in its queue and took {} to the server and back",
                duration(first.value),
                duration(finding.value(Measure::RequestRttUs).unwrap_or(0.0))
            ),
            remedy: Some("; more connections (nconnect) may help".to_owned()),
        },
        Some(first) => Told::fact(client_fact(first, finding)),
    }
}

fn client_fact(first: &Seen, finding: &LimitFinding) -> String {
    let at = finding.at.as_deref().map(|at| plain_short(at, NAME_CHARS));
    match first.measure {
        Measure::ReceiveQueuePercent => format!(
            "this client: received data filled {} of the receive buffer and was not read",
            percent_words(first.value)
        ),
        Measure::WorkersAtWorkPercent => {
            let beside = at.zip(finding.value(Measure::ProgramPercent));
            let beside = beside.map_or_else(String::new, |(name, percent)| {
                format!(", and {} used {} of one processor", program(&name, finding), percent_words(percent))
            });
            format!(
                "this client's processors: the workers kept one processor busy {} of the time and hardly \
                 waited for the storage{beside}",
                percent_words(first.value)
            )
        }
        Measure::OwnDelayUs => {
            format!("this client: it kept Reelgauge from running for up to {}", duration(first.value))
        }
        Measure::StealPercent => {
            format!("the hypervisor took {} of this client's processors (steal)", percent_words(first.value))
        }
        Measure::ThrottledPercent => {
            format!("a CPU quota kept Reelgauge from running for {} of the time", percent_words(first.value))
        }
        Measure::MemoryPressurePercent => {
            format!("memory pressure: programs waited for memory {} of the time", percent_words(first.value))
        }
        _ => others(finding, at),
    }
}

fn others(finding: &LimitFinding, name: Option<String>) -> String {
    let all = format!("other programs used {} of all processors", told(finding, Measure::OthersPercent));
    match name.zip(finding.value(Measure::ProgramPercent)) {
        Some((name, percent)) => {
            format!(
                "{all}, {} the most ({} of one processor)",
                program(&name, finding),
                percent_words(percent)
            )
        }
        None => all,
    }
}

/// Another program by its name: `smbd`, `2 processes named smbd`, `another reelgauge`. The measuring
/// process itself is excluded.
fn program(name: &str, finding: &LimitFinding) -> String {
    let is_own_name = name == OWN_NAME;
    let other = if is_own_name { "other " } else { "" };
    match finding.value(Measure::ProgramProcesses) {
        // Processes started and ended, so their mean number is not a whole number.
        Some(processes) if processes > 1.0 && processes.fract() != 0.0 => {
            format!("several {other}processes named {name}")
        }
        Some(processes) if processes > 1.0 => {
            format!("{} {other}processes named {name}", count(processes as u64))
        }
        Some(_) if is_own_name => format!("another {name}"),
        // Runs of earlier versions have no process count.
        None if is_own_name => format!("other processes named {name}"),
        Some(_) | None => name.to_owned(),
    }
}

fn server(finding: &LimitFinding, way: Way) -> String {
    let who = match (way.is_line_known, way.has_own_program) {
        (true, false) => "the server",
        (false, false) => "the server or a link of unknown speed to it",
        (true, true) => "the server or this client's mount software",
        (false, true) => "the server, a link of unknown speed to it, or this client's mount software",
    };
    let (took, idle) = (finding.value(Measure::OperationUs), finding.value(Measure::RttUs));
    let disks = finding.value(Measure::DiskUs);
    let disks = disks.map_or_else(String::new, |us| {
        format!(" (its disks answered in {}, and hardly any task there waited for storage)", duration(us))
    });
    let waited = finding.value(Measure::DiskPressurePercent).map_or_else(String::new, |percent| {
        format!(", and some task on the server waited for storage {} of the time", percent_words(percent))
    });
    format!(
        "{who}: an operation took {}, an idle round trip takes {}{disks}{waited}",
        duration(took.unwrap_or(0.0)),
        duration(idle.unwrap_or(0.0))
    )
}

/// `the server's disk sda of nas1: busy 97 % of the time; a request took 8.00 ms there, 80 % of an
/// operation`.
fn server_disk(finding: &LimitFinding) -> String {
    let name =
        finding.at.as_deref().map_or_else(String::new, |at| format!(" {}", plain_short(at, NAME_CHARS)));
    let busy = finding.value(Measure::DiskBusyPercent);
    let busy = busy.map(|percent| format!("busy {} of the time", percent_words(percent)));
    let took = finding.value(Measure::DiskUs).map(|us| {
        let share = finding.value(Measure::DiskOfOperationPercent);
        let share = share.map_or_else(String::new, of_an_operation);
        format!("its requests took {} each{share}", duration(us))
    });
    let seen: Vec<String> = busy.into_iter().chain(took).collect();
    format!("the server's disk{name}: {}", seen.join("; "))
}

/// The share of a disk request in the time of an operation. A request that takes longer than the
/// operation was not waited for.
fn of_an_operation(percent: f64) -> String {
    match percent {
        longer if longer > 110.0 => {
            ", longer than an operation, so operations did not wait for it: this was write-behind or \
             read-ahead"
                .to_owned()
        }
        whole if whole > 100.0 => ", about as long as an operation".to_owned(),
        part => format!(", {} of an operation", percent_words(part)),
    }
}

/// `it carried 843 MB/s, at most 145 MB/s of it this run's: something else used it`. A cache may have
/// answered reads of this run.
fn used_by_others(finding: &LimitFinding) -> Option<String> {
    let (all, own) = (finding.value(Measure::DiskBytesPerS)?, finding.value(Measure::OwnBytesPerS)?);
    let is_beside = finding.value(Measure::DiskBusyPercent).is_none();
    let may_be_ahead = is_beside && finding.rules.first().is_some_and(|rule| rule == "blk.read_ahead");
    let ahead = if may_be_ahead { ", or read-ahead fetched much more than was requested" } else { "" };
    Some(format!(
        "transferred {} MB/s, of which this run accounts for at most {} MB/s: something else used it{ahead}",
        crate::units::mb_per_s(all),
        crate::units::mb_per_s(own)
    ))
}

fn disk(finding: &LimitFinding) -> Told {
    let name =
        finding.at.as_deref().map_or_else(String::new, |at| format!(" {}", plain_short(at, NAME_CHARS)));
    let used = used_by_others(finding);
    if let Some(used) = used.as_ref().filter(|_| finding.value(Measure::DiskBusyPercent).is_none()) {
        return Told::fact(format!("the disk{name} {used}"));
    }
    let used = used.map_or_else(String::new, |used| format!("; it {used}"));
    let requests = finding.value(Measure::DiskRequests);
    let requests = requests
        .map_or_else(String::new, |requests| format!(", with {} requests in flight", number(requests)));
    // Only the extents of the file and the settings of the queue show which of the two split a direct
    // read.
    let remedy = match finding.rules.first().map(String::as_str) {
        Some("blk.read_ahead") => "; more read-ahead may help",
        _ => {
            "; the file's layout ('reelgauge extents FILE' shows it) or the queue's limits (max_sectors_kb) \
             split the reads"
        }
    };
    let pieces = finding.value(Measure::RequestsPerRead);
    let remedy = pieces.map(|_| remedy.to_owned());
    let pieces = pieces.map_or_else(String::new, |pieces| {
        format!(", and each read was split into {} requests", count(pieces.round() as u64))
    });
    let busy = told(finding, Measure::DiskBusyPercent);
    Told { fact: format!("the disk{name}: busy {busy} of the time{requests}{pieces}{used}"), remedy }
}

fn latency(finding: &LimitFinding) -> Told {
    let at_a_time = finding.value(Measure::RequestsAtATime);
    let at_a_time =
        at_a_time.map_or_else(String::new, |requests| format!(", {} at a time", number(requests)));
    let bytes = finding.value(Measure::RequestBytes).map(|bytes| amount(bytes as u64));
    let bytes = bytes.map_or_else(String::new, |bytes| format!(" of {bytes}"));
    let fact = format!(
        "round trips: they take {} of an operation's time ({} each)",
        told(finding, Measure::OnTheWayPercent),
        duration(finding.value(Measure::RttUs).unwrap_or(0.0))
    );
    let remedy = format!("; use larger or more requests (now{bytes}{at_a_time})");
    Told { fact, remedy: Some(remedy) }
}

/// A share as measured.
fn told(finding: &LimitFinding, measure: Measure) -> String {
    finding.value(measure).map_or_else(|| "an unknown share".to_owned(), percent_words)
}

/// `93 %`, `2.1 %`, `0.000 %`.
fn percent_words(percent: f64) -> String {
    match percent.abs() {
        small if small < 0.1 => format!("{} %", fixed(percent, 3)),
        small if small < 10.0 => format!("{} %", fixed(percent, 1)),
        _ => format!("{} %", fixed(percent, 0)),
    }
}

fn value(seen: &Seen) -> String {
    match seen.measure {
        Measure::OperationUs
        | Measure::QueueUs
        | Measure::RttUs
        | Measure::PingUs
        | Measure::OwnDelayUs
        | Measure::DiskUs
        | Measure::RequestRttUs => duration(seen.value),
        Measure::IncidentsS => duration(seen.value * 1e6),
        Measure::InterfaceErrorsPerS
        | Measure::TimeoutsPerS
        | Measure::ReceiveDropsPerS
        | Measure::QueueDropsPerS
        | Measure::PausesReceivedPerS
        | Measure::PausesSentPerS => format!("{} per second", number(seen.value)),
        Measure::ReadBytesPerS
        | Measure::WrittenBytesPerS
        | Measure::MaxBytesPerS
        | Measure::DiskBytesPerS
        | Measure::OwnBytesPerS => {
            format!("{} MB/s", crate::units::mb_per_s(seen.value))
        }
        Measure::QueueBytes
        | Measure::WindowBytes
        | Measure::RequestBytes
        | Measure::InFlightBytes
        | Measure::CongestionWindowBytes
        | Measure::SendBufferBytes
        | Measure::PacketBytes => amount(seen.value as u64),
        Measure::Connections | Measure::ConnectionsWithoutScaling | Measure::LinkChanges => {
            count(seen.value as u64)
        }
        Measure::ProgramProcesses
        | Measure::DiskRequests
        | Measure::RequestsAtATime
        | Measure::RequestsPerRead => number(seen.value),
        _ => percent_words(seen.value),
    }
}

/// The name of the measured quantity next to a threshold.
fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::MaxBytesPerS => "--max-rate",
        Measure::HeldBackPercent => "held back",
        Measure::CachedPercent => "answered by a cache",
        Measure::ReadBytesPerS => "read",
        Measure::WrittenBytesPerS => "written",
        Measure::LinkPercent => "link at",
        Measure::QueueBytes => "waiting to be sent",
        Measure::PingUs => "ping round trip",
        Measure::InterfaceErrorsPerS => "errors",
        Measure::LongPingsLostPercent => "large pings lost",
        Measure::ShortPingsAnsweredPercent => "small pings answered",
        Measure::PacketBytes => "largest packet",
        Measure::RetransmittedPercent => "retransmitted",
        Measure::TimeoutsPerS => "TCP timeouts",
        Measure::OutOfOrderPercent => "arrived out of order",
        Measure::ReceiveDropsPerS => "received packets dropped here",
        Measure::QueueDropsPerS => "packets dropped by the send queue",
        Measure::PausesReceivedPerS => "pause frames received",
        Measure::PausesSentPerS => "pause frames sent",
        Measure::WindowLimitedPercent => "waited for the server's window",
        Measure::OfLikeConnectionsPercent => "transferred, compared with similar connections",
        Measure::Connections => "connections",
        Measure::ConnectionsWithoutScaling => "connections without window scaling",
        Measure::WindowBytes => "window",
        Measure::WindowFilledPercent => "window filled to",
        Measure::RttUs => "round trip",
        Measure::ReceiveQueuePercent => "receive buffer filled to",
        Measure::QueueUs => "wait in this client's queue",
        Measure::RequestRttUs => "request round trip",
        Measure::WorkersAtWorkPercent => "workers busy",
        Measure::OwnDelayUs => "scheduling delay",
        Measure::SendBufferLimitedPercent => "waited for the send buffer",
        Measure::SendBufferInFlightPercent => "send buffer in flight",
        Measure::InFlightBytes => "in flight at a time",
        Measure::CongestionWindowBytes => "congestion window",
        Measure::SendBufferBytes => "send buffer",
        Measure::LinkChanges => "link changes",
        Measure::IncidentsS => "length of the incidents",
        Measure::OperationUs => "operation time",
        Measure::DiskBusyPercent => "disk busy",
        Measure::DiskRequests => "requests in flight",
        Measure::DiskUs => "disk request",
        Measure::DiskOfOperationPercent => "server disk request, share of operation time",
        Measure::DiskPressurePercent => "tasks waiting for storage (PSI some)",
        Measure::DiskBytesPerS => "transferred by the disk",
        Measure::OwnBytesPerS => "at most from this run",
        Measure::OnTheWayPercent => "round trip, share of operation time",
        Measure::RequestsPerRead => "disk requests per read",
        Measure::RequestBytes => "request size",
        Measure::RequestsAtATime => "requests in flight",
        Measure::OthersPercent => "other programs",
        Measure::ProgramPercent => "largest program",
        Measure::ProgramProcesses => "its processes",
        Measure::StealPercent => "taken by the hypervisor (steal)",
        Measure::ThrottledPercent => "throttled by a CPU quota",
        Measure::MemoryPressurePercent => "tasks waiting for memory (PSI some)",
    }
}
