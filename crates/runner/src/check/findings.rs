//! What a first look found, and the summary that it becomes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use reelgauge_analysis::Summary;
use reelgauge_analysis::facts::{CheckFacts, CheckFormat};
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::summary::DataSet;
use reelgauge_engine::link::LinkKind;

use super::everyday::EVERYDAY;
use super::limit::{Limiter, limit_sentence};
use super::load::Rate;
use super::look::Look;
use super::next_step::{Situation, next_step};
use super::place::Place;
use crate::error::RunError;
use crate::ground::Ground;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::run::Finished;
use crate::session::Closing;
use crate::summarise::Subject;

/// What was found so far.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The highest rate at which anything read.
    pub best_bytes_per_s: f64,
    /// Format by format.
    pub formats: Vec<CheckFormat>,
    /// What limited each of them.
    pub limiters: Vec<Limiter>,
    sequential_read_mb_per_s: Option<f64>,
    sequential_write_mb_per_s: Option<f64>,
    random_read_mb_per_s: Option<f64>,
    random_read_ms_p99: Option<f64>,
}

impl Findings {
    /// Takes the figures of a plain rate.
    pub fn rate(&mut self, rate: Rate, total: &Figures) {
        let mb_per_s = |bytes_per_s: Option<f64>| bytes_per_s.map(|bytes_per_s| bytes_per_s / 1e6);
        match rate {
            Rate::SequentialRead => self.sequential_read_mb_per_s = mb_per_s(total.read_bytes_per_s),
            Rate::SequentialWrite => self.sequential_write_mb_per_s = mb_per_s(total.written_bytes_per_s),
            Rate::RandomRead => {
                self.random_read_mb_per_s = mb_per_s(total.read_bytes_per_s);
                self.random_read_ms_p99 = total.response.read.map(|times| times.p99_us / 1e3);
            }
        }
        self.best_bytes_per_s = self.best_bytes_per_s.max(total.read_bytes_per_s.unwrap_or(0.0));
    }

    fn into_facts(self, place: &Place, ground: &Ground, stopped: Option<&str>, looked_s: f64) -> CheckFacts {
        let best_mb_per_s = (self.best_bytes_per_s > 0.0).then_some(self.best_bytes_per_s / 1e6);
        let carried = self.formats.iter().rev().find(|format| format.streams > 0);
        let next_step = next_step(&Situation {
            mount: &ground.mount,
            link: &place.link,
            limiters: &self.limiters,
            best_mb_per_s,
            free_share: place.free_share,
            target: &shell_word(ground.target()),
            format_id: carried.map_or(EVERYDAY[0], |format| &format.id),
        });
        let limit = match stopped {
            Some(why) => format!("This look was not finished: {why}."),
            None => limit_sentence(&self.limiters, &place.link, best_mb_per_s),
        };
        let is_known = !matches!(place.link.kind, LinkKind::Memory);
        CheckFacts {
            mount: ground.mount.description(),
            link: is_known.then(|| place.link.sentence.clone()),
            line_rate_mb_per_s: place.link.realistic_mb_per_s(),
            sequential_read_mb_per_s: self.sequential_read_mb_per_s,
            sequential_write_mb_per_s: self.sequential_write_mb_per_s,
            random_read_mb_per_s: self.random_read_mb_per_s,
            random_read_ms_p99: self.random_read_ms_p99,
            formats: self.formats,
            limit,
            next_step,
            looked_s,
        }
    }
}

impl Look {
    /// Ends the look: its summary, written and handed back.
    pub(super) fn end(
        self,
        begun: Instant,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Finished, RunError> {
        let Look { place, session, seed, findings, .. } = self;
        let closing = Closing { subject: subject(&place, seed), made: None };
        let conclude = |summary: &mut Summary, ground: &Ground| {
            // Short is what a first look is; it has no option to make it longer.
            summary.notes.retain(|note| !note.contains("--duration"));
            let looked_s = begun.elapsed().as_secs_f64();
            let stopped = summary.outcome_reason.as_deref();
            summary.check = Some(findings.into_facts(&place, ground, stopped, looked_s));
        };
        session.end(closing, conclude, observer, interrupt)
    }
}

fn subject(place: &Place, seed: u64) -> Subject {
    let files = place.data_set.files.len() as u64;
    let plan = [
        ("direct", place.direct.to_string()),
        ("driver", "threads".to_owned()),
        ("test_files", files.to_string()),
        ("file_size", reelgauge_workload::units::Size(place.file_bytes()).to_string()),
    ];
    Subject {
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
    }
}

/// A path as a word of a shell's command line.
pub(crate) fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    if text.chars().all(is_plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_one_word() {
        assert_eq!(shell_word(Path::new("/mnt/nas-1")), "/mnt/nas-1");
        assert_eq!(shell_word(Path::new("/Volumes/Media Pool")), "'/Volumes/Media Pool'");
        assert_eq!(shell_word(Path::new("/mnt/it's")), r"'/mnt/it'\''s'");
    }
}
