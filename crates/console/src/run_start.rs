//! Starts a run: this same program, as a process with a separate session, with the command line of a
//! form.
//!
//! Its output goes to a file without a name, which can't block it, and nothing ties it to this process:
//! the run continues when the console ends.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use reelgauge_engine::roots::Roots;
use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;
use reelgauge_record::notes::{FIELD_CHARS_MAX, RunNotes};
use reelgauge_results::run_notes;
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_runner::supervise::own_session::ASKED;
use reelgauge_workload::procedure::names;
use serde::Serialize;

use crate::catalogue::Choices;
use crate::error::ApiError;
use crate::events::begin;
use crate::forms::{Filled, Form, FormError, FormField, typed};
use crate::runs::{Runs, shown};
use crate::traces::Traces;

/// The field with a plan: one that ships, or that of an earlier run.
const PLAN: &str = "plan";
/// The field with the target of a plan.
const TARGET: &str = "target";
/// The verb of procedures.
const PROCEDURE: &str = "procedure";
/// The field with its name.
const NAME: &str = "name";
/// The field with its changed settings.
const SETTINGS: &str = "set";
/// Settings of a procedure that are neither flags of its runs nor a command.
const OWN_SETTINGS: [&str; 4] = ["rounds", "age", "rest", "server-memory"];
/// The interval of checks for a new run.
const BEAT: Duration = Duration::from_millis(50);
/// The time limit for them. A long trace is read before there is a directory.
const PATIENCE: Duration = Duration::from_secs(60);
/// The largest part of the program's output in an answer.
const SAID_MAX_BYTES: u64 = 8192;

/// The result of a start: one of both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StartAnswer {
    /// The run.
    pub id: Option<String>,
    /// Why there is none, as text.
    pub error: Option<String>,
    /// The field that the error concerns; `None` if unknown.
    pub field: Option<String>,
}

impl StartAnswer {
    fn refused(why: impl ToString) -> StartAnswer {
        StartAnswer { error: Some(why.to_string()), ..StartAnswer::default() }
    }
}

/// The settings for starting runs.
#[derive(Debug)]
pub struct Starter {
    pub program: PathBuf,
    pub forms: Vec<Form>,
    /// The paths that may be used.
    pub roots: Roots,
    /// The traces that may be used.
    pub traces: Arc<Traces>,
    /// Computes the forecast of a command line.
    pub ahead: Ahead,
}

/// The forecast of a command line, or why it would be refused.
pub type Ahead = fn(&[OsString]) -> Result<Planned, Refusal>;

/// The forecast of a command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// Time and size, in a sentence.
    pub takes: String,
    /// Every step, as a text of several lines; `None` for a single one.
    pub plan: Option<String>,
    /// Why it would be refused on this target, in the words of the command line.
    pub refused: Option<String>,
}

/// Why a form would be refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field that the error concerns; `None` if unknown.
    pub field: Option<String>,
    /// The reason as text.
    pub why: String,
}

/// The command and forecast of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AheadAnswer {
    /// The command line; empty if the form gives none.
    pub command: String,
    /// The time it takes and the size it writes, in a sentence; `None` if it would be refused.
    pub takes: Option<String>,
    /// Every step of a procedure, as `--dry-run` prints them; `None` for one run.
    pub plan: Option<String>,
    /// Why it would be refused, as text.
    pub error: Option<String>,
    /// The field that the refusal concerns; `None` if unknown.
    pub field: Option<String>,
}

impl AheadAnswer {
    fn refused(command: String, refusal: Refusal) -> AheadAnswer {
        AheadAnswer { command, error: Some(refusal.why), field: refusal.field, ..AheadAnswer::default() }
    }
}

impl Starter {
    /// Starts a filled form, and waits until its run exists or has reported why it can't.
    ///
    /// # Errors
    /// If the program cannot be started at all.
    pub fn start(&self, filled: &Filled, runs: &Runs) -> Result<StartAnswer, ApiError> {
        // A refusal known in advance is reported in the terms of a form, and names its field.
        if let AheadAnswer { error: Some(why), field, .. } = self.ahead(filled, runs) {
            return Ok(StartAnswer { field, ..StartAnswer::refused(why) });
        }
        let mut words = match self.words(filled, runs) {
            Ok(words) => words,
            Err(why) => return Ok(StartAnswer::refused(why)),
        };
        let mut out = OsString::from("--out=");
        out.push(runs.dir());
        // After the verb, before positional values.
        words.insert(1, out);
        let before = names_in(runs.dir());
        let failed = |error: io::Error| {
            let program = self.program.display();
            ApiError::failed(format!("cannot start {program}: {error}. Start the run from a terminal"))
        };
        let said = tempfile::tempfile().map_err(failed)?;
        let child = self.spawn(&words, &said).map_err(failed)?;
        let answer = wait(child, said, runs.dir(), &before);
        if let Some(id) = answer.id.as_ref().filter(|_| !filled.name.trim().is_empty()) {
            give_name(&runs.dir().join(id), filled.name.trim())?;
        }
        Ok(answer)
    }

    /// The command and forecast. Nothing is started.
    pub fn ahead(&self, filled: &Filled, runs: &Runs) -> AheadAnswer {
        let words = match self.words(filled, runs) {
            Ok(words) => words,
            Err(error) => {
                let field = error.field().map(str::to_owned);
                return AheadAnswer::refused(String::new(), Refusal { field, why: error.to_string() });
            }
        };
        let command = typed(&words);
        if let Some(refusal) = unusable_target(filled) {
            return AheadAnswer::refused(command, refusal);
        }
        match (self.ahead)(&words) {
            Ok(Planned { takes, plan, refused }) => {
                let takes = Some(takes).filter(|_| refused.is_none());
                AheadAnswer { command, takes, plan, error: refused, field: None }
            }
            Err(refusal) => AheadAnswer::refused(command, refusal),
        }
    }

    fn words(&self, filled: &Filled, runs: &Runs) -> Result<Vec<OsString>, FormError> {
        let form = self.forms.iter().find(|form| form.verb == filled.verb);
        let form = form.ok_or_else(|| FormError::Verb(shown(&filled.verb)))?;
        if filled.name.chars().count() > FIELD_CHARS_MAX {
            let why = format!("the name is longer than {FIELD_CHARS_MAX} characters");
            return Err(FormError::Refused { field: "run name".to_owned(), why });
        }
        // A plan has its own target, which may not be permitted here.
        if filled.values.contains_key(PLAN) && !filled.values.contains_key(TARGET) {
            let why = "choose the storage to measure".to_owned();
            return Err(FormError::Refused { field: TARGET.to_owned(), why });
        }
        if filled.verb == PROCEDURE {
            self.check_procedure(filled)?;
        }
        form.command_line(filled, |field, value| match field.name.as_str() {
            PLAN => plan(value, runs),
            NAME if filled.verb == PROCEDURE => Ok(PathBuf::from(value)),
            _ => self.admit(field, value, runs.dir()),
        })
    }

    /// Checks a procedure that ships, with settings that name neither a command nor a path: those would
    /// reach beyond the roots.
    fn check_procedure(&self, filled: &Filled) -> Result<(), FormError> {
        let refused = |field: &str, why: String| FormError::Refused { field: field.to_owned(), why };
        let value = |field: &str| filled.values.get(field).map_or("", |value| value.trim());
        if !names().any(|name| name == value(NAME)) {
            return Err(refused(NAME, "choose one of the procedures".to_owned()));
        }
        if value("path").is_empty() {
            return Err(refused("path", "choose the storage to measure".to_owned()));
        }
        let settings = value(SETTINGS).lines().map(str::trim).filter(|line| !line.is_empty());
        for setting in settings {
            let key = setting.split_once('=').map_or(setting, |(key, _)| key.trim());
            if !self.admits_setting(key) {
                let why = format!(
                    "'{}' cannot be set here; start the procedure from a terminal to set commands and paths",
                    shown(key)
                );
                return Err(refused(SETTINGS, why));
            }
        }
        Ok(())
    }

    /// A setting of the procedure itself, or a field of a run that names no path.
    fn admits_setting(&self, key: &str) -> bool {
        let mut fields = self.forms.iter().flat_map(|form| &form.fields).filter(|field| field.name == key);
        let is_of_a_run = fields.clone().next().is_some() && fields.all(|field| !field.is_path);
        OWN_SETTINGS.contains(&key) || is_of_a_run
    }

    /// Targets must be below a root. Data that is only read may also be one of the runs here; traces may
    /// be named.
    fn admit(&self, field: &FormField, value: &str, runs_dir: &Path) -> Result<PathBuf, String> {
        let is_name = !value.contains(['/', '\\']);
        if field.name == "trace" && is_name {
            let unknown = || format!("there is no trace '{}' in the library", shown(value));
            return self.traces.has(value).then(|| PathBuf::from(value)).ok_or_else(unknown);
        }
        let is_read = field.name != "path" && field.name != TARGET;
        let run = || Roots::new(&[runs_dir.to_owned()]).ok()?.admit(value).ok();
        match self.roots.admit(value) {
            Ok(path) => Ok(path),
            Err(error) => is_read.then(run).flatten().ok_or_else(|| error.to_string()),
        }
    }

    fn spawn(&self, words: &[OsString], said: &File) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(words)
            .env(ASKED, "1")
            // Width and colours of the console's own terminal do not apply to the page.
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said.try_clone()?);
        apart(&mut command);
        command.spawn()
    }
}

/// Why the directory can't be measured, as far as that is visible without opening a file in it. Whether
/// it may be used was decided before.
fn unusable_target(filled: &Filled) -> Option<Refusal> {
    let (field, path) = ["path", TARGET].iter().find_map(|name| filled.values.get_key_value(*name))?;
    let why = match std::fs::metadata(path) {
        Ok(found) if !found.is_dir() => format!("'{}' is not a directory", shown(path)),
        Ok(_) if !is_writable(Path::new(path)) => {
            format!(
                "cannot write to '{}': permission denied. Use another directory, or change its permissions",
                shown(path)
            )
        }
        Ok(_) => return None,
        Err(error) => format!("cannot use '{}': {}", shown(path), error_words(&error)),
    };
    Some(Refusal { field: Some(field.clone()), why })
}

fn error_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "the directory does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(unix)]
fn is_writable(path: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// On Windows, only an attempt shows the rights.
#[cfg(not(unix))]
fn is_writable(_path: &Path) -> bool {
    true
}

/// A scenario, a suite, or the plan of a run here. No other file is read: it could be anything.
fn plan(value: &str, runs: &Runs) -> Result<PathBuf, String> {
    if Choices::all().has_plan(value) {
        return Ok(PathBuf::from(value));
    }
    let run_dir = runs.open(value).map_err(|error| error.text)?;
    Ok(run_dir.path().join("run.toml"))
}

/// The run itself keeps all other settings.
fn give_name(run_dir: &Path, name: &str) -> Result<(), ApiError> {
    let notes = run_notes::read(run_dir).unwrap_or_default();
    run_notes::write(run_dir, &RunNotes { name: name.to_owned(), ..notes }).map_err(ApiError::failed)
}

/// The program makes its own session if the system has sessions.
#[cfg(not(windows))]
fn apart(_command: &mut Command) {}

/// Neither Ctrl-C in this window nor closing it reaches the program.
#[cfg(windows)]
fn apart(command: &mut Command) {
    use std::os::windows::process::CommandExt;

    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

/// Waits for the run's directory, or the program's end.
fn wait(mut child: Child, mut said: File, runs_dir: &Path, before: &HashSet<OsString>) -> StartAnswer {
    let started = Instant::now();
    let pid = child.id();
    loop {
        let ended = child.try_wait();
        if let Some(id) = new_run(runs_dir, before, pid) {
            reap(child);
            return StartAnswer { id: Some(id), ..StartAnswer::default() };
        }
        match ended {
            Ok(None) if started.elapsed() < PATIENCE => std::thread::sleep(BEAT),
            Ok(None) => {
                reap(child);
                return StartAnswer::refused(format!(
                    "process {pid} is running, but has not created a run directory after {} s. The run \
                     is listed as soon as the directory exists",
                    PATIENCE.as_secs()
                ));
            }
            Ok(Some(_)) => return StartAnswer::refused(what_it_said(&mut said)),
            Err(error) => {
                return StartAnswer::refused(format!(
                    "cannot wait for process {pid}: {error}. Reload the list to see whether the run started"
                ));
            }
        }
    }
}

/// A thread waits for its end, so that it leaves no zombie.
fn reap(mut child: Child) {
    let wait = move || {
        let _ = child.wait();
    };
    // Without a thread, the end of this process has the same effect.
    let _ = std::thread::Builder::new().name("reap".to_owned()).spawn(wait);
}

fn what_it_said(said: &mut File) -> String {
    let mut text = Vec::new();
    let _ = said.seek(SeekFrom::Start(0)).and_then(|_| said.take(SAID_MAX_BYTES).read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text).trim().to_owned();
    match text.is_empty() {
        true => "it ended without a message and created no run. Start the run from a terminal".to_owned(),
        false => text,
    }
}

fn names_in(dir: &Path) -> HashSet<OsString> {
    std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

/// The parent of this process; `None` if unknown.
fn parent_of(pid: u32) -> Option<u32> {
    Task::of(pid).stat(&Host::here())?.parent()
}

/// The run of this process, or of its measuring child.
fn new_run(runs_dir: &Path, before: &HashSet<OsString>, pid: u32) -> Option<String> {
    let new = names_in(runs_dir).into_iter().filter(|name| !before.contains(name));
    let is_its = |name: &OsString| {
        let dir = runs_dir.join(name);
        // A suite contains its first run.
        let first = || names_in(&dir).iter().find_map(|run| begin(&dir.join(run)));
        if ProcedureRecord::read(&dir).is_ok_and(|record| record.process().0 == pid) {
            return true;
        }
        let begin = begin(&dir).or_else(first);
        begin.is_some_and(|begin| begin.pid == pid || parent_of(begin.pid) == Some(pid))
    };
    new.into_iter().find(is_its).and_then(|name| name.into_string().ok())
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use clap::{Arg, value_parser};

    use super::*;

    /// A program that runs a script, and a folder for its runs.
    fn scene(script: &str) -> (tempfile::TempDir, Starter, Runs) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let program = top.join("program");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(top.join("target")).unwrap();
        let path = |name: &'static str| Arg::new(name).value_parser(value_parser!(PathBuf));
        let command = clap::Command::new("replay")
            .arg(path("trace").required(true))
            .arg(path("path").required(true))
            .arg(Arg::new("pace").long("pace"));
        let roots = Roots::new(&[top.join("target")]).unwrap();
        let runs = Runs::in_dir(&top.join("runs")).unwrap();
        let plan = clap::Command::new("run").arg(path("plan")).arg(path("target").long("target"));
        let forms = vec![Form::of(&command), Form::of(&plan)];
        let ahead: Ahead = |words| match words.len() {
            0 => Err(Refusal { field: None, why: "nothing".to_owned() }),
            count => Ok(Planned { takes: format!("{count} words"), ..Planned::default() }),
        };
        (folder, Starter { program, forms, roots, traces: Arc::default(), ahead }, runs)
    }

    fn filled(values: &[(&str, String)]) -> Filled {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Filled { verb: "replay".to_owned(), values, name: String::new() }
    }

    fn planned(values: &[(&str, &str)]) -> Filled {
        let values = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Filled { verb: "run".to_owned(), values, name: String::new() }
    }

    #[test]
    fn a_plan_is_one_that_ships_or_that_of_a_run_and_its_target_is_allowed_here() {
        let (folder, starter, runs) = scene("exit 2");
        let target = folder.path().canonicalize().unwrap().join("target").display().to_string();
        let run = crate::runs::tests::make_run(runs.dir(), "earlier");
        let plan = run.path().join("run.toml").display().to_string();
        let ahead =
            |plan: &str, target: &str| starter.ahead(&planned(&[("plan", plan), ("target", target)]), &runs);
        let again = ahead("earlier", &target);
        assert_eq!(again.command, format!("reelgauge run {plan} --target {target}"));
        assert_eq!((again.takes.as_deref(), again.error), (Some("4 words"), None));
        assert!(ahead("newsroom", &target).takes.is_some());
        for (plan, target) in
            [(plan.as_str(), target.as_str()), ("..", &target), ("earlier", "/etc"), ("no", &target)]
        {
            let refused = ahead(plan, target);
            assert!(refused.takes.is_none() && refused.error.is_some(), "{plan} {target}: {refused:?}");
        }
        let without = starter.ahead(&planned(&[("plan", "earlier")]), &runs);
        assert_eq!((without.field.as_deref(), without.error.is_some()), (Some("target"), true));
    }

    #[test]
    fn a_directory_that_cannot_be_measured_is_refused_before_the_start_at_its_field() {
        let (folder, starter, runs) = scene("exit 2");
        let target = folder.path().canonicalize().unwrap().join("target");
        fs::write(target.join("file"), "").unwrap();
        for path in ["nope", "nope/nothing", "file", "../../../etc"] {
            let path = target.join(path).display().to_string();
            let values = [("trace", "no".to_owned()), ("path", path.clone())];
            let trace = "PhotoAlbum-synth".to_owned();
            let refused = starter.ahead(&filled(&[("trace", trace), ("path", path.clone())]), &runs);
            assert_eq!(refused.field.as_deref(), Some("path"), "{path}: {refused:?}");
            assert!(refused.takes.is_none() && refused.error.is_some(), "{path}: {refused:?}");
            // Each error names its field.
            assert_eq!(starter.ahead(&filled(&values), &runs).field.as_deref(), Some("trace"));
        }
    }

    #[test]
    fn a_plan_that_does_not_fit_is_shown_with_the_reason_and_not_started() {
        let (folder, starter, runs) = scene("touch \"$0.was-started\"");
        let top = folder.path().canonicalize().unwrap();
        let ahead: Ahead = |_| {
            let (takes, why) = ("Takes 5 s.".to_owned(), "there is no room".to_owned());
            Ok(Planned { takes, plan: Some("1. Fill".to_owned()), refused: Some(why) })
        };
        let starter = Starter { ahead, ..starter };
        let target = top.join("target").display().to_string();
        let values = [("trace", target.clone()), ("path", target)];
        let answer = starter.ahead(&filled(&values), &runs);
        assert_eq!((answer.takes, answer.error.as_deref()), (None, Some("there is no room")));
        assert_eq!(answer.plan.as_deref(), Some("1. Fill"));
        let started = starter.start(&filled(&values), &runs).unwrap();
        assert_eq!(started.error.as_deref(), Some("there is no room"));
        assert!(!top.join("program.was-started").exists());
    }

    #[test]
    fn run_has_its_given_name() {
        let begin = crate::events::tests::begin_line(77, "").replace("77", "'$$'").replace('\n', "");
        let script = format!(
            "dir=\"${{2#--out=}}/mine\"; mkdir \"$dir\"; echo '# reelgauge run directory, layout 1' > \"$dir/run.toml\"; \
             echo '{begin}' > \"$dir/live.jsonl\"; sleep 0.3"
        );
        let (folder, starter, runs) = scene(&script);
        let target = folder.path().join("target").display().to_string();
        let named =
            Filled { name: " Monday ".to_owned(), ..filled(&[("trace", target.clone()), ("path", target)]) };
        assert_eq!(starter.start(&named, &runs).unwrap().id.as_deref(), Some("mine"));
        assert_eq!(run_notes::read(&runs.dir().join("mine")).unwrap().name, "Monday");
        assert_eq!(runs.list().unwrap()[0].label, "Monday");
        let long = Filled { name: "x".repeat(FIELD_CHARS_MAX + 1), ..named };
        assert!(starter.start(&long, &runs).unwrap().error.unwrap().contains("name"));
    }

    #[test]
    fn the_output_of_a_refused_start_is_returned() {
        // The program prints its arguments, one per line, and fails.
        let (folder, starter, runs) = scene("for word in \"$@\"; do echo \"<$word>\" >&2; done; exit 2");
        let target = folder.path().canonicalize().unwrap().join("target").display().to_string();
        let values = [
            ("trace", "PhotoAlbum-synth".to_owned()),
            ("path", target.clone()),
            ("pace", "--help; $(x)".to_owned()),
        ];
        let answer = starter.start(&filled(&values), &runs).unwrap();
        let out = runs.dir().display();
        let said =
            format!("<replay>\n<--out={out}>\n<--pace=--help; $(x)>\n<-->\n<PhotoAlbum-synth>\n<{target}>");
        assert_eq!(answer, StartAnswer::refused(said));
        assert_eq!(fs::read_dir(runs.dir()).unwrap().count(), 0);
    }

    #[test]
    fn its_run_is_found_by_its_process() {
        let begin = crate::events::tests::begin_line(77, "").replace("77", "'$$'").replace('\n', "");
        let script = format!(
            "dir=\"${{2#--out=}}\"; mkdir \"$dir/other\" \"$dir/mine\"; \
             echo nothing > \"$dir/other/live.jsonl\"; echo '{begin}' > \"$dir/mine/live.jsonl\"; sleep 0.3"
        );
        let (folder, starter, runs) = scene(&script);
        let target = folder.path().join("target").display().to_string();
        let values = [("trace", target.clone()), ("path", target)];
        let answer = starter.start(&filled(&values), &runs).unwrap();
        assert_eq!(answer, StartAnswer { id: Some("mine".to_owned()), ..StartAnswer::default() });
    }

    #[test]
    fn forbidden_targets_are_not_started() {
        let (folder, starter, runs) = scene("touch \"$0.was-started\"");
        let top = folder.path().canonicalize().unwrap();
        let (target, runs_dir) = (top.join("target").display().to_string(), runs.dir().display().to_string());
        let other = top.display().to_string();
        for (trace, path) in [
            ("no-such-trace".to_owned(), target.clone()),
            ("..".to_owned(), target.clone()),
            (other.clone(), target.clone()),
            (format!("{target}/.."), target.clone()),
            (format!("{target}/../runs/x"), other.clone()),
            (target.clone(), other.clone()),
            // A target must not be a run.
            (target.clone(), runs_dir.clone()),
            (target.clone(), "/etc".to_owned()),
            (target.clone(), "target".to_owned()),
        ] {
            let values = [("trace", trace.clone()), ("path", path.clone())];
            let answer = starter.start(&filled(&values), &runs).unwrap();
            assert!(answer.error.is_some() && answer.id.is_none(), "{trace} {path}");
        }
        let verb = Filled { verb: "clean".to_owned(), values: Default::default(), name: String::new() };
        assert!(starter.start(&verb, &runs).unwrap().error.unwrap().contains("'clean'"));
        assert!(!top.join("program.was-started").exists());
        // A run may be replayed.
        let values = [("trace", format!("{runs_dir}/some-run")), ("path", target)];
        starter.start(&filled(&values), &runs).unwrap();
        assert!(top.join("program.was-started").exists());
    }
}
