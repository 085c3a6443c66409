//! The host's monotonic clock: the same for all processes of one boot, and never set. Also the clock of the
//! processor time of this process.
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

/// Processor time of this process so far, of all its threads, in nanoseconds. `None` if the system does not
/// report it. More precise than the kernel's ticks.
#[cfg(unix)]
pub fn process_cpu_ns() -> Option<u64> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let [seconds, rest] = [now.tv_sec, now.tv_nsec].map(|part| u64::try_from(part).ok());
    Some(seconds? * 1_000_000_000 + rest?)
}

/// See above.
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

    #[test]
    fn processor_time_rises_with_work() {
        let (before_ns, clock) = (process_cpu_ns(), crate::clock::Clock::start());
        while clock.now_ns() < 40_000_000 {
            std::hint::spin_loop();
        }
        assert!(process_cpu_ns() > before_ns && before_ns.is_some());
    }
}
