//! Synthetic streams for tests: `player(3).with_buffer_ns(0).of_frames(25)`.
//!
//! Only dev-dependencies enable the feature `test-streams`, so no released program contains this. The
//! operations of such streams come from `reelgauge_record::test_records`.

use super::{Beginning, Policy, StreamSpec};

/// A player of 25 frames/s with a buffer of 100 ms, which drops frames that come too late. It plays as
/// long as the load point lasts, and its frame sizes are unknown.
pub fn player(stream: u32) -> StreamSpec {
    StreamSpec {
        stream,
        name: format!("player {stream}"),
        kind: None,
        format: None,
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

/// Variations of a stream. Each method consumes it and returns the changed one.
impl StreamSpec {
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> StreamSpec {
        StreamSpec { name: name.into(), ..self }
    }

    /// Makes it a recorder if `writes`, otherwise a player.
    #[must_use]
    pub fn that_writes(self, writes: bool) -> StreamSpec {
        StreamSpec { writes, ..self }
    }

    /// Sets how it treats frames whose time has passed.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> StreamSpec {
        StreamSpec { policy, ..self }
    }

    /// Sets the rate to `num` frames in `den` seconds.
    #[must_use]
    pub fn at_rate(self, num: u32, den: u32) -> StreamSpec {
        StreamSpec { rate_num: num, rate_den: den, ..self }
    }

    /// Sets how long it may lag.
    #[must_use]
    pub fn with_buffer_ns(self, prebuffer_ns: u64) -> StreamSpec {
        StreamSpec { prebuffer_ns, ..self }
    }

    /// Sets the size of each frame.
    #[must_use]
    pub fn of_frame_bytes(self, bytes: u64) -> StreamSpec {
        StreamSpec { frame_bytes: Some(bytes), ..self }
    }

    /// Sets the number of frames.
    #[must_use]
    pub fn of_frames(self, frames: u64) -> StreamSpec {
        StreamSpec { frames_total: Some(frames), ..self }
    }

    /// Sets its planned start after that of the load point; playback does not stop.
    #[must_use]
    pub fn begins_after_ns(self, after_ns: u64) -> StreamSpec {
        StreamSpec { begins: Some(Beginning { after_ns, may_jump: false }), ..self }
    }
}
