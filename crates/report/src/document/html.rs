//! A document as a single HTML file: no scripts, no requests, and it looks the same in print.
//!
//! Every text passes through [`plain`] and [`escaped`]: names from a run directory or a site's file can
//! neither end an element nor reverse the text direction. The file's content security policy allows only
//! its own style.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Block, Document, Section, Table, Tile};
use crate::html::element::{element, escaped};
use crate::path::HopWords;
use crate::sentence::{Sentence, Tone};
use crate::table::Column;
use crate::text::plain;

/// The table width that fits on paper, in characters of the cells.
const TABLE_CHARS: usize = 92;

/// If there are more rows of a name and a text than this, they are laid out in two columns.
const MANY_ROWS: usize = 24;

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
<meta name=\"referrer\" content=\"no-referrer\">";

/// The style for screens and for paper.
const STYLE: &str = include_str!("document.css");

/// Writes a document as an HTML file.
///
/// # Errors
/// If it cannot be written.
pub fn write(document: &Document, mut to: impl Write) -> io::Result<()> {
    let mut html = String::from(HEAD);
    element("title", &plain(&document.title), &mut html);
    let _ = write!(html, "<style>{STYLE}</style></head><body><main>");
    element("h1", &plain(&document.title), &mut html);
    rows(&document.about, &mut html);
    html.push_str("<div class=\"answer\">");
    document.answer.iter().for_each(|sentence| paragraph(sentence, &mut html));
    html.push_str("</div>");
    to.write_all(html.as_bytes())?;
    for part in &document.sections {
        to.write_all(section(part).as_bytes())?;
    }
    to.write_all(b"</main></body></html>\n")
}

fn section(section: &Section) -> String {
    let mut html = String::from("<section>");
    element("h2", &plain(&section.heading), &mut html);
    blocks(&section.blocks, &mut html);
    html.push_str("</section>");
    html
}

fn blocks(blocks: &[Block], html: &mut String) {
    blocks.iter().for_each(|part| block(part, html));
}

fn block(block: &Block, html: &mut String) {
    match block {
        Block::Heading(text) => element("h3", &plain(text), html),
        Block::Paragraph(sentence) => paragraph(sentence, html),
        Block::Warning(text) => classed("p", "warning", &format!("Warning: {text}"), html),
        Block::Rows(of) => rows(of, html),
        Block::Table(of) => table(of, html),
        Block::Chart(chart) => {
            html.push_str("<figure>");
            html.push_str(&chart.svg());
            element("figcaption", &plain(&chart.title), html);
            html.push_str("</figure>");
        }
        Block::Tiles(tiles) => rows(&tiles.iter().map(tile).collect::<Vec<_>>(), html),
        Block::PageChart(_) => {}
        Block::Points(points) => points.iter().for_each(|point| {
            element("h3", &plain(&point.label), html);
            blocks(&point.blocks, html);
        }),
        Block::Folded(section) => {
            element("h3", &plain(&section.heading), html);
            blocks(&section.blocks, html);
        }
        Block::Diagram(parts) => diagram(parts, html),
        Block::Command(command) => lines("command", command, html),
        Block::Text(text) => lines("text", text, html),
        Block::Missing(facts) => {
            html.push_str("<ul class=\"missing\">");
            facts.iter().for_each(|fact| element("li", &plain(fact), html));
            html.push_str("</ul>");
        }
    }
}

/// A tile as a row: its name and its text.
fn tile(tile: &Tile) -> (String, String) {
    let more = if tile.more.is_empty() { String::new() } else { format!(", {}", tile.more) };
    (tile.name.clone(), format!("{}{more}", tile.text))
}

fn paragraph(sentence: &Sentence, html: &mut String) {
    let class = match sentence.tone {
        Tone::Answer => "said",
        Tone::Plain => "plain",
        Tone::Inconclusive => "inconclusive",
        Tone::Bad => "bad",
    };
    classed("p", class, &sentence.text, html);
}

fn classed(name: &str, class: &str, text: &str, html: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(html, "<{name} dir=\"auto\" class=\"{class}\">{}</{name}>", escaped(&plain(text)));
}

/// Preserves line breaks and escapes everything else.
fn lines(class: &str, text: &str, html: &mut String) {
    let lines: Vec<String> = text.lines().map(|line| escaped(&plain(&line.replace('\t', "    ")))).collect();
    // On a small screen a wide block scrolls on its own; the page does not.
    let _ = write!(html, "<pre dir=\"auto\" class=\"{class}\" tabindex=\"0\">{}</pre>", lines.join("\n"));
}

fn rows(rows: &[(String, String)], html: &mut String) {
    if rows.is_empty() {
        return;
    }
    // Short facts, such as the settings of a client, are laid out in columns.
    let is_long = rows.len() > MANY_ROWS;
    html.push_str(if is_long { "<dl class=\"many\">" } else { "<dl>" });
    for (name, text) in rows {
        html.push_str("<div>");
        element("dt", &plain(name), html);
        element("dd", &plain(text), html);
        html.push_str("</div>");
    }
    html.push_str("</dl>");
}

/// A table, split into parts that fit on paper. Each part repeats the first column.
fn table(table: &Table, html: &mut String) {
    let Some((first, mut rest)) = table.columns().split_first() else { return };
    loop {
        let mut used = width(first);
        let fitting = rest.iter().take_while(|column| {
            used += width(column);
            used <= TABLE_CHARS
        });
        let here = fitting.count().max(1).min(rest.len());
        table_part(first, &rest[..here], html);
        rest = &rest[here..];
        if rest.is_empty() {
            return;
        }
    }
}

/// The width of the widest cell in characters, and the space next to it. A wide character counts as two.
fn width(column: &Column) -> usize {
    column.width() + 2
}

fn table_part(first: &Column, rest: &[Column], html: &mut String) {
    let columns = || std::iter::once(first).chain(rest);
    html.push_str("<table><thead><tr>");
    for column in columns() {
        let [name, unit] = &column.header;
        let name = format!("{name} {unit}");
        let _ = match name.trim() {
            // A cell without text must not be a header.
            "" => write!(html, "<td></td>"),
            name => write!(html, "<th scope=\"col\"{}>{}</th>", text_class(column), escaped(&plain(name))),
        };
    }
    html.push_str("</tr></thead><tbody>");
    let height = columns().map(|column| column.cells.len()).max().unwrap_or(0);
    for row in 0..height {
        html.push_str("<tr>");
        for (at, column) in columns().enumerate() {
            let text = escaped(&plain(column.cells.get(row).map_or("", String::as_str)));
            let _ = match at {
                0 => write!(html, "<th scope=\"row\">{text}</th>"),
                _ => write!(html, "<td{}>{text}</td>", text_class(column)),
            };
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table>");
}

fn text_class(column: &Column) -> &'static str {
    if column.is_words { " class=\"words\"" } else { "" }
}

/// The components from top to bottom, with arrows between them.
fn diagram(parts: &[HopWords], html: &mut String) {
    html.push_str("<ol class=\"path\">");
    for part in parts {
        html.push_str(if part.is_lowest { "<li class=\"lowest\">" } else { "<li>" });
        element("strong", &plain(&part.name), html);
        element("span", &plain(&part.known), html);
        let lowest = if part.is_lowest { " (the lowest)" } else { "" };
        if !part.carries.is_empty() {
            element("em", &format!("{}{lowest}", plain(&part.carries)), html);
        }
        html.push_str("</li>");
    }
    html.push_str("</ol>");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::document::chart::{Chart, Form, Line};

    fn html(document: &Document) -> String {
        let mut bytes = Vec::new();
        write(document, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    /// A document with this text in every text field.
    fn full_of(text: &str) -> Document {
        let text = || text.to_owned();
        let sentence = || Sentence { tone: Tone::Bad, text: text() };
        let mut table = Table::default();
        table.words(&text(), vec![text()]);
        table.column(&text(), &text(), vec![text(), text()]);
        let line = Line { name: text(), points: vec![(0.0, Some(1.0))], labels: vec![text()] };
        let chart = |form| Chart {
            title: text(),
            x: text(),
            y: text(),
            lines: vec![line.clone(), line.clone()],
            form,
        };
        let hop = HopWords { name: text(), known: text(), is_known: true, carries: text(), is_lowest: true };
        let blocks = vec![
            Block::Heading(text()),
            Block::Paragraph(sentence()),
            Block::Warning(text()),
            Block::Rows(vec![(text(), text())]),
            Block::Table(table),
            Block::Chart(chart(Form::Lines)),
            Block::Chart(chart(Form::Named(vec![text()]))),
            Block::Chart(chart(Form::Bars(vec![text(), text()]))),
            Block::Diagram(vec![hop]),
            Block::Command(text()),
            Block::Text(text()),
            Block::Missing(vec![text()]),
        ];
        let sections = vec![Section { blocks, ..Section::new(text()) }];
        Document { title: text(), about: vec![(text(), text())], answer: vec![sentence()], sections }
    }

    #[test]
    fn every_block_is_drawn() {
        let page = html(&full_of("words"));
        for part in [
            "<h1",
            "<h2",
            "<h3",
            "<dl>",
            "<table>",
            "<svg",
            "<ol class=\"path\"",
            "<pre",
            "<ul class=\"missing\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(!page.contains("<script") && !page.contains("http:"), "{page}");
    }

    #[test]
    fn wide_tables_are_split_and_repeat_the_first_column() {
        let mut wide = Table::default();
        wide.words("figure", vec!["p99".to_owned()]);
        for at in 0..4 {
            wide.column("", &at.to_string(), vec!["x".repeat(40)]);
        }
        let mut html = String::new();
        table(&wide, &mut html);
        assert_eq!((html.matches("<table>").count(), html.matches(">p99</th>").count()), (2, 2), "{html}");
    }

    proptest! {
        #[test]
        fn no_text_changes_the_elements_around_it(text in any::<String>()) {
            let tags = |page: &str| page.matches('<').count();
            let hostile = html(&full_of(&text));
            prop_assert!(!hostile.chars().any(|c| crate::text::is_harmful(c) && c != '\n'), "{}", hostile);
            // A header without text becomes an empty cell.
            let harmless = html(&full_of(if text.trim_matches(' ').is_empty() { "" } else { "words" }));
            prop_assert_eq!(tags(&hostile), tags(&harmless));
        }
    }
}
