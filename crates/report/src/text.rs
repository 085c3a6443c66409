//! Text for terminals: escaped, and no wider than requested.

use std::ffi::OsStr;
use std::iter::repeat_n;
use std::path::Path;

use textwrap::core::Fragment;
use textwrap::wrap_algorithms::wrap_first_fit;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of a text on a terminal, in columns: two for a wide character, none for a combining one.
pub fn display_width(text: &str) -> usize {
    text.width()
}

/// The largest width of a character, in any context. An emoji selector makes the character before it
/// wide.
fn widest(c: char) -> usize {
    if c == '\u{fe0f}' { 1 } else { c.width().unwrap_or(1) }
}

/// Pads with blanks to this width, on the left or on the right. `format!` counts characters, not
/// columns.
pub(crate) fn pad(text: &str, width: usize, is_right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(display_width(text)));
    if is_right { blanks + text } else { text.to_owned() + &blanks }
}

/// An untrusted string (a path, a label, a server's name), safe for a terminal: escape sequences, line
/// feeds and characters that change the text direction are shown as `\u{…}`.
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

/// Control characters (escape sequences begin with one), and characters that are invisible or change the
/// text direction, which let a name look like another one.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The same text, cut to this width with an ellipsis.
pub fn plain_short(text: &str, max_columns: usize) -> String {
    let whole = plain(text);
    if display_width(&whole) <= max_columns {
        return whole;
    }
    let cut = whole.char_indices().scan(1, |columns, (at, c)| {
        *columns += widest(c);
        (*columns <= max_columns).then_some(at + c.len_utf8())
    });
    let end = cut.last().unwrap_or(0);
    format!("{}…", &whole[..end])
}

/// A path of at most this width. The front is cut, because the end identifies it better.
pub fn path_short(path: &str, max_columns: usize) -> String {
    let whole = plain(path);
    if display_width(&whole) <= max_columns {
        return whole;
    }
    let cut = whole.char_indices().rev().scan(1, |columns, (at, c)| {
        *columns += widest(c);
        (*columns <= max_columns).then_some(at)
    });
    let start = cut.last().unwrap_or(whole.len());
    // A combining character would change the ellipsis.
    format!("…{}", whole[start..].trim_start_matches(|c| widest(c) == 0))
}

/// A path as an operand of a command line, to paste into a shell: one word that is no flag.
pub fn shell_word(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.starts_with(b"-") {
        return format!("./{}", quoted(bytes).as_deref().unwrap_or(&path.display().to_string()));
    }
    shell_argument(path.as_os_str())
}

/// Any other text as one word of a command line, including flags: the shell passes on exactly these
/// bytes. The result has no characters that control a terminal.
pub fn shell_argument(word: &OsStr) -> String {
    quoted(word.as_encoded_bytes()).unwrap_or_else(|| word.to_string_lossy().into_owned())
}

/// These bytes in quotes; `None` if they need none. Names with a single line use the quotes that every
/// shell supports. Control characters, invisible characters, and bytes that are not UTF-8 are escaped as
/// `$'…'`, which bash, zsh, ksh and POSIX.1-2024 support.
fn quoted(bytes: &[u8]) -> Option<String> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+:@%,=".contains(byte);
    // zsh replaces a word that begins with `=` by the path of a program.
    if !bytes.is_empty() && bytes.iter().all(is_plain) && !bytes.starts_with(b"=") {
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(is_harmful) => Some(format!("'{}'", text.replace('\'', r"'\''"))),
        _ => Some(format!("$'{}'", escaped(bytes))),
    }
}

/// The inside of `$'…'`. An exclamation mark is escaped, too: some shells expand it from their history.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\'' | '\\' => out.extend(['\\', c]),
                _ if c == '!' || is_harmful(c) => {
                    c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| out.push_str(&hex(byte)));
                }
                _ => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| out.push_str(&hex(*byte)));
    }
    out
}

fn hex(byte: u8) -> String {
    format!("\\x{byte:02x}")
}

/// Capitalises the first letter, for the beginning of a sentence.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A word of a text and the blank after it.
#[derive(Debug)]
struct Word<'a> {
    text: &'a str,
    columns: usize,
}

impl Fragment for Word<'_> {
    fn width(&self) -> f64 {
        self.columns as f64
    }

    fn whitespace_width(&self) -> f64 {
        1.0
    }

    fn penalty_width(&self) -> f64 {
        0.0
    }
}

/// Wraps text into lines of at most `width` columns at blanks; the lines after the first begin with
/// `indent` blanks. A word that is longer than a line is not split, so that a path can be copied.
/// Neither is a path with blanks in single quotes, nor a command of this program, so that both can be
/// pasted.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let words: Vec<Word> =
        words(text).into_iter().map(|text| Word { text, columns: display_width(text) }).collect();
    let widths = [width as f64, width.saturating_sub(indent) as f64];
    let mut out = String::with_capacity(text.len() + 16);
    for (at, line) in wrap_first_fit(&words, &widths).into_iter().enumerate() {
        if at > 0 {
            // A smaller indent is better than a line that is too wide.
            let widest = line.first().map_or(0, |word| word.columns);
            out.push('\n');
            out.extend(repeat_n(' ', indent.min(width.saturating_sub(widest))));
        }
        for (at, word) in line.iter().enumerate() {
            out.extend((at > 0).then_some(' '));
            out.push_str(word.text);
        }
    }
    out
}

/// The words of a text, split at blanks. Blanks do not split a shell string (`$'…'`), or a path or a
/// command in single quotes, if it begins at the start of a word, a value or a name. A quote that is
/// never closed is an apostrophe. Blanks do not split an unquoted command either: it begins with the
/// program's name and extends to the end of its clause or of the text.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = 0;
    let mut quoted_until = 0;
    let mut before = ' ';
    let mut in_command = false;
    // A name that contains quotes is several adjacent shell strings; the text after the first belongs to
    // it.
    let mut in_name = false;
    for (at, c) in text.char_indices() {
        if at >= quoted_until {
            in_command = in_command || (at == from && begins_command(&text[at..]));
            match c {
                '\'' if matches!(before, ' ' | '$' | '=' | '/' | '(' | '\'') => {
                    let quoted = &text[at + 1..];
                    let is_whole =
                        |end: &usize| in_name || before == '$' || is_name_or_command(&quoted[..*end]);
                    quoted_until =
                        closing(quoted, before == '$').filter(is_whole).map_or(0, |end| at + 1 + end);
                    in_name |= quoted_until > 0;
                }
                ' ' if in_command && !ends_clause(&text[from..at], &text[at + 1..]) => {}
                ' ' => {
                    words.push(&text[from..at]);
                    from = at + 1;
                    (in_command, in_name) = (false, false);
                }
                _ => {}
            }
        }
        before = c;
    }
    words.push(&text[from..]);
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a command of this program begins here, with or without an opening parenthesis. The product's
/// name in a sentence is capitalised.
fn begins_command(text: &str) -> bool {
    let behind = text.trim_start_matches('(').strip_prefix(COMMAND);
    behind.is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The beginning of every command of this program.
const COMMAND: &str = "reelgauge ";

fn is_name_or_command(quoted: &str) -> bool {
    quoted.contains('/') || quoted.contains(COMMAND)
}

/// Whether the command so far is complete: its last word ends a clause, and no flag follows. `.` and `..` are
/// directories.
fn ends_clause(command: &str, behind: &str) -> bool {
    let last = command.rsplit(' ').next().unwrap_or(command);
    let is_directory = matches!(last, "." | "..");
    last.ends_with([',', ';', ':', '.', ')']) && !is_directory && !behind.starts_with('-')
}

/// The position after the closing quote of a string whose opening quote is just before this text. In
/// `$'…'` a backslash escapes.
fn closing(text: &str, has_escapes: bool) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\'' if !escaped => return Some(at + 1),
            '\\' if has_escapes => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

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
        assert_eq!(shell_word(Path::new("-rf")), "./-rf");
        assert_eq!(shell_word(Path::new("-my dir")), "./'-my dir'");
        assert_eq!(shell_argument(OsStr::new("--count")), "--count");
        assert_eq!(shell_argument(OsStr::new("=ls")), "'=ls'");
        assert_eq!(shell_argument(OsStr::new("")), "''");
    }

    #[test]
    fn names_that_a_terminal_would_act_upon_are_escaped() {
        assert_eq!(shell_word(Path::new("/mnt/two\nlines!")), r"$'/mnt/two\nlines\x21'");
        assert_eq!(shell_word(Path::new("/it's\\\u{1b}[2J")), r"$'/it\'s\\\x1b[2J'");
        assert_eq!(shell_word(Path::new("/\u{202e}gpj")), r"$'/\xe2\x80\xaegpj'");
        assert_eq!(shell_word(Path::new("/Bär Ω!")), "'/Bär Ω!'");
    }

    /// Characters that are special in shells or on terminals.
    const SPECIAL: &[u8] = b"'\"\\$!`-=~#*?[{(<&;| \t\n\r\x1b";

    /// The word as bash expands it.
    #[cfg(unix)]
    fn in_bash(word: &str) -> Vec<u8> {
        let command = format!("printf %s {word}");
        std::process::Command::new("bash").args(["-c", &command]).output().unwrap().stdout
    }

    #[cfg(unix)]
    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]
        #[test]
        fn bash_reads_the_same_bytes(
            bytes in proptest::collection::vec(
                proptest::prop_oneof![1..=255_u8, proptest::sample::select(SPECIAL)],
                0..40,
            ),
        ) {
            use std::os::unix::ffi::OsStrExt;
            let word = shell_argument(OsStr::from_bytes(&bytes));
            proptest::prop_assert!(!word.chars().any(is_harmful), "{word:?}");
            proptest::prop_assert_eq!(in_bash(&word), bytes.clone(), "{}", word);
            let operand = shell_word(Path::new(OsStr::from_bytes(&bytes)));
            let prefix: &[u8] = if bytes.starts_with(b"-") { b"./" } else { b"" };
            proptest::prop_assert_eq!(in_bash(&operand), [prefix, &bytes].concat(), "{}", operand);
            // The path is still a single word after wrapping.
            let path = [b"/mnt/", &bytes[..]].concat();
            let path = shell_word(Path::new(OsStr::from_bytes(&path)));
            proptest::prop_assert_eq!(wrap(&path, 12, 2), path.clone());
            // The same holds for a command that contains it.
            let command = format!("reelgauge replay {path} --pace max");
            proptest::prop_assert_eq!(wrap(&command, 12, 2), command);
        }

        #[test]
        fn bash_reads_the_same_text(text in "[^\0]{0,20}") {
            let word = shell_argument(OsStr::new(&text));
            proptest::prop_assert!(!word.chars().any(is_harmful), "{word:?}");
            proptest::prop_assert_eq!(in_bash(&word), text.into_bytes(), "{}", word);
        }
    }

    #[test]
    fn a_path_with_a_blank_between_quotes_stays_one_word() {
        let path = shell_word(Path::new("/mnt/' '"));
        assert_eq!(wrap(&path, 6, 2), path);
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
    fn widths_are_columns_of_a_terminal() {
        for (text, columns) in
            [("", 0), ("nas-1", 5), ("映像", 4), ("e\u{301}", 1), ("🎬 B", 4), ("❤\u{fe0f}", 2)]
        {
            assert_eq!(display_width(text), columns, "{text}");
            assert_eq!(display_width(&pad(text, 9, true)), 9, "{text}");
        }
        assert_eq!((pad("映像", 6, false), pad("映像", 6, true)), ("映像  ".into(), "  映像".into()));
        assert_eq!(pad("too long", 3, true), "too long");
    }

    #[test]
    fn wide_and_combining_characters_are_cut_by_columns() {
        assert_eq!(plain_short("映像素材", 8), "映像素材");
        assert_eq!(
            (plain_short("映像素材", 7), plain_short("映像素材", 6)),
            ("映像素…".into(), "映像…".into())
        );
        assert_eq!(plain_short("ne\u{301}es", 3), "ne\u{301}…");
        assert_eq!(
            (path_short("/映像/素材", 8), path_short("/映像/素材", 7)),
            ("…像/素材".into(), "…/素材".into())
        );
        assert_eq!(path_short("/ne\u{301}es", 3), "…es");
        assert_eq!((plain_short("映像", 1), path_short("映像", 1)), ("…".into(), "…".into()));
    }

    proptest::proptest! {
        #[test]
        fn no_line_exceeds_the_width(
            text in "[a /\u{301}\u{200d}\u{fe0f}\u{1f3fd}🎬❤👍映ｱא\u{644}\u{627}]{0,40}",
            width in 1..30_usize,
        ) {
            proptest::prop_assert!(display_width(&plain_short(&text, width)) <= width);
            proptest::prop_assert!(display_width(&path_short(&text, width)) <= width);
            let words: Vec<&str> = words(&text);
            let wrapped = wrap(&text, width, 2);
            for line in wrapped.lines() {
                let is_one_word = words.contains(&line.trim_start());
                proptest::prop_assert!(is_one_word || display_width(line) <= width, "{line:?}");
            }
            proptest::prop_assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>(), words);
        }
    }

    #[test]
    fn wrapping_keeps_words_whole() {
        let mut printed = Vec::<String>::new();
        printed.push(wrap("one two three four", 9, 2).to_string());
        assert_eq!(wrap("a /a/very/long/path b", 6, 0), "a\n/a/very/long/path\nb");
        assert_eq!(wrap("", 10, 2), "");
        assert_eq!(wrap("File: /a/path/1", 10, 6), "File:\n /a/path/1");
        assert_eq!(wrap("see '/a  b c' now", 6, 2), "see\n'/a  b c'\n  now");
        assert_eq!(wrap(r"$'a\'b c' d", 4, 0), "$'a\\'b c'\nd");
        printed.push(wrap("users' own, it's 'so", 9, 0).to_string());
        assert_eq!(wrap("映像 の 保存", 7, 1), "映像 の\n 保存");
        assert_eq!(wrap("ne\u{301}e ne\u{301}e", 7, 0), "ne\u{301}e ne\u{301}e");
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn a_command_of_several_words_is_kept_whole() {
        let mut printed = Vec::<String>::new();
        let wrapped = |text: &str| wrap(text, 24, 2);
        printed
            .push(wrapped("Next: Run it again: reelgauge run '/a b/run.toml' --shared-target").to_string());
        printed.push(
            wrapped("After a change: reelgauge run a/run.toml, then reelgauge compare a NEW-RUN").to_string(),
        );
        printed.push(wrapped("Undo it (reelgauge prove --undo-left), then prove it again.").to_string());
        printed.push(wrapped("Here there is 'reelgauge formats WORDS', which finds one").to_string());
        printed.push(wrapped("For the rest: reelgauge list . --json, and no more of it").to_string());
        // The product's name, which is capitalised in sentences, does not begin a command.
        printed.push(wrap("by Reelgauge so it was", 12, 0).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
