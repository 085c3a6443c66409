//! Calculations as sentences, with their formulas.

use reelgauge_doctor::tune::site::Version;
use reelgauge_doctor::tune::sums::{
    FORMER_RECEIVE_BYTES, FREEBSD_FIRST_BYTES, FREEBSD_STEP_BYTES, LARGER_RECEIVE_SINCE,
    LARGEST_BUFFER_BYTES, Sum, Usual,
};

use crate::units::{amount, block_size, counted};

/// Buffers that need this share of a server's memory are mentioned.
const MUCH: f64 = 0.25;

/// A calculation with its formula.
pub(super) fn sum(sum: &Sum) -> String {
    match sum {
        Sum::Window { mbit_per_s, round_trip_ms, needed_bytes, bytes, usual } => format!(
            "Calculation: 2 x {} x {} / 8 = {} are needed; {}.",
            speed(*mbit_per_s),
            ms(*round_trip_ms),
            amount(*needed_bytes),
            buffer(*needed_bytes, *bytes, &default_of(*usual))
        ),
        Sum::FirstBuffer { mbit_per_s, round_trip_ms, window_bytes, bytes, step_bytes } => format!(
            "Calculation: {} x {} / 8 = {} are in flight; the next larger size: {}, in steps of {}. \
             FreeBSD begins with {} (recvspace) and grows in steps of {}.",
            speed(*mbit_per_s),
            ms(*round_trip_ms),
            amount(*window_bytes),
            block_size(*bytes),
            block_size(*step_bytes),
            block_size(FREEBSD_FIRST_BYTES),
            block_size(FREEBSD_STEP_BYTES)
        ),
        Sum::ConnectionMemory { clients, connections, buffer_bytes, bytes, memory_bytes } => {
            let of = match memory_bytes {
                Some(memory) if bytes > memory => format!(
                    ", more than the server's {}: before that, the kernel stops the growth of buffers \
                     (net.ipv4.tcp_mem)",
                    block_size(*memory)
                ),
                Some(memory) if *bytes as f64 > MUCH * *memory as f64 => {
                    format!(", a large part of the server's {}: monitor its memory use", block_size(*memory))
                }
                Some(memory) => format!(" of the server's {}", block_size(*memory)),
                None => "; the server's memory was not stated (--memory)".to_owned(),
            };
            format!(
                "Calculation, worst case: {} x {} x {} for reading and writing = {}{of}.",
                counted(u64::from(*clients), "client"),
                counted(u64::from(*connections), "connection"),
                block_size(*buffer_bytes),
                roughly(*bytes)
            )
        }
        Sum::Requests { mbit_per_s, answer_ms, request_bytes, requests } => format!(
            "Calculation: {} x {} / 8 / {} = {} in flight to fill a client's link (round trip and disks).",
            speed(*mbit_per_s),
            ms(*answer_ms),
            block_size(*request_bytes),
            counted(*requests, "request")
        ),
        Sum::Threads { clients, requests, needed, threads, memory_bytes } => format!(
            "Calculation: {} x {} = {needed}, limited to the range 32 to 128: {}, which need {} for \
             requests.",
            counted(u64::from(*clients), "client"),
            counted(*requests, "request"),
            counted(*threads, "thread"),
            block_size(*memory_bytes)
        ),
        Sum::Cache { memory_bytes, reserved_bytes, bytes } => format!(
            "Calculation: {} of memory - {} for other services = {}.",
            block_size(*memory_bytes),
            block_size(*reserved_bytes),
            block_size(*bytes)
        ),
        Sum::Dirty { mbit_per_s, second_bytes, bytes, background_bytes } => format!(
            "Calculation: 1 s x {} / 8 = {}, limited to the range 512 MiB to 2 GiB: {}; writeback begins at \
             an eighth of it ({}).",
            speed(*mbit_per_s),
            amount(*second_bytes),
            block_size(*bytes),
            block_size(*background_bytes)
        ),
    }
}

/// A size with a binary unit if it is a round number, else with three digits.
fn roughly(bytes: u64) -> String {
    let whole = block_size(bytes);
    if whole.chars().count() > 12 { amount(bytes) } else { whole }
}

/// The setting and its reason; `usual` is the kernel's default.
fn buffer(needed_bytes: u64, bytes: u64, usual: &str) -> String {
    match needed_bytes > bytes {
        true => format!(
            "{bytes} bytes, the most that the kernel accepts: one connection cannot fill the link, several \
             can"
        ),
        false if bytes == LARGEST_BUFFER_BYTES => {
            format!("{bytes} bytes, the most that the kernel accepts")
        }
        false if bytes > 2 * needed_bytes => format!("{} are enough: {usual}", block_size(bytes)),
        false => format!("rounded up to {}, and never below the default; {usual}", block_size(bytes)),
    }
}

/// The text about the kernel's default.
fn default_of(usual: Usual) -> String {
    let (since, default) = (LARGER_RECEIVE_SINCE, block_size(usual.bytes()));
    match usual {
        Usual::LinuxSend => format!("Linux has {default} by default"),
        Usual::Freebsd => format!("FreeBSD has {default} by default"),
        Usual::LinuxReceive(Some(Version(major, minor))) => {
            format!("Linux {major}.{minor} has {default} by default")
        }
        Usual::LinuxReceive(None) => format!(
            "Linux has {default} by default since {}.{}, and {} before it (the kernel was not stated: \
             --kernel)",
            since.0,
            since.1,
            block_size(FORMER_RECEIVE_BYTES)
        ),
    }
}

/// `10 Gbit/s`, `100 Mbit/s`.
pub(super) fn speed(mbit_per_s: f64) -> String {
    if mbit_per_s >= 1000.0 { format!("{} Gbit/s", mbit_per_s / 1e3) } else { format!("{mbit_per_s} Mbit/s") }
}

/// `0.5 ms`.
pub(super) fn ms(ms: f64) -> String {
    format!("{ms} ms")
}
