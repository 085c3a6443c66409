//! Computes buffers, requests and memory, and keeps the inputs.
//!
//! Pure. A sum keeps its inputs, so that the formula can be shown.

use serde::Serialize;

use super::site::{Disks, Topology, TuneSite, Version};

/// The largest NFS request.
pub const REQUEST_BYTES: u64 = 1 << 20;
/// The Linux version from which on TCP's receive buffers grow further automatically.
pub const LARGER_RECEIVE_SINCE: Version = Version(6, 16);
/// Their limit from that version on, on hosts with enough memory.
pub const LARGER_RECEIVE_BYTES: u64 = 32 << 20;
/// Their limit before that version.
pub const FORMER_RECEIVE_BYTES: u64 = 6 << 20;
/// The largest buffer that kernels accept: their TCP settings are signed 32-bit numbers.
pub const LARGEST_BUFFER_BYTES: u64 = i32::MAX as u64;
/// Space for a window, and the same again for unread data.
const WINDOWS: f64 = 2.0;
/// The time of a server's disks for a request, in addition to the network.
const HDD_MS: f64 = 8.0;
const SSD_MS: f64 = 1.0;
/// The usual number of NFS server threads with many clients.
const THREADS: std::ops::RangeInclusive<u64> = 32..=128;
/// The initial receive buffer of a connection in FreeBSD (`net.inet.tcp.recvspace`).
pub const FREEBSD_FIRST_BYTES: u64 = 64 << 10;
/// The step by which it grows (`net.inet.tcp.recvbuf_inc`).
pub const FREEBSD_STEP_BYTES: u64 = 16 << 10;
/// This many steps double an initial buffer that was set.
const FIRST_STEPS: u64 = 8;
/// The range of the dirty data limit of a client.
const DIRTY_BYTES: std::ops::RangeInclusive<u64> = 512 << 20..=2 << 30;
/// Writing in the background starts at that limit divided by this.
const DIRTY_PARTS: u64 = 8;

/// The size to which TCP buffers grow by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "version")]
pub enum Usual {
    /// Linux, for receiving: depends on its version, if one is stated.
    LinuxReceive(Option<Version>),
    /// Linux, for sending.
    LinuxSend,
    /// FreeBSD, for both directions.
    Freebsd,
}

impl Usual {
    /// The size; the larger one if the kernel is not stated.
    pub fn bytes(self) -> u64 {
        match self {
            Usual::LinuxReceive(Some(kernel)) if kernel < LARGER_RECEIVE_SINCE => FORMER_RECEIVE_BYTES,
            Usual::LinuxReceive(_) => LARGER_RECEIVE_BYTES,
            Usual::LinuxSend => 4 << 20,
            Usual::Freebsd => 2 << 20,
        }
    }
}

/// A result and its inputs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "sum")]
pub enum Sum {
    /// The bytes of one connection in flight, twice.
    Window {
        /// The slower link.
        mbit_per_s: f64,
        /// The round trip.
        round_trip_ms: f64,
        /// The required bytes.
        needed_bytes: u64,
        /// The resulting setting: the required bytes, or the default if it is larger, at most what the
        /// kernel accepts.
        bytes: u64,
        /// The kernel's default.
        usual: Usual,
    },
    /// The initial buffers of one connection: one window, so that none has to grow first.
    FirstBuffer {
        /// The slower link.
        mbit_per_s: f64,
        /// The round trip.
        round_trip_ms: f64,
        window_bytes: u64,
        /// The resulting setting: the next power of two, and at least FreeBSD's default.
        bytes: u64,
        /// The step by which they grow.
        step_bytes: u64,
    },
    /// The server memory that all connections can use in the worst case.
    ConnectionMemory {
        clients: u32,
        /// Connections of each.
        connections: u32,
        /// The largest receive plus send buffer of one connection.
        buffer_bytes: u64,
        bytes: u64,
        /// The server's memory; `None` if it is not stated.
        memory_bytes: Option<u64>,
    },
    /// The requests of one client that must be in flight to fill its link.
    Requests {
        /// The slower link.
        mbit_per_s: f64,
        /// Round trip plus disk time.
        answer_ms: f64,
        /// The size of one request.
        request_bytes: u64,
        /// The number of requests.
        requests: u64,
    },
    /// Threads of a server, each of which handles one request.
    Threads {
        clients: u32,
        /// Requests of each.
        requests: u64,
        /// The required number of threads.
        needed: u64,
        /// The resulting setting.
        threads: u64,
        /// The memory for one buffer per thread.
        memory_bytes: u64,
    },
    /// The memory that the ZFS cache may use.
    Cache {
        /// The server's memory.
        memory_bytes: u64,
        /// The memory for other services.
        reserved_bytes: u64,
        /// The remaining memory.
        bytes: u64,
    },
    /// The limit of dirty data: one second of the link.
    Dirty {
        mbit_per_s: f64,
        /// The bytes of one second.
        second_bytes: u64,
        /// The resulting limit.
        bytes: u64,
        /// The amount from which on it is written in the background.
        background_bytes: u64,
    },
}

/// The required buffer of a connection, at least the default and at most what the kernel accepts. `None`
/// if no link is stated. The slower link counts: more would only arrive in bursts that a small switch
/// buffer drops.
pub fn window(site: &TuneSite, usual: Usual) -> Option<Sum> {
    let mbit_per_s = site.path_mbit_per_s()?;
    let needed_bytes = (WINDOWS * bytes_in(mbit_per_s, site.round_trip_ms)).ceil() as u64;
    let rounded = needed_bytes.checked_next_power_of_two().unwrap_or(LARGEST_BUFFER_BYTES);
    let is_enough = needed_bytes <= usual.bytes();
    let bytes = if is_enough { usual.bytes() } else { rounded.min(LARGEST_BUFFER_BYTES) };
    Some(Sum::Window { mbit_per_s, round_trip_ms: site.round_trip_ms, needed_bytes, bytes, usual })
}

/// The settings for receiving and sending, each with its bytes.
pub(super) struct Windows {
    /// For receiving.
    pub(super) receive: (Sum, u64),
    /// For sending.
    pub(super) send: (Sum, u64),
}

/// Both windows of Linux; `None` if no link is stated.
pub(super) fn windows(site: &TuneSite) -> Option<Windows> {
    both(site, Usual::LinuxReceive(site.kernel), Usual::LinuxSend)
}

/// Both windows of FreeBSD.
pub(super) fn windows_of_freebsd(site: &TuneSite) -> Option<Windows> {
    both(site, Usual::Freebsd, Usual::Freebsd)
}

/// The initial buffers of FreeBSD; `None` if no link is stated.
pub fn first_buffer(site: &TuneSite) -> Option<Sum> {
    let mbit_per_s = site.path_mbit_per_s()?;
    let window_bytes = bytes_in(mbit_per_s, site.round_trip_ms).ceil() as u64;
    let most = match window(site, Usual::Freebsd) {
        Some(Sum::Window { bytes, .. }) => bytes,
        _ => return None,
    };
    let rounded = window_bytes.checked_next_power_of_two().unwrap_or(most);
    let bytes = rounded.clamp(FREEBSD_FIRST_BYTES, most);
    let step_bytes = (bytes / FIRST_STEPS).max(FREEBSD_STEP_BYTES);
    Some(Sum::FirstBuffer { mbit_per_s, round_trip_ms: site.round_trip_ms, window_bytes, bytes, step_bytes })
}

fn both(site: &TuneSite, receive: Usual, send: Usual) -> Option<Windows> {
    let of = |usual| match window(site, usual) {
        Some(sum @ Sum::Window { bytes, .. }) => Some((sum, bytes)),
        _ => None,
    };
    Some(Windows { receive: of(receive)?, send: of(send)? })
}

/// The memory that all connections may use together.
pub fn connection_memory(site: &TuneSite, connections: u32, buffer_bytes: u64) -> Option<Sum> {
    let clients = site.clients?;
    let bytes = u64::from(clients).saturating_mul(u64::from(connections)).saturating_mul(buffer_bytes);
    let memory_bytes = site.server_memory_bytes;
    Some(Sum::ConnectionMemory { clients, connections, buffer_bytes, bytes, memory_bytes })
}

/// The number of requests that fill a client's link.
pub fn requests(site: &TuneSite) -> Option<Sum> {
    let mbit_per_s = site.path_mbit_per_s()?;
    let disk_ms = match site.disks? {
        Disks::Hdd => HDD_MS,
        Disks::Ssd => SSD_MS,
    };
    let answer_ms = site.round_trip_ms + disk_ms;
    let requests = (bytes_in(mbit_per_s, answer_ms) / REQUEST_BYTES as f64).ceil() as u64;
    Some(Sum::Requests { mbit_per_s, answer_ms, request_bytes: REQUEST_BYTES, requests: requests.max(1) })
}

/// The number of threads that a server needs. Clients cannot all fill their links at the same time if
/// the server's link is too slow for that: no more requests are in flight than fill the server's link.
pub fn threads(site: &TuneSite) -> Option<Sum> {
    let Some(Sum::Requests { requests, .. }) = requests(site) else { return None };
    let clients = site.clients?;
    let needed = u64::from(clients).saturating_mul(requests);
    let threads = needed.clamp(*THREADS.start(), *THREADS.end());
    Some(Sum::Threads { clients, requests, needed, threads, memory_bytes: threads * REQUEST_BYTES })
}

/// The memory for the ZFS cache if other services need memory, too.
pub fn cache(site: &TuneSite) -> Option<Sum> {
    let (memory_bytes, reserved_bytes) = (site.server_memory_bytes?, site.reserved_memory_bytes?);
    Some(Sum::Cache { memory_bytes, reserved_bytes, bytes: memory_bytes.checked_sub(reserved_bytes)? })
}

/// The limit of dirty data on a client.
pub fn dirty(site: &TuneSite) -> Option<Sum> {
    let mbit_per_s = site.path_mbit_per_s()?;
    let second_bytes = bytes_in(mbit_per_s, 1000.0) as u64;
    // Rounded to a usual value.
    let rounded = second_bytes.next_multiple_of(64 << 20);
    let bytes = rounded.clamp(*DIRTY_BYTES.start(), *DIRTY_BYTES.end());
    Some(Sum::Dirty { mbit_per_s, second_bytes, bytes, background_bytes: bytes / DIRTY_PARTS })
}

/// Whether several connections are useful: the link is fast, and no small switch buffer has to absorb
/// the bursts of all of them.
pub fn wants_connections(site: &TuneSite) -> Option<bool> {
    const FAST_MBIT_PER_S: f64 = 10_000.0;
    let speed = site.path_mbit_per_s()?;
    Some(speed >= FAST_MBIT_PER_S && site.topology() != Topology::FanIn)
}

fn bytes_in(mbit_per_s: f64, ms: f64) -> f64 {
    mbit_per_s * 1e6 / 8.0 * ms / 1e3
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn site(mbit_per_s: f64, round_trip_ms: f64) -> TuneSite {
        let link = Some(mbit_per_s);
        TuneSite {
            server_link_mbit_per_s: link,
            client_link_mbit_per_s: link,
            clients: Some(4),
            round_trip_ms,
            disks: Some(Disks::Hdd),
            ..TuneSite::default()
        }
    }

    fn told(site: &TuneSite) -> (u64, u64) {
        match window(site, Usual::LinuxReceive(site.kernel)).unwrap() {
            Sum::Window { needed_bytes, bytes, .. } => (needed_bytes, bytes),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn buffers_hold_two_windows_and_never_less_than_usual() {
        assert_eq!(told(&site(10_000.0, 0.5)), (1_250_000, 32 << 20), "what is usual is enough");
        assert_eq!(told(&site(100_000.0, 1.0)), (25_000_000, 32 << 20));
        assert_eq!(told(&site(100_000.0, 2.0)), (50_000_000, 64 << 20));
        assert_eq!(window(&TuneSite::default(), Usual::LinuxSend), None);
    }

    #[test]
    fn first_buffers_hold_one_window_and_never_less_than_the_default() {
        let first = |mbit: f64, ms: f64| match first_buffer(&site(mbit, ms)).unwrap() {
            Sum::FirstBuffer { window_bytes, bytes, step_bytes, .. } => (window_bytes, bytes, step_bytes),
            other => panic!("{other:?}"),
        };
        assert_eq!(first(10_000.0, 0.5), (625_000, 1 << 20, 128 << 10));
        assert_eq!(first(1_000.0, 0.1), (12_500, 64 << 10, 16 << 10));
        assert_eq!(first(100_000.0, 50.0), (625_000_000, 1 << 30, 128 << 20));
        assert_eq!(first_buffer(&TuneSite::default()), None);
    }

    /// Since 6.16 it is 32 MiB; a line with less would make it slower.
    #[test]
    fn default_depends_on_the_kernel_and_is_the_larger_if_unknown() {
        let of = |kernel| told(&TuneSite { kernel, ..site(10_000.0, 0.5) }).1 >> 20;
        assert_eq!([Version(4, 18), Version(6, 15)].map(|version| of(Some(version))), [6, 6]);
        assert_eq!([Version(6, 16), Version(6, 18), Version(7, 0)].map(|version| of(Some(version))), [32; 3]);
        assert_eq!(of(None), 32);
    }

    #[test]
    fn no_buffer_is_larger_than_the_kernel_takes() {
        assert_eq!(told(&site(100_000.0, 50.0)), (1_250_000_000, 2_147_483_647));
        assert_eq!(told(&site(1_600_000.0, 10_000.0)), (4_000_000_000_000, 2_147_483_647));
        assert_eq!(told(&site(100_000.0, 40.0)), (1_000_000_000, 1 << 30));
    }

    #[test]
    fn thread_count_equals_concurrent_client_requests() {
        // 1.25 GB/s and 8.5 ms are 10.6 MB in flight: eleven requests of 1 MiB from each of four
        // clients.
        let Some(Sum::Threads { requests, needed, threads, memory_bytes, .. }) =
            threads(&site(10_000.0, 0.5))
        else {
            panic!("no sum");
        };
        assert_eq!((requests, needed, threads, memory_bytes), (11, 44, 44, 44 << 20));
        assert_eq!(super::threads(&TuneSite { disks: None, ..site(10_000.0, 0.5) }), None);
    }

    #[test]
    fn queue_holds_one_second_of_the_link() {
        let told = |mbit: f64| match dirty(&site(mbit, 0.5)).unwrap() {
            Sum::Dirty { bytes, background_bytes, .. } => (bytes >> 20, background_bytes >> 20),
            other => panic!("{other:?}"),
        };
        assert_eq!(told(1_000.0), (512, 64));
        assert_eq!(told(10_000.0), (1216, 152));
        assert_eq!(told(100_000.0), (2048, 256));
    }

    #[test]
    fn cache_gets_the_remaining_memory() {
        let memory = |total, reserved| TuneSite {
            server_memory_bytes: total,
            reserved_memory_bytes: reserved,
            ..TuneSite::default()
        };
        assert!(matches!(cache(&memory(Some(128), Some(28))), Some(Sum::Cache { bytes: 100, .. })));
        assert_eq!(cache(&memory(Some(128), None)), None);
    }

    #[test]
    fn connections_are_for_fast_links_without_a_step_down() {
        assert_eq!(wants_connections(&site(10_000.0, 0.5)), Some(true));
        assert_eq!(wants_connections(&site(1_000.0, 0.5)), Some(false));
        let fan_in = TuneSite { server_link_mbit_per_s: Some(100_000.0), ..site(10_000.0, 0.5) };
        assert_eq!(wants_connections(&fan_in), Some(false));
        assert_eq!(wants_connections(&TuneSite::default()), None);
    }
}
