//! The content of a page without JavaScript, as in a mail preview: result, cause, confidence, incidents
//! and the tables of the terminal, as HTML text. The application replaces it.
//!
//! Every name passes through [`plain`] and [`escaped`]: it can neither end an element nor reverse the
//! text direction.

use super::element::{element, escaped};
use super::page::{Page, RunPage};
use crate::compare::compare_screen;
use crate::document::Block;
use crate::procedure::states::STATES;
use crate::screen::screen;
use crate::screen_options::{Screen, Style, Tables};
use crate::suites::suites_screen;
use crate::text::plain;
use crate::trace::trace_screen;

/// The width of the tables, in characters.
const WIDTH: usize = 100;

/// The title of the page's browser tab.
pub(super) fn title(page: &Page) -> String {
    let names: Vec<String> = match (&page.trace, &page.suites) {
        (Some(trace), _) => vec![plain(&trace.id)],
        (None, Some(suites)) => suites.suites.iter().map(|suite| plain(&suite.id)).collect(),
        (None, None) => page.runs.iter().map(|run| plain(&run.id)).collect(),
    };
    let names = names.join(" · ");
    if names.is_empty() { "Reelgauge".to_owned() } else { escaped(&format!("{names} – Reelgauge")) }
}

/// The text of a page as HTML.
pub(super) fn fallback(page: &Page) -> String {
    let style = Style { width: WIDTH, ..Style::default() };
    let mut html = String::from("<main class=\"fallback\">");
    if let Some(told) = &page.comparison {
        element("h1", "Comparison", &mut html);
        element("pre", &compare_screen(told, false, style), &mut html);
    } else if let Some(trace) = &page.trace {
        element("h1", &format!("Trace {}", plain(&trace.id)), &mut html);
        element("pre", &trace_screen(&trace.report, style), &mut html);
    } else if let Some(suites) = &page.suites {
        element("h1", if suites.suites.len() == 1 { "Suite" } else { "Suites" }, &mut html);
        element("pre", &suites_screen(suites, style), &mut html);
    } else {
        page.runs.iter().for_each(|run| of_run(run, style, &mut html));
    }
    for section in page.sections.iter().filter(|section| section.id == STATES) {
        element("h2", &section.heading, &mut html);
        for block in &section.blocks {
            if let Block::Table(table) = block {
                element("pre", &table.lines(WIDTH).join("\n"), &mut html);
            }
        }
    }
    if !page.deviations.is_empty() {
        element("h2", "Differences from the published procedure", &mut html);
        page.deviations.iter().for_each(|words| element("p", &plain(words), &mut html));
    }
    html.push_str("</main>");
    html
}

fn of_run(run: &RunPage, style: Style, html: &mut String) {
    element("h1", &format!("Run {}", plain(&run.id)), html);
    let (first, others) = run.answer.split_at(run.answer.len().min(1));
    first.iter().for_each(|sentence| element("h2", &plain(&sentence.text), html));
    others.iter().for_each(|sentence| element("p", &plain(&sentence.text), html));
    html.push_str("<dl>");
    let facts = run.hero.facts.iter().map(|fact| (&fact.name, &fact.text));
    let next = "Next".to_owned();
    let facts = facts.chain(run.next_step.iter().map(|step| (&next, step)));
    for (name, words) in facts.filter(|(_, words)| !words.is_empty()) {
        element("dt", name, html);
        element("dd", &plain(words), html);
    }
    html.push_str("</dl>");
    if !run.incidents.is_empty() {
        element("h2", "Incidents", html);
        run.incidents.iter().for_each(|incident| element("p", &plain(&incident.text), html));
    }
    element("h2", "Terminal output", html);
    let show = Screen { style, tables: Tables::None, ..Screen::default() };
    element("pre", &screen(&run.summary, &show), html);
}
