//! Just enough of Rust's lexical structure to tell code from comments and literals.

/// The source with the inside of every comment, string and character literal replaced by spaces.
///
/// Line breaks stay, so that line numbers remain true.
pub fn code_only(source: &str) -> String {
    code_and_strings(source).0
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StringLiteral<'a> {
    /// Its start in the code.
    pub from: usize,
    /// Its end in the code.
    pub until: usize,
    /// As it is written, quotes and escapes included.
    pub token: &'a str,
}

/// [`code_only`], and the string literals that were in it.
pub fn code_and_strings(source: &str) -> (String, Vec<StringLiteral<'_>>) {
    let mut blanker = Blanker { rest: source, out: String::with_capacity(source.len()), strings: Vec::new() };
    while !blanker.rest.is_empty() {
        blanker.step();
    }
    (blanker.out, blanker.strings)
}

/// The remaining input, and the output so far.
struct Blanker<'a> {
    rest: &'a str,
    out: String,
    strings: Vec<StringLiteral<'a>>,
}

impl<'a> Blanker<'a> {
    /// Takes the next token: a comment, a literal, a word or what is between words.
    fn step(&mut self) {
        if self.rest.starts_with("//") {
            self.blank(self.rest.find('\n').unwrap_or(self.rest.len()));
        } else if self.rest.starts_with("/*") {
            self.blank(block_comment_len(self.rest));
        } else if let Some(len) = self.at_word_start().then(|| raw_string_len(self.rest)).flatten() {
            self.string(len);
        } else if self.rest.starts_with('"') {
            self.string(quoted_len(self.rest, b'"'));
        } else if is_char_literal(self.rest) {
            self.blank(quoted_len(self.rest, b'\''));
        } else {
            self.keep();
        }
    }

    /// Whether the next character does not continue a name (`r"` in `bar"` would).
    fn at_word_start(&self) -> bool {
        !self.out.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    /// Copies one word, or what is between words.
    fn keep(&mut self) {
        let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_word = self.rest.starts_with(is_of_word);
        let goes_on = |c: char| is_of_word(c) == is_word && !matches!(c, '/' | '"' | '\'');
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let more = &self.rest[first..];
        let (kept, rest) = self.rest.split_at(first + more.find(|c| !goes_on(c)).unwrap_or(more.len()));
        self.out.push_str(kept);
        self.rest = rest;
    }

    /// Takes a string literal of `len` bytes.
    fn string(&mut self, len: usize) {
        let (from, token) = (self.out.len(), &self.rest[..len]);
        self.blank(len);
        self.strings.push(StringLiteral { from, until: self.out.len(), token });
    }

    /// Replaces the next `len` bytes by spaces, except line breaks.
    fn blank(&mut self, len: usize) {
        let (token, rest) = self.rest.split_at(len);
        self.out.extend(token.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

/// The length in bytes of the block comment at the start; block comments nest.
fn block_comment_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (at, depth) = (at + 2, depth + 1),
            Some(b"*/") => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// The length in bytes of the raw string literal at the start, if there is one (`r"…"`, `br#"…"#`).
fn raw_string_len(text: &str) -> Option<usize> {
    let body =
        text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let hashes = body.len() - body.trim_start_matches('#').len();
    let inside = body[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let prefix = text.len() - inside.len();
    Some(inside.find(&end).map_or(text.len(), |at| prefix + at + end.len()))
}

/// The length in bytes of the literal at the start, including its closing quote; a backslash escapes.
fn quoted_len(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Whether a character literal starts here, and not a lifetime or a label.
fn is_char_literal(text: &str) -> bool {
    let Some(body) = text.strip_prefix('\'') else {
        return false;
    };
    let mut characters = body.chars();
    characters.next() == Some('\\') || characters.next() == Some('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that remain.
    fn words(source: &str) -> Vec<String> {
        code_only(source).split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn comments_and_literals_go_and_code_stays() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(words(r#"a "b \" c" d"#), ["a", "d"]);
        assert_eq!(words(r##"a r#"b " c"# d br"e" f"##), ["a", "d", "f"]);
        assert_eq!(words(r"a '{' b '\'' c '\u{7d}' d b'}' e"), ["a", "b", "c", "d", "b", "e"]);
    }

    #[test]
    fn strings_are_found_where_they_were() {
        let (code, strings) = code_and_strings("f(\"a ä\", 'x', r#\"b\"#) // \"c\"");
        let tokens: Vec<&str> = strings.iter().map(|string| string.token).collect();
        assert_eq!(tokens, ["\"a ä\"", "r#\"b\"#"]);
        assert!(
            code[..strings[0].from].ends_with('(') && code[strings[0].until..].starts_with(','),
            "{code}"
        );
        assert!(code[strings[1].until..].starts_with(')'), "{code}");
    }

    #[test]
    fn lifetimes_labels_and_names_that_end_in_r_stay() {
        assert_eq!(words("fn f<'a>(x: &'a str) {"), ["fn", "f<'a>(x:", "&'a", "str)", "{"]);
        assert_eq!(words("bar\"x\" y"), ["bar", "y"]);
    }

    #[test]
    fn lines_keep_their_numbers() {
        let source = "a\n/* b\nc */\nr\"d\ne\"\nf";
        assert_eq!(code_only(source).lines().count(), source.lines().count());
    }

    #[test]
    fn unfinished_tokens_end_with_the_text() {
        for source in ["/* a", "\"a", "r#\"a", "'\\", "\"a\\"] {
            assert!(code_only(source).chars().all(|c| c == ' '), "{source}");
        }
    }
}
