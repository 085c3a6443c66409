//! What is not shown of the counters, and why. Not here: the words for it (the report room's).

/// Something to know about the counters of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterNote {
    /// A part of them could not be read: what its error says.
    Damaged(String),
    /// Counters of errors and waiting stayed at 0 all the time.
    Silent { series: usize },
    /// There is no room for some of them.
    NoRoom {
        /// For so many; `None` where they were too many to be counted.
        series: Option<usize>,
    },
    /// This version does not know them: layer and name of each.
    Unknown(Vec<String>),
    /// This could not be sampled, and why.
    NotSampled(String),
}
