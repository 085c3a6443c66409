//! What tests of pages begin with.

use reelgauge_analysis::late::{Policy, StreamSpec};

/// A player of 25 frames a second with a buffer of 100 ms.
pub fn player(stream: u32, name: String) -> StreamSpec {
    StreamSpec {
        stream,
        name,
        writes: false,
        policy: Policy::Drop,
        rate_num: 25,
        rate_den: 1,
        prebuffer_ns: 100_000_000,
        frame_bytes: None,
        frames_total: None,
        throughput_needed_bytes_per_s: None,
        begins: None,
    }
}
