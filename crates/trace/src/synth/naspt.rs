//! The twelve workloads of Intel's NAS Performance Toolkit, rebuilt from published statistics.
//!
//! The traces themselves are not public. These have the published statistics and nothing else of the
//! originals: each contains the table of published and achieved values, and is marked as synthetic.
//! Sources: T1 is Table 1 of the paper (the captures), 4.1 its section 4.1 (the shipped traces), SDC the
//! authors' talk. If they contradict each other, the shipped traces take precedence; each workload
//! documents where that applies.

use std::path::Path;

use reelgauge_record::log::{CaptureLevel, LogMeta};

use crate::error::TraceError;
use crate::info::{TargetFigure, TraceInfo};
use crate::synth::tally::Tally;
use crate::synth::tape::{Nowhere, SyntheticWriter};
use crate::synth::{content, copying, fit, office, photo, video};
use crate::trace::Trace;
use crate::writer::TraceWriter;

/// The default seed. All users have the same traces, so that their results can be compared.
pub const STANDARD_SEED: u64 = 1;
/// The maker recorded in a synthetic trace.
pub const MADE_BY: &str = "synthetic";
/// The description of every synthetic trace.
const LABEL: &str = "Synthetic, matched to published statistics (T1: the NASPT paper's Table 1; 4.1: its \
                     section 4.1; SDC: the authors' talk).";
/// The tolerance of a fit, in percentage points.
const FIT_POINTS: f64 = 0.05;

/// A workload that can be generated.
#[derive(Debug)]
pub struct Workload {
    /// The paper's name with `-synth`.
    pub name: &'static str,
    /// A short description for lists.
    pub what: &'static str,
    /// The published figures that it follows if they contradict each other, and the values that were
    /// chosen.
    pub notes: &'static str,
    targets: &'static [Target],
    fit: Option<Fit>,
    play: Play,
}

/// Writes a workload to this tape, with this seed and this fitted setting.
type Play = fn(&mut SyntheticWriter<'_>, u64, f64) -> Result<(), TraceError>;

/// A published figure that the workload must match.
#[derive(Debug)]
struct Target {
    figure: &'static str,
    published: f64,
    tolerance: f64,
    of: fn(&Tally) -> f64,
}

/// A setting that is not published. It is chosen so that the sequential share is the published one.
#[derive(Debug)]
struct Fit {
    /// The name of the setting.
    setting: &'static str,
    /// The value with the lowest share, and the value with the highest.
    from: f64,
    to: f64,
    /// The share, in percent.
    share: f64,
    /// The result of the search for the standard seed, stored so that it need not be repeated.
    standard: f64,
}

/// The bursts of workloads without a fit: the value that fits two players.
const USUAL_BURSTS: f64 = 0.17;

/// A setting that was fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitted {
    /// The name of the setting.
    pub setting: &'static str,
    /// The value that was found.
    pub value: f64,
}

impl Workload {
    /// Makes the trace in a new directory inside `parent`. The same seed results in the same operations.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn generate(&self, seed: u64, parent: &Path) -> Result<Trace, TraceError> {
        let fitted = self.fitted(seed)?;
        let meta = LogMeta {
            run_ns: 0,
            agent: "synthetic".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: blind_to(),
        };
        let mut writer = TraceWriter::create(parent, self.name, meta)?;
        let tally = self.play_on(SyntheticWriter::new(&mut writer), seed, fitted)?;
        writer.finish(self.info(seed, fitted, &tally))
    }

    /// The totals of a trace with this seed, without writing it.
    ///
    /// # Errors
    /// None in practice: counting writes no file.
    pub fn tally(&self, seed: u64) -> Result<Tally, TraceError> {
        let fitted = self.fitted(seed)?;
        self.play_on(SyntheticWriter::new(&mut Nowhere::default()), seed, fitted)
    }

    /// The table of published and achieved figures.
    pub fn figures(&self, tally: &Tally) -> Vec<TargetFigure> {
        let row = |target: &Target| TargetFigure {
            figure: target.figure.to_owned(),
            target: target.published,
            achieved: (target.of)(tally),
            tolerance: target.tolerance,
        };
        self.targets.iter().map(row).collect()
    }

    /// The setting with which this seed has the published sequential share; `None` if no setting is
    /// fitted.
    ///
    /// # Errors
    /// None in practice: counting writes no file.
    pub fn fitted(&self, seed: u64) -> Result<Option<Fitted>, TraceError> {
        let Some(fit) = &self.fit else { return Ok(None) };
        if seed == STANDARD_SEED {
            return Ok(Some(Fitted { setting: fit.setting, value: fit.standard }));
        }
        self.search(fit, seed).map(Some)
    }

    fn search(&self, fit: &Fit, seed: u64) -> Result<Fitted, TraceError> {
        let value = fit::bisect(fit.from, fit.to, fit.share, FIT_POINTS, |value| {
            let fitted = Some(Fitted { setting: fit.setting, value });
            let tally = self.play_on(SyntheticWriter::new(&mut Nowhere::default()), seed, fitted)?;
            Ok::<_, TraceError>(tally.sequential_percent())
        })?;
        Ok(Fitted { setting: fit.setting, value })
    }

    fn play_on(
        &self,
        mut tape: SyntheticWriter<'_>,
        seed: u64,
        fitted: Option<Fitted>,
    ) -> Result<Tally, TraceError> {
        (self.play)(&mut tape, seed, fitted.map_or(USUAL_BURSTS, |fitted| fitted.value))?;
        Ok(tape.end())
    }

    fn info(&self, seed: u64, fitted: Option<Fitted>, tally: &Tally) -> TraceInfo {
        let fit = match (fitted, &self.fit) {
            (Some(fitted), Some(fit)) => format!(
                " Fitted by bisection to a sequential share of {} %: {} {:.4}.",
                fit.share, fitted.setting, fitted.value
            ),
            _ => String::new(),
        };
        TraceInfo {
            name: self.name.to_owned(),
            about: format!("{LABEL} {} {}{fit}", self.what, self.notes),
            made_by: MADE_BY.to_owned(),
            source: format!("the NASPT paper's statistics, seed {seed}"),
            blind_to: blind_to(),
            synthetic: self.figures(tally),
            ..TraceInfo::default()
        }
    }
}

/// Properties that no statistic covers.
fn blind_to() -> Vec<String> {
    [
        "durations are nominal",
        "names of files",
        "opens, closes and directories in addition to reads and \
        writes",
    ]
    .map(str::to_owned)
    .into()
}

/// The twelve workloads, in the paper's order (Table 2).
pub fn workloads() -> &'static [Workload] {
    &WORKLOADS
}

/// The workload with this name, with or without `-synth`.
pub fn workload(name: &str) -> Option<&'static Workload> {
    let is_it = |workload: &&Workload| {
        workload.name == name || workload.name.strip_suffix("-synth").is_some_and(|short| short == name)
    };
    workloads().iter().find(is_it)
}

const fn target(figure: &'static str, published: f64, tolerance: f64, of: fn(&Tally) -> f64) -> Target {
    Target { figure, published, tolerance, of }
}

const fn files(published: f64) -> Target {
    target("files that are read or written", published, 0.0, |tally| f64::from(tally.files))
}

const fn sequential(figure: &'static str, published: f64, tolerance: f64) -> Target {
    target(figure, published, tolerance, Tally::sequential_percent)
}

const fn read_mb(figure: &'static str, published: f64, tolerance: f64) -> Target {
    target(figure, published, tolerance, |tally| tally.read_bytes as f64 / 1e6)
}

const fn written_mb(figure: &'static str, published: f64, tolerance: f64) -> Target {
    target(figure, published, tolerance, |tally| tally.written_bytes as f64 / 1e6)
}

const fn moved_mb(figure: &'static str, published: f64, tolerance: f64) -> Target {
    target(figure, published, tolerance, |tally| tally.bytes() as f64 / 1e6)
}

const fn smallest(published: f64) -> Target {
    target("smallest access, bytes", published, 0.0, Tally::smallest_bytes)
}

const fn largest(published: f64) -> Target {
    target("largest access, bytes", published, 0.0, Tally::largest_bytes)
}

const fn rate(published: f64, tolerance: f64) -> Target {
    target("mean throughput, MB/s (T1)", published, tolerance, Tally::mb_per_s)
}

const fn seconds(figure: &'static str, published: f64, tolerance: f64) -> Target {
    target(figure, published, tolerance, Tally::seconds)
}

const fn bursts(share: f64, standard: f64) -> Option<Fit> {
    let setting = "probability of two accesses in rapid succession";
    Some(Fit { setting, from: 0.0, to: 0.5, share, standard })
}

const KIB_256: f64 = 262_144.0;
const KIB_64: f64 = 65_536.0;

static WORKLOADS: [Workload; 12] = [
    Workload {
        name: "ContentCreation-synth",
        what: "Editing programs make a video from many sources.",
        notes: "T1 has 26 MB and 95 % writes, 4.1 has 155 MB and 90 %: 4.1 wins. T1's sequential share \
                (38.6 %) and 4.1's (about 40 %) are both met within a point. The span follows T1's rate, \
                48 minutes for 155 MB. The 3 s stall that the paper reports was caused by the storage \
                and is not part of the trace.",
        targets: &[
            files(98.0),
            moved_mb("MB moved (4.1)", 155.0, 1.0),
            target("writes among accesses, % (4.1)", 90.0, 0.5, Tally::write_percent),
            target("median read, bytes (4.1)", 1300.0, 50.0, Tally::median_read_bytes),
            target("median write, bytes (4.1)", 12_000.0, 250.0, Tally::median_write_bytes),
            target("largest access, bytes (T1: 64 kB)", KIB_64, 1000.0, Tally::largest_bytes),
            sequential("sequential, % (4.1: about 40)", 40.0, 1.0),
            sequential("sequential, % (T1)", 38.6, 1.0),
            target("sequential in the largest file, % (4.1)", 11.0, 0.5, Tally::watched_sequential_percent),
            rate(0.054, 0.001),
        ],
        fit: Some(Fit {
            setting: "mean accesses per sequential sequence outside the largest file",
            from: 1.5,
            to: 16.0,
            share: 39.3,
            standard: 4.020_507_812_5,
        }),
        play: content::play,
    },
    Workload {
        name: "DirectoryCopyFromNAS-synth",
        what: "A directory tree of an office suite is copied from the storage.",
        notes: "T1 counts 0.20 GB. 4.1 gives the same amount as for the copy in the \
                other direction, 247 MB; 4.1 is used. The exact figures follow from 2,833 files and 41.4 kB \
                on average.",
        targets: &[
            files(2833.0),
            target("accesses", 5966.0, 0.0, |tally| tally.accesses() as f64),
            read_mb("MB read (4.1)", 247.0, 0.5),
            largest(KIB_64),
            target("commonest read, bytes (T1)", KIB_64, 0.0, Tally::commonest_read_bytes),
            sequential("sequential, % (T1)", 52.5, 0.05),
            rate(13.0, 0.5),
        ],
        fit: None,
        play: copying::tree_from,
    },
    Workload {
        name: "DirectoryCopyToNAS-synth",
        what: "A directory tree of an office suite is copied to the storage.",
        notes: "T1 and 4.1 agree. One of the accesses is T1's read of 70 bytes.",
        targets: &[
            files(2833.0),
            target("accesses", 5966.0, 0.0, |tally| tally.accesses() as f64),
            written_mb("MB written (4.1)", 247.0, 0.5),
            target("bytes read (T1)", 70.0, 0.0, |tally| tally.read_bytes as f64),
            target("mean write, bytes (4.1)", 41_400.0, 50.0, Tally::mean_write_bytes),
            largest(KIB_64),
            target("commonest write, bytes (T1)", KIB_64, 0.0, Tally::commonest_write_bytes),
            sequential("sequential, % (T1)", 52.5, 0.05),
            rate(15.0, 0.5),
        ],
        fit: None,
        play: copying::tree_to,
    },
    Workload {
        name: "FileCopyFromNAS-synth",
        what: "A file of 1.4 GB is copied from the storage.",
        notes: "T1 has 4.3 GB, 4.1 has 1.4 GB: 4.1 wins.",
        targets: &[
            files(1.0),
            read_mb("MB read (4.1)", 1400.0, 1.0),
            smallest(KIB_64),
            largest(KIB_64),
            sequential("sequential, % (T1, 4.1)", 100.0, 0.01),
            rate(51.0, 0.5),
        ],
        fit: None,
        play: copying::file_from,
    },
    Workload {
        name: "FileCopyToNAS-synth",
        what: "A file of 1.4 GB is copied to the storage.",
        notes: "T1 has 4.3 GB, 4.1 has 1.4 GB: 4.1 wins.",
        targets: &[
            files(1.0),
            written_mb("MB written (4.1)", 1400.0, 1.0),
            smallest(KIB_64),
            largest(KIB_64),
            sequential("sequential, % (T1, 4.1)", 100.0, 0.01),
            rate(55.0, 0.5),
        ],
        fit: None,
        play: copying::file_to,
    },
    Workload {
        name: "HDVideo_1Play-synth",
        what: "A player plays ten minutes of HD video.",
        notes: "T1 has 2.0 GB at 2.0 MB/s, 4.1 has 1.3 GB in ten minutes: 4.1 wins.",
        targets: &[
            files(1.0),
            read_mb("MB read (4.1)", 1300.0, 13.0),
            smallest(KIB_256),
            largest(KIB_256),
            sequential("sequential, % (T1)", 99.5, 0.05),
            seconds("duration, s (4.1)", 600.0, 6.0),
        ],
        fit: None,
        play: video::one_play,
    },
    Workload {
        name: "HDVideo_1Play_1Record-synth",
        what: "A player and a recorder at once, the recorder 50 ms behind.",
        notes: "Two streams at their own rates would move a little more than the published 1 GB, so the \
            player's rate is reduced to match it.",
        targets: &[
            files(2.0),
            moved_mb("MB moved (4.1)", 1000.0, 10.0),
            smallest(KIB_256),
            largest(KIB_256),
            sequential("sequential, % (4.1: about 20)", 20.0, 1.0),
            seconds("duration, s (4.1)", 260.0, 2.6),
        ],
        fit: bursts(20.0, 0.148_742_675_781_25),
        play: video::play_and_record,
    },
    Workload {
        name: "HDVideo_1Record-synth",
        what: "A recorder records fifteen minutes of broadcast HD video.",
        notes: "T1 has 2.0 GB, 4.1 has 1.6 GB: 4.1 wins. The rates agree.",
        targets: &[
            files(1.0),
            written_mb("MB written (4.1)", 1600.0, 16.0),
            smallest(KIB_256),
            largest(KIB_256),
            sequential("sequential, % (T1)", 99.9, 0.05),
            seconds("duration, s (4.1)", 900.0, 9.0),
            rate(1.8, 0.05),
        ],
        fit: None,
        play: video::one_record,
    },
    Workload {
        name: "HDVideo_2Play-synth",
        what: "Two players at once.",
        notes: "4.1 gives the sequential share as about 18 %, SDC as 18.1 %.",
        targets: &[
            files(2.0),
            read_mb("MB read (4.1)", 1400.0, 14.0),
            smallest(KIB_256),
            largest(KIB_256),
            sequential("sequential, % (SDC)", 18.1, 1.0),
            seconds("duration, s (4.1: about six minutes)", 360.0, 6.0),
        ],
        fit: bursts(18.1, 0.172_851_562_5),
        play: video::two_play,
    },
    Workload {
        name: "HDVideo_4Play-synth",
        what: "Four players at once.",
        notes: "4.1 gives the sequential share as about 11 %, SDC as 9.6 %: both are met within a point. \
                The published bytes and durations of one, two and four players agree only if the first \
                part of the film has a low rate. This trace has such a first part.",
        targets: &[
            files(4.0),
            read_mb("MB read (4.1)", 1300.0, 13.0),
            smallest(KIB_256),
            largest(KIB_256),
            sequential("sequential, % (4.1: about 11)", 11.0, 1.0),
            sequential("sequential, % (SDC)", 9.6, 1.0),
            seconds("duration, s (4.1)", 225.0, 3.0),
        ],
        fit: bursts(10.3, 0.099_121_093_75),
        play: video::four_play,
    },
    Workload {
        name: "OfficeProductivity-synth",
        what: "A day's work with an office suite.",
        notes: "4.1 rounds to six hundred files and 80 % sequential, T1 has 607 and 81.3 %: T1 wins. The \
                span follows T1's rate.",
        targets: &[
            files(607.0),
            read_mb("MB read (T1, 4.1)", 1400.0, 7.0),
            written_mb("MB written (T1, 4.1)", 1400.0, 7.0),
            target("median read, bytes (4.1)", 2200.0, 50.0, Tally::median_read_bytes),
            target("median write, bytes (4.1)", 1800.0, 50.0, Tally::median_write_bytes),
            target("commonest read, bytes (T1: 1 kB)", 1024.0, 0.0, Tally::commonest_read_bytes),
            target("commonest write, bytes (T1: 1 kB)", 1024.0, 0.0, Tally::commonest_write_bytes),
            target("smallest file, bytes (4.1)", 12.0, 0.0, |tally| tally.file_bytes.0 as f64),
            target("largest file, MB (4.1: over 200)", 210.0, 9.0, |tally| tally.file_bytes.1 as f64 / 1e6),
            sequential("sequential, % (T1)", 81.3, 0.5),
            rate(0.77, 0.01),
        ],
        fit: Some(Fit {
            setting: "mean accesses per sequential sequence",
            from: 2.0,
            to: 12.0,
            share: 81.3,
            standard: 5.105_468_75,
        }),
        play: office::play,
    },
    Workload {
        name: "PhotoAlbum-synth",
        what: "A user browses pictures.",
        notes: "4.1 does not describe it, so T1 and the paper's section 2.2 apply. The duration follows T1's \
                rate: 675 s, where the authors' slides say ten minutes.",
        targets: &[
            files(169.0),
            read_mb("MB read (T1)", 810.0, 8.0),
            target("writes among accesses, % (T1)", 0.0, 0.0, Tally::write_percent),
            smallest(2.0),
            sequential("sequential, % (T1)", 80.0, 0.5),
            rate(1.2, 0.05),
        ],
        fit: Some(Fit {
            setting: "probability of a look-up before each piece of a file that is read",
            from: 0.6,
            to: 0.0,
            share: 80.0,
            standard: 0.087_890_625,
        }),
        play: photo::play,
    },
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stored_fit_equals_the_search_result() {
        for workload in workloads() {
            let Some(fit) = &workload.fit else { continue };
            let found = workload.search(fit, STANDARD_SEED).unwrap();
            assert_eq!(Some(found), workload.fitted(STANDARD_SEED).unwrap(), "{}", workload.name);
        }
    }

    #[test]
    fn workloads_have_the_papers_names_and_are_found_by_them() {
        for made in workloads() {
            let short = made.name.strip_suffix("-synth").unwrap();
            assert_eq!(workload(short).unwrap().name, made.name);
            assert_eq!(workload(made.name).unwrap().name, made.name);
        }
        assert!(workload("HDVideo_5Play").is_none());
    }
}
