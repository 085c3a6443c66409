//! The list of media formats: the name of each, and the rate that one stream of it needs.

use crate::table::Table;
use crate::tables::numbers;
use crate::text::wrap;
use crate::units::number;

/// A format in the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormatLine {
    /// Its name in flags.
    pub id: String,
    /// Its name on screens.
    pub name: String,
    /// The rate that one stream of it needs.
    pub mb_per_s: f64,
    /// The average size of a frame.
    pub mb_per_frame: f64,
    /// Frames per second, as usually written.
    pub frame_rate: String,
    /// How a clip is stored in files, in one word.
    pub kind: String,
    /// Width and height; `-` if there is none.
    pub raster: String,
    /// The model of its frame sizes, as text. `None` if every size has a source.
    pub size_model: Option<String>,
}

/// For more formats than this, the models of the frame sizes are only in the `--json` output.
const MODELS_MAX: usize = 12;

/// The formats as aligned columns below a header, ending with a line feed; as many columns as fit.
pub fn format_list(formats: &[FormatLine], width: usize) -> String {
    let cells = |of: fn(&FormatLine) -> &String| formats.iter().map(of).cloned().collect::<Vec<_>>();
    let values = |of: fn(&FormatLine) -> f64| {
        numbers(&formats.iter().map(|format| Some(of(format))).collect::<Vec<Option<f64>>>())
    };
    let mut table = Table::default();
    table.column("", "id", cells(|format| &format.id));
    table.column("needs", "MB/s", values(|format| format.mb_per_s));
    if table.width() > width {
        return formats.iter().map(|format| in_lines(format, width)).collect();
    }
    table.words_if_they_fit("fps", cells(|format| &format.frame_rate), width);
    table.words_if_they_fit("kind", cells(|format| &format.kind), width);
    table.words_if_they_fit("raster", cells(|format| &format.raster), width);
    table.words_if_they_fit("MB/frame", values(|format| format.mb_per_frame), width);
    table.words_if_they_fit("name", cells(|format| &format.name), width);
    table.lines(width).join("\n") + "\n" + &models(formats, width)
}

/// How the frame sizes of the formats are modelled, below the list.
fn models(formats: &[FormatLine], width: usize) -> String {
    let modelled = formats.iter().filter_map(|format| Some((&format.id, format.size_model.as_ref()?)));
    let lines: Vec<String> =
        modelled.map(|(id, model)| wrap(&format!("{id}: {model}."), width, 2) + "\n").collect();
    match (1..=MODELS_MAX).contains(&lines.len()) {
        true => format!("\nFrame sizes\n{}", lines.concat()),
        false => String::new(),
    }
}

/// The same format as lines, if there is no space for columns.
fn in_lines(format: &FormatLine, width: usize) -> String {
    let facts = format!("{} MB/s, {} fps, {}", number(format.mb_per_s), format.frame_rate, format.kind);
    format!("{}\n  {}\n", format.id, wrap(&facts, width.saturating_sub(2), 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_fits_the_width() {
        let mut printed = Vec::<String>::new();
        let one = [FormatLine {
            id: "prores-422-hq-uhd-25".to_owned(),
            name: "Apple ProRes 422 HQ UHD".to_owned(),
            mb_per_s: 92.14,
            mb_per_frame: 3.685,
            frame_rate: "25".to_owned(),
            kind: "movie".to_owned(),
            raster: "3840x2160".to_owned(),
            size_model: None,
        }];
        printed.push(format_list(&one, 100).to_string());
        printed.push(format_list(&one, 40).to_string());
        let modelled = FormatLine { size_model: Some("groups of 12 pictures".to_owned()), ..one[0].clone() };
        printed.push(format_list(&[modelled], 100).to_string());
        assert_eq!(format_list(&one, 24), "prores-422-hq-uhd-25\n  92.1 MB/s, 25 fps,\n  movie\n");
        insta::assert_snapshot!(printed.join("\n"));
    }
}
