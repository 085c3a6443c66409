//! The page that a screen is written on: wraps what it is given, and paints it where colours are wanted. What
//! was written on it is kept as blocks, too, of which a [document](crate::document) is made.

use crate::document::Block;
use crate::sentence::{Sentence, Tone};
use crate::table::Table;
use crate::text::{display_width, wrap};
use crate::wanted::{MAX_WIDTH, Style};

/// Narrower than this no table is readable.
const MIN_WIDTH: usize = 40;

/// The text so far.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) width: usize,
    /// The same, for other renderers.
    pub(crate) blocks: Vec<Block>,
    colour: bool,
}

impl Page {
    pub(crate) fn new(style: Style) -> Page {
        Page {
            text: String::new(),
            width: style.width.clamp(MIN_WIDTH, MAX_WIDTH),
            blocks: Vec::new(),
            colour: style.colour,
        }
    }

    /// An empty line, but never two and none at the top.
    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Lines as they are, blanks too.
    pub(crate) fn lines(&mut self, lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        for line in &lines {
            self.text.push_str(line);
            self.text.push('\n');
        }
        self.blocks.push(Block::Text(lines.join("\n")));
    }

    pub(crate) fn table(&mut self, table: Table) {
        for line in table.lines(self.width) {
            self.text.push_str(&line);
            self.text.push('\n');
        }
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
        let code = match tone {
            Tone::Answer => "1",
            Tone::Plain => "",
            Tone::Inconclusive => "1;33",
            Tone::Bad => "1;31",
        };
        self.painted(code, &wrap(sentence, self.width, 0));
        self.blocks.push(Block::Paragraph(Sentence { tone, text: sentence.to_owned() }));
    }

    /// What is said of a table, wrapped below itself.
    pub(crate) fn caption(&mut self, text: &str) {
        self.painted("", &wrap(text, self.width, 2));
        self.blocks.push(Block::Paragraph(Sentence { tone: Tone::Plain, text: text.to_owned() }));
    }

    /// `Name: text`, wrapped below itself.
    pub(crate) fn item(&mut self, name: &str, text: &str) {
        self.painted("", &wrap(&format!("{name}: {text}"), self.width, display_width(name) + 2));
        self.row(name, text);
    }

    fn row(&mut self, name: &str, text: &str) {
        let row = (name.to_owned(), text.to_owned());
        match self.blocks.last_mut() {
            Some(Block::Rows(rows)) => rows.push(row),
            _ => self.blocks.push(Block::Rows(vec![row])),
        }
    }

    /// The same, so many blanks further right.
    pub(crate) fn below(&mut self, indent: usize, name: &str, text: &str) {
        self.row(name, text);
        let columns = display_width(name);
        let hanging = if columns < 16 { columns + 2 } else { indent };
        let text = wrap(&format!("{name}: {text}"), self.width - indent, hanging);
        for line in text.lines() {
            self.text.push_str(&format!("{:indent$}{line}\n", ""));
        }
    }

    pub(crate) fn warning(&mut self, text: &str) {
        self.painted("33", &wrap(&format!("Warning: {text}"), self.width, 9));
        self.blocks.push(Block::Warning(text.to_owned()));
    }

    fn painted(&mut self, code: &str, text: &str) {
        if self.colour && !code.is_empty() {
            self.text.push_str(&format!("\u{1b}[{code}m{text}\u{1b}[0m\n"));
        } else {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }
}
