//! Lists and ranges in text form: `4KiB..1MiB`, `4..40 step 4`, `random=0..100 step 25`.
//!
//! Ranges of sizes double from value to value; ranges of counts and percentages increase by a step.
//! Every list is bounded, so that a typing error cannot request a million load points.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::{Percent, Size, TextVisitor, UnitError, as_text};

/// The maximum number of values of a list or range.
pub const VALUES_MAX: usize = 1000;

/// Separates two combined sweeps.
const BETWEEN_SWEEPS: &str = " x ";

/// The error of an invalid list or range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// One of its values is invalid.
    #[error(transparent)]
    Unit(#[from] UnitError),
    /// A number of workers is invalid.
    #[error("'{0}' is not a count. Write a number like 8, or a ramp like 1..10, '4..40 step 4' or 1,2,4,8")]
    Count(String),
    /// It is empty.
    #[error("'{0}' has no value in its range. Write the lower bound first, like {1}")]
    Empty(String, &'static str),
    /// It has too many values.
    #[error("'{0}' has more than {VALUES_MAX} values. Use a larger step")]
    TooMany(String),
    /// A step is 0.
    #[error("'{0}' has a step of 0. Use a step of at least 1")]
    ZeroStep(String),
    /// Two sweeps cannot be combined.
    #[error("'{0}' cannot be combined. Sweep two of random, blocks and length, each once")]
    Grid(String),
    /// The sweep is unknown.
    #[error("'{0}' is not a sweep. Write random=0..100 step 25, blocks=4KiB..1MiB or length=1MiB..64MiB")]
    Sweep(String),
}

/// Block sizes: `1MiB`, `64KiB,1MiB`, or `4KiB..1MiB` (each twice the previous one).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<Size>);

/// Numbers of workers of successive load points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ramp(pub Vec<u32>);

/// A parameter that has another value in each load point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// Percentage of random transfers (the paper's figure 20).
    Random(Vec<Percent>),
    /// One block size at a time (figures 21 and 22).
    Blocks(Vec<Size>),
    /// One transfer length at a time (figure 19).
    Length(Vec<Size>),
    /// Two other sweeps: every value of the second with every value of the first. `length=… x blocks=…`.
    Grid(Box<[Sweep; 2]>),
}

impl Sweep {
    /// The number of load points.
    pub fn len(&self) -> usize {
        match self {
            Sweep::Random(values) => values.len(),
            Sweep::Blocks(values) | Sweep::Length(values) => values.len(),
            Sweep::Grid(both) => both[0].len() * both[1].len(),
        }
    }

    /// Combines two sweeps; the second one changes from load point to load point.
    ///
    /// # Errors
    /// If both are of the same setting, one of them is already a grid, or there are too many load
    /// points.
    pub fn with(self, other: Sweep) -> Result<Sweep, RangeError> {
        let text = format!("{self}{BETWEEN_SWEEPS}{other}");
        let is_grid = |sweep: &Sweep| matches!(sweep, Sweep::Grid(_));
        if is_grid(&self)
            || is_grid(&other)
            || std::mem::discriminant(&self) == std::mem::discriminant(&other)
        {
            return Err(RangeError::Grid(text));
        }
        if self.len().saturating_mul(other.len()) > VALUES_MAX {
            return Err(RangeError::TooMany(text));
        }
        Ok(Sweep::Grid(Box::new([self, other])))
    }

    /// The settings in a load point: one or two sweeps, each with the index of its value.
    pub fn parts(&self, point: usize) -> Vec<(&Sweep, usize)> {
        match self {
            Sweep::Grid(both) => {
                let [outer, inner] = &**both;
                let each = inner.len().max(1);
                vec![(outer, point / each), (inner, point % each)]
            }
            one => vec![(one, point)],
        }
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of this load point, in the form of the command line.
    pub fn value(&self, point: usize) -> Option<String> {
        match self {
            Sweep::Random(values) => values.get(point).map(Percent::to_string),
            Sweep::Blocks(values) | Sweep::Length(values) => values.get(point).map(Size::to_string),
            Sweep::Grid(_) => self.both(point, BETWEEN_SWEEPS, Sweep::value),
        }
    }

    /// The value of this load point, as shown on a screen: `random 25 %`.
    pub fn label(&self, point: usize) -> Option<String> {
        match self {
            Sweep::Random(values) => values.get(point).map(|v| format!("random {v} %")),
            Sweep::Blocks(values) => values.get(point).map(|v| format!("blocks {v}")),
            Sweep::Length(values) => values.get(point).map(|v| format!("length {v}")),
            Sweep::Grid(_) => self.both(point, ", ", Sweep::label),
        }
    }

    fn both(&self, point: usize, between: &str, of: fn(&Sweep, usize) -> Option<String>) -> Option<String> {
        let parts: Option<Vec<String>> = self.parts(point).into_iter().map(|(one, at)| of(one, at)).collect();
        parts.map(|parts| parts.join(between))
    }
}

impl FromStr for Sizes {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Sizes, RangeError> {
        let Some((low, high)) = text.split_once("..") else {
            let sizes = text.split(',').map(str::parse).collect::<Result<Vec<Size>, _>>()?;
            return bounded(text, sizes).map(Sizes);
        };
        let (low, high): (Size, Size) = (low.parse()?, high.parse()?);
        let doubling = std::iter::successors(Some(low.0.max(1)), |size| size.checked_mul(2));
        let sizes: Vec<Size> = doubling.take_while(|size| *size <= high.0).map(Size).collect();
        if sizes.is_empty() {
            return Err(RangeError::Empty(text.to_owned(), "4KiB..1MiB"));
        }
        Ok(Sizes(sizes))
    }
}

impl FromStr for Ramp {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Ramp, RangeError> {
        let not_a_count = || RangeError::Count(text.to_owned());
        let count = |part: &str| {
            let count = part.trim().parse::<u32>().ok();
            count.filter(|n| *n > 0).ok_or_else(not_a_count)
        };
        let Some((low, high, step)) = stepped(text) else {
            return listed(text, count);
        };
        let step = step.map_or(Ok(1), |step| step.parse().map_err(|_| not_a_count()))?;
        if step == 0 {
            return Err(RangeError::ZeroStep(text.to_owned()));
        }
        let counts = (count(low)?..=count(high)?).step_by(step);
        let counts: Vec<u32> = counts.take(VALUES_MAX + 1).collect();
        if counts.is_empty() {
            return Err(RangeError::Empty(text.to_owned(), "1..10"));
        }
        bounded(text, counts).map(Ramp)
    }
}

/// A ramp as a list.
fn listed(text: &str, count: impl Fn(&str) -> Result<u32, RangeError>) -> Result<Ramp, RangeError> {
    let counts = text.split(',').map(count).collect::<Result<Vec<u32>, _>>()?;
    bounded(text, counts).map(Ramp)
}

/// A ramp in a plan file. It may be one host's share of the load of several hosts: in a load point with
/// 0 workers it is idle, and waits for the others.
struct SharedRamp(Ramp);

impl FromStr for SharedRamp {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<SharedRamp, RangeError> {
        let ramp = text.parse().or_else(|error: RangeError| {
            let count = |part: &str| part.trim().parse().map_err(|_| RangeError::Count(text.to_owned()));
            let shared =
                listed(text, count).ok().filter(|Ramp(counts)| counts.iter().any(|count| *count > 0));
            shared.ok_or(error)
        });
        ramp.map(SharedRamp)
    }
}

impl<'de> Deserialize<'de> for Ramp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Ramp, D::Error> {
        let SharedRamp(ramp) = deserializer.deserialize_any(TextVisitor::new())?;
        Ok(ramp)
    }
}

impl Serialize for Ramp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Sweep {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Sweep, RangeError> {
        if let Some((one, other)) = text.split_once(BETWEEN_SWEEPS) {
            return one.trim().parse::<Sweep>()?.with(other.trim().parse()?);
        }
        match text.split_once('=') {
            Some(("random", values)) => percentages(values).map(Sweep::Random),
            Some(("blocks", values)) => values.parse().map(|Sizes(sizes)| Sweep::Blocks(sizes)),
            Some(("length", values)) => values.parse().map(|Sizes(sizes)| Sweep::Length(sizes)),
            _ => Err(RangeError::Sweep(text.to_owned())),
        }
    }
}

fn percentages(text: &str) -> Result<Vec<Percent>, RangeError> {
    let Some((low, high, step)) = stepped(text) else {
        let list = text.split(',').map(str::parse).collect::<Result<Vec<Percent>, _>>()?;
        return bounded(text, list);
    };
    let (low, high): (Percent, Percent) = (low.parse()?, high.parse()?);
    let step: Percent = step.unwrap_or("10").parse()?;
    if step.ppm() == 0 {
        return Err(RangeError::ZeroStep(text.to_owned()));
    }
    let values: Vec<Percent> = (low.ppm()..=high.ppm())
        .step_by(step.ppm() as usize)
        .take(VALUES_MAX + 1)
        .map(Percent::from_ppm)
        .collect();
    if values.is_empty() {
        return Err(RangeError::Empty(text.to_owned(), "0..100 step 25"));
    }
    bounded(text, values)
}

/// Splits `low..high` or `low..high step n` into its parts.
fn stepped(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let (low, rest) = text.split_once("..")?;
    let (high, step) = match rest.split_once("step") {
        Some((high, step)) => (high, Some(step.trim())),
        None => (rest, None),
    };
    Some((low.trim(), high.trim(), step))
}

fn bounded<T>(text: &str, values: Vec<T>) -> Result<Vec<T>, RangeError> {
    if values.len() > VALUES_MAX {
        return Err(RangeError::TooMany(text.to_owned()));
    }
    Ok(values)
}

/// Formats `a,b,c`.
fn commas<T: fmt::Display>(f: &mut fmt::Formatter<'_>, values: &[T]) -> fmt::Result {
    for (index, value) in values.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(f, "{comma}{value}")?;
    }
    Ok(())
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        commas(f, &self.0)
    }
}

impl fmt::Display for Ramp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        commas(f, &self.0)
    }
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sweep::Random(values) => {
                f.write_str("random=")?;
                commas(f, values)
            }
            Sweep::Blocks(values) => {
                f.write_str("blocks=")?;
                commas(f, values)
            }
            Sweep::Length(values) => {
                f.write_str("length=")?;
                commas(f, values)
            }
            Sweep::Grid(both) => write!(f, "{}{BETWEEN_SWEEPS}{}", both[0], both[1]),
        }
    }
}

as_text!(Sizes, Sweep);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    /// A fleet's agent receives such plans; the command line does not accept them.
    #[test]
    fn a_share_may_have_load_points_with_nothing_to_do() {
        #[derive(Debug, serde::Deserialize, serde::Serialize)]
        struct File {
            workers: Ramp,
        }
        let read =
            |text: &str| toml::from_str::<File>(&format!("workers = \"{text}\"")).map(|file| file.workers.0);
        assert_eq!(read("0,1,0,2").unwrap(), [0, 1, 0, 2]);
        let file = File { workers: Ramp(vec![0, 3]) };
        assert_eq!(read(toml::to_string(&file).unwrap().split('"').nth(1).unwrap()).unwrap(), [0, 3]);
        for bad in ["0", "0,0", "0..4", "0,x"] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!("0,1".parse::<Ramp>().is_err());
    }

    #[test]
    fn sizes_double() {
        let sizes: Sizes = "4KiB..1MiB".parse().unwrap();
        assert_eq!(sizes.0.len(), 9);
        assert_eq!(sizes.to_string(), "4KiB,8KiB,16KiB,32KiB,64KiB,128KiB,256KiB,512KiB,1MiB");
        assert_eq!("512B,3MiB".parse::<Sizes>().unwrap().0, [Size(512), Size::mib(3)]);
        insta::assert_snapshot!("1MiB..4KiB".parse::<Sizes>().unwrap_err());
    }

    #[test]
    fn ramps_step() {
        assert_eq!("1..10".parse::<Ramp>().unwrap().0, (1..=10).collect::<Vec<_>>());
        let multi: Ramp = "4..40 step 4".parse().unwrap();
        assert_eq!((multi.0.len(), multi.0[9]), (10, 40));
        assert_eq!("4..40step4".parse::<Ramp>().unwrap(), multi);
        assert_eq!("1,2,4".parse::<Ramp>().unwrap().0, [1, 2, 4]);
        for bad in ["", "0..4", "10..1", "1..10 step 0", "1..1000000", "a..b", "1..", "-1..3"] {
            assert!(bad.parse::<Ramp>().is_err(), "{bad}");
        }
    }

    #[test]
    fn sweeps_are_named() {
        let Sweep::Random(values) = "random=0..100 step 25".parse().unwrap() else { panic!() };
        assert_eq!(values, [0, 25, 50, 75, 100].map(Percent::whole));
        let sweep: Sweep = "length=1MiB..64MiB".parse().unwrap();
        assert_eq!(sweep.len(), 7);
        assert_eq!(sweep.label(1).unwrap(), "length 2MiB");
        for bad in ["", "files=1..2", "random", "random=0..200", "random=100..0", "random=0..1 step 0"] {
            assert!(bad.parse::<Sweep>().is_err(), "{bad}");
        }
    }

    #[test]
    fn second_value_of_a_two_sweep_grid_changes_first() {
        let grid: Sweep = "length=1MiB,2MiB x blocks=4KiB,64KiB,1MiB".parse().unwrap();
        assert_eq!(grid.len(), 6);
        assert_eq!(grid.value(0).unwrap(), "1MiB x 4KiB");
        assert_eq!(grid.label(4).unwrap(), "length 2MiB, blocks 64KiB");
        assert_eq!((grid.value(6), grid.label(6)), (None, None));
        assert_eq!(grid.to_string().parse::<Sweep>().unwrap(), grid);
        let random: Sweep = "random=0..100 step 50 x blocks=4KiB,1MiB".parse().unwrap();
        assert_eq!((random.len(), random.value(5).unwrap()), (6, "100 x 1MiB".to_owned()));
        for bad in [
            "random=0,50 x random=1,2",
            "length=1MiB x blocks=4KiB x random=0",
            "length=1MiB x ",
            "random=0..100 step 1 x length=1MiB,2MiB,3MiB,4MiB,5MiB,6MiB,7MiB,8MiB,9MiB,10MiB",
        ] {
            assert!(bad.parse::<Sweep>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(
            text in ".*", numbers in "[0-9]{0,12}\\.\\.[0-9]{0,12}( step [0-9]{0,12})?",
        ) {
            let grid = format!("random={numbers} x blocks={text}");
            for text in [&text, &numbers, &format!("random={numbers}"), &format!("blocks={text}"), &grid] {
                let _ = text.parse::<Sizes>();
                let _ = text.parse::<Ramp>();
                let _ = text.parse::<Sweep>();
            }
        }

        #[test]
        fn printed_values_are_parsed_back(counts in prop::collection::vec(1_u32.., 1..20)) {
            let ramp = Ramp(counts);
            prop_assert_eq!(ramp.to_string().parse::<Ramp>().unwrap(), ramp);
        }
    }
}
