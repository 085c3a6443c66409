//! Text for terminals: harmless, and no wider than asked.

use std::path::Path;

/// A string from outside (a path, a label, a server's name) as it may be shown on a terminal: escape
/// sequences, line feeds and characters that turn the direction of writing are shown as `\u{…}`.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            _ if is_harmful(c) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

/// Control characters (escape sequences begin with one), and those that are invisible or change the
/// direction of writing, by which a name can pretend to be another.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The same, cut to this many characters with an ellipsis.
pub fn plain_short(text: &str, max_chars: usize) -> String {
    let whole = plain(text);
    if whole.chars().count() <= max_chars {
        return whole;
    }
    let mut cut: String = whole.chars().take(max_chars.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// A path of at most this many characters, of which the end tells more than the beginning.
pub fn path_short(path: &str, max_chars: usize) -> String {
    let whole = plain(path);
    let chars = whole.chars().count();
    if chars <= max_chars {
        return whole;
    }
    let end: String = whole.chars().skip(chars + 1 - max_chars).collect();
    format!("…{end}")
}

/// A path as a word of a shell's command line.
pub fn shell_word(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", plain(&text).replace('\'', r"'\''"))
}

/// With a capital at the beginning, as a sentence has it.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Breaks text into lines of at most `width` characters at blanks; the lines after the first begin with
/// `indent` blanks. A word that is longer than a line is left whole, so that a path can be copied.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut line_chars = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let word_chars = word.chars().count();
        if line_chars > 0 && line_chars + 1 + word_chars > width {
            // Rather further left than too wide.
            let indent = indent.min(width.saturating_sub(word_chars));
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            line_chars = indent;
        } else if line_chars > 0 {
            out.push(' ');
            line_chars += 1;
        }
        out.push_str(word);
        line_chars += word_chars;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_strings_are_disarmed() {
        let hostile = "/mnt/\u{1b}[2J\u{1b}]0;owned\u{7}\nrm -rf\u{202e}gpj.\u{9b}31m";
        let shown = plain(hostile);
        assert_eq!(shown, "/mnt/\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\nrm -rf\\u{202e}gpj.\\u{9b}31m");
        assert!(!shown.chars().any(is_harmful));
        assert_eq!(plain("Bär Ω 日本"), "Bär Ω 日本");
    }

    #[test]
    fn paths_stay_one_word() {
        assert_eq!(shell_word(Path::new("/mnt/nas-1")), "/mnt/nas-1");
        assert_eq!(shell_word(Path::new("/Volumes/Media Pool")), "'/Volumes/Media Pool'");
        assert_eq!(shell_word(Path::new("/mnt/it's")), r"'/mnt/it'\''s'");
    }

    #[test]
    fn long_strings_are_cut() {
        assert_eq!(plain_short("abcdef", 6), "abcdef");
        assert_eq!(
            (path_short("/a/b", 4), path_short("/long/b.mov", 6)),
            ("/a/b".to_owned(), "…b.mov".to_owned())
        );
        assert_eq!(plain_short("abcdefg", 6), "abcde…");
    }

    #[test]
    fn wrapping_keeps_words_whole() {
        assert_eq!(wrap("one two three four", 9, 2), "one two\n  three\n  four");
        assert_eq!(wrap("a /a/very/long/path b", 6, 0), "a\n/a/very/long/path\nb");
        assert_eq!(wrap("", 10, 2), "");
        assert_eq!(wrap("File: /a/path/1", 10, 6), "File:\n /a/path/1");
    }
}
