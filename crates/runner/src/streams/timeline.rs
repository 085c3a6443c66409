//! How a stream is paced.

use reelgauge_workload::pace::Pace;
use reelgauge_workload::streams::ActorPlan;

use super::media::Media;

/// The timeline of a stream of this media.
pub(super) fn pace(actor: &ActorPlan, media: &Media) -> Pace {
    Pace { rate: media.rate, buffer_frames: actor.buffer.frames(media.rate), policy: actor.policy }
}
