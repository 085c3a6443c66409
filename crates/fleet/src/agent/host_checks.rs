//! Checks of an agent's host on the controller's order. It starts this same program for each root, in a
//! separate process that may hang or be killed, and reports the findings. On the order to clean, it
//! lists files that earlier runs left, and removes test files. An order that arrives again is answered
//! again, but carried out only once; no check starts while a run is in progress.
//!
//! Not here: faults in the settings (the doctor crate), the leftovers ([`super::leftovers`]).

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reelgauge_doctor::multi_host::{FindingResult, HostResult, PLACES_MAX, PlaceResult};
use reelgauge_doctor::rule::Severity;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::leftovers::LeftoverTerms;
use crate::doctor_words::{DoctorOrder, DoctorState};

/// The number of checks to remember.
const REMEMBERED: usize = 16;
/// The time limit for all checks of a host.
const LOOKS_WITHIN: Duration = Duration::from_secs(45);
/// The time limit for listing or removing leftovers.
const CLEANS_WITHIN: Duration = Duration::from_secs(600);
/// How often to check whether a run begins, which nothing may disturb.
const BEAT: Duration = Duration::from_millis(100);
/// Longer output of the program is cut.
const PRINTED_MAX: u64 = 4 << 20;
/// Longer error output is cut.
const COMPLAINT_MAX: u64 = 4 << 10;

/// A check by its name, and its state.
pub type DoctorNews = (String, DoctorState);

/// Settings of these checks.
#[derive(Clone, Debug)]
pub struct DoctorTerms {
    pub program: PathBuf,
    /// Checks cover the paths to these directories.
    pub roots: Vec<PathBuf>,
    /// Set while a run is in progress.
    pub at_work: Arc<AtomicBool>,
    /// Settings of the leftovers.
    pub left: LeftoverTerms,
}

/// A task that begins, for the agent's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errand {
    /// It checks its host.
    Look,
    /// It lists what earlier runs left, or removes test files.
    Clean {
        /// Whether it removes them.
        removes: bool,
    },
}

#[derive(Clone, Debug)]
pub struct DoctorDuty {
    terms: Arc<DoctorTerms>,
    known: Arc<Mutex<VecDeque<DoctorNews>>>,
    news: UnboundedSender<DoctorNews>,
    /// Receives every task that begins.
    say: UnboundedSender<Errand>,
}

impl DoctorDuty {
    /// Checks for this agent; its results go to `news`.
    pub fn new(
        terms: DoctorTerms,
        news: UnboundedSender<DoctorNews>,
        say: UnboundedSender<Errand>,
    ) -> DoctorDuty {
        DoctorDuty { terms: Arc::new(terms), known: Arc::default(), news, say }
    }

    /// Takes an order of the controller. Call it only within a runtime.
    pub fn order(&self, order: DoctorOrder) {
        let (id, errand) = match order {
            DoctorOrder::DoctorLook { id } => (id, Errand::Look),
            DoctorOrder::Clean { id, removes } => (id, Errand::Clean { removes }),
        };
        let (before, is_busy) = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let before = known.iter().find(|(other, _)| *other == id).map(|(_, state)| state.clone());
            (before, known.iter().any(|(_, state)| !state.is_over()))
        };
        if let Some(state) = before {
            // Without a receiver, this agent ends soon.
            let _ = self.news.send((id, state));
            return;
        }
        let failed = |why: &str| DoctorState::Failed { why: why.to_owned() };
        if self.terms.at_work.load(Ordering::Relaxed) {
            return self.tell(&id, failed("a run is in progress on that host"));
        }
        if is_busy {
            return self.tell(&id, failed("another check is in progress on that host"));
        }
        self.tell(&id, DoctorState::Looks);
        let _ = self.say.send(errand);
        let duty = self.clone();
        tokio::spawn(async move {
            let state = tokio::select! {
                state = duty.terms.carry_out(errand) => state,
                () = duty.terms.run_begins() => failed("a run started there"),
            };
            duty.tell(&id, state);
        });
    }

    fn tell(&self, id: &str, state: DoctorState) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.iter_mut().find(|(other, _)| other == id) {
            Some((_, known)) => *known = state.clone(),
            None => known.push_back((id.to_owned(), state.clone())),
        }
        if known.len() > REMEMBERED {
            known.pop_front();
        }
        let _ = self.news.send((id.to_owned(), state));
    }
}

impl DoctorTerms {
    async fn run_begins(&self) {
        while !self.at_work.load(Ordering::Relaxed) {
            tokio::time::sleep(BEAT).await;
        }
    }

    async fn carry_out(&self, errand: Errand) -> DoctorState {
        let Errand::Clean { removes } = errand else { return DoctorState::Found(self.look().await) };
        let left = self.left.clone();
        let cleaning = tokio::task::spawn_blocking(move || left.leftovers(removes));
        match tokio::time::timeout(CLEANS_WITHIN, cleaning).await {
            Ok(Ok(leftovers)) => DoctorState::Left { leftovers },
            Ok(Err(_)) | Err(_) => {
                let why = format!("it did not finish within {} s", CLEANS_WITHIN.as_secs());
                DoctorState::Failed { why }
            }
        }
    }

    async fn look(&self) -> HostResult {
        let until = Instant::now() + LOOKS_WITHIN;
        let mut said = HostResult::default();
        for root in self.roots.iter().take(PLACES_MAX) {
            let looked = tokio::time::timeout_at(until, place(&self.program, root)).await;
            let looked = looked.unwrap_or_else(|_| {
                Err(format!("the check did not finish within {} s", LOOKS_WITHIN.as_secs()))
            });
            let path = root.display().to_string();
            said.places.push(match looked {
                Ok(place) => PlaceResult { path, ..place },
                Err(why) => PlaceResult { path, why_not: Some(why), ..PlaceResult::default() },
            });
        }
        said.bound();
        said
    }
}

/// The program's findings on the path to a root, or why there are none. The program is killed when the
/// caller stops waiting.
async fn place(program: &Path, root: &Path) -> Result<PlaceResult, String> {
    let failed = |error: std::io::Error| format!("cannot start 'reelgauge doctor' on that host: {error}");
    let mut child = Command::new(program)
        .args(["doctor", "--json"])
        .arg(root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (printed, complaint) = tokio::join!(all_of(out, PRINTED_MAX), all_of(err, COMPLAINT_MAX));
    // It has closed its output, so it is about to end.
    let _ = child.wait().await;
    said_of(&printed).ok_or_else(|| match String::from_utf8_lossy(&complaint).trim() {
        "" => "'reelgauge doctor' printed no readable output on that host".to_owned(),
        complaint => complaint.to_owned(),
    })
}

/// The stream's bytes up to this limit; the rest is dropped.
async fn all_of(from: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut read = Vec::new();
    if let Some(mut from) = from {
        let _ = (&mut from).take(most).read_to_end(&mut read).await;
        let _ = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
    }
    read
}

#[derive(Deserialize)]
struct Printed {
    findings: Vec<PrintedFinding>,
    not_looked_at: Vec<PrintedRule>,
    in_order: Vec<String>,
}

#[derive(Deserialize)]
struct PrintedRule {
    rule: String,
}

#[derive(Deserialize)]
struct PrintedFinding {
    rule: String,
    title: String,
    severity: Severity,
    found: Vec<PrintedFound>,
    recommended: String,
    fix: Option<String>,
}

#[derive(Deserialize)]
struct PrintedFound {
    sentence: String,
}

fn said_of(printed: &[u8]) -> Option<PlaceResult> {
    let printed: Printed = serde_json::from_slice(printed).ok()?;
    let finding = |finding: PrintedFinding| FindingResult {
        rule: finding.rule,
        title: finding.title,
        severity: finding.severity,
        found: finding.found.into_iter().map(|found| found.sentence).collect(),
        change: finding.fix.unwrap_or(finding.recommended),
    };
    Some(PlaceResult {
        findings: printed.findings.into_iter().map(finding).collect(),
        in_order: printed.in_order,
        not_looked: printed.not_looked_at.into_iter().map(|rule| rule.rule).collect(),
        ..PlaceResult::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_doctor::rule::catalogue::rules;
    use reelgauge_doctor::{Scope, diagnose};
    use reelgauge_engine::roots::Roots;
    use reelgauge_machine::texts::Texts;
    use reelgauge_report::doctor::diagnosis_json;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::super::run_store::AgentDisk;
    use super::*;

    fn duty(program: &str, at_work: bool) -> (DoctorDuty, UnboundedReceiver<DoctorNews>) {
        let (news, came) = unbounded_channel();
        let terms = DoctorTerms {
            program: program.into(),
            roots: vec!["/mnt/nas".into()],
            at_work: Arc::new(AtomicBool::new(at_work)),
            left: LeftoverTerms {
                disk: AgentDisk::open(&std::env::temp_dir()).unwrap(),
                roots: Roots::default(),
                read_only: false,
            },
        };
        (DoctorDuty::new(terms, news, unbounded_channel().0), came)
    }

    fn look(id: &str) -> DoctorOrder {
        DoctorOrder::DoctorLook { id: id.to_owned() }
    }

    #[test]
    fn the_output_of_the_doctor_is_parsed() {
        let diagnosis = diagnose(&Texts::default(), Scope::default(), rules());
        let printed = diagnosis_json(&diagnosis, None).unwrap();
        let said = said_of(printed.as_bytes()).unwrap();
        assert_eq!(said.findings.len(), diagnosis.findings.len());
        assert_eq!(said.not_looked.len(), diagnosis.not_looked.len());
        assert_eq!(said_of(b"{}"), None);
    }

    #[test]
    fn no_check_starts_while_a_run_is_in_progress() {
        // There is no runtime, so any task that began would panic.
        let (duty, mut came) = duty("/nowhere", true);
        duty.order(look("1"));
        assert!(matches!(came.try_recv().unwrap(), (_, DoctorState::Failed { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_check_runs_once_is_answered_repeatedly_and_ends_when_a_run_begins() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (gone, mut came) = duty("/nowhere/reelgauge", false);
            gone.order(look("1"));
            assert_eq!(came.recv().await.unwrap().1, DoctorState::Looks);
            let DoctorState::Found(said) = came.recv().await.unwrap().1 else { panic!() };
            assert!(said.places[0].why_not.as_ref().unwrap().contains("cannot start"), "{said:?}");
            gone.order(look("1"));
            assert_eq!(came.recv().await.unwrap().1, DoctorState::Found(said));
            assert!(came.try_recv().is_err(), "it was not looked at anew");

            // A check that hangs, and a run that must not be disturbed.
            let script = tempfile::tempdir().unwrap();
            let program = script.path().join("hangs");
            std::fs::write(&program, "#!/bin/sh\nexec sleep 600\n").unwrap();
            let mut mode = std::fs::metadata(&program).unwrap().permissions();
            std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o700);
            std::fs::set_permissions(&program, mode).unwrap();
            let (hangs, mut came) = duty(program.to_str().unwrap(), false);
            hangs.order(look("1"));
            assert_eq!(came.recv().await.unwrap().1, DoctorState::Looks);
            hangs.order(look("2"));
            assert!(matches!(came.recv().await.unwrap().1, DoctorState::Failed { .. }), "one at a time");
            hangs.terms.at_work.store(true, Ordering::Relaxed);
            let (id, state) = came.recv().await.unwrap();
            assert_eq!(
                (id.as_str(), state),
                ("1", DoctorState::Failed { why: "a run started there".to_owned() })
            );
        });
    }
}
