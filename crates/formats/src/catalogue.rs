//! The built-in formats: `catalogue/formats.csv`, embedded and parsed once.
//!
//! Every row is checked. An unknown word, a rate that contradicts the frame size or a duplicate id makes
//! the whole catalogue an error, which a test detects before a release.
//!
//! A few rows have no rate or no frame rate, because no source states one. They are kept separately as
//! [`Incomplete`]: they can be listed, and played when the user states a frame rate.

mod row;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::format::Format;
use crate::id;
use row::{CatalogueRow, Read};

pub(crate) use row::half_a_second;
pub use row::{Incomplete, RowFault};

static BUILT_IN: &str = include_str!("../../../catalogue/formats.csv");

/// The built-in catalogue.
pub fn catalogue() -> &'static Catalogue {
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        Catalogue::from_csv(BUILT_IN).expect("the built-in catalogue is valid (checked by a test)")
    });
    &CATALOGUE
}

/// A set of formats with unique ids.
#[derive(Clone, Debug)]
pub struct Catalogue {
    formats: Vec<Format>,
    incomplete: Vec<Incomplete>,
    by_id: HashMap<String, Place>,
}

/// The position of a format with an id.
#[derive(Clone, Copy, Debug)]
enum Place {
    Complete(usize),
    Incomplete(usize),
}

/// Why a catalogue cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// The file is no CSV with the expected columns.
    #[error("cannot read the format catalogue: {0}. Use the columns of catalogue/formats.csv")]
    Csv(#[from] csv::Error),
    /// A row contradicts itself or holds something unknown.
    #[error("format catalogue, line {line}, row '{row}': {fault}. Correct the row")]
    Row {
        /// Line of the file, from 1.
        line: u64,
        /// The row's own key.
        row: String,
        fault: RowFault,
    },
    /// Two rows lead to the same id.
    #[error("format catalogue, line {line}: the id '{id}' occurs twice; change the name of a row")]
    Twice {
        /// Line of the second, from 1.
        line: u64,
        id: String,
    },
}

/// No format has this id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// There is no such id.
    #[error("no format '{id}'{}; 'reelgauge formats' lists all", did_you_mean(.close))]
    Unknown {
        /// The requested id.
        id: String,
        /// Ids that come close, best first.
        close: Vec<String>,
    },
    /// It exists, but no source states its rate.
    #[error("format '{id}' cannot be played: its {missing} is not published; {remedy}")]
    Incomplete { id: String, missing: &'static str, remedy: &'static str },
}

fn did_you_mean(close: &[String]) -> String {
    match close {
        [] => String::new(),
        [one] => format!("; did you mean '{one}'?"),
        [others @ .., last] => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// How many close ids an error names.
const CLOSE_MAX: usize = 3;

impl Catalogue {
    /// Reads a catalogue with the columns of `catalogue/formats.csv`.
    ///
    /// # Errors
    /// At the first bad row.
    pub fn from_csv(text: &str) -> Result<Catalogue, CatalogueError> {
        let mut catalogue = Catalogue { formats: Vec::new(), incomplete: Vec::new(), by_id: HashMap::new() };
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let columns = reader.headers()?.clone();
        // No field contains a line break, so that rows can be counted.
        for (line, record) in (2..).zip(reader.records()) {
            let row: CatalogueRow = record?.deserialize(Some(&columns))?;
            let read =
                row.read().map_err(|fault| CatalogueError::Row { line, row: row.id.clone(), fault })?;
            catalogue.add(read, line)?;
        }
        Ok(catalogue)
    }

    fn add(&mut self, read: Read, line: u64) -> Result<(), CatalogueError> {
        let (id, place) = match read {
            Read::Complete(format) => {
                let id = format.id.clone();
                self.formats.push(format);
                (id, Place::Complete(self.formats.len() - 1))
            }
            Read::Incomplete(incomplete) => {
                let id = incomplete.id.clone();
                self.incomplete.push(incomplete);
                (id, Place::Incomplete(self.incomplete.len() - 1))
            }
        };
        match self.by_id.insert(id.clone(), place) {
            Some(_) => Err(CatalogueError::Twice { line, id }),
            None => Ok(()),
        }
    }

    /// Every format that can be played, in the catalogue's order.
    pub fn formats(&self) -> &[Format] {
        &self.formats
    }

    /// The formats without a sourced rate or frame rate.
    pub fn incomplete(&self) -> &[Incomplete] {
        &self.incomplete
    }

    /// The format with this id, or with this [title](Format::title). Case, spaces, underscores and `29.97`
    /// for `2997` are forgiven.
    ///
    /// # Errors
    /// [`FindError::Unknown`] with the ids that come close; [`FindError::Incomplete`].
    pub fn find(&self, typed: &str) -> Result<&Format, FindError> {
        let place = [id::of_typed(typed), id::slug(typed)].iter().find_map(|id| self.by_id.get(id));
        match place {
            Some(Place::Complete(index)) => Ok(&self.formats[*index]),
            Some(Place::Incomplete(index)) => Err(self.incomplete[*index].not_playable()),
            None => {
                let titled =
                    self.formats.iter().find(|format| format.title().eq_ignore_ascii_case(typed.trim()));
                titled.ok_or_else(|| self.unknown(typed))
            }
        }
    }

    /// The error for an unknown id, with the formats that have its words, or else the ids that come close.
    fn unknown(&self, typed: &str) -> FindError {
        let words: Vec<String> =
            self.search(typed).iter().take(CLOSE_MAX).map(|one| one.id.clone()).collect();
        let close = if words.is_empty() { self.close_matches(typed, CLOSE_MAX) } else { words };
        FindError::Unknown { id: typed.into(), close }
    }
}

impl Incomplete {
    fn not_playable(&self) -> FindError {
        let remedy = match self.bits_per_s {
            Some(_) => "set it with --fps",
            None => "describe a custom format with its rate and frame rate",
        };
        FindError::Incomplete { id: self.id.clone(), missing: self.missing(), remedy }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::format::{ClipLayout, RateControl};
    use crate::frame_sizes::{PictureSize, SizeModel};
    use crate::rate::FrameRate;

    #[test]
    fn every_row_is_good() {
        let catalogue = Catalogue::from_csv(BUILT_IN).unwrap();
        assert_eq!(catalogue.formats().len(), 600);
        assert_eq!(catalogue.incomplete().len(), 10);
        let of_kind = |kind| catalogue.formats().iter().filter(|format| format.kind == kind).count();
        assert_eq!(of_kind(ClipLayout::MovieFile), 460);
        assert_eq!(of_kind(ClipLayout::FramePerFile), 132);
        assert_eq!(of_kind(ClipLayout::Audio), 8);
    }

    #[test]
    fn ids_do_not_change() {
        let formats = catalogue().formats().iter().map(|format| format.id.as_str());
        let incomplete = catalogue().incomplete().iter().map(|incomplete| incomplete.id.as_str());
        let ids: Vec<&str> = formats.chain(incomplete).collect();
        insta::assert_snapshot!(ids.join("\n"));
    }

    #[test]
    fn ids_are_unique_and_in_kebab_case() {
        let mut ids: Vec<&str> = catalogue().formats().iter().map(|format| format.id.as_str()).collect();
        for id in &ids {
            let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            assert!(id.bytes().all(good) && !id.contains("--"), "{id}");
            assert_eq!(&catalogue().find(id).unwrap().id, id);
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 600);
    }

    #[test]
    fn sizes_follow_the_rate_control() {
        let find = |id: &str| catalogue().find(id).unwrap();
        let constant = find("xavc-intra-class-300-qfhd-50");
        assert_eq!(constant.picture, PictureSize::Constant { bytes: 1_250_304 });
        assert_eq!(constant.rate_control, RateControl::Cbr);
        let model = |id: &str| match find(id).picture {
            PictureSize::Variable { model, .. } => model,
            other => panic!("{id}: {other:?}"),
        };
        assert_eq!(model("prores-422-hq-uhd-25"), SizeModel::Spread);
        assert_eq!(model("openexr-half-rgb-piz-low-end-uhd-24"), SizeModel::Spread);
        assert_eq!(model("xavc-intra-class-100-1080-25"), SizeModel::Even);
        assert_eq!(model("dcp-2k-maximum-24"), SizeModel::Even);
        assert_eq!(model("xavc-long-2160p-25"), SizeModel::LongGop { frames: 12 });
        assert_eq!(model("xavc-long-2160p-50"), SizeModel::LongGop { frames: 25 });
        assert_eq!(model("xdcam-hd422-50-1080i-2997"), SizeModel::LongGop { frames: 15 });
    }

    #[test]
    fn rates_round_trip() {
        let rate = |id: &str| catalogue().find(id).unwrap().mb_per_s();
        assert!((rate("prores-422-hq-uhd-25") - 92.125).abs() < 1e-9);
        assert!((rate("v210-10-bit-422-uhd-5994") - 1325.778).abs() < 1e-3);
        assert_eq!(rate("bwf-96-khz-24-bit-stereo"), 0.576);
    }

    #[test]
    fn spelling_variants_are_accepted_and_typos_get_suggestions() {
        let find = |typed: &str| catalogue().find(typed).map(|format| format.id.as_str());
        assert_eq!(find("ProRes_422 HQ UHD 29.97"), Ok("prores-422-hq-uhd-2997"));
        assert_eq!(find("BWF 48 kHz 24-bit 5.1"), Ok("bwf-48-khz-24-bit-5-1"));
        let close = |typed: &str| match find(typed) {
            Err(FindError::Unknown { close, .. }) => close,
            other => panic!("{typed}: {other:?}"),
        };
        assert_eq!(close("prores-hq-uhd-25")[0], "prores-422-hq-uhd-25");
        assert_eq!(close("prores-422-hq-udh-25")[0], "prores-422-hq-uhd-25");
        assert_eq!(close("dnxhr-hqx-uhd-51")[0], "dnxhr-hqx-uhd-50");
        assert_eq!(close("xyzzy"), Vec::<String>::new());
        assert_eq!(close("ProRes422HQ")[0], "prores-422-hq-hd-23976");
        assert_eq!(find("Apple ProRes 422 HQ HD, 25 fps"), Ok("prores-422-hq-hd-25"));
        let said = find("prores-hq-uhd-25").unwrap_err().to_string();
        insta::assert_snapshot!(said);
    }

    #[test]
    fn incomplete_format_is_reported_and_can_be_completed() {
        let said = catalogue().find("x-ocn-4k").unwrap_err().to_string();
        assert!(said.contains("frame rate"), "{said}");
        let incomplete = |id: &str| {
            let mut all = catalogue().incomplete().iter();
            all.find(|incomplete| incomplete.id == id).unwrap()
        };
        let format = incomplete("x-ocn-4k").at(FrameRate::whole(24)).unwrap();
        assert_eq!(format.id, "x-ocn-4k-24");
        assert!((format.mb_per_s() - 86.0).abs() < 1e-9);
        assert_eq!(incomplete("spec-sfs-2014-vda-stream").at(FrameRate::whole(25)), None);
    }

    #[test]
    fn a_bad_row_is_named_with_its_line() {
        let (head, good) = BUILT_IN.split_once('\n').unwrap();
        let good = good.lines().next().unwrap();
        let error = |row: &str| Catalogue::from_csv(&format!("{head}\n{row}\n")).unwrap_err().to_string();
        for (from, to, said) in [
            ("frame_sequence", "film", "line 2, row 'dpx10_2kfa_24': 'film' in column kind"),
            ("24/1", "24fps", "'24fps' is not a frame rate"),
            ("2448.949", "2449.949", "2449.949 Mbit/s"),
            ("2448.949", "2.4e3", "not a rate like"),
            ("12754944", "0", "is 0"),
            (",2048,1556,", ",2048,,", "width and height"),
            (",2048,1556,", ",2048,-5,", "formats.csv"),
            (",cbr,", ",abr,", "'abr' in column rate_control"),
        ] {
            assert!(good.contains(from), "{from}");
            let message = error(&good.replacen(from, to, 1));
            assert!(message.contains(said), "{message}");
        }
        assert!(error(&format!("{good}\n{good}")).contains("occurs twice"));
        assert!(Catalogue::from_csv("id,name\n1,2\n").is_err());
    }
}
