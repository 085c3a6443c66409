//! The next step as text: the last line of every screen and page, with the command if there is one.
//!
//! Not here: choosing the step ([`reelgauge_analysis::statement::NextStep`]).

use std::path::{Path, PathBuf};

use reelgauge_analysis::facts::StoppedBy;
use reelgauge_analysis::limit::LimitStep;
use reelgauge_analysis::statement::{NextStep, Number, Statement, of};
use reelgauge_analysis::{CheckFacts, CheckFormat, LoadPoint, Summary};

use crate::text::{plain, shell_word};
use crate::units::{amount, moment};

/// The verb with separate flags.
const VDA: &str = "vda";
/// The space for clips of the usual length for two streams, with a margin. As seconds of one stream.
const USUAL_CLIP_S: f64 = 25.0;

/// The next step; `None` if the sentences before already contain it.
pub fn next_step(summary: &Summary) -> Option<String> {
    let statement = of(summary);
    let step = statement.next_step?;
    let again = again(summary);
    if let Some(words) = summary.check.as_ref().and_then(|check| of_check(step, check, summary)) {
        return Some(words);
    }
    let words = match step {
        NextStep::ChooseStorage => "Choose a path on the storage that you want to measure.".to_owned(),
        NextStep::RunAgain => format!("Run it again: {}", again?),
        // A search of a fleet cannot be resumed: its trials belong to a single run.
        NextStep::Resume if summary.hosts.is_some() || summary.verb == VDA => {
            format!("Search again: {}", again?)
        }
        NextStep::Resume => {
            let run_dir = run_dir(summary)?;
            format!(
                "Continue with the same command and --resume {run_dir}. The --time-max limit counts \
                     from zero again."
            )
        }
        NextStep::FreeThisMachine if summary.hosts.is_some() => {
            then("Stop other programs on that host, or spread the load over more or faster hosts", again)
        }
        NextStep::FreeThisMachine => {
            then("Stop other programs on this client, or measure from a faster one", again)
        }
        NextStep::AllowMore => "Raise --max-rate, or use fewer streams or workers.".to_owned(),
        NextStep::PassTheCaches => {
            "Use test files whose total size is more than twice the memory of the host that answered (this \
             client or the server)."
                .to_owned()
        }
        NextStep::MeasureAlone => then("Repeat the run while nothing else uses the storage", again),
        NextStep::FasterLink => {
            "Only a faster link helps this client. To see whether the storage can deliver more, run several \
             clients at the same time."
                .to_owned()
        }
        NextStep::MendTheWay => mend_the_way(summary, &statement)?,
        NextStep::LookAtIncident => look_at_incident(summary, &statement)?,
        NextStep::FindMax if summary.hosts.is_some() => {
            "To find how many streams the agents sustain together, run the same plan with find_max and \
             place = \"share\"."
                .to_owned()
        }
        NextStep::FindMax => search_instead(summary),
        NextStep::TryMore => try_more(summary)?.to_owned(),
        NextStep::ProveForLong => match statement.number {
            Number::Capacity { streams, .. } => prove_for_long(summary, streams),
            _ => return None,
        },
        NextStep::MorePoints => {
            "To find the limit, use load points with more streams or workers (--points).".to_owned()
        }
        NextStep::MeasureLonger => "Measure longer (--duration).".to_owned(),
        // These steps occur only in checks.
        NextStep::FollowRule | NextStep::MakeRoom | NextStep::AsTheLookSays => return None,
        NextStep::BesideARun => {
            let run_dir = run_dir(summary)?;
            format!("Add it to the report of a client's run: reelgauge report RUN --observer {run_dir}")
        }
        NextStep::AsAMix => "Run 'reelgauge mix PATH': the same load, measured in more detail than by the \
             original."
            .to_owned(),
        NextStep::Compare => {
            let run_dir = run_dir(summary)?;
            format!("After a change: {}; then reelgauge compare {run_dir} NEW-RUN", again?)
        }
    };
    Some(words)
}

/// How to search with the command of this run, without the flag that a search refuses.
fn search_instead(summary: &Summary) -> String {
    let without = if summary.verb == VDA { "--streams or --points" } else { "--count" };
    format!("To find the largest count, run the same command with --find-max instead of {without}")
}

/// The next step of a check, which has its own texts. A check has no option for more data.
fn of_check(step: NextStep, check: &CheckFacts, summary: &Summary) -> Option<String> {
    let target = shell_word(Path::new(&summary.target.path));
    Some(match step {
        NextStep::PassTheCaches => format!(
            "Measure the disks with old files of your own, which are only read: reelgauge streams {target} \
             --read-from DIR"
        ),
        NextStep::AllowMore => "Raise --max-rate or omit it: the storage may sustain more.".to_owned(),
        NextStep::FollowRule => {
            format!("{} Details: reelgauge doctor {target}", plain(&check.hint.as_ref()?.sentence))
        }
        NextStep::MakeRoom => format!(
            "Free some space, then run: {1}. Only {0:.0} % is free, and nearly full file systems are slow.",
            check.free_share? * 100.0,
            again(summary)?
        ),
        NextStep::FindMax => find_max(check, summary)?,
        NextStep::AsTheLookSays => plain(check.next_step.as_ref()?),
        _ => return None,
    })
}

/// The command that finds the exact count of the heaviest format that a check played; of the lightest,
/// if it played none.
fn find_max(check: &CheckFacts, summary: &Summary) -> Option<String> {
    let plays = |format: &&CheckFormat| format.play.as_ref().is_some_and(|play| play.streams > 0);
    let format = check.formats.iter().rfind(plays).or(check.formats.first())?;
    let clips_bytes = USUAL_CLIP_S * format.needed_mb_per_s_each * 1e6;
    let has_room = check.free_bytes.is_none_or(|free| free as f64 >= clips_bytes);
    let clip = if has_room { "" } else { " --clip 2s" };
    let target = shell_word(Path::new(&summary.target.path));
    let shared = if summary.target.is_shared { " --shared-target" } else { "" };
    let id = plain(&format.id);
    Some(format!("For an exact answer: reelgauge streams {target}{shared} --format {id}{clip} --find-max"))
}

/// The change that lets a search try more streams.
fn try_more(summary: &Summary) -> Option<&'static str> {
    Some(match summary.search.as_ref()?.stopped_by? {
        StoppedBy::Cap => "To find the limit, raise the cap of find_max in the plan.",
        StoppedBy::Room if summary.verb == VDA => {
            "To try more streams, free space on the target, or use a smaller --file-size or fewer --files."
        }
        StoppedBy::Room => {
            "To try more streams, free space on the target, or use a shorter --clip (smaller files) or \
             --duration (shorter recordings)."
        }
        StoppedBy::OwnFiles => {
            "To try more streams, add files of your own with --read-from, or use a shorter --clip."
        }
        StoppedBy::OneProcess if summary.hosts.is_some() => {
            "The agents cannot play more streams. To find the limit, spread the search over more agents."
        }
        StoppedBy::OneProcess => {
            "A single process cannot play more streams. To find the limit, measure from several clients at \
             the same time."
        }
        // The count was not exhausted: the search can continue.
        StoppedBy::Time | StoppedBy::Trials => return None,
    })
}

/// The recordings need free space for this whole time.
fn prove_for_long(summary: &Summary, streams: u32) -> String {
    let is_it = |point: &&LoadPoint| point.stream_count == Some(streams);
    let written =
        summary.load_points.iter().rev().find(is_it).and_then(|point| point.total.written_bytes_per_s);
    let count = if summary.verb == VDA { "--points" } else { "--count" };
    match written.filter(|bytes_per_s| *bytes_per_s > 0.0) {
        _ if summary.hosts.is_some() => format!(
            "To test longer, run the same plan with {streams} streams distributed over the agents and a \
             long duration instead of find_max."
        ),
        None => format!(
            "To test longer, run the same command with {count} {streams} --duration 1h instead of --find-max"
        ),
        Some(bytes_per_s) => format!(
            "To test longer, run the same command with {count} {streams} and a longer --duration instead of \
             --find-max. Each minute writes {}",
            amount((bytes_per_s * 60.0) as u64)
        ),
    }
}

fn then(what: &str, again: Option<String>) -> String {
    again.map_or_else(|| format!("{what}."), |again| format!("{what}: {again}"))
}

fn again(summary: &Summary) -> Option<String> {
    if summary.hosts.is_some() {
        // No command on a single host can do it.
        return Some(match named_run_dir(summary) {
            Some(run_dir) => {
                format!("the plans in {}, on the same hosts", shell_word(&run_dir.join("plans")))
            }
            None => "the same plans on the same hosts".to_owned(),
        });
    }
    let plan = match (named_run_dir(summary), &summary.check) {
        (Some(run_dir), _) => run_dir.join("run.toml"),
        (None, Some(_)) => PathBuf::new(),
        (None, None) => return None,
    };
    Some(again_with(summary, &plan))
}

/// The command that repeats a run with the plan at this path. A quick check cannot be described by a
/// plan.
pub fn again_with(summary: &Summary, plan: &Path) -> String {
    if summary.watch.is_some() {
        let is_of_a_path = summary.target.path.starts_with('/');
        let path = is_of_a_path.then(|| format!(" {}", shell_word(Path::new(&summary.target.path))));
        return format!("reelgauge watch{}", path.unwrap_or_default());
    }
    if let Some(facts) = &summary.msmeter {
        let script = plan.with_file_name("script.txt");
        let roots = facts.roots.iter().map(|root| format!(" --root {}", shell_word(Path::new(root))));
        return format!("reelgauge fleet msmeter {}{}", shell_word(&script), roots.collect::<String>());
    }
    if summary.hosts.is_some() {
        // The single runs are repeated on their hosts.
        return "reelgauge fleet merge NAME=DIR NAME=DIR --out DIR".to_owned();
    }
    let command = match summary.check {
        Some(_) => format!("reelgauge check {}", shell_word(Path::new(&summary.target.path))),
        None => format!("reelgauge run {}", shell_word(plan)),
    };
    let shared = if summary.target.is_shared { " --shared-target" } else { "" };
    // The plan does not contain the limit that protects other users of the storage.
    let held = summary.load_points.iter().find_map(|point| point.held_back);
    let held =
        held.map_or_else(String::new, |held| format!(" --max-rate {}", size_flag(held.max_bytes_per_s)));
    format!("{command}{shared}{held}")
}

/// A size in the form that flags accept, exactly.
fn size_flag(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    const MB: u64 = 1_000_000;
    match bytes {
        _ if bytes.is_multiple_of(MIB) => format!("{}MiB", bytes / MIB),
        _ if bytes.is_multiple_of(MB) => format!("{}MB", bytes / MB),
        _ => format!("{bytes}B"),
    }
}

fn run_dir(summary: &Summary) -> Option<String> {
    named_run_dir(summary).map(shell_word)
}

/// The run directory, if a command can name it: a summary replaces invalid bytes of a name, and a
/// command with the replaced name would find nothing.
fn named_run_dir(summary: &Summary) -> Option<&Path> {
    summary.run_dir.as_ref().filter(|dir| !dir.contains(char::REPLACEMENT_CHARACTER)).map(Path::new)
}

/// What to check if the network path to the storage is the limit.
fn mend_the_way(summary: &Summary, statement: &Statement) -> Option<String> {
    let found = statement.limit(summary)?.found?;
    let what = match found.step {
        LimitStep::LinkFull => "Check the network links: the speed of each, and its other traffic.",
        LimitStep::PathBroken | LimitStep::NetworkLoss => {
            "Check each network port from this client to the server: errors, drops, MTU, flow control."
        }
        // With the run directory the doctor knows a speed even if no network interface reports one.
        _ => match run_dir(summary) {
            Some(run_dir) => &format!(
                "Check the TCP settings on both ends. Here: reelgauge doctor --run {run_dir}; on the server: \
                 reelgauge doctor --server."
            ),
            None => {
                "Check the TCP settings on both ends. Here: reelgauge doctor; on the server: reelgauge \
                 doctor --server."
            }
        },
    };
    Some(format!("{what}{}", prove(summary)))
}

/// How to compare a changed setting with this run.
fn prove(summary: &Summary) -> String {
    run_dir(summary)
        .map_or_else(String::new, |run_dir| format!(" After a change: reelgauge compare {run_dir} NEW-RUN"))
}

/// The wall-clock time of the worst incident, to find it in the storage's own log.
fn look_at_incident(summary: &Summary, statement: &Statement) -> Option<String> {
    let found = statement.worst_incident(summary)?;
    let at = match &found.began_at {
        Some(began_at) => plain(began_at),
        None => format!("{} into the run", moment(found.began_s)),
    };
    let prove = prove(summary);
    Some(format!("Check the storage at {at}: its log, other users, snapshots, scrubs.{prove}"))
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::facts::SearchFacts;
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::{CheckCount, CheckHint, Culprit, Outcome};

    use super::*;

    fn stopped() -> Summary {
        let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
        let mut summary = Summary::new("0.1.0", "2026-11-22T10:00:00Z", "mix", target);
        summary.run_dir = Some("reelgauge-runs/my run".to_owned());
        summary.outcome = Outcome::Interrupted;
        summary
    }

    #[test]
    fn a_run_that_was_stopped_can_be_done_again() {
        let mut printed = Vec::<String>::new();
        printed.extend(next_step(&stopped()).as_deref().map(|text| text.to_string()));
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn the_exact_count_is_that_of_the_heaviest_format_that_played() {
        let mut printed = Vec::<String>::new();
        let mut summary = Summary { outcome: Outcome::Complete, ..stopped() };
        let format = |id: &str, needed_mb_per_s_each, streams| CheckFormat {
            id: id.to_owned(),
            needed_mb_per_s_each,
            play: Some(CheckCount { streams, ..CheckCount::default() }),
            ..CheckFormat::default()
        };
        let formats = vec![format("light", 14.0, 9), format("heavy", 92.0, 2), format("none", 99.0, 0)];
        let check = CheckFacts { formats, free_bytes: Some(240_000_000), ..CheckFacts::default() };
        let said = |check: &CheckFacts, summary: &mut Summary| {
            summary.check = Some(check.clone());
            next_step(summary).unwrap_or_default()
        };
        let exact = "For an exact answer: reelgauge streams /mnt/nas --format heavy";
        assert_eq!(said(&check, &mut summary), format!("{exact} --clip 2s --find-max"));
        let roomy = CheckFacts { free_bytes: None, ..check.clone() };
        assert_eq!(said(&roomy, &mut summary), format!("{exact} --find-max"));
        let full = CheckFacts { free_share: Some(0.04), ..check.clone() };
        printed.push(said(&full, &mut summary).to_string());
        let hint = Some(CheckHint { rule: "a.b".to_owned(), sentence: "It is so. Do that.".to_owned() });
        let ruled = CheckFacts { hint, ..full };
        printed.push(said(&ruled, &mut summary).to_string());
        let max_rate = CheckFacts { limit_culprit: Some(Culprit::MaxRate), ..ruled };
        printed.push(said(&max_rate, &mut summary).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn vda_is_advised_flags_that_it_has() {
        let mut summary = stopped();
        summary.search = Some(SearchFacts { stopped_by: Some(StoppedBy::Room), ..SearchFacts::default() });
        assert!(try_more(&summary).is_some_and(|words| words.contains("--clip")));
        assert!(prove_for_long(&summary, 7).contains("--count 7"));
        summary.verb = "vda".to_owned();
        assert!(try_more(&summary).is_some_and(|words| words.contains("fewer --files")));
        assert!(prove_for_long(&summary, 7).contains("--points 7"));
    }

    #[test]
    fn a_name_that_a_command_cannot_have_is_in_none() {
        let mut summary = stopped();
        summary.run_dir = Some("reelgauge-runs/nu\u{fffd}r".to_owned());
        assert_eq!(next_step(&summary), None);
        summary.run_dir = Some("-runs/a\nb".to_owned());
        let step = next_step(&summary).unwrap_or_default();
        assert!(step.ends_with(r": reelgauge run ./$'-runs/a\nb/run.toml'"), "{step}");
    }

    #[test]
    fn shared_target_flag_is_repeated_in_the_next_command() {
        let mut summary = stopped();
        summary.target.is_shared = true;
        let said = next_step(&summary).unwrap_or_default();
        assert!(said.ends_with("/run.toml' --shared-target"), "{said}");
    }

    #[test]
    fn stopped_search_resumes() {
        let mut summary = stopped();
        summary.search = Some(Default::default());
        let said = next_step(&summary).unwrap_or_default();
        assert!(said.contains("--resume 'reelgauge-runs/my run'."), "{said}");
    }

    #[test]
    fn without_a_run_directory_there_is_no_command() {
        let summary = Summary { run_dir: None, ..stopped() };
        assert_eq!(next_step(&summary), None);
    }
}
