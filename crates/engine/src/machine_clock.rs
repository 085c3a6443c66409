//! The host's monotonic clock: the same for all processes of one boot, and never set.
//!
//! A run's own clock ([`crate::clock`]) begins at 0 in its process. Two processes that agree on a time,
//! such as an agent and the run that it controls, use this clock: the wall clock may be set at any time.

/// Nanoseconds since an arbitrary time that is fixed for this boot of the host.
pub fn machine_ns() -> i64 {
    reading()
}

#[cfg(unix)]
fn reading() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // Both parts come from the kernel, in a type that could hold larger values.
    now.tv_sec.saturating_mul(1_000_000_000).saturating_add(now.tv_nsec)
}

#[cfg(windows)]
fn reading() -> i64 {
    use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};

    let (mut count, mut per_s) = (0_i64, 0_i64);
    // SAFETY: each call writes one integer to its argument, which outlives the call.
    unsafe {
        QueryPerformanceCounter(&raw mut count);
        QueryPerformanceFrequency(&raw mut per_s);
    }
    let ns = i128::from(count) * 1_000_000_000 / i128::from(per_s.max(1));
    i64::try_from(ns).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monotonic_clock_rises_with_the_run_clock() {
        let (before_ns, clock) = (machine_ns(), crate::clock::Clock::start());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (passed_ns, after_ns) = (clock.now_ns().cast_signed(), machine_ns());
        assert!(passed_ns >= 20_000_000 && after_ns - before_ns >= passed_ns);
    }
}
