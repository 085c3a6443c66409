//! Streams made up for tests: `player(3).with_buffer_ns(0).of_frames(25)`.
//!
//! The feature `test-streams` has this, which dev-dependencies alone turn on: no program that is shipped
//! knows of it. The operations of such streams come from `reelgauge_record::test_records`.

use super::{Beginning, Policy, StreamSpec};

/// A player of 25 frames/s with a buffer of 100 ms, which leaves out what comes too late. It plays as long as
/// the load point lasts, and nothing is known of its frames' sizes.
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

/// What is special about a stream. Each takes it and gives it back.
impl StreamSpec {
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> StreamSpec {
        StreamSpec { name: name.into(), ..self }
    }

    /// A recorder if `writes`, else a player.
    #[must_use]
    pub fn that_writes(self, writes: bool) -> StreamSpec {
        StreamSpec { writes, ..self }
    }

    /// Which does this with frames whose time has passed.
    #[must_use]
    pub fn with_policy(self, policy: Policy) -> StreamSpec {
        StreamSpec { policy, ..self }
    }

    /// Of so many frames in so many seconds.
    #[must_use]
    pub fn at_rate(self, num: u32, den: u32) -> StreamSpec {
        StreamSpec { rate_num: num, rate_den: den, ..self }
    }

    /// Which may lag by so much.
    #[must_use]
    pub fn with_buffer_ns(self, prebuffer_ns: u64) -> StreamSpec {
        StreamSpec { prebuffer_ns, ..self }
    }

    /// Whose frames have so many bytes each.
    #[must_use]
    pub fn of_frame_bytes(self, bytes: u64) -> StreamSpec {
        StreamSpec { frame_bytes: Some(bytes), ..self }
    }

    /// Which ends after so many frames.
    #[must_use]
    pub fn of_frames(self, frames: u64) -> StreamSpec {
        StreamSpec { frames_total: Some(frames), ..self }
    }

    /// Which is to begin so long after the load point, and plays on from there.
    #[must_use]
    pub fn begins_after_ns(self, after_ns: u64) -> StreamSpec {
        StreamSpec { begins: Some(Beginning { after_ns, may_jump: false }), ..self }
    }
}
