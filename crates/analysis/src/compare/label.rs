//! The label of a compared figure, in its parts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// The label of a figure: `streams of XAVC-I, play`, `read, MB/s`. In a file it is one text.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(into = "String")]
pub struct FigureLabel {
    /// `read`, `streams of XAVC-I`.
    pub name: String,
    /// What the streams did: `play`, `record`. Empty for other figures.
    pub work: &'static str,
    /// The unit of the texts in its row; empty if they have none.
    pub unit: &'static str,
}

impl FigureLabel {
    /// The label without its unit.
    pub fn words(&self) -> String {
        FigureLabel { unit: "", ..self.clone() }.to_string()
    }
}

impl fmt::Display for FigureLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        [self.work, self.unit]
            .into_iter()
            .filter(|part| !part.is_empty())
            .try_for_each(|part| write!(f, ", {part}"))
    }
}

/// Labels that display the same text are equal: a label that was read from a file has no parts.
impl PartialEq for FigureLabel {
    fn eq(&self, other: &FigureLabel) -> bool {
        self.to_string() == other.to_string()
    }
}

impl From<FigureLabel> for String {
    fn from(label: FigureLabel) -> String {
        label.to_string()
    }
}

/// A text from a file stays whole.
impl From<String> for FigureLabel {
    fn from(name: String) -> FigureLabel {
        FigureLabel { name, ..FigureLabel::default() }
    }
}

impl<'de> Deserialize<'de> for FigureLabel {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<FigureLabel, D::Error> {
        String::deserialize(from).map(FigureLabel::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_its_parts_with_commas_between_them() {
        let read = FigureLabel { unit: "MB/s", ..FigureLabel::from("read, in order".to_owned()) };
        assert_eq!(
            (read.to_string(), read.words()),
            ("read, in order, MB/s".to_owned(), "read, in order".to_owned())
        );
        let play = FigureLabel { work: "play", ..FigureLabel::from("streams of XAVC".to_owned()) };
        assert_eq!(
            (play.to_string(), play.words()),
            ("streams of XAVC, play".to_owned(), "streams of XAVC, play".to_owned())
        );
    }
}
