//! The kernel's largest request.
//!
//! The kernel splits longer reads and writes. Up to Linux 6.11 the limit was 1 MiB; since then `sysctl
//! fs.fuse.max_pages_limit` sets it, with a default of 1 MiB.
//!
//! Not here: executing requests.

use std::sync::OnceLock;

use reelgauge_machine::limits;
use reelgauge_machine::source::Host;

/// The limit of kernels without this setting.
const ALWAYS_BYTES: u32 = 1 << 20;
/// No request is longer: the size of a thread's request buffer.
const MOST_BYTES: u32 = 16 << 20;
/// The smallest page size of any processor, so that the limit is not overestimated.
const PAGE_BYTES: u32 = 4096;

/// The longest read or write that the kernel passes in one request. Read once: a mount keeps its limit.
pub(crate) fn max_request_bytes() -> u32 {
    static KNOWN: OnceLock<u32> = OnceLock::new();
    *KNOWN.get_or_init(|| allowed_bytes(limits::fuse_request_pages(&Host::here())))
}

/// The same as text: `1 MiB`.
pub(crate) fn max_request_text() -> String {
    format!("{} MiB", max_request_bytes() >> 20)
}

/// Converts a limit in pages to whole MiB.
fn allowed_bytes(limit_pages: Option<u32>) -> u32 {
    let pages = limit_pages.unwrap_or(0);
    // Limits beyond 2^32 bytes saturate; the result is capped anyway.
    let bytes = pages.saturating_mul(PAGE_BYTES).clamp(ALWAYS_BYTES, MOST_BYTES);
    bytes >> 20 << 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_as_long_as_the_kernel_allows() {
        assert_eq!(allowed_bytes(None), 1 << 20);
        assert_eq!(allowed_bytes(Some(256)), 1 << 20);
        assert_eq!(allowed_bytes(Some(1100)), 4 << 20);
        assert_eq!(allowed_bytes(Some(65_535)), 16 << 20);
        assert_eq!(allowed_bytes(Some(16)), 1 << 20, "as before: the kernel cuts it, and splits more");
    }
}
