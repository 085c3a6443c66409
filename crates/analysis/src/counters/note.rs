//! What is missing from the counters, and why. Not here: the words for it (report).

/// Something to know about the counters of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterNote {
    /// A part of them could not be read: the text of the error.
    Damaged(String),
    /// Counters of errors and waits stayed at 0.
    Silent { series: usize },
    /// There is no room for some of them.
    NoRoom {
        /// How many series; `None` if they were too many to count.
        series: Option<usize>,
    },
    /// This version does not know them: layer and name of each.
    Unknown(Vec<String>),
    /// This could not be sampled, and why.
    NotSampled(String),
}
