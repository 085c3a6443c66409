//! The end of a quick check: its results become its summary.

use std::collections::BTreeMap;

use reelgauge_analysis::limit::TrialEvidence;
use reelgauge_analysis::summary::DataSet;
use reelgauge_analysis::{Culprit, NoteFact, Summary};

use super::check_run::CheckRun;
use super::findings::Place;
use super::hint::{diagnosis, hint};
use super::target_setup::CheckTarget;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::Closing;
use crate::session::finished_run::Finished;
use crate::session::locked_target::LockedTarget;
use crate::session::run_summary::{Material, MeasuredSubject};

impl CheckRun {
    /// Ends the check: its summary, written and returned.
    pub(super) fn end(
        self,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Finished, RunError> {
        let CheckRun { place, session, seed, findings, begun, .. } = self;
        let closing = Closing { subject: subject(&place, seed), made: None };
        let conclude = |summary: &mut Summary, locked: &LockedTarget| {
            // A check is short by design; it has no option to make it longer.
            let asks_for_time =
                |fact: &NoteFact| matches!(fact, NoteFact::ShortLook { .. } | NoteFact::FewTransfers { .. });
            summary.notes.retain(|note| !asks_for_time(&note.fact));
            let evidence = TrialEvidence::of(&summary.load_points);
            let place = Place {
                mount: &locked.mount,
                link: &place.link,
                free_share: place.free_share,
                free_bytes: place.free_bytes,
                stopped: summary.outcome_reason.as_deref(),
                looked_s: begun.elapsed().as_secs_f64(),
            };
            let facts = findings.into_facts(&place, &evidence, |limit| {
                let is_own = limit.is_some_and(Culprit::is_own);
                hint(&diagnosis(locked.target()).filter(|_| !is_own)?, limit, &summary.load_points)
            });
            for limit in summary.load_points.iter_mut().filter_map(|point| point.limit.as_mut()) {
                *limit = facts.agreed(std::mem::take(limit));
            }
            summary.check = Some(facts);
        };
        session.end(closing, conclude, observer, interrupt)
    }
}

fn subject(place: &CheckTarget, seed: u64) -> MeasuredSubject {
    let files = place.data_set.files.len() as u64;
    let plan = [
        ("direct", place.direct.to_string()),
        ("driver", "threads".to_owned()),
        ("test_files", files.to_string()),
        ("file_size", reelgauge_workload::units::Size(place.file_bytes()).to_string()),
    ];
    MeasuredSubject {
        verb: "check".to_owned(),
        label: "check".to_owned(),
        seed,
        plan: plan.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<BTreeMap<_, _>>(),
        asked_direct: place.direct,
        data_set: DataSet {
            files,
            file_size_bytes: place.file_bytes(),
            reused: place.data_set.written_bytes == 0,
        },
        data_bytes: files * place.file_bytes(),
        material: Material {
            written_bytes: place.data_set.written_bytes,
            server_memory_bytes: place.server_memory_bytes,
            own_files: false,
        },
    }
}
