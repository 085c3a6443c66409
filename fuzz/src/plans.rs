//! Plan files: any text is refused or understood. A plan that is understood stays the same when it is
//! written and read again.

use reelgauge_workload::streams::AnyPlan;

/// Reads a text as a plan.
///
/// # Panics
/// If a plan differs after it was written.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(plan) = AnyPlan::from_toml(text) else { return };
    let written = match &plan {
        AnyPlan::Mix(plan) => plan.to_toml(),
        AnyPlan::Streams(plan) => plan.to_toml(),
        AnyPlan::Replay(plan) => plan.to_toml(),
    };
    let written = written.expect("a plan that was read as text can be written as text");
    let again = AnyPlan::from_toml(&written).expect("what was written can be read");
    assert_eq!(format!("{plan:?}"), format!("{again:?}"), "{written}");
}
