//! The search for the largest number of streams that a storage sustains (`--find-max`, `check`).
//!
//! Pure: the caller asks for the next trial ([`Search::next`]) and reports its result
//! ([`Search::report`]). What to try next follows from the evidence alone, so a search that was
//! interrupted and read back from a file goes on as if nothing had happened.
//!
//! How it goes: up by doubling until a trial fails, then by bisection, then the two edges are tried
//! again.
//! * Lower edge: the largest count that passed every time, below every count that ever failed.
//! * Upper edge: the smallest count that failed every time, above every count that ever passed.
//!
//! The lower edge must pass [`SearchSettings::repeats`] times, and the upper one must fail one time
//! more. Where they are neighbours then, the answer is one number. If a count both passed and failed, or
//! a larger one passed than one that failed, there is noise: then the edges must hold
//! [`SearchSettings::repeats_with_noise`] times, and the answer is a range, with the counts between the
//! edges passing sometimes. More than what passed every time is never claimed.
//!
//! How often is enough was found by simulation: with the defaults, the count that passes every other time
//! lies in the range in at least 19 of 20 searches, however wide the noise; a test repeats it.
//!
//! One disturbed trial must not decide: if a count failed once and it or a larger one passed, it is
//! tried again. When it has passed [`SearchSettings::repeats`] times since, and it and larger counts
//! together three times as often, that one failure is set aside: a count that fails every other time
//! would look like that in one of a hundred searches. The evidence still shows it.
//!
//! Trials are short, so the answer must also hold on for [`SearchSettings::confirm_s`], once. A count that
//! does not is refuted: what it passed before counts no longer, and the search goes on below it.
//!
//! A trial that failed because the client was the limit does not measure the storage. It bounds the
//! search, but the answer names the client as the limit.
//!
//! A check has seconds, not minutes. With [`SearchSettings::expected`] the search is a quick one (`quick`):
//! it ends within its time, with an error.
//!
//! Not here: running a trial, and judging whether it passed.

mod quick;

use std::fmt::Write as _;

pub use quick::FAR_OVER;
use serde::{Deserialize, Serialize};

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSettings {
    /// The first count to try; at least 1.
    pub start: u32,
    /// The largest count to try; at least `start`.
    pub cap: u32,
    /// How often the lower edge must pass; at least 1. The upper edge must fail one time more than that.
    pub repeats: u32,
    /// The same once there is noise; at least `repeats`.
    pub repeats_with_noise: u32,
    /// How long the answer must hold on, once, at the end; without it trials of the usual length suffice.
    pub confirm_s: Option<f64>,
    /// Trials that may be made.
    pub trials_max: Option<u32>,
    /// Time that the trials may take together. None is begun that is not likely to end within it.
    pub time_max_s: Option<f64>,
    /// Makes the search a quick one. The storage seems to give as much as so many streams need.
    pub expected: Option<f64>,
}

impl Default for SearchSettings {
    fn default() -> SearchSettings {
        SearchSettings {
            start: 1,
            cap: 10_000,
            repeats: 3,
            repeats_with_noise: 6,
            confirm_s: None,
            trials_max: None,
            time_max_s: None,
            expected: None,
        }
    }
}

/// How a trial went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Whether its criteria were met.
    pub passed: bool,
    /// Whether this client, and not the storage, was the limit. Only matters where it did not pass.
    pub limited_by_client: bool,
    /// How long it took.
    pub took_s: f64,
    /// Whether it took as long as the answer must hold on ([`Why::Confirm`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirms: bool,
    /// The storage gave as much as so many streams need. Only a quick search uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
}

/// All trials with one count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountEvidence {
    /// The count.
    pub streams: u32,
    /// Trials that passed.
    pub passed: u32,
    /// Trials that failed because of the storage.
    pub failed: u32,
    /// Trials that failed because of the client.
    pub client_limited: u32,
    /// Those that passed and took as long as the answer must hold on.
    #[serde(default)]
    pub confirmed: u32,
    /// Failed trials of the confirmation length.
    #[serde(default)]
    pub refuted: u32,
    /// The most that the storage gave in a trial that failed: [`Trial::reached`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
}

impl CountEvidence {
    /// Trials that passed, and were not refuted by a longer one.
    fn stands(&self) -> u32 {
        if self.refuted > 0 { 0 } else { self.passed }
    }

    /// Trials that did not pass.
    pub fn fell(&self) -> u32 {
        self.failed.saturating_add(self.client_limited)
    }

    /// All trials.
    pub fn trials(&self) -> u32 {
        self.passed.saturating_add(self.fell())
    }
}

/// Why a count is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// No trial failed so far: further up.
    Rise,
    /// It is between a count that passed and one that failed.
    Bisect,
    /// It passed and must do so again.
    ConfirmPass,
    /// It failed and must fail again.
    ConfirmFall,
    /// One below it passed, although one further below had fallen.
    LookAbove,
    /// It failed once, and it or a larger one passed: was that trial disturbed?
    Repeat,
    /// It is the answer, if it holds on for [`SearchSettings::confirm_s`].
    Confirm,
}

/// Which budget was spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// [`SearchSettings::trials_max`].
    Trials,
    /// [`SearchSettings::time_max_s`].
    Time,
}

/// What the search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum Answer {
    /// This count passed every time, the next one never.
    Exactly {
        /// The count.
        streams: u32,
    },
    /// There is noise, or the search was a quick one.
    Between {
        /// The largest count that passed every time; 0 if there is none.
        lo: u32,
        /// The largest count that ever passed; the next one never did.
        hi: u32,
    },
    /// Not even one stream passed.
    NotEvenOne,
    /// No trial failed, up to the largest count that could be tried.
    AtLeast {
        /// That count.
        streams: u32,
    },
    /// The client was the limit; the storage may carry more.
    ClientLimited {
        /// The largest count that passed every time; 0 if there is none.
        streams: u32,
        /// The smallest count at which the client was the limit.
        limited_at: u32,
    },
    /// The search was not finished.
    BudgetSpent {
        /// The largest count that passed whenever it was tried, below every count that ever failed; 0 if
        /// there is none.
        streams: u32,
        /// The smallest count that failed whenever it was tried, above every count that ever passed.
        failing_from: Option<u32>,
        /// Which budget was spent.
        budget: Budget,
    },
}

impl Answer {
    /// The count that may be claimed: it passed every time it was tried.
    pub fn streams(&self) -> u32 {
        match *self {
            Answer::Exactly { streams }
            | Answer::AtLeast { streams }
            | Answer::ClientLimited { streams, .. }
            | Answer::BudgetSpent { streams, .. } => streams,
            Answer::Between { lo, .. } => lo,
            Answer::NotEvenOne => 0,
        }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Make a trial.
    Try {
        /// With this many streams.
        streams: u32,
        /// Because of this.
        why: Why,
    },
    /// Nothing: this is the answer.
    Done(Answer),
}

/// Settings or trials that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Starting at no stream.
    #[error("the search must start with at least one stream")]
    StartsAtZero,
    /// The cap lies below the start.
    #[error(
        "a search that starts with {start} streams cannot end at {cap}. Raise the cap or lower the start"
    )]
    CapBelowStart {
        /// The start.
        start: u32,
        /// The cap.
        cap: u32,
    },
    /// Edges that are never tried, or less often with noise than without.
    #[error(
        "the counts next to the limit must be tried at least once, and with noise ({with_noise} times) at \
         least as often as without ({without} times)"
    )]
    TooFewRepeats {
        /// Without noise.
        without: u32,
        /// With noise.
        with_noise: u32,
    },
    /// A time that is none.
    #[error("{seconds} s is not a valid time. Use a positive number of seconds")]
    NoTime {
        /// What was given.
        seconds: f64,
    },
    /// A trial with a count that the search does not know.
    #[error("a trial with {streams} streams is outside the search range of 1 to {cap}")]
    OutOfRange {
        /// The count.
        streams: u32,
        /// The cap.
        cap: u32,
    },
}

/// The search: its settings and what is known so far. To be written and read back as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    settings: SearchSettings,
    /// By count, ascending.
    evidence: Vec<CountEvidence>,
    spent_s: f64,
    longest_s: f64,
}

/// The edges as the evidence has them. Counts are 0 where there is none: no streams always pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edges {
    /// The largest count that passed, below every count that ever failed.
    sure: u32,
    /// The smallest count that ever failed.
    first_fall: Option<u32>,
    /// The largest count that ever passed.
    top_pass: u32,
    /// The smallest count that failed, above every count that ever passed.
    ceiling: Option<u32>,
}

impl Search {
    /// A search that knows nothing.
    ///
    /// # Errors
    /// Settings that cannot be; see [`SearchSettings`].
    pub fn new(settings: SearchSettings) -> Result<Search, SearchError> {
        let SearchSettings { start, cap, repeats, repeats_with_noise, .. } = settings;
        if start == 0 {
            return Err(SearchError::StartsAtZero);
        }
        if cap < start {
            return Err(SearchError::CapBelowStart { start, cap });
        }
        if repeats == 0 || repeats_with_noise < repeats {
            return Err(SearchError::TooFewRepeats { without: repeats, with_noise: repeats_with_noise });
        }
        for seconds in settings.time_max_s.into_iter().chain(settings.confirm_s) {
            check_time(seconds)?;
        }
        Ok(Search { settings, evidence: Vec::new(), spent_s: 0.0, longest_s: 0.0 })
    }

    /// Continues from this search's evidence with other settings, whose time limit starts now. Trials of
    /// more than its cap are forgotten, since they can't be made again.
    ///
    /// # Errors
    /// As [`Search::new`].
    pub fn going_on(self, settings: SearchSettings) -> Result<Search, SearchError> {
        let time_max_s = settings.time_max_s.map(|most_s| self.spent_s + most_s);
        let began = Search::new(SearchSettings { time_max_s, ..settings })?;
        let mut evidence = self.evidence;
        evidence.retain(|known| known.streams <= settings.cap);
        Ok(Search { evidence, spent_s: self.spent_s, longest_s: self.longest_s, ..began })
    }

    /// What to do next. Asking changes nothing.
    pub fn next(&self) -> Next {
        let edges = self.edges();
        let Some((streams, why)) = self.most_wanted(&edges) else {
            return Next::Done(self.found(&edges));
        };
        match self.spent_budget(why) {
            None => Next::Try { streams, why },
            Some(budget) => {
                Next::Done(Answer::BudgetSpent { streams: edges.sure, failing_from: edges.ceiling, budget })
            }
        }
    }

    /// Takes the outcome of a trial. Trials that were not asked for count as well.
    ///
    /// # Errors
    /// A count of 0 or above the cap; a time that is none. Nothing is changed then.
    pub fn report(&mut self, streams: u32, trial: Trial) -> Result<(), SearchError> {
        let cap = self.settings.cap;
        if !(1..=cap).contains(&streams) {
            return Err(SearchError::OutOfRange { streams, cap });
        }
        check_time(trial.took_s)?;
        self.spent_s += trial.took_s;
        let place = self.evidence.partition_point(|known| known.streams < streams);
        if self.evidence.get(place).is_none_or(|known| known.streams != streams) {
            let nothing = CountEvidence { streams, ..CountEvidence::default() };
            self.evidence.insert(place, nothing);
        }
        let known = &mut self.evidence[place];
        let counter = match (trial.passed, trial.limited_by_client) {
            (true, _) => &mut known.passed,
            (false, true) => &mut known.client_limited,
            (false, false) => &mut known.failed,
        };
        *counter = counter.saturating_add(1);
        if trial.confirms {
            let counter = if trial.passed { &mut known.confirmed } else { &mut known.refuted };
            *counter = counter.saturating_add(1);
            return Ok(());
        }
        if !trial.passed {
            known.reached = known.reached.into_iter().chain(trial.reached).max_by(f64::total_cmp);
        }
        self.longest_s = self.longest_s.max(trial.took_s);
        Ok(())
    }

    /// The answer need no longer hold on for longer than a trial.
    pub fn leave_unconfirmed(&mut self) {
        self.settings.confirm_s = None;
    }

    /// The largest count that may be claimed so far; 0 if there is none.
    pub fn sure(&self) -> u32 {
        self.edges().sure
    }

    /// The largest count that may be claimed so far, and the smallest that failed above all that passed.
    pub fn bounds(&self) -> (Option<u32>, Option<u32>) {
        let Edges { sure, ceiling, .. } = self.edges();
        ((sure > 0).then_some(sure), ceiling)
    }

    /// The largest count that it may try.
    pub fn cap(&self) -> u32 {
        self.settings.cap
    }

    /// Every count that was tried, ascending.
    pub fn evidence(&self) -> &[CountEvidence] {
        &self.evidence
    }

    /// How many trials were made.
    pub fn trials(&self) -> u32 {
        self.evidence.iter().map(CountEvidence::trials).fold(0, u32::saturating_add)
    }

    /// How long they took together.
    pub fn spent_s(&self) -> f64 {
        self.spent_s
    }

    /// Whether any count passed and failed, or passed above one that failed.
    pub fn has_noise(&self) -> bool {
        let top_pass = self.edges().top_pass;
        self.evidence.iter().any(|known| known.fell() > 0 && known.streams <= top_pass)
    }

    /// Whether the one failed trial with this count was a disturbed one.
    pub fn is_set_aside(&self, known: &CountEvidence) -> bool {
        let repeats = self.settings.repeats;
        known.fell() == 1
            && known.stands() >= repeats
            && self.passes_from(known.streams) >= repeats.saturating_mul(3)
    }

    /// Trials with this count and larger ones that passed.
    fn passes_from(&self, streams: u32) -> u32 {
        let from = self.evidence.iter().filter(|known| known.streams >= streams);
        from.map(CountEvidence::stands).fold(0, u32::saturating_add)
    }

    /// The counts that the answer rests on, in words: `31: 3 of 3; 32: 0 of 3`.
    pub fn evidence_sentence(&self) -> String {
        let edges = self.edges();
        let last = edges.ceiling.unwrap_or(u32::MAX);
        let mut sentence = String::new();
        for known in self.evidence.iter().filter(|known| (edges.sure..=last).contains(&known.streams)) {
            let separator = if sentence.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(sentence, "{separator}{}: {} of {}", known.streams, known.passed, known.trials());
            if known.client_limited > 0 {
                let _ = write!(sentence, " (limited by the client: {})", known.client_limited);
            }
            let long = self.settings.confirm_s.filter(|_| known.confirmed + known.refuted > 0);
            if let Some(confirm_s) = long {
                let held = if known.refuted > 0 { "not " } else { "" };
                let _ = write!(sentence, " ({held}for {confirm_s:.0} s)");
            }
        }
        for known in self.evidence.iter().filter(|known| self.is_set_aside(known)) {
            let _ = write!(
                sentence,
                "; one trial with {} was disturbed: it failed, then passed {} of {} repeats",
                known.streams,
                known.passed,
                known.trials() - 1
            );
        }
        sentence
    }

    /// The answer in words, without the evidence.
    pub fn answer_sentence(&self, answer: &Answer) -> String {
        match *answer {
            Answer::Exactly { streams } if self.of(streams + 1).refuted > 0 => format!(
                "{} passed every time; {} failed in the longer trial of {:.0} s.",
                count(streams),
                streams + 1,
                self.settings.confirm_s.unwrap_or_default()
            ),
            Answer::Exactly { streams } => {
                format!("{} passed every time, {} never.", count(streams), streams + 1)
            }
            Answer::Between { lo: 0, hi } => {
                format!("No count passed every time; up to {} passed sometimes.", count(hi))
            }
            Answer::Between { lo, hi } => {
                format!("{} passed every time; up to {hi} passed sometimes.", count(lo))
            }
            Answer::NotEvenOne => "Not even one stream passed.".to_owned(),
            Answer::AtLeast { streams } => {
                format!("At least {}: no more were tried.", count(streams))
            }
            Answer::ClientLimited { streams, limited_at } => format!(
                "At least {}: with {limited_at} this client was the limit, not the storage. Use more \
                 clients.",
                count(streams)
            ),
            Answer::BudgetSpent { streams, failing_from, budget } => {
                let failing = failing_from.map_or(String::new(), |from| format!(", {from} did not"));
                let spent = match budget {
                    Budget::Trials => "the maximum number of trials was reached".to_owned(),
                    Budget::Time => self.time_left_sentence(),
                };
                format!("{} passed so far{failing}. The result is uncertain: {spent}.", count(streams))
            }
        }
    }

    /// `the next trial takes about 61 s, and 12 s were left for the search`.
    fn time_left_sentence(&self) -> String {
        let why = self.most_wanted(&self.edges()).map(|(_, why)| why);
        let left_s = (self.settings.time_max_s.unwrap_or(0.0) - self.spent_s).max(0.0);
        let next_s = why.map_or(self.longest_s, |why| self.next_takes_s(why));
        let [next, left] = [next_s, left_s].map(seconds);
        format!("the next trial takes about {next}, but only {left} were left")
    }

    /// The estimated duration of the next trial.
    fn next_takes_s(&self, why: Why) -> f64 {
        self.longest_s.max(self.settings.confirm_s.filter(|_| why == Why::Confirm).unwrap_or(0.0))
    }

    fn of(&self, streams: u32) -> CountEvidence {
        let found = self.evidence.binary_search_by_key(&streams, |known| known.streams);
        found.map_or(CountEvidence::default(), |place| self.evidence[place])
    }

    fn edges(&self) -> Edges {
        let passes = || self.evidence.iter().filter(|known| known.stands() > 0).map(|known| known.streams);
        let falls = self.evidence.iter().filter(|known| self.falls(known));
        let falls = || falls.clone().map(|known| known.streams);
        let first_fall = falls().next();
        let top_pass = passes().next_back().unwrap_or(0);
        let below_falls = |streams: &u32| first_fall.is_none_or(|fall| *streams < fall);
        Edges {
            sure: passes().rfind(below_falls).unwrap_or(0),
            first_fall,
            top_pass,
            ceiling: falls().find(|streams| *streams > top_pass),
        }
    }

    /// Whether a count bounds the search from above.
    fn falls(&self, known: &CountEvidence) -> bool {
        match self.settings.expected {
            Some(_) => self.falls_quickly(known),
            None => known.fell() > 0 && !self.is_set_aside(known),
        }
    }

    fn repeats(&self) -> u32 {
        if self.has_noise() { self.settings.repeats_with_noise } else { self.settings.repeats }
    }

    /// The trial that comes next if there is time for it; `None` when the search is at its end.
    fn most_wanted(&self, edges: &Edges) -> Option<(u32, Why)> {
        match self.settings.expected {
            Some(expected) => self.wanted_quickly(expected, edges),
            None => self.wanted(edges).or_else(|| self.unconfirmed(edges)),
        }
    }

    /// The trial that is most wanted; `None` when both edges hold.
    fn wanted(&self, edges: &Edges) -> Option<(u32, Why)> {
        let repeated = || self.wanted_again(edges).map(|streams| (streams, Why::Repeat));
        repeated().or_else(|| self.wanted_below(edges)).or_else(|| self.wanted_above(edges))
    }

    /// The smallest count that failed, if that may have been a disturbed trial.
    fn wanted_again(&self, edges: &Edges) -> Option<u32> {
        let fall = edges.first_fall.filter(|fall| *fall <= edges.top_pass)?;
        let known = self.of(fall);
        (known.fell() == 1 && known.refuted == 0).then_some(fall)
    }

    /// The answer, where it has not held on yet.
    fn unconfirmed(&self, edges: &Edges) -> Option<(u32, Why)> {
        self.settings.confirm_s?;
        let needs = edges.sure > 0 && self.of(edges.sure).confirmed == 0;
        needs.then_some((edges.sure, Why::Confirm))
    }

    /// For the lower edge.
    fn wanted_below(&self, edges: &Edges) -> Option<(u32, Why)> {
        let cap = self.settings.cap;
        match edges.first_fall {
            None if edges.sure == 0 => return Some((self.settings.start, Why::Rise)),
            None if edges.sure < cap => {
                return Some((edges.sure.saturating_mul(2).min(cap), Why::Rise));
            }
            None => {}
            Some(fall) if fall - edges.sure > 1 => {
                return Some((middle(edges.sure, fall), Why::Bisect));
            }
            Some(_) => {}
        }
        let needs_passes = edges.sure > 0 && self.of(edges.sure).stands() < self.repeats();
        needs_passes.then_some((edges.sure, Why::ConfirmPass))
    }

    /// For the upper edge, once the lower one holds.
    fn wanted_above(&self, edges: &Edges) -> Option<(u32, Why)> {
        let cap = self.settings.cap;
        match edges.ceiling {
            None if edges.top_pass >= cap => None,
            // As far above as the noise is known to be wide.
            None => {
                let width = (edges.top_pass - edges.sure).max(1);
                Some((edges.top_pass.saturating_add(width).min(cap), Why::LookAbove))
            }
            Some(ceiling) if ceiling - edges.top_pass > 1 => {
                Some((middle(edges.top_pass, ceiling), Why::Bisect))
            }
            Some(ceiling) => {
                let known = self.of(ceiling);
                let needs_falls = known.refuted == 0 && known.fell() <= self.repeats();
                needs_falls.then_some((ceiling, Why::ConfirmFall))
            }
        }
    }

    /// The answer when both edges hold.
    fn found(&self, edges: &Edges) -> Answer {
        let Edges { sure, first_fall, top_pass, .. } = *edges;
        let Some(fall) = first_fall else {
            return Answer::AtLeast { streams: sure };
        };
        if self.settings.expected.is_some() {
            return Answer::Between { lo: sure, hi: sure + self.error(sure) };
        }
        let last = edges.ceiling.unwrap_or(top_pass);
        let between = self.evidence.iter().filter(|known| (fall..=last).contains(&known.streams));
        if between.map(|known| known.failed).all(|failed| failed == 0) {
            return Answer::ClientLimited { streams: sure, limited_at: fall };
        }
        match (sure, top_pass) {
            (0, 0) => Answer::NotEvenOne,
            (sure, top_pass) if sure == top_pass => Answer::Exactly { streams: sure },
            (lo, hi) => Answer::Between { lo, hi },
        }
    }

    fn spent_budget(&self, why: Why) -> Option<Budget> {
        let settings = &self.settings;
        if settings.trials_max.is_some_and(|most| self.trials() >= most) {
            return Some(Budget::Trials);
        }
        if settings.expected.is_some() && self.must_find_one() {
            return None;
        }
        let would_take_s = self.spent_s + self.next_takes_s(why);
        settings.time_max_s.is_some_and(|most_s| would_take_s > most_s).then_some(Budget::Time)
    }
}

/// The count half-way, strictly between two that are not neighbours.
fn middle(lo: u32, hi: u32) -> u32 {
    lo + (hi - lo) / 2
}

fn count(streams: u32) -> String {
    if streams == 1 { "1 stream".to_owned() } else { format!("{streams} streams") }
}

/// `0.4 s`, `61 s`.
fn seconds(seconds: f64) -> String {
    if seconds < 9.95 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

fn check_time(seconds: f64) -> Result<(), SearchError> {
    if seconds.is_finite() && seconds >= 0.0 { Ok(()) } else { Err(SearchError::NoTime { seconds }) }
}

#[cfg(test)]
mod tests;
