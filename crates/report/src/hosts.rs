//! The hosts of a run on several hosts, on the terminal and as sentences: a row for each, for groups and
//! targets, for all, and for all without the outliers.
//!
//! Host names are untrusted text and are escaped here. Not here: which hosts are outliers or were
//! missing (analysis).

use reelgauge_analysis::hosts::{
    HostClockStep, HostFigure, HostFigures, HostsSection, NicFigures, PartFigures, PointHosts, Presence,
    RunHost, StandsOut, TargetScale,
};
use reelgauge_analysis::limit::LimitStep;
use reelgauge_analysis::{LoadPoint, Summary};

use crate::answer_parts::label;
use crate::document::{Block, PointBlocks, Section};
use crate::page::ScreenText;
use crate::screen_options::{Detail, Screen};
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::{path_short, plain, plain_short};
use crate::units::{count, counted, duration, fixed, mb_per_s, moment, number, percent};

/// Longer names are cut in a table, but not in sentences.
const NAME_CHARS: usize = 18;
const NAME_CHARS_SAID: usize = 48;
/// Longer names are cut even on a page.
const NAME_CHARS_PAGE: usize = 160;

/// Without `--details`, the table has this many hosts: the slowest and the fastest.
const SHOWN: usize = 12;

/// A smaller clock offset is not mentioned.
const CLOCK_OFF_US: f64 = 500_000.0;

const NICS: &str = "Network interfaces, from their counters";

/// A sentence lists at most this many names.
const NAMES_SAID: usize = 4;

fn name(agent: &str) -> String {
    plain_short(agent, NAME_CHARS_SAID)
}

/// A sentence from one host, as a sentence about the run.
pub fn on_host_words(agent: &str, sentence: &str) -> String {
    format!("on {}: {sentence}", name(agent))
}

/// Why a load point did not pass: a host was missing.
pub fn not_there_words(agent: &str, from_s: Option<f64>, why: Option<&str>) -> String {
    let what = match from_s {
        Some(from_s) => format!("was missing from {} on", moment(from_s)),
        None => "was not measured to the end".to_owned(),
    };
    format!("{} {what}{}", name(agent), because(why))
}

/// Why a run did not complete: a host was missing, and this many others.
pub fn why_not_complete_words(agent: &str, from_s: Option<f64>, why: Option<&str>, others: usize) -> String {
    let since = from_s.map(|from_s| format!(" from {} on", moment(from_s))).unwrap_or_default();
    let more = match others {
        0 => String::new(),
        1 => "; so was 1 more host".to_owned(),
        others => format!("; so were {}", counted(others as u64, "more host")),
    };
    format!("{} was missing{since}{}{more}", name(agent), because(why))
}

/// Why a run did not complete: the user stopped it.
pub const STOPPED_WORDS: &str = "it was stopped (Ctrl-C, or 'reelgauge fleet stop')";

/// Why a run is incomplete although the host finished its part, like this many others: some measurements
/// were not fetched.
pub fn not_fetched_words(agent: &str, others: usize) -> String {
    let more = match others {
        0 => String::new(),
        others => format!(" and {}", counted(others as u64, "more host")),
    };
    format!(
        "{}{more} completed the run, but some of its results were not fetched. Run 'reelgauge fleet logs' \
         when the agent is connected again",
        name(agent)
    )
}

/// Why a run was stopped: its plan ends it when a host is lost.
pub fn stopped_for_words(agent: &str) -> String {
    format!("it was stopped because {} was missing (on_loss = \"stop\" in the plan)", name(agent))
}

/// What happened to the other hosts after one was lost: this many were stopped, by the user or by the
/// plan.
pub fn others_stopped_words(stopped: usize, by_plan: bool) -> String {
    let who = match stopped {
        1 => "another host".to_owned(),
        several => format!("{} others", count(several as u64)),
    };
    match (by_plan, stopped) {
        (false, _) => format!("; {who} continued until {STOPPED_WORDS}"),
        (true, 1) => format!("; {who} was stopped then (on_loss = \"stop\" in the plan)"),
        (true, _) => format!("; {who} were stopped then (on_loss = \"stop\" in the plan)"),
    }
}

/// Operations of a host that are missing in all figures.
pub fn log_missing_words(agent: &str, why: Option<&str>) -> String {
    format!(
        "Operations of {} are missing{}. Its rates and the totals are too low, and its late frames are \
         omitted.",
        name(agent),
        because(why)
    )
}

fn because(why: Option<&str>) -> String {
    let why = why.map(|why| plain(why).trim_end_matches('.').to_owned()).filter(|why| !why.is_empty());
    why.map(|why| format!(", because {why}")).unwrap_or_default()
}

/// A sentence that applies to some hosts only.
pub fn between_words(agents: &[&str], sentence: &str) -> String {
    format!("On {}: {sentence}", names(agents.iter().copied()))
}

/// The sentence of each host, if they differ.
pub fn hosts_words(said: &[(&str, &str)]) -> String {
    let told = said.iter().filter(|(_, text)| !text.is_empty()).take(NAMES_SAID);
    let told: Vec<String> = told.map(|(agent, text)| format!("{}: {text}", name(agent))).collect();
    let more = said.len().saturating_sub(NAMES_SAID);
    let more = if more > 0 { format!("; and {} more", count(more as u64)) } else { String::new() };
    format!("{}{more}", told.join("; "))
}

/// Hosts that measured simultaneously for only part of the time. `point` is counted from 0, and shown
/// from 1.
pub fn overlap_words(point: usize, points: usize, shared_s: f64, all_s: f64) -> String {
    let at = if points > 1 { format!(" in load point {}", point + 1) } else { String::new() };
    format!(
        "All hosts measured together for only {} of {}{at}. Rates cover the whole time, so they are too low.",
        duration(shared_s * 1e6),
        duration(all_s * 1e6)
    )
}

/// The uncertainty between the clocks of different hosts; `None` if it is negligible.
pub fn clocks_words(hosts: &HostsSection) -> Option<String> {
    match hosts.clock_uncertainty_us {
        None => Some(
            "The clocks of the hosts were not compared. Unknown which host was affected first, or whether \
             all were affected at once."
                .to_owned(),
        ),
        Some(us) if us >= 10_000.0 => {
            Some(format!("Times of different hosts may be off by {}.", duration(us)))
        }
        Some(_) => None,
    }
}

/// Wall clocks of hosts that differed from the controller's, or were set during the run.
pub fn wall_clocks_words(hosts: &HostsSection) -> Vec<String> {
    let steps = |host: &RunHost| {
        let step = |step: &HostClockStep| {
            let at = step.at_s.map(|at_s| format!(" at {}", moment(at_s))).unwrap_or_default();
            let way = if step.by_s < 0.0 { "back" } else { "forward" };
            format!("set {way} by {}{at}", duration(step.by_s.abs() * 1e6))
        };
        let steps: Vec<String> = host.clock_steps.iter().map(step).collect();
        (!steps.is_empty()).then(|| {
            format!(
                "The clock of {} was {} during the run. No figure changes: times come from monotonic clocks.",
                name(&host.agent),
                steps.join(", and ")
            )
        })
    };
    let off = |host: &RunHost| {
        let offset_us = host.clock_offset_us.filter(|us| us.abs() >= CLOCK_OFF_US)?;
        let way = if offset_us < 0.0 { "behind" } else { "ahead of" };
        Some(format!("{} {way} the controller's clock on {}", duration(offset_us.abs()), name(&host.agent)))
    };
    let all_off: Vec<String> = hosts.hosts.iter().filter_map(off).collect();
    let more = all_off.len().saturating_sub(NAMES_SAID);
    let more = if more > 0 { format!(" and {} more", count(more as u64)) } else { String::new() };
    let shown = all_off.iter().take(NAMES_SAID).cloned().collect::<Vec<_>>().join(", ");
    let is_off = (!all_off.is_empty())
        .then(|| format!("Clocks differ: {shown}{more}. All times are corrected for that."));
    is_off.into_iter().chain(hosts.hosts.iter().filter_map(steps)).collect()
}

/// `a1, a2 and 3 more`.
fn names<'a>(agents: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<String> = agents.map(name).collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if all.len() <= NAMES_SAID => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", all[..NAMES_SAID].join(", "), count((all.len() - NAMES_SAID) as u64)),
    }
}

/// The hosts hit by an incident, for the text after its streams; empty in a run on one host.
pub(crate) fn hit_words(agents: &[String], summary: &Summary) -> String {
    let all = summary.hosts.as_ref().map_or(0, |section| section.hosts.len());
    match agents.len() {
        0 => String::new(),
        hit if hit == all && all > 1 => format!(" of all {} hosts", count(all as u64)),
        _ => format!(" of {}", names(agents.iter().map(String::as_str))),
    }
}

/// Sentences about the hosts for the text after the result: the outliers, and the combined rates of
/// targets.
pub(crate) fn hosts_sentences(summary: &Summary) -> Vec<(Tone, String)> {
    let Some(section) = &summary.hosts else { return Vec::new() };
    let mut sentences = Vec::new();
    if let Some(point) = told(summary, section) {
        let out = section.hosts.iter().zip(&point.hosts);
        let worse = out.filter_map(|(host, figures)| {
            Some((host, figures, figures.stands_out.filter(|out| out.is_worse)?))
        });
        let line = |(host, figures, out): (&RunHost, &HostFigures, StandsOut)| {
            let why = match figures.limit {
                Some(LimitStep::MaxRate) => " Its --max-rate limited it.",
                _ => "",
            };
            (Tone::Bad, format!("{}{why}", standing_out_words(host, &out)))
        };
        sentences.extend(worse.take(NAMES_SAID).map(line));
    }
    sentences.extend(section.scale.as_ref().map(|scale| (Tone::Answer, scale_words(scale))));
    sentences
}

/// The rate with more targets compared with that of fewer: both rates, and their ratio.
pub fn scale_words(scale: &TargetScale) -> String {
    format!(
        "{} together moved {} MB/s: {} times as much as the {} MB/s of {}.",
        counted(u64::from(scale.to_targets), "target"),
        mb_per_s(scale.to_bytes_per_s),
        fixed(scale.factor, 2),
        mb_per_s(scale.from_bytes_per_s),
        counted(u64::from(scale.from_targets), "target"),
    )
}

fn standing_out_words(host: &RunHost, out: &StandsOut) -> String {
    let noise = percent(out.noise_percent / 100.0);
    let is = if out.is_worse { "stands out" } else { "is better than the rest" };
    match out.figure {
        HostFigure::Throughput => format!(
            "{} {is}: it moved {} MB/s, comparable hosts {} MB/s each (noise {noise}).",
            name(&host.agent),
            mb_per_s(out.value),
            mb_per_s(out.siblings)
        ),
        HostFigure::MeanResponse => format!(
            "{} {is}: its operations took {} on average, those of comparable hosts {} (noise {noise}).",
            name(&host.agent),
            duration(out.value),
            duration(out.siblings)
        ),
    }
}

/// The load point whose hosts are shown: the first that failed, else the last.
fn told<'a>(summary: &Summary, section: &'a HostsSection) -> Option<&'a PointHosts> {
    let failed = |point: &LoadPoint| point.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
    let at = summary.load_points.iter().position(failed).unwrap_or(summary.load_points.len().checked_sub(1)?);
    section.points.iter().find(|point| point.point == at)
}

/// The table of the hosts.
pub(crate) fn hosts(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    let Some(section) = &summary.hosts else { return };
    let Some(point) = told(summary, section) else { return };
    page.gap();
    let several = summary.load_points.len() > 1;
    let at = summary.load_points.get(point.point).filter(|_| several);
    page.heading(&at.map_or_else(|| "Hosts".to_owned(), |at| format!("Hosts at {}", label(at))));
    let rows = rows(section, point, show.detail == Detail::PerWorker, NAME_CHARS);
    page.table(table(&rows.shown, page.width, false));
    if rows.hidden > 0 {
        page.sentence(
            Tone::Plain,
            &format!("{} not shown; --workers shows all.", counted(rows.hidden, "host")),
        );
    }
    if let Some(start) = start_words(point) {
        page.item("Start", &start);
    }
    nics(&point.nics, show.detail == Detail::PerWorker, page);
}

/// The time between the first and the last start of the hosts.
fn start_words(point: &PointHosts) -> Option<String> {
    let skew_us = point.start_skew_us?;
    let off = match point.start_uncertainty_us {
        Some(us) => format!(" (± {})", duration(us)),
        None => " (uncertainty unknown)".to_owned(),
    };
    // No clock is accurate enough for a smaller value to be meaningful.
    Some(format!("within {} of each other{off}.", duration(skew_us.max(1.0))))
}

/// The hosts of each load point on the page; `None` for a run on one host. The page opens at the first
/// load point that failed, or at the last; the terminal has the table of that one.
pub(crate) fn section(summary: &Summary) -> Option<Section> {
    let hosts = summary.hosts.as_ref()?;
    let first = told(summary, hosts).map(|point| point.point);
    let mut section = Section::of_page("hosts", "Hosts", clocks_words(hosts).unwrap_or_default());
    section.blocks.push(Block::PageChart("host-lines".to_owned()));
    let of_point = |(n, point): (usize, &PointHosts)| {
        let at = summary.load_points.get(point.point)?;
        Some(PointBlocks { point: point.point, label: label(at), blocks: point_blocks(hosts, point, n) })
    };
    let mut points: Vec<_> = hosts.points.iter().enumerate().filter_map(of_point).collect();
    points.sort_by_key(|blocks| Some(blocks.point) == first);
    section.blocks.push(Block::Points(points));
    Some(section)
}

/// `n`: the index of the load point in the section.
fn point_blocks(section: &HostsSection, point: &PointHosts, n: usize) -> Vec<Block> {
    let mut blocks = Section::new("");
    blocks.blocks.push(Block::PageChart("host-bars".to_owned()));
    let mut rows = rows(section, point, true, NAME_CHARS_PAGE).shown;
    // Hosts with a note come first.
    rows[..point.hosts.len().min(section.hosts.len())].sort_by_key(|row| row.note.is_empty());
    let mut table = table(&rows, usize::MAX, true);
    table.rows = rows.iter().map(|row| format!("hosts.points.{n}.{}", row.path)).collect();
    table.bad_rows = (0..rows.len()).filter(|at| rows[*at].is_bad).collect();
    blocks.blocks.push(Block::Table(table));
    for (host, figures) in section.hosts.iter().zip(&point.hosts) {
        figures.stands_out.iter().for_each(|out| blocks.say(Tone::Plain, standing_out_words(host, out)));
    }
    blocks.blocks.extend(start_words(point).map(|start| Block::Rows(vec![("Start".to_owned(), start)])));
    if !point.nics.is_empty() {
        let mut table = nic_table(&point.nics.iter().collect::<Vec<_>>(), usize::MAX);
        table.rows = (0..point.nics.len()).map(|at| format!("hosts.points.{n}.nics.{at}")).collect();
        blocks.blocks.push(Block::Table(table));
    }
    blocks.blocks
}

/// The table of the traffic of network interfaces, the busiest first; nothing if none were sampled.
fn nics(nics: &[NicFigures], all: bool, page: &mut ScreenText) {
    if nics.is_empty() {
        return;
    }
    let mut shown: Vec<&NicFigures> = nics.iter().collect();
    let hidden = if all { 0 } else { shown.len().saturating_sub(SHOWN) };
    if hidden > 0 {
        let busier = |nic: &NicFigures| {
            [nic.received_bytes_per_s, nic.sent_bytes_per_s].into_iter().flatten().fold(0.0, f64::max)
        };
        shown.sort_by(|one, two| busier(two).total_cmp(&busier(one)));
        shown.truncate(SHOWN);
    }
    page.gap();
    page.heading(NICS);
    page.table(nic_table(&shown, page.width));
    if hidden > 0 {
        let more = counted(hidden as u64, "interface");
        page.sentence(Tone::Plain, &format!("{more} not shown; --workers shows all."));
    }
}

fn nic_table(nics: &[&NicFigures], width: usize) -> Table {
    let column = |of: &dyn Fn(&NicFigures) -> String| nics.iter().map(|nic| of(nic)).collect::<Vec<_>>();
    let rates = |of: &dyn Fn(&NicFigures) -> Option<f64>| {
        numbers(&nics.iter().map(|nic| of(nic).map(|rate| rate / 1e6)).collect::<Vec<_>>())
    };
    let mut table = Table::new(NICS);
    table.words("host", column(&|nic| plain_short(&nic.agent, NAME_CHARS)));
    table.column("", "interface", column(&|nic| plain_short(&nic.interface, NAME_CHARS)));
    table.column("received", "MB/s", rates(&|nic| nic.received_bytes_per_s)).at("received_bytes_per_s");
    table.column("sent", "MB/s", rates(&|nic| nic.sent_bytes_per_s)).at("sent_bytes_per_s");
    if nics.iter().any(|nic| nic.used_percent.is_some()) {
        let used = |nic: &NicFigures| nic.used_percent.map_or_else(|| "-".to_owned(), number);
        table.column("of link", "%", column(&used)).at("used_percent");
    }
    let carries = |nic: &NicFigures| {
        let target = nic.target.as_deref().map(|target| path_short(target, NAME_CHARS_SAID));
        target.map_or_else(|| "not on a path to a target".to_owned(), |target| format!("to {target}"))
    };
    table.words_if_they_fit("carries", column(&carries), width);
    table
}

/// A row of the table.
struct Row<'a> {
    name: String,
    /// The path of its figures, below the load point's.
    path: String,
    /// A single host; `None` for several hosts together.
    host: Option<&'a RunHost>,
    is_bad: bool,
    figures: &'a PartFigures,
    skew_us: Option<f64>,
    note: String,
}

struct Rows<'a> {
    shown: Vec<Row<'a>>,
    hidden: u64,
}

fn rows<'a>(section: &'a HostsSection, point: &'a PointHosts, all: bool, name_chars: usize) -> Rows<'a> {
    let mut hosts: Vec<_> = section
        .hosts
        .iter()
        .zip(&point.hosts)
        .enumerate()
        .map(|(at, (host, figures))| (at, host, figures))
        .collect();
    let hidden = if all { 0 } else { hosts.len().saturating_sub(SHOWN) };
    if hidden > 0 {
        // Hosts with a note, then the slowest.
        hosts.sort_by(|one, two| {
            let said = |host: &(usize, &RunHost, &HostFigures)| note(host.1, host.2).is_empty();
            let rate = |host: &(usize, &RunHost, &HostFigures)| host.2.figures.bytes_per_s.unwrap_or(0.0);
            said(one).cmp(&said(two)).then(rate(one).total_cmp(&rate(two)))
        });
        hosts.truncate(SHOWN);
    }
    let own = |(at, host, figures): (usize, &'a RunHost, &'a HostFigures)| Row {
        name: plain_short(&host.agent, name_chars),
        path: format!("hosts.{at}.figures"),
        host: Some(host),
        is_bad: !matches!(figures.presence, Presence::Whole | Presence::Idle)
            || figures.stands_out.is_some_and(|out| out.is_worse),
        figures: &figures.figures,
        skew_us: figures.start_skew_us,
        note: note(host, figures),
    };
    let mut shown: Vec<Row<'a>> = hosts.into_iter().map(own).collect();
    let part = |what: &str, path: &str, figures: &'a PartFigures| Row {
        name: format!("{what}{}", plain_short(&figures.name, name_chars)),
        path: path.to_owned(),
        host: None,
        is_bad: false,
        figures,
        skew_us: None,
        note: format!("{} together", counted(u64::from(figures.hosts), "host")),
    };
    let parts = [
        ("group ", "groups", &point.groups),
        ("target ", "targets", &point.targets),
        ("by ", "interfaces", &point.interfaces),
    ];
    for (what, path, figures) in parts {
        shown.extend(
            figures.iter().enumerate().map(|(at, figures)| part(what, &format!("{path}.{at}"), figures)),
        );
    }
    shown.push(part("all", "total", &point.total));
    shown.extend(
        point
            .without
            .iter()
            .map(|figures| Row { note: "without outliers".to_owned(), ..part("others", "without", figures) }),
    );
    Rows { shown, hidden: hidden as u64 }
}

fn note(host: &RunHost, figures: &HostFigures) -> String {
    match (figures.presence, figures.stands_out) {
        (Presence::Missing, _) => match host.missing_from_s {
            Some(from_s) => format!("MISSING from {}", moment(from_s)),
            None => "MISSING".to_owned(),
        },
        (Presence::Part, _) => "INCOMPLETE".to_owned(),
        (Presence::Idle, _) => "idle".to_owned(),
        (Presence::Whole, Some(out)) if out.is_worse => "stands out".to_owned(),
        (Presence::Whole, Some(_)) => "better than the rest".to_owned(),
        (Presence::Whole, None) => String::new(),
    }
}

/// The table of these rows. A page has space for more columns than a terminal.
fn table(rows: &[Row<'_>], width: usize, is_page: bool) -> Table {
    let column = |of: &dyn Fn(&Row<'_>) -> String| rows.iter().map(of).collect::<Vec<_>>();
    let values = |of: &dyn Fn(&Row<'_>) -> Option<f64>| numbers(&rows.iter().map(of).collect::<Vec<_>>());
    let known = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), count);
    let in_streams = rows.iter().any(|row| row.figures.streams.is_some());
    let mut table = Table::new("Hosts of the load point");
    table.words("host", column(&|row| row.name.clone()));
    if is_page {
        named(&mut table, rows, "group", |host| host.group.as_deref());
        named(&mut table, rows, "target", |host| host.target.as_deref());
    }
    if in_streams {
        table.column("", "streams", column(&|row| known(row.figures.streams))).at("streams");
        table.column("late", "frames", column(&|row| known(row.figures.late_frames))).at("late_frames");
    } else {
        // If nothing was fetched from a host, its planned number of workers is unknown.
        let workers = |row: &Row<'_>| known(Some(u64::from(row.figures.workers)).filter(|it| *it > 0));
        table.column("", "workers", column(&workers)).at("workers");
    }
    let mb = |of: fn(&PartFigures) -> Option<f64>| values(&move |row| of(row.figures).map(|rate| rate / 1e6));
    table.column("read", "MB/s", mb(|part| part.read_bytes_per_s)).at("read_bytes_per_s");
    table.column("write", "MB/s", mb(|part| part.written_bytes_per_s)).at("written_bytes_per_s");
    table
        .column("op p99", "ms", values(&|row| Some(row.figures.response?.carried_p99_us()? / 1e3)))
        .at("response.p99_us");
    if is_page {
        table.column("", "errors", column(&|row| count(row.figures.failed_ops))).at("failed_ops");
    }
    if rows.iter().any(|row| row.skew_us.is_some()) {
        let skew = |row: &Row<'_>| row.skew_us.map_or_else(|| "-".to_owned(), |us| number(us / 1e3));
        table.column("start", "ms", column(&skew));
    }
    // A page needs a heading above each column.
    table.words_if_they_fit(if is_page { "note" } else { "" }, column(&|row| row.note.clone()), width);
    table
}

/// A column of texts about hosts, if at least one host has such a text.
fn named(table: &mut Table, rows: &[Row<'_>], name: &str, of: fn(&RunHost) -> Option<&str>) {
    let found = |row: &Row<'_>| row.host.and_then(of).map(plain);
    if rows.iter().any(|row| found(row).is_some()) {
        let cells = rows.iter().map(|row| found(row).unwrap_or_else(String::new));
        table.words(name, cells.collect());
    }
}

#[cfg(test)]
mod tests {
    use HostFigures;
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures::vda_point;
    use reelgauge_analysis::verdict::Verdict;

    use super::*;

    #[test]
    fn the_page_opens_at_the_load_point_that_failed_first_else_at_the_last() {
        let mut summary = Summary::new("0.1.0", "", "streams", Target::default());
        let mut hosts = section(&["a1", "a2"]);
        hosts.points = (0..3).map(|point| PointHosts { point, ..hosts.points[0].clone() }).collect();
        summary.hosts = Some(hosts);
        let opens_at = |passed: [bool; 3]| {
            let of = |passed| LoadPoint {
                verdict: Some(Verdict { passed, ..Verdict::default() }),
                ..vda_point(1, 1.0, None)
            };
            let summary = Summary { load_points: passed.map(of).to_vec(), ..summary.clone() };
            let blocks = super::section(&summary).expect("a run of several hosts").blocks;
            let points = blocks.into_iter().find_map(|block| match block {
                Block::Points(points) => Some(points),
                _ => None,
            });
            points.expect("load points").last().expect("three").point
        };
        assert_eq!(opens_at([true, false, false]), 1);
        assert_eq!(opens_at([true, true, true]), 2);
    }

    #[test]
    fn load_points_are_counted_from_1_and_a_single_one_is_not_named() {
        insta::assert_snapshot!([overlap_words(1, 2, 4.0, 7.0), overlap_words(0, 1, 4.0, 7.0)].join("\n"));
    }

    fn part(name: &str, mb: f64) -> PartFigures {
        PartFigures {
            name: name.to_owned(),
            hosts: 1,
            workers: 2,
            read_bytes_per_s: Some(mb * 1e6),
            written_bytes_per_s: Some(0.0),
            bytes_per_s: Some(mb * 1e6),
            ..PartFigures::default()
        }
    }

    fn section(agents: &[&str]) -> HostsSection {
        let host = |agent: &&str| RunHost { agent: (*agent).to_owned(), ..RunHost::default() };
        let own = |agent: &&str| HostFigures {
            presence: Presence::Whole,
            figures: part(agent, 100.0),
            ..HostFigures::default()
        };
        let total = PartFigures { hosts: agents.len() as u32, ..part("", 100.0 * agents.len() as f64) };
        let point = PointHosts { hosts: agents.iter().map(own).collect(), total, ..PointHosts::default() };
        HostsSection {
            hosts: agents.iter().map(host).collect(),
            points: vec![point],
            ..HostsSection::default()
        }
    }

    fn lines(section: &HostsSection) -> Vec<String> {
        table(&rows(section, &section.points[0], false, NAME_CHARS).shown, 80, false).lines(80)
    }

    #[test]
    fn a_row_for_each_and_one_for_all() {
        let mut section = section(&["a1", "a2", "a3"]);
        section.points[0].hosts[2].stands_out = Some(StandsOut {
            figure: HostFigure::Throughput,
            value: 42e6,
            siblings: 100e6,
            noise_percent: 9.0,
            is_worse: true,
        });
        section.points[0].without = Some(PartFigures { hosts: 2, ..part("", 200.0) });
        section.points[0].hosts[1].presence = Presence::Missing;
        section.hosts[1].missing_from_s = Some(12.0);
        let lines = lines(&section);
        assert_eq!(lines.len(), 2 + 3 + 2, "{lines:#?}");
        assert!(lines[3].starts_with("a2") && lines[3].ends_with("MISSING from 12 s"), "{lines:#?}");
        assert!(lines[4].starts_with("a3") && lines[4].ends_with("stands out"), "{lines:#?}");
        assert!(lines[5].starts_with("all") && lines[5].contains("300"), "{lines:#?}");
        assert!(lines[6].ends_with("without outliers"), "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
        let host = &section.hosts[2];
        let said = standing_out_words(host, &section.points[0].hosts[2].stands_out.expect("just set"));
        insta::assert_snapshot!(said);
    }

    #[test]
    fn each_interface_has_a_row_with_its_targets() {
        let nic = |agent: &str, interface: &str, target: Option<&str>, received: f64| NicFigures {
            agent: agent.to_owned(),
            interface: interface.to_owned(),
            target: target.map(str::to_owned),
            received_bytes_per_s: Some(received),
            sent_bytes_per_s: Some(2e6),
            speed_mbit_per_s: None,
            used_percent: None,
        };
        let rows = [
            nic("a1", "eth0", Some("/mnt/nas"), 118e6),
            nic("a1", "eth1\u{1b}[2J", None, 40e6),
            NicFigures { sent_bytes_per_s: None, ..nic("a2", "ens3", Some("/mnt/nas"), 3e6) },
        ];
        let lines = nic_table(&rows.iter().collect::<Vec<_>>(), 80).lines(80);
        assert_eq!(lines.len(), 2 + 3, "{lines:#?}");
        assert!(lines[2].contains("eth0") && lines[2].contains("118") && lines[2].ends_with("to /mnt/nas"));
        insta::assert_snapshot!(lines[3]);
        assert!(lines[4].contains(" - "), "what was not sampled is no 0: {lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    }

    #[test]
    fn combined_targets_are_shown_with_both_rates() {
        let scale = TargetScale {
            from_targets: 1,
            to_targets: 2,
            from_bytes_per_s: 100e6,
            to_bytes_per_s: 190e6,
            factor: 1.9,
            ..TargetScale::default()
        };
        insta::assert_snapshot!(scale_words(&scale));
    }

    #[test]
    fn hostile_names_are_text_and_fit() {
        let hostile = format!("\u{1b}[2J\u{202e}<script>{}", "x".repeat(300));
        let section = section(&[&hostile, "a2", "a3"]);
        let lines = lines(&section);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 80 && !line.contains('\u{1b}')),
            "{lines:#?}"
        );
        for said in [
            on_host_words(&hostile, "late"),
            not_there_words(&hostile, Some(3.0), Some("\u{1b}[31m gone.")),
            between_words(&[&hostile, "a2"], "hot"),
            hosts_words(&[(&hostile, "direct")]),
        ] {
            assert!(!said.contains(['\u{1b}', '\u{202e}']) && said.chars().count() < 200, "{said}");
        }
    }

    #[test]
    fn among_many_hosts_only_notable_ones_are_shown() {
        let names: Vec<String> = (0..40).map(|at| format!("a{at}")).collect();
        let mut section = section(&names.iter().map(String::as_str).collect::<Vec<_>>());
        section.points[0].hosts[39].presence = Presence::Part;
        let found = rows(&section, &section.points[0], false, NAME_CHARS);
        assert_eq!((found.shown.len(), found.hidden), (SHOWN + 1, 28));
        assert_eq!(found.shown[0].name, "a39");
        assert_eq!(rows(&section, &section.points[0], true, NAME_CHARS).shown.len(), 41);
    }

    #[test]
    fn affected_hosts_are_named_if_there_are_several() {
        let mut summary = Summary::new("0.1.0", "", "streams", Target::default());
        let of = |agents: &[&str], summary: &Summary| {
            hit_words(&agents.iter().map(|agent| (*agent).to_owned()).collect::<Vec<_>>(), summary)
        };
        assert_eq!(of(&[], &summary), "");
        summary.hosts = Some(section(&["a1", "a2", "a3"]));
        assert_eq!(of(&["a1"], &summary), " of a1");
        assert_eq!(of(&["a1", "a3"], &summary), " of a1 and a3");
        insta::assert_snapshot!(of(&["a1", "a2", "a3"], &summary));
    }
}
