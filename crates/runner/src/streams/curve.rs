//! Whether a plan of streams is that of a VDA-like curve, and its facts.
//!
//! Not here: the curve (analysis), its words (report).

use reelgauge_analysis::vda::{LABEL, RateLimits};
use reelgauge_report::VdaInput;
use reelgauge_workload::streams::{ActorWork, StreamsPlan};
use reelgauge_workload::units::{Size, Span};
use reelgauge_workload::vda_table::VdaLoad;

/// The name of a curve's plan; scenarios with the same actors have others.
pub const NAME: &str = "vda-like";
/// The published data set: files of each process, their size, and the times of a load point.
const PUBLISHED: (u32, Size, Span) = (11, Size::mib(1024), Span::secs(300));

/// The facts for a curve of such a plan, if it consists of cameras and their companions.
pub fn input_of(plan: &StreamsPlan) -> Option<VdaInput> {
    let [camera, companion] = plan.actors.as_slice() else {
        return None;
    };
    let (ActorWork::Camera(camera), ActorWork::Companion(_)) = (&camera.work, &companion.work) else {
        return None;
    };
    let is_curve = plan.name == NAME && plan.find_max.is_none();
    let data_set_note = || data_set_note(plan, &camera.load);
    is_curve.then(|| VdaInput { limits: RateLimits::default(), data_set_note: data_set_note() })
}

/// The differences from the published run, as text.
fn data_set_note(plan: &StreamsPlan, camera: &VdaLoad) -> String {
    let (files, file_size, time) = PUBLISHED;
    let mut differences = Vec::new();
    if camera.files != files || camera.file_size != file_size {
        differences.push(format!(
            "{} files of {} per process (published: about {files} of {file_size})",
            camera.files, camera.file_size
        ));
    }
    if plan.warmup != time || plan.duration != time {
        differences
            .push(format!("{} warm-up and {} measured instead of {time} each", plan.warmup, plan.duration));
    }
    match differences.is_empty() {
        true => format!("Data set and times as published. {LABEL}."),
        false => format!("Smaller than published: {}. {LABEL}.", differences.join("; ")),
    }
}
