//! A page as a single HTML file: the application (built from `console/`) with the data embedded.
//!
//! The application has one element for its data, initially `null`. The page's JSON replaces it. No name
//! or note can end that element or begin another: `<`, `>`, `&` and the two line separators that
//! JavaScript would treat as line ends are written as `\u003c` and similar escapes, which JSON reads as
//! the same characters. The application's own content security policy allows only its own script.
//!
//! Without JavaScript, the page shows the text of [`mod@fallback`], which is in the application's root
//! element until the application replaces it.
//!
//! [`mod@page`]: the content of a page. `sections`: the sections of a run, as blocks. [`mod@shorten`]:
//! shortens a summary that is too long for a page.

pub(crate) mod element;
mod fallback;
pub mod page;
mod sections;
pub mod shorten;

use std::io::{self, BufWriter, Write};
use std::sync::LazyLock;

use serde::Serialize;

use self::page::Page;
pub use self::sections::sections;

/// The application without data; with `null` it is the live console. It is compressed in the program
/// (`build.rs`), because it would take a megabyte otherwise.
pub static APPLICATION: LazyLock<String> = LazyLock::new(|| {
    let compressed = include_bytes!(concat!(env!("OUT_DIR"), "/reelgauge.html.zlib"));
    let html = miniz_oxide::inflate::decompress_to_vec_zlib(compressed);
    String::from_utf8(html.expect("build.rs compressed it")).expect("build.rs read it as text")
});

/// The placeholders for the tab's title, the text without JavaScript, and the data. Each occurs exactly
/// once in the application, in this order.
const TITLE: &str = "<title>Reelgauge</title>";
const ROOT: &str = r#"<div id="reelgauge"></div>"#;
const DATA: &str = r#"<script type="application/json" id="reelgauge-data">null</script>"#;

/// Writes a page as an HTML file.
///
/// # Errors
/// If it cannot be written.
pub fn write(page: &Page, to: impl Write) -> io::Result<()> {
    let [head, body, between, after] = parts()?;
    let mut to = BufWriter::with_capacity(1 << 16, to);
    write!(to, "{head}<title>{}</title>{body}", fallback::title(page))?;
    write!(to, r#"<div id="reelgauge">{}</div>{between}"#, fallback::fallback(page))?;
    to.write_all(br#"<script type="application/json" id="reelgauge-data">"#)?;
    embed(page, &mut to)?;
    write!(to, "</script>{after}")?;
    to.flush()
}

/// The parts of the application between the placeholders.
fn parts() -> io::Result<[&'static str; 4]> {
    let split = || {
        let (head, rest) = APPLICATION.split_once(TITLE)?;
        let (body, rest) = rest.split_once(ROOT)?;
        let (between, after) = rest.split_once(DATA)?;
        Some([head, body, between, after])
    };
    split().ok_or_else(|| io::Error::other("the application in this program has no place for data"))
}

/// Writes a value as JSON that is safe in a script element.
fn embed(value: &impl Serialize, to: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(Embedded(to), value).map_err(io::Error::from)
}

/// Forwards JSON piece by piece and escapes the characters that are special in HTML. In JSON they occur
/// only in strings, where the escape is equivalent.
struct Embedded<'a, W>(&'a mut W);

impl<W: Write> Write for Embedded<'_, W> {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        self.write_all(json)?;
        Ok(json.len())
    }

    fn write_all(&mut self, mut json: &[u8]) -> io::Result<()> {
        // serde_json writes strings in pieces that never split a character.
        while let Some((at, length, escape)) = first_harmful(json) {
            self.0.write_all(&json[..at])?;
            self.0.write_all(escape)?;
            json = &json[at + length..];
        }
        self.0.write_all(json)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The first character that must be escaped: its position, its length, and its replacement.
fn first_harmful(json: &[u8]) -> Option<(usize, usize, &'static [u8])> {
    json.iter().enumerate().find_map(|(at, byte)| match byte {
        b'<' => Some((at, 1, &br"\u003c"[..])),
        b'>' => Some((at, 1, &br"\u003e"[..])),
        b'&' => Some((at, 1, &br"\u0026"[..])),
        0xe2 if json[at..].starts_with("\u{2028}".as_bytes()) => Some((at, 3, &br"\u2028"[..])),
        0xe2 if json[at..].starts_with("\u{2029}".as_bytes()) => Some((at, 3, &br"\u2029"[..])),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::page::{PAGE_VERSION, PageKind};
    use proptest::prelude::*;

    use super::*;

    fn embedded(value: &impl Serialize) -> String {
        let mut bytes = Vec::new();
        embed(value, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn hostile_strings_round_trip_without_ending_the_block() {
        let long = "\u{2028}<é&".repeat(1_000);
        for text in [
            "</script><script>alert(1)</script>",
            "<!--<script>",
            "]]>&lt;&#60;",
            "line\u{2028}and\u{2029}line\r\n\t\0",
            "\u{202e}gpj.exe\u{200b}",
            "\\u003c \\\\ \" '",
            "\u{e2}\u{2027}\u{202a}\u{10ffff}",
            &long,
        ] {
            let json = embedded(&serde_json::json!({ text: [text] }));
            assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{json}");
            let back: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(back, serde_json::json!({ text: [text] }));
        }
    }

    #[test]
    fn the_application_holds_the_data_once_and_is_else_unchanged() {
        for place in [TITLE, ROOT, DATA] {
            assert_eq!(APPLICATION.matches(place).count(), 1, "{place}");
        }
        let page = Page {
            page_version: PAGE_VERSION,
            kind: PageKind::Run,
            made_at: "</script>".to_owned(),
            tool_version: String::new(),
            runs: Vec::new(),
            trace: None,
            comparison: None,
            suites: None,
            deviations: Vec::new(),
            verdict: None,
            sections: Vec::new(),
        };
        let mut html = Vec::new();
        write(&page, &mut html).unwrap();
        let html = String::from_utf8(html).unwrap();
        let [head, body, between, after] = parts().unwrap();
        let rest = html.strip_prefix(head).unwrap().strip_prefix(TITLE).unwrap();
        let rest = rest.strip_prefix(body).unwrap().strip_prefix(r#"<div id="reelgauge">"#).unwrap();
        let (_, rest) = rest.split_once("</main></div>").unwrap();
        let (data, rest) = rest.strip_prefix(between).unwrap().split_once("</script>").unwrap();
        assert_eq!(rest, after);
        let (_, data) = data.split_once('>').unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["made_at"], "</script>");
    }

    proptest! {
        #[test]
        fn any_string_round_trips(text in any::<String>()) {
            let json = embedded(&text);
            let harmful = json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']);
            prop_assert!(!harmful, "{}", json);
            prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }
}
