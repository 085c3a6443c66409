//! The page that a screen is written on: wraps what it is given, and paints it where colours are wanted.

use crate::sentence::Tone;
use crate::text::wrap;
use crate::wanted::{MAX_WIDTH, Style};

/// Narrower than this no table is readable.
const MIN_WIDTH: usize = 40;

/// The text so far.
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) width: usize,
    colour: bool,
}

impl Page {
    pub(crate) fn new(style: Style) -> Page {
        Page { text: String::new(), width: style.width.clamp(MIN_WIDTH, MAX_WIDTH), colour: style.colour }
    }

    /// An empty line, but never two and none at the top.
    pub(crate) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    pub(crate) fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.painted("1", text);
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
    }

    /// `Name: text`, wrapped below itself.
    pub(crate) fn item(&mut self, name: &str, text: &str) {
        self.painted("", &wrap(&format!("{name}: {text}"), self.width, name.len() + 2));
    }

    /// The same, so many blanks further right.
    pub(crate) fn below(&mut self, indent: usize, name: &str, text: &str) {
        let hanging = if name.len() < 16 { name.len() + 2 } else { indent };
        let text = wrap(&format!("{name}: {text}"), self.width - indent, hanging);
        for line in text.lines() {
            self.text.push_str(&format!("{:indent$}{line}\n", ""));
        }
    }

    pub(crate) fn warning(&mut self, text: &str) {
        self.painted("33", &wrap(&format!("Warning: {text}"), self.width, 9));
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
