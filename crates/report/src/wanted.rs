//! How a screen is wanted: its looks, and how much it says.

/// Lines are never longer than this, however wide the terminal: nobody reads longer ones.
pub(crate) const MAX_WIDTH: usize = 140;
/// Where nobody says how wide it is.
const USUAL_WIDTH: usize = 100;

/// How the screen looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Columns to use; at most 140 are.
    pub width: usize,
    /// Only the first screenful: the answer, its table, the worst warnings and the next step.
    pub is_short: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: USUAL_WIDTH, is_short: false }
    }
}

/// Which load points have their tables shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    None,
    /// The last one that measured something.
    #[default]
    Last,
    Every,
}

/// How much is said about single workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Only if they differ strongly.
    #[default]
    Normal,
    PerWorker,
}

/// What to show beside the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen<'a> {
    pub style: Style,
    /// Whose tables are shown.
    pub tables: Tables,
    /// How much is said about workers.
    pub detail: Detail,
    /// Where the run's files are.
    pub run_dir: Option<&'a str>,
    /// Where its `report.html` is, if there is one.
    pub report: Option<&'a str>,
    /// For a reader who was not there and has nothing to type next.
    pub is_on_paper: bool,
}
