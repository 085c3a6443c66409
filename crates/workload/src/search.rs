//! The search for the largest number of streams that the storage sustains (`--find-max`, `check`).
//!
//! Pure: the caller asks for the next trial ([`Search::next`]) and reports its result
//! ([`Search::report`]). The next trial follows from the evidence alone, so a search that was
//! interrupted and read back from a file continues unchanged.
//!
//! The search doubles the count until a trial fails, then bisects, then tries the two edges again.
//! * Lower edge: the largest count that passed every time, below every count that ever failed.
//! * Upper edge: the smallest count that failed every time, above every count that ever passed.
//!
//! The lower edge must pass [`SearchSettings::repeats`] times, and the upper one must fail one time
//! more. If they are neighbours then, the answer is one number. If a count both passed and failed, or a
//! larger one passed than one that failed, there is noise. Then the edges must be confirmed
//! [`SearchSettings::repeats_with_noise`] times, and the answer is a range, in which the counts between
//! the edges pass sometimes. The search never claims more than the count that passed every time.
//!
//! The numbers of repeats are from a simulation. With the defaults, the count that passes every other
//! time is within the range in at least 19 of 20 searches, however wide the noise. A test repeats the
//! simulation.
//!
//! One disturbed trial must not decide: if a count failed once, and it or a larger one passed, it is
//! tried again. The failure is set aside when the count has passed [`SearchSettings::repeats`] times
//! and it and larger counts together three times as often. A count that fails every other time meets
//! this condition in one of a hundred searches. The evidence still includes the failure.
//!
//! Trials are short, so the answer must also pass one trial of [`SearchSettings::confirm_s`]. A count
//! that fails it is refuted: its earlier passes no longer count, and the search continues below it. The
//! time of that trial is reserved: without time for more, the largest count so far is confirmed.
//!
//! A trial that failed because the client was the limit does not measure the storage. It bounds the
//! search, but the answer names the client as the limit.
//!
//! A check takes seconds, not minutes. With [`SearchSettings::expected`] the search is a quick one
//! (`quick`): it ends within its time, with an error range.
//!
//! Not here: running a trial, and judging whether it passed.

mod quick;

use std::fmt::Write as _;

pub use quick::FAR_OVER;
use serde::{Deserialize, Serialize};

/// The settings of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSettings {
    /// The first count to try; at least 1.
    pub start: u32,
    /// The largest count to try; at least `start`.
    pub cap: u32,
    /// How often the lower edge must pass; at least 1. The upper edge must fail one time more than that.
    pub repeats: u32,
    /// The same with noise; at least `repeats`.
    pub repeats_with_noise: u32,
    /// The duration of the final trial that confirms the answer. Without it, trials of normal length are
    /// sufficient.
    pub confirm_s: Option<f64>,
    /// The maximum number of trials.
    pub trials_max: Option<u32>,
    /// The maximum total time of the trials. No trial is begun that is unlikely to end within it.
    pub time_max_s: Option<f64>,
    /// Makes the search a quick one. The estimated capacity of the storage, in streams.
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

/// The result of a trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Whether it met its criteria.
    pub passed: bool,
    /// Whether this client, and not the storage, was the limit. Only relevant for a failed trial.
    pub limited_by_client: bool,
    pub took_s: f64,
    /// Whether it had the confirmation length ([`Why::Confirm`]).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirms: bool,
    /// The throughput in units of one stream's demand. Only a quick search uses it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
}

/// All trials with one count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountEvidence {
    pub streams: u32,
    /// Trials that passed.
    pub passed: u32,
    /// Trials that failed because of the storage.
    pub failed: u32,
    /// Trials that failed because of the client.
    pub client_limited: u32,
    /// Passed trials of the confirmation length.
    #[serde(default)]
    pub confirmed: u32,
    /// Failed trials of the confirmation length.
    #[serde(default)]
    pub refuted: u32,
    /// The highest throughput of a failed trial: [`Trial::reached`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<f64>,
}

impl CountEvidence {
    /// Trials that passed, unless a longer one refuted the count.
    fn stands(&self) -> u32 {
        if self.refuted > 0 { 0 } else { self.passed }
    }

    /// Trials that failed.
    pub fn fell(&self) -> u32 {
        self.failed.saturating_add(self.client_limited)
    }

    pub fn trials(&self) -> u32 {
        self.passed.saturating_add(self.fell())
    }
}

/// Why a count is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// No trial failed so far: the search goes on upwards.
    Rise,
    /// It is between a count that passed and one that failed.
    Bisect,
    /// It passed and must do so again.
    ConfirmPass,
    /// It failed and must fail again.
    ConfirmFall,
    /// The count is above the largest that passed, which is itself above one that failed.
    LookAbove,
    /// It failed once, and it or a larger one passed, so that trial may have been disturbed.
    Repeat,
    /// It is the answer, if it passes a trial of [`SearchSettings::confirm_s`].
    Confirm,
}

/// The budget that was exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// [`SearchSettings::trials_max`].
    Trials,
    /// [`SearchSettings::time_max_s`].
    Time,
}

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum Answer {
    /// This count passed every time, the next one never.
    Exactly { streams: u32 },
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
    AtLeast { streams: u32 },
    /// The client was the limit; the storage may sustain more.
    ClientLimited {
        /// The largest count that passed every time; 0 if there is none.
        streams: u32,
        /// The smallest count at which the client was the limit.
        limited_at: u32,
    },
    /// The search was not finished.
    BudgetSpent {
        /// The largest count that passed every time, below every count that ever failed; 0 if there is
        /// none.
        streams: u32,
        /// The smallest count that failed every time, above every count that ever passed.
        failing_from: Option<u32>,
        /// The budget that was exhausted.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Make a trial.
    Try {
        /// With this many streams.
        streams: u32,
        why: Why,
    },
    /// The search is over, with this answer.
    Done(Answer),
}

/// Invalid settings or trials.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The first count is 0.
    #[error("the search must start with at least one stream")]
    StartsAtZero,
    /// The cap is below the first count.
    #[error(
        "a search that starts with {start} streams cannot end at {cap}. Raise the cap or lower the start"
    )]
    CapBelowStart {
        /// The first count.
        start: u32,
        cap: u32,
    },
    /// The number of repeats is 0, or smaller with noise than without.
    #[error("repeats ({without}) must be at least 1, and repeats_with_noise ({with_noise}) at least as many")]
    TooFewRepeats {
        /// Repeats without noise.
        without: u32,
        /// Repeats with noise.
        with_noise: u32,
    },
    /// A search that is continued has no time for its next trial.
    #[error(
        "--time-max {}s is too short to continue this search: its next trial takes about {next}. Use \
         --time-max {}s or more, or omit it",
        .most_s, .next_s.ceil(), next = seconds(*.next_s)
    )]
    NoTimeToContinue {
        /// The time of the search.
        most_s: f64,
        /// The estimated time of the trial.
        next_s: f64,
    },
    /// A time is invalid.
    #[error("{seconds} s is not a valid time. Use a positive number of seconds")]
    NoTime { seconds: f64 },
    /// The count of a trial is out of range.
    #[error("a trial with {streams} streams is outside the search range of 1 to {cap}")]
    OutOfRange { streams: u32, cap: u32 },
}

/// The search: its settings and its evidence. It can be written and read back unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    settings: SearchSettings,
    /// By count, ascending.
    evidence: Vec<CountEvidence>,
    spent_s: f64,
    longest_s: f64,
}

/// The edges in the evidence. A count is 0 if there is none: zero streams always pass.
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
    /// A search without evidence.
    ///
    /// # Errors
    /// If the settings are invalid; see [`SearchSettings`].
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

    /// Continues from this search's evidence with other settings, whose time limit starts now. Trials
    /// above the new cap are discarded, since they cannot be repeated.
    ///
    /// # Errors
    /// As [`Search::new`], and if the next trial takes longer than that.
    pub fn going_on(self, settings: SearchSettings) -> Result<Search, SearchError> {
        let time_max_s = settings.time_max_s.map(|most_s| self.spent_s + most_s);
        let began = Search::new(SearchSettings { time_max_s, ..settings })?;
        let mut evidence = self.evidence;
        evidence.retain(|known| known.streams <= settings.cap);
        let search = Search { evidence, spent_s: self.spent_s, longest_s: self.longest_s, ..began };
        match (search.next(), settings.time_max_s, search.most_wanted(&search.edges())) {
            (Next::Done(Answer::BudgetSpent { budget: Budget::Time, .. }), Some(most_s), Some((_, why))) => {
                Err(SearchError::NoTimeToContinue { most_s, next_s: search.next_takes_s(why) })
            }
            _ => Ok(search),
        }
    }

    /// The next step. The call changes nothing.
    pub fn next(&self) -> Next {
        let edges = self.edges();
        let Some((streams, why)) = self.most_wanted(&edges) else {
            return Next::Done(self.found(&edges));
        };
        let last = self.unconfirmed(&edges).filter(|(_, why)| self.spent_budget(*why, &edges).is_none());
        match (self.spent_budget(why, &edges), last) {
            (None, _) => Next::Try { streams, why },
            (Some(_), Some((streams, why))) if self.reserved_s().is_some() => Next::Try { streams, why },
            (Some(budget), _) => {
                Next::Done(Answer::BudgetSpent { streams: edges.sure, failing_from: edges.ceiling, budget })
            }
        }
    }

    /// Records the result of a trial, even one that was not requested.
    ///
    /// # Errors
    /// If the count is 0 or above the cap, or the time is invalid. Then nothing is changed.
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

    /// Drops the final trial of the confirmation length.
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

    /// The number of trials.
    pub fn trials(&self) -> u32 {
        self.evidence.iter().map(CountEvidence::trials).fold(0, u32::saturating_add)
    }

    /// Their total duration.
    pub fn spent_s(&self) -> f64 {
        self.spent_s
    }

    /// Whether any count passed and failed, or passed above one that failed.
    pub fn has_noise(&self) -> bool {
        let top_pass = self.edges().top_pass;
        self.evidence.iter().any(|known| known.fell() > 0 && known.streams <= top_pass)
    }

    /// Whether the only failed trial with this count is regarded as disturbed.
    pub fn is_set_aside(&self, known: &CountEvidence) -> bool {
        let repeats = self.settings.repeats;
        known.fell() == 1
            && known.stands() >= repeats
            && self.passes_from(known.streams) >= repeats.saturating_mul(3)
    }

    /// The number of passed trials with this count and larger ones.
    fn passes_from(&self, streams: u32) -> u32 {
        let from = self.evidence.iter().filter(|known| known.streams >= streams);
        from.map(CountEvidence::stands).fold(0, u32::saturating_add)
    }

    /// The counts that support the answer, as text: `31: 3 of 3; 32: 0 of 3`.
    pub fn evidence_sentence(&self) -> String {
        let edges = self.edges();
        let last = edges.ceiling.unwrap_or(u32::MAX);
        let mut sentence = String::new();
        for known in self.evidence.iter().filter(|known| (edges.sure..=last).contains(&known.streams)) {
            let separator = if sentence.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(sentence, "{separator}{}: {} of {}", known.streams, known.passed, known.trials());
            if known.client_limited > 0 {
                let _ = write!(sentence, " (not because of the storage: {})", known.client_limited);
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

    /// The answer as text, without the evidence.
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
            Answer::ClientLimited { streams, limited_at } => {
                format!("At least {}: {limited_at} failed, but not because of the storage.", count(streams))
            }
            Answer::BudgetSpent { streams, failing_from, budget } => {
                let failing = failing_from.map_or(String::new(), |from| format!("; {} failed", count(from)));
                let spent = match budget {
                    Budget::Trials => "the maximum number of trials was reached".to_owned(),
                    Budget::Time => self.time_left_sentence(),
                };
                format!(
                    "Trials with {} passed so far{failing}. The result is uncertain: {spent}.",
                    count(streams)
                )
            }
        }
    }

    /// As text: `the next trial takes about 61 s, and 12 s were left for the search`.
    fn time_left_sentence(&self) -> String {
        let why = self.most_wanted(&self.edges()).map(|(_, why)| why);
        let left_s = (self.settings.time_max_s.unwrap_or(0.0) - self.spent_s).max(0.0);
        let next_s = why.map_or(self.longest_s, |why| self.next_takes_s(why));
        let [next, left] = [next_s, left_s].map(seconds);
        // Rounded, both may be equal.
        let [next, left] = match next == left {
            true => [next_s, left_s].map(|exact_s| format!("{exact_s:.2} s")),
            false => [next, left],
        };
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
            Some(_) => self.fails_quick_search(known),
            None => known.fell() > 0 && !self.is_set_aside(known),
        }
    }

    fn repeats(&self) -> u32 {
        if self.has_noise() { self.settings.repeats_with_noise } else { self.settings.repeats }
    }

    /// The next trial, if there is time for it; `None` if the search is complete.
    fn most_wanted(&self, edges: &Edges) -> Option<(u32, Why)> {
        match self.settings.expected {
            Some(expected) => self.next_quick_trial(expected, edges),
            None => self.wanted(edges).or_else(|| self.unconfirmed(edges)),
        }
    }

    /// The next trial; `None` if both edges are confirmed.
    fn wanted(&self, edges: &Edges) -> Option<(u32, Why)> {
        let repeated = || self.wanted_again(edges).map(|streams| (streams, Why::Repeat));
        repeated().or_else(|| self.wanted_below(edges)).or_else(|| self.wanted_above(edges))
    }

    /// The smallest count that failed, if that trial may have been disturbed.
    fn wanted_again(&self, edges: &Edges) -> Option<u32> {
        let fall = edges.first_fall.filter(|fall| *fall <= edges.top_pass)?;
        let known = self.of(fall);
        (known.fell() == 1 && known.refuted == 0).then_some(fall)
    }

    /// The answer, if it is not confirmed yet.
    fn unconfirmed(&self, edges: &Edges) -> Option<(u32, Why)> {
        self.settings.confirm_s?;
        let needs = edges.sure > 0 && self.of(edges.sure).confirmed == 0;
        needs.then_some((edges.sure, Why::Confirm))
    }

    /// The next trial for the lower edge.
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

    /// The next trial for the upper edge, after the lower one is confirmed.
    fn wanted_above(&self, edges: &Edges) -> Option<(u32, Why)> {
        let cap = self.settings.cap;
        match edges.ceiling {
            None if edges.top_pass >= cap => None,
            // The distance above is the known width of the noise.
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

    /// The answer when both edges are confirmed.
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

    /// The time that is reserved for the confirmation, while it fits. In less than twice that time, the
    /// search would confirm a count long before it knows the largest one.
    fn reserved_s(&self) -> Option<f64> {
        let (most_s, confirm_s) = (self.settings.time_max_s?, self.settings.confirm_s?);
        let fits = self.spent_s + confirm_s <= most_s && 2.0 * confirm_s <= most_s;
        fits.then(|| self.next_takes_s(Why::Confirm))
    }

    /// The budget that leaves no room for a trial, and for the confirmation of the answer that may follow
    /// from it.
    fn spent_budget(&self, why: Why, edges: &Edges) -> Option<Budget> {
        let settings = &self.settings;
        if settings.trials_max.is_some_and(|most| self.trials() >= most) {
            return Some(Budget::Trials);
        }
        if settings.expected.is_some() && self.must_find_one() {
            return None;
        }
        let may_rise = matches!(why, Why::Rise | Why::Bisect) && edges.sure > 0;
        let is_reserved = why != Why::Confirm && (may_rise || self.unconfirmed(edges).is_some());
        let reserved_s = self.reserved_s().filter(|_| is_reserved).unwrap_or(0.0);
        let would_take_s = self.spent_s + self.next_takes_s(why) + reserved_s;
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
