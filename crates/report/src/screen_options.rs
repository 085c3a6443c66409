//! Options of a screen: its style, and its level of detail.

/// The largest line length, even on a wider terminal: longer lines are hard to read.
pub(crate) const MAX_WIDTH: usize = 140;
/// The width if the terminal does not report one.
const USUAL_WIDTH: usize = 100;

/// The style of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// The available width; at most 140 columns are used.
    pub width: usize,
    /// Only the first screenful: the result, its table, the worst warnings and the next step.
    pub is_short: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: USUAL_WIDTH, is_short: false }
    }
}

/// The load points whose tables are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    None,
    /// The last one with a measurement.
    #[default]
    Last,
    Every,
}

/// The level of detail about single workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Shown only if they differ strongly.
    #[default]
    Normal,
    PerWorker,
}

/// The options of a screen, apart from the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen<'a> {
    pub style: Style,
    /// The load points whose tables are shown.
    pub tables: Tables,
    /// The level of detail about workers.
    pub detail: Detail,
    /// The directory of the run's files.
    pub run_dir: Option<&'a str>,
    /// The path of its `report.html`, if there is one.
    pub report: Option<&'a str>,
    /// For a reader who was not present and cannot enter commands.
    pub is_on_paper: bool,
}
