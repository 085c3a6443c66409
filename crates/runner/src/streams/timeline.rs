//! How a stream is paced, and what the analysis calls that.

use reelgauge_analysis::late::Policy as JudgedPolicy;
use reelgauge_workload::pace::{Pace, Policy};
use reelgauge_workload::streams::ActorPlan;

use super::media::Media;

/// The timeline of a stream of this media.
pub(super) fn pace(actor: &ActorPlan, media: &Media) -> Pace {
    Pace { rate: media.rate, buffer_frames: actor.buffer.frames(media.rate), policy: actor.policy }
}

/// How the analysis calls a policy.
pub(super) fn judged(policy: Policy) -> JudgedPolicy {
    match policy {
        Policy::Drop => JudgedPolicy::Drop,
        Policy::Stall => JudgedPolicy::Stall,
    }
}
