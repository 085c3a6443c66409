//! The `run.toml` of a quick check: its target and settings.
//!
//! It is all comments. A check finds its counts by trying, with several players in each file and plain
//! rates before and after them, which neither a plan of a mix nor one of actors can express; and a
//! different plan must not pass for a repetition.

use std::path::Path;

use reelgauge_workload::units::Size;

use super::budget::{HOLD_TIMES, LEVEL_TIMES, RATE_TIMES, TRIAL_TIMES, Times};
use super::common_formats::EVERYDAY;
use super::load::Rate;
use super::target_setup::CheckTarget;
use reelgauge_report::text::shell_word;

/// A description of the check for the user.
pub fn look_as_toml(target: &Path, seed: u64, place: &CheckTarget) -> String {
    let files = place.data_set.files.len();
    check_toml(target, seed, place.direct, files, Size(place.file_bytes()))
}

fn check_toml(target: &Path, seed: u64, direct: bool, files: usize, file_size: Size) -> String {
    let word = shell_word(target);
    let rates = [Rate::SequentialRead, Rate::RandomRead, Rate::SequentialWrite].map(Rate::label).join(", ");
    let of = |Times { warmup, measured }: Times| format!("{measured:?} after {warmup:?} of warm-up");
    let lines = [
        "A quick check. It is not a plan, so 'reelgauge run' cannot repeat it from this file.".to_owned(),
        format!("Check again:       reelgauge check {word}"),
        format!("Exact count:       reelgauge streams {word} --format {} --find-max", EVERYDAY[0]),
        String::new(),
        format!("written_by = \"reelgauge {}\"", env!("CARGO_PKG_VERSION")),
        format!("target = {}", quoted(target)),
        format!("seed = {seed}"),
        "driver = \"threads\"".to_owned(),
        format!("direct = {direct}"),
        format!("test_files = {files}"),
        format!("file_size = \"{file_size}\""),
        format!("rates = \"{rates}; sequential for {}, random for {}\"", of(LEVEL_TIMES), of(RATE_TIMES)),
        format!("formats = \"{}\"", EVERYDAY.join(", ")),
        format!(
            "trials = \"players on shared files; trials of {}, confirming trials of {}\"",
            of(TRIAL_TIMES),
            of(HOLD_TIMES)
        ),
        "Each load point and its streams: load-points.json, streams.json.".to_owned(),
    ];
    // A name may contain a line break, and the rest of it would not be a comment.
    let comment =
        |line: &String| format!("# {}", line.replace(char::is_control, "?")).trim_end().to_owned() + "\n";
    lines.iter().map(comment).collect()
}

/// A path in TOML, on one line.
fn quoted(path: &Path) -> String {
    format!("{:?}", path.display().to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::streams::AnyPlan;

    use super::*;

    #[test]
    fn the_file_describes_the_check_and_is_no_plan() {
        let text = check_toml(Path::new("/mnt/a\nb 'c'"), 42, true, 16, Size::mib(64));
        let found = |line: &str| assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        found("# seed = 42");
        found(r#"# target = "/mnt/a\nb 'c'""#);
        found("# file_size = \"64MiB\"");
        found(&format!("# written_by = \"reelgauge {}\"", env!("CARGO_PKG_VERSION")));
        // A line without a comment sign would be part of a plan, whatever the target is called.
        assert!(text.lines().all(|line| line.starts_with('#')), "{text}");
        assert!(AnyPlan::from_toml(&text).is_err());
    }
}
