//! This process: its processor time and memory.

use procfs_core::FromRead;
use procfs_core::process::StatM;

use super::put;
use crate::sample::counter::{Layer, Look, Reading};

/// Adds the processor time: `cpu_ns` since the process began, read at `now_ns` of any monotonic clock.
pub fn put_cpu(cpu_ns: u64, now_ns: u64, look: &mut Look) {
    // A mean rather than a share: several threads can use more than one processor.
    let percent = Reading::Mean { sum: cpu_ns as f64 * 100.0, count: now_ns };
    put(look, Layer::Tool, "cpu_percent", percent);
}

/// Adds the cost of sampling: `cpu_ns` of its thread, for `looks` sample rounds.
pub fn put_sampling(cpu_ns: u64, looks: u64, look: &mut Look) {
    put(look, Layer::Tool, "sampling_us", Reading::Mean { sum: cpu_ns as f64 / 1e3, count: looks });
}

/// Adds the memory, from `/proc/self/statm`, which is in pages.
pub fn parse_statm(text: &str, page_bytes: u64, look: &mut Look) {
    if let Ok(memory) = StatM::from_read(text.as_bytes()) {
        let bytes = Reading::Level(memory.resident as f64 * page_bytes as f64);
        put(look, Layer::Tool, "memory_bytes", bytes);
    }
}

/// Processor time of this process, of all its threads, in nanoseconds; `None` if it is not available.
#[cfg(unix)]
pub fn process_cpu_ns() -> Option<u64> {
    cpu_ns(rustix::time::ClockId::ProcessCPUTime)
}

/// Processor time of this thread, in nanoseconds; `None` if it is not available.
#[cfg(unix)]
pub fn thread_cpu_ns() -> Option<u64> {
    cpu_ns(rustix::time::ClockId::ThreadCPUTime)
}

#[cfg(unix)]
fn cpu_ns(clock: rustix::time::ClockId) -> Option<u64> {
    let time = rustix::time::clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).ok()?;
    seconds.checked_mul(1_000_000_000)?.checked_add(u64::try_from(time.tv_nsec).ok()?)
}

/// Processor time of this process, of all its threads, in nanoseconds; `None` if it is not available.
#[cfg(windows)]
pub fn process_cpu_ns() -> Option<u64> {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, GetProcessTimes};

    let mut times = [FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 }; 4];
    let [begun, ended, kernel, user] = &mut times;
    // SAFETY: the handle of the own process is always valid, and each time outlives the call.
    let is_known = unsafe { GetProcessTimes(GetCurrentProcess(), begun, ended, kernel, user) } != 0;
    let ns = |time: &FILETIME| (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100;
    is_known.then(|| ns(&times[2]) + ns(&times[3]))
}

/// Processor time of this thread, in nanoseconds. Only the sampling thread needs it, which Windows lacks.
#[cfg(windows)]
pub fn thread_cpu_ns() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::counter::values;
    use crate::sample::parse::testing::{all_known, reading};

    #[test]
    fn two_threads_take_twice_a_processor() {
        let at = |cpu_ns, now_ns| {
            let mut look = Look::new();
            put_cpu(cpu_ns, now_ns, &mut look);
            put_sampling(cpu_ns, now_ns / 1000, &mut look);
            look
        };
        let (earlier, later) = (at(5_000, 1_000_000), at(2_005_000, 2_000_000));
        all_known(&later);
        let values = values(Some(&earlier), &later, 1_000_000);
        let value = |name| values.iter().find(|(key, _)| key.name == name).and_then(|(_, value)| *value);
        assert_eq!(value("cpu_percent"), Some(200.0));
        assert_eq!(value("sampling_us"), Some(2.0));
    }

    #[test]
    fn memory_is_the_second_number() {
        let mut look = Look::new();
        parse_statm("765 441 413 5 0 123 0\n", 4096, &mut look);
        all_known(&look);
        assert_eq!(reading(&look, "memory_bytes", ""), &Reading::Level(441.0 * 4096.0));
        let mut none = Look::new();
        parse_statm("765\n", 4096, &mut none);
        assert_eq!(none, Look::new());
    }

    #[cfg(unix)]
    #[test]
    fn work_takes_processor_time() {
        let before = thread_cpu_ns();
        let sum = std::hint::black_box((0..2_000_000_u64).fold(0, u64::wrapping_add));
        assert!(sum > 0 && thread_cpu_ns() > before && process_cpu_ns() >= thread_cpu_ns());
    }
}
