//! The result of a comparison as sentences, for a reader who reads nothing else. Streams come first:
//! whether the criteria were met, how many streams are possible, whether frames were late, and the
//! margin. The other figures follow.

use crate::sentence::{Sentence, Tone};
use reelgauge_analysis::compare::{
    ComparedLate, ComparedRun, Comparison, ComparisonRow, INCIDENTS, Judgement, Kinship, LATE_FRAMES,
    SILENCE, STREAMS_HIT, VERDICT, WORST_MARGIN, Weight, is_about_reelgauge, weight,
};

use super::cautions::plan_words;
use super::{is_noise_told, name_of, said_values, signed, unsigned};
use crate::text::capital;
use crate::units::{count, counted, number};

/// A sentence lists this many changes and counts the others.
const TOLD: usize = 3;

/// With fewer disturbances than this, chance alone can explain that all of them occurred in one of two
/// runs.
const EVENTS_SURE: u64 = 7;

/// If counts of late frames differ by more than this factor, but within the noise, the sentence explains
/// why.
const SIZES_DIFFER: f64 = 1.1;

/// A smaller difference in demand, in percent, is not mentioned.
const DEMAND_TOLD_PERCENT: f64 = 3.0;

/// The sentences, the result first. Each side other than the first has its own.
pub(super) fn sentences(comparison: &Comparison) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> =
        comparison.others().into_iter().filter_map(|run| Side { comparison, run }.other_plan()).collect();
    for run in comparison.others() {
        Side { comparison, run }.tell(&mut sentences);
    }
    let is_kin = |run: &ComparedRun| !matches!(run.kinship, Kinship::OtherWork | Kinship::Itself);
    let has_kin = comparison.runs.iter().skip(1).any(is_kin);
    if !has_kin {
        return sentences;
    }
    if comparison.runs.iter().any(is_of_another_length) {
        sentences.push(plain("Their plans differ (see the warnings), so the storage need not be the cause."));
    }
    sentences.push(plain(if comparison.has_repeats() {
        "The noise is the spread among the repeated runs."
    } else {
        "The noise is estimated from each run alone and misses differences between runs. Compare three runs \
         before and three after, with --repeats 3."
    }));
    sentences
}

/// Whether its plan differs in settings that do not change the work, such as its length.
fn is_of_another_length(run: &ComparedRun) -> bool {
    run.kinship != Kinship::OtherWork && run.plan_differences.iter().any(|one| !one.changes_work)
}

/// One side of a comparison and the first side.
struct Side<'a> {
    comparison: &'a Comparison,
    run: usize,
}

impl Side<'_> {
    fn tell(&self, into: &mut Vec<Sentence>) {
        if self.told().kinship == Kinship::OtherWork {
            into.push(self.other_work());
            return;
        }
        if self.told().kinship == Kinship::Itself {
            into.push(self.itself());
            return;
        }
        let (better, worse, different) =
            (self.of(Judgement::Better), self.of(Judgement::Worse), self.of(Judgement::Different));
        let same = self.of(Judgement::Same).iter().filter(|row| row.is_judged(self.run)).count();
        if better.is_empty() && worse.is_empty() && different.is_empty() {
            into.push(self.nothing(same));
        }
        into.extend(self.streams_alike(&[&better, &worse, &different]));
        for (tone, what, rows) in [
            (Tone::Bad, ("worse", "than"), &worse),
            (Tone::Answer, ("better", "than"), &better),
            (Tone::Plain, ("different", "from"), &different),
        ] {
            self.changed(tone, what, rows, into);
        }
        self.about_streams(into);
        let changed = better.len() + worse.len() + different.len();
        if changed > 0 && same > 0 {
            let verb = if same == 1 { "differs" } else { "differ" };
            into.push(plain(&format!("{} {verb} by no more than the noise.", figures(same))));
        }
        let unknown = self.of(Judgement::Unknown).len();
        if unknown > 0 && changed + same > 0 {
            let text = format!(
                "{} cannot be judged: too little was measured, or the figure is in \
                         only one run.",
                figures(unknown)
            );
            into.push(plain(&text));
        }
    }

    fn told(&self) -> &ComparedRun {
        &self.comparison.runs[self.run]
    }

    /// The runs on the same side as this run.
    fn of_side(&self, run: usize) -> impl Iterator<Item = usize> {
        let all = 0..self.comparison.runs.len();
        all.filter(move |&other| self.comparison.side(other) == self.comparison.side(run))
    }

    /// `run 2 (nfs)`, `runs 3 and 4`.
    fn name(&self, run: usize) -> String {
        let numbers: Vec<String> = self.of_side(run).map(|run| (run + 1).to_string()).collect();
        match numbers.split_last() {
            Some((last, rest)) if !rest.is_empty() => {
                let tags = name_of(&self.comparison.runs[run]).map(|tags| format!(" ({tags})"));
                format!("runs {} and {last}{}", rest.join(", "), tags.unwrap_or_default())
            }
            _ => numbered(self.comparison, run),
        }
    }

    fn who(&self) -> String {
        self.name(self.run)
    }

    fn base(&self) -> String {
        self.name(0)
    }

    /// The rows with this judgement, most important first.
    fn of(&self, judgement: Judgement) -> Vec<&ComparisonRow> {
        let rows = self.comparison.rows.iter().filter(|row| row.judgement[self.run] == judgement);
        let mut rows: Vec<&ComparisonRow> = rows.filter(|row| !is_about_reelgauge(&row.figure)).collect();
        rows.sort_by_key(|row| weight(&row.figure));
        rows
    }

    fn changed(
        &self,
        tone: Tone,
        (what, than): (&str, &str),
        rows: &[&ComparisonRow],
        into: &mut Vec<Sentence>,
    ) {
        let (streams, others): (Vec<&ComparisonRow>, Vec<&ComparisonRow>) =
            rows.iter().partition(|row| weight(&row.figure) < Weight::Headline);
        let told = self.clauses(&streams);
        let verb = if self.of_side(self.run).count() > 1 { "are" } else { "is" };
        let head = format!("{} {verb} {what} {than} {}", capital(&self.who()), self.base());
        if !told.is_empty() {
            into.push(Sentence { tone, text: format!("{head}: {}.", told.join("; ")) });
        }
        if !others.is_empty() {
            let head = if told.is_empty() { head } else { format!("Also {what}") };
            let tone = if told.is_empty() { tone } else { Tone::Plain };
            into.push(Sentence { tone, text: format!("{head}: {}.", self.listed(&others)) });
        }
    }

    /// The changes of streams; the late frames of each load point appear once.
    fn clauses(&self, rows: &[&ComparisonRow]) -> Vec<String> {
        let is_told = |row: &&&ComparisonRow| match row.figure.as_str() {
            // Late frames already cover it.
            INCIDENTS | STREAMS_HIT => !self.is_among(rows, LATE_FRAMES, &row.group),
            WORST_MARGIN | SILENCE => !self.is_among(rows, LATE_FRAMES, &row.group),
            _ => true,
        };
        let told: Vec<&&ComparisonRow> = rows.iter().filter(is_told).collect();
        let mut clauses: Vec<String> = told.iter().take(TOLD).map(|row| self.clause(row)).collect();
        if told.len() > TOLD {
            clauses.push(format!("and {} more", told.len() - TOLD));
        }
        clauses
    }

    fn is_among(&self, rows: &[&ComparisonRow], figure: &str, group: &str) -> bool {
        rows.iter().any(|row| row.figure == figure && row.group == group)
    }

    fn clause(&self, row: &ComparisonRow) -> String {
        let place = self.place(row);
        match row.figure.as_str() {
            VERDICT if row.judgement[self.run] == Judgement::Worse => {
                format!("its criteria are not met{place}; those of {} are met", self.base())
            }
            VERDICT => format!("its criteria are met{place}; those of {} are not", self.base()),
            LATE_FRAMES => {
                let [here, base] = [self.run, 0].map(|run| self.late_of_side(&row.group, run));
                match (here, base) {
                    (Some(here), Some(base)) => format!("{here}{place}; {}: {base}", self.base()),
                    _ => self.figure(row),
                }
            }
            _ => self.figure(row),
        }
    }

    /// Late frames of a run, or of all runs of its side.
    fn late_of_side(&self, group: &str, run: usize) -> Option<String> {
        let late: Vec<&ComparedLate> =
            self.of_side(run).filter_map(|run| self.comparison.late_of(group, run)).collect();
        match late.as_slice() {
            [] => None,
            [one] => Some(late_frames(one)),
            several => {
                let sum = |of: fn(&ComparedLate) -> u64| several.iter().map(|one| of(one)).sum::<u64>();
                let frames = sum(|late| late.late_frames);
                if frames == 0 {
                    return Some("no late frame".to_owned());
                }
                let hit = several.iter().filter(|one| one.late_frames > 0).count();
                Some(format!(
                    "{} of {} frames late, in {} of {} runs",
                    count(frames),
                    count(sum(|late| late.frames_judged)),
                    hit,
                    several.len()
                ))
            }
        }
    }

    /// ` with 8 players`, if there are several load points.
    fn place(&self, row: &ComparisonRow) -> String {
        let groups = self.comparison.rows.iter().filter(|other| other.figure == row.figure).count();
        if row.group.is_empty() || groups < 2 { String::new() } else { format!(" with {}", row.group) }
    }

    /// `read, MB/s with 4 workers +20 % (180, then 216 MB/s; noise 4 %); …; and 3 more`.
    fn listed(&self, rows: &[&ComparisonRow]) -> String {
        let mut told = rows.iter().take(TOLD).map(|row| self.figure(row)).collect::<Vec<_>>().join("; ");
        if rows.len() > TOLD {
            told.push_str(&format!("; and {} more", rows.len() - TOLD));
        }
        told
    }

    fn figure(&self, row: &ComparisonRow) -> String {
        let name = row.label.words();
        let unit = if row.label.unit.is_empty() { String::new() } else { format!(" {}", row.label.unit) };
        let values = said_values(self.comparison, row, self.run);
        if !is_noise_told(row, self.run) {
            // With such noise the two values are clearer than a percentage.
            return format!("{name}{} ({})", self.place(row), values.with_units(&unit));
        }
        let values = format!("{}{unit}", values.then());
        let change =
            row.change_percent[self.run].map_or_else(String::new, |change| format!(" {}", signed(change)));
        let noise = row.noise_percent[self.run]
            .map_or_else(String::new, |noise| format!("; noise {}", unsigned(noise)));
        format!("{name}{}{change} ({values}{noise})", self.place(row))
    }

    /// Reports that the operations differed. This sentence comes before all figures.
    fn other_plan(&self) -> Option<Sentence> {
        let run = self.told();
        let differences: Vec<_> = run.plan_differences.iter().filter(|one| one.changes_work).collect();
        if differences.is_empty() || matches!(run.kinship, Kinship::OtherWork | Kinship::Itself) {
            return None;
        }
        let text = format!(
            "{} ran a different workload from {}: {}. Response times and operations per second are not \
             compared. Throughput is shown but not judged.",
            capital(&self.who()),
            self.base(),
            plan_words(&differences)
        );
        Some(Sentence { tone: Tone::Bad, text })
    }

    fn itself(&self) -> Sentence {
        let text = format!(
            "{} and {} are the same run, so there is nothing to compare. Name another run of the same \
             workload: 'reelgauge run RUN/run.toml' repeats one.",
            capital(&self.base()),
            self.who()
        );
        Sentence { tone: Tone::Bad, text }
    }

    fn other_work(&self) -> Sentence {
        let text = format!(
            "{} cannot be compared with {}: it was {}, but {} was {}. Run the same workload on both: \
             'reelgauge run RUN/run.toml' repeats a run.",
            capital(&self.who()),
            self.base(),
            work(self.told()),
            self.base(),
            work(&self.comparison.runs[0])
        );
        Sentence { tone: Tone::Bad, text }
    }

    /// The sentence if nothing changed or nothing is known.
    fn nothing(&self, same: usize) -> Sentence {
        let (who, base) = (self.who(), self.base());
        if same == 0 && self.told().kinship == Kinship::OtherPlan {
            let text =
                format!("No figure of {who} can be compared with {base}, because the workload differs.");
            return Sentence { tone: Tone::Bad, text };
        }
        if same == 0 {
            let text = format!(
                "Unknown how {who} compares with {base}: the noise of no figure is known in both runs. \
                 Use load points of 30 s or more (--duration)."
            );
            return Sentence { tone: Tone::Bad, text };
        }
        let is_open = |row: &ComparisonRow| row.judgement[self.run] == Judgement::Unknown;
        if self.rows_of(LATE_FRAMES).any(is_open) {
            let text = format!(
                "Unknown whether late frames of {who} and {base} differ. {} {} by no more than the noise.",
                capital(&figures(same)),
                if same == 1 { "differs" } else { "differ" }
            );
            return Sentence { tone: Tone::Inconclusive, text };
        }
        let text = match self.calm() {
            Some(calm) => format!("No difference between {who} and {base}: {calm}."),
            None => format!(
                "No difference between {who} and {base} beyond the noise, in {}.",
                counted(same as u64, "figure")
            ),
        };
        Sentence { tone: Tone::Answer, text }
    }

    /// Reports that the streams did equally well if only other figures changed. It comes before those
    /// figures.
    fn streams_alike(&self, changed: &[&Vec<&ComparisonRow>]) -> Option<Sentence> {
        let mut rows = changed.iter().flat_map(|rows| rows.iter()).peekable();
        rows.peek()?;
        if rows.any(|row| weight(&row.figure) < Weight::Headline) {
            return None;
        }
        let text =
            format!("No difference for the streams of {} and {}: {}.", self.who(), self.base(), self.calm()?);
        Some(Sentence { tone: Tone::Answer, text })
    }

    /// The common facts of unchanged streams: `no late frame in either; the worst margin was 812 and 790
    /// ms`.
    fn calm(&self) -> Option<String> {
        let late: Vec<&ComparisonRow> = self.rows_of(LATE_FRAMES).collect();
        let is_same = |row: &&ComparisonRow| row.judgement[self.run] == Judgement::Same;
        if late.is_empty() || !late.iter().all(is_same) {
            return None;
        }
        let frames = |run: usize| late.iter().filter_map(|row| row.values[run]).sum::<f64>();
        if frames(0) > 0.0 {
            return Some("both had late frames, and the difference may be chance".to_owned());
        }
        let margins = self.rows_of(WORST_MARGIN).min_by(|one, two| {
            one.values[self.run].unwrap_or(f64::MAX).total_cmp(&two.values[self.run].unwrap_or(f64::MAX))
        });
        let margin = margins.map_or_else(String::new, |row| {
            // In the order in which the sentence names the runs.
            format!("; the worst margins were {} and {} ms", row.texts[self.run], row.texts[0])
        });
        Some(format!("no late frame in either{margin}"))
    }

    /// The rows of a figure that both runs have.
    fn rows_of(&self, figure: &str) -> impl Iterator<Item = &ComparisonRow> {
        let has_both = |row: &&ComparisonRow| row.values[0].is_some() && row.values[self.run].is_some();
        self.comparison.rows.iter().filter(move |row| row.figure == figure).filter(has_both)
    }

    /// Facts that the reader needs to interpret the figures of streams.
    fn about_streams(&self, into: &mut Vec<Sentence>) {
        if self.told().kinship == Kinship::OtherCounts {
            into.push(plain(&self.other_counts()));
        }
        for row in self.rows_of(LATE_FRAMES) {
            let late = [0, self.run].map(|run| self.comparison.late_of(&row.group, run));
            if let [Some(base), Some(here)] = late {
                into.extend(self.about_incidents(row, base, here).map(|text| plain(&text)));
            }
        }
        let is_demand = |row: &&ComparisonRow| {
            row.judgement[self.run] == Judgement::Demand
                && row.change_percent[self.run].is_some_and(|change| change.abs() > DEMAND_TOLD_PERCENT)
        };
        if self.comparison.rows.iter().any(|row| is_demand(&row)) {
            into.push(plain(
                "Throughput and operations per second follow the streams' demand. A change in them is \
                 neither a gain nor a loss.",
            ));
        }
    }

    fn other_counts(&self) -> String {
        let streams = |run: usize| {
            let of_run = self.comparison.late.iter().filter(|late| late.run as usize == run);
            of_run.map(|late| late.streams).max()
        };
        let (base, who) = (capital(&self.base()), self.who());
        // If no frame was judged, as in a warm-up that was stopped, there is no count.
        let numbers = match (streams(0), streams(self.run)) {
            (Some(one), Some(two)) if one == two => {
                format!("{base} and {who} ran different numbers of streams or workers")
            }
            (Some(one), Some(two)) => {
                format!("{base} ran {}; {who} ran {}", counted(one, "stream"), count(two))
            }
            (Some(one), None) => {
                format!("{base} ran {}; the streams of {who} were not measured", counted(one, "stream"))
            }
            (None, Some(two)) => format!(
                "The streams of {} were not measured; {who} ran {}",
                self.base(),
                counted(two, "stream")
            ),
            (None, None) => format!("The streams of {} and {who} were not measured", self.base()),
        };
        format!(
            "{numbers}. Criteria, late frames and margins are compared; throughput and response times of \
             different loads are not."
        )
    }

    fn about_incidents(
        &self,
        row: &ComparisonRow,
        base: &ComparedLate,
        here: &ComparedLate,
    ) -> Option<String> {
        let (fewer, more) = (base.incidents.min(here.incidents), base.incidents.max(here.incidents));
        let frames = [base.late_frames as f64, here.late_frames as f64];
        let sizes_differ = frames[0].max(frames[1]) > SIZES_DIFFER * frames[0].min(frames[1]);
        match row.judgement[self.run] {
            Judgement::Better | Judgement::Worse if fewer == 0 && more < EVENTS_SURE => Some(format!(
                "{} in one and none in the other: so few may be chance. Repeat both runs to find out.",
                capital(&counted(more, "incident"))
            )),
            Judgement::Same if fewer > 0 && sizes_differ => Some(format!(
                "{} late frames in {}, compared with {} in {}. Each incident counts as one event, so its \
                 number of frames does not prove a difference.",
                count(base.late_frames),
                counted(base.incidents, "incident"),
                count(here.late_frames),
                count(here.incidents)
            )),
            Judgement::Unknown if is_own(base) || is_own(here) => {
                let own = |(late, name): (&ComparedLate, String)| {
                    is_own(late).then(|| format!("all {} of {name}", counted(late.late_frames, "late frame")))
                };
                let both: Vec<String> =
                    [(base, self.base()), (here, self.who())].into_iter().filter_map(own).collect();
                Some(format!(
                    "Reelgauge or its client caused {}, so they show nothing about the storage.",
                    both.join(" and ")
                ))
            }
            Judgement::Unknown => Some(format!(
                "Unknown whether late frames differ: {} was measured for {} s with {}, and {} for {} s with \
                 {}. The shorter run may have missed some.",
                self.base(),
                seconds(base.measured_s),
                counted(base.incidents, "incident"),
                self.who(),
                seconds(here.measured_s),
                count(here.incidents)
            )),
            _ => None,
        }
    }
}

/// Whether frames were late and no incident of the measured system explains them.
fn is_own(late: &ComparedLate) -> bool {
    late.late_frames > 0 && late.incidents == 0
}

/// `run 2 (nfs)`: its number, and the tags that distinguish it.
pub(super) fn numbered(comparison: &Comparison, run: usize) -> String {
    let tags = comparison.runs.get(run).and_then(name_of).map(|tags| format!(" ({tags})"));
    format!("run {}{}", run + 1, tags.unwrap_or_default())
}

/// `57 of 1,125 frames late on all 3 streams, in 1 incident (1.7 s, at 7.9 s)`; `no late frame`.
fn late_frames(late: &ComparedLate) -> String {
    if late.late_frames == 0 {
        return "no late frame".to_owned();
    }
    let on = match (late.streams, late.streams_with_late_frames) {
        (1, _) => String::new(),
        (2, 2) => " on both streams".to_owned(),
        (all, hit) if all == hit => format!(" on all {} streams", count(all)),
        (all, hit) => format!(" on {} of {} streams", count(hit), count(all)),
    };
    let incidents = match (late.incidents, late.worst_incident) {
        (0, _) | (_, None) => String::new(),
        (1, Some(one)) => {
            format!(
                ", in 1 incident of {} s, starting at {} s",
                seconds(one.length_s),
                seconds(one.began_in_point_s)
            )
        }
        (several, Some(worst)) => format!(
            ", in {} incidents; the worst lasted {} s, starting at {} s",
            count(several),
            seconds(worst.length_s),
            seconds(worst.began_in_point_s)
        ),
    };
    format!("{} of {} frames late{on}{incidents}", count(late.late_frames), count(late.frames_judged))
}

/// `a search for the most players of prores-422-hq-uhd-25`, `a random mix`.
fn work(run: &ComparedRun) -> String {
    let one = |kind: &str, media: &str| match (kind, media) {
        ("mix", _) => "random reads and writes (mix)".to_owned(),
        ("replay", trace) => format!("a replay of {trace}"),
        (kind, "") => format!("{kind}s"),
        (kind, media) => format!("{kind}s of {media}"),
    };
    let mut all: Vec<String> = run.work.iter().map(|actor| one(&actor.kind, &actor.media)).collect();
    all.dedup();
    let what = match (all.is_empty(), run.verb.as_str()) {
        (true, "check") => "a quick check (check)".to_owned(),
        (true, verb) => format!("a run of '{verb}'"),
        (false, _) => all.join(" with "),
    };
    if run.searches { format!("a search for the largest number of {what}") } else { what }
}

/// Seconds in an everyday form; short times keep the digits that they need.
fn seconds(value: f64) -> String {
    if value < 1.0 { number(value) } else { format!("{value:.1}") }
}

fn plain(text: &str) -> Sentence {
    Sentence { tone: Tone::Plain, text: text.to_owned() }
}

fn figures(number: usize) -> String {
    counted(number as u64, "figure")
}
