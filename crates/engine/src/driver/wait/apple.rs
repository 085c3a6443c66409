//! Exact timers on macOS, which delays those of most threads to save power (timer coalescing, App Nap).

/// Asks for the class of threads whose timers are not delayed. If the system refuses, waits are late, and
/// the measured delay shows it.
pub(super) fn ask_for_exact_timers() {
    // SAFETY: the call takes two integers and changes only the calling thread.
    let _ = unsafe { libc::pthread_set_qos_class_self_np(libc::qos_class_t::QOS_CLASS_USER_INTERACTIVE, 0) };
}
