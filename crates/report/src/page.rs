//! The buffer that a screen is written to: it wraps text, and adds colours if requested. It also keeps
//! the content as blocks, from which a [document](crate::document) is created.
//!
//! A short screen contains the text of everything except details ([`ScreenText::detail`]). The blocks are
//! always complete.

use crate::document::Block;
use crate::screen_options::{MAX_WIDTH, Style};
use crate::sentence::{Sentence, Tone};
use crate::table::Table;
use crate::text::{display_width, wrap};
use crate::units::counted;

/// Below this width no table is readable.
const MIN_WIDTH: usize = 40;
/// At most this many sentences are the result on a short screen.
const RESULTS_SHOWN: usize = 3;
/// The width of the labels of a result, with a colon and a blank.
const LABEL_CHARS: usize = 12;
/// At most this many warnings are on a short screen; fewer if the result and its table are long.
const WARNINGS_SHOWN: usize = 3;
/// The lines of a short screen, and of the part after the warnings.
const SHORT_LINES: usize = 24;
const LAST_LINES: usize = 5;

/// The text so far.
pub(crate) struct ScreenText {
    pub(crate) text: String,
    pub(crate) width: usize,
    /// The same content, for other renderers.
    pub(crate) blocks: Vec<Block>,
    colour: bool,
    /// Whether details are omitted from the text.
    pub(crate) is_short: bool,
    /// Whether text is being omitted now.
    is_omitting: bool,
    omitted: Omitted,
}

/// The content that a short screen omits.
#[derive(Clone, Copy, Debug, Default)]
struct Omitted {
    pieces: usize,
    sections: usize,
    warnings: usize,
}

/// A warning in full, and in one line if it has such a form.
pub(crate) struct PageWarning {
    pub(crate) short: Option<String>,
    pub(crate) whole: String,
}

impl ScreenText {
    pub(crate) fn new(style: Style) -> ScreenText {
        ScreenText {
            text: String::new(),
            width: style.width.clamp(MIN_WIDTH, MAX_WIDTH),
            blocks: Vec::new(),
            colour: style.colour,
            is_short: style.is_short,
            is_omitting: false,
            omitted: Omitted::default(),
        }
    }

    /// Writes a section that a short screen omits.
    pub(crate) fn detail(&mut self, write: impl FnOnce(&mut ScreenText)) {
        let pieces = self.omitted.pieces;
        let is_within = std::mem::replace(&mut self.is_omitting, self.is_short);
        write(self);
        self.is_omitting = is_within;
        self.omitted.sections += usize::from(self.omitted.pieces > pieces && !is_within);
    }

    /// The omitted content, and how to see it; the first text that fits: `Details: 2 more warnings, 4
    /// sections: reelgauge report RUN --details`.
    pub(crate) fn omitted(&mut self, hows: [&str; 2]) {
        let Omitted { sections, warnings, .. } = self.omitted;
        let parts = [(warnings, "more warning"), (sections, "section")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts.map(|(number, noun)| counted(number as u64, noun)).collect();
        if parts.is_empty() {
            return;
        }
        let [long, short] = hows.map(|how| format!("Details: {}: {how}", parts.join(", ")));
        let text = if display_width(&long) <= self.width { long } else { short };
        self.painted("", &wrap(&text, self.width, 2));
    }

    /// Warnings, the worst first. A short screen has the first of them, in one line if they have such a form.
    pub(crate) fn warnings(&mut self, warnings: &[PageWarning]) {
        let room = SHORT_LINES.saturating_sub(self.text.lines().count() + LAST_LINES);
        let shown = room.clamp(1, WARNINGS_SHOWN);
        for (at, PageWarning { short, whole }) in warnings.iter().enumerate() {
            let text = short.as_ref().filter(|_| self.is_short).unwrap_or(whole);
            match self.is_short && at >= shown {
                true => self.omitted.warnings += 1,
                false => self.painted("33", &wrap(&format!("Warning: {text}"), self.width, 9)),
            }
            self.blocks.push(Block::Warning(whole.clone()));
        }
    }

    /// The result as sentences, after its label. On a short screen, plain sentences after the first are
    /// omitted, because they only explain.
    pub(crate) fn result(&mut self, sentences: &[(Tone, String)]) {
        let is_shown =
            |(at, said): (usize, &(Tone, String))| !self.is_short || at == 0 || said.0 != Tone::Plain;
        let told: Vec<_> = sentences.iter().enumerate().filter(|said| is_shown(*said)).collect();
        let most = if self.is_short { RESULTS_SHOWN } else { told.len() };
        for (at, (_, (tone, text))) in told.into_iter().take(most).enumerate() {
            self.labelled(if at == 0 { "Result" } else { "" }, *tone, text);
        }
    }

    fn put(&mut self, text: &str) {
        match self.is_omitting {
            true => self.omitted.pieces += 1,
            false => self.text.push_str(text),
        }
    }

    /// An empty line, but never two in a row and none at the top.
    pub(crate) fn gap(&mut self) {
        if !self.is_omitting && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Lines without any change, including blanks.
    pub(crate) fn lines(&mut self, lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        self.put(&(lines.join("\n") + "\n"));
        self.blocks.push(Block::Text(lines.join("\n")));
    }

    pub(crate) fn table(&mut self, table: Table) {
        let lines = if self.is_short { table.short_lines(self.width) } else { table.lines(self.width) };
        self.put(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        self.blocks.push(Block::Table(table));
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.painted("1", text);
        self.blocks.push(Block::Heading(text.to_owned()));
    }

    pub(crate) fn sentence(&mut self, tone: Tone, sentence: &str) {
        if sentence.is_empty() {
            return;
        }
        self.painted(code(tone), &wrap(sentence, self.width, 0));
        self.blocks.push(Block::Paragraph(Sentence { tone, text: sentence.to_owned() }));
    }

    /// A part of the result after its label, aligned in the column of all labels. It adds no block:
    /// documents have the result as sentences.
    pub(crate) fn labelled(&mut self, label: &str, tone: Tone, text: &str) {
        if text.is_empty() {
            return;
        }
        let label = if label.is_empty() { String::new() } else { format!("{label}:") };
        let text = wrap(text, self.width - LABEL_CHARS, 0).replace('\n', &format!("\n{:LABEL_CHARS$}", ""));
        self.painted(code(tone), &format!("{label:<LABEL_CHARS$}{text}"));
    }

    /// The caption of a table, wrapped with an indent.
    pub(crate) fn caption(&mut self, text: &str) {
        self.painted("", &wrap(text, self.width, 2));
        self.blocks.push(Block::Paragraph(Sentence { tone: Tone::Plain, text: text.to_owned() }));
    }

    /// `Name: text`, wrapped with an indent.
    pub(crate) fn item(&mut self, name: &str, text: &str) {
        self.painted("", &wrap(&format!("{name}: {text}"), self.width, display_width(name) + 2));
        self.row(name, text);
    }

    pub(crate) fn row(&mut self, name: &str, text: &str) {
        let row = (name.to_owned(), text.to_owned());
        match self.blocks.last_mut() {
            Some(Block::Rows(rows)) => rows.push(row),
            _ => self.blocks.push(Block::Rows(vec![row])),
        }
    }

    /// The same, indented by this many blanks.
    pub(crate) fn below(&mut self, indent: usize, name: &str, text: &str) {
        self.row(name, text);
        let columns = display_width(name);
        let hanging = if columns < 16 { columns + 2 } else { indent };
        let text = wrap(&format!("{name}: {text}"), self.width - indent, hanging);
        self.put(&text.lines().map(|line| format!("{:indent$}{line}\n", "")).collect::<String>());
    }

    pub(crate) fn warning(&mut self, text: &str) {
        self.painted("33", &wrap(&format!("Warning: {text}"), self.width, 9));
        self.blocks.push(Block::Warning(text.to_owned()));
    }

    fn painted(&mut self, code: &str, text: &str) {
        match self.colour && !code.is_empty() {
            true => self.put(&format!("\u{1b}[{code}m{text}\u{1b}[0m\n")),
            false => self.put(&format!("{text}\n")),
        }
    }
}

/// The colour of a sentence.
fn code(tone: Tone) -> &'static str {
    match tone {
        Tone::Answer => "1",
        Tone::Plain => "",
        Tone::Inconclusive => "1;33",
        Tone::Bad => "1;31",
    }
}
