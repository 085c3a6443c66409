//! The reference document of runs and their site: the result, the configuration as stated and as
//! measured, the path to the disks, all figures, the commands to repeat each run, and the limitations of
//! the results.
//!
//! Its reader is a customer who was not present. A fact that is neither stated nor measured is therefore
//! listed as missing, and never replaced by a default.

use reelgauge_analysis::path::site::Site;
use reelgauge_analysis::path::{HopKind, PathFacts};
use reelgauge_analysis::statement::{Judgement, of};
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_record::notes::RunNotes;
use serde_json::Value;

use super::charts::{charts, of_suite};
use super::figures::figures;
use super::hosts::host_rows;
use super::stated_facts::{Stated, about, bill_of_materials, stated};
use super::{Block, Document, Section};
use crate::answer::answer_sentences;
use crate::answer_parts::{is_in_streams, place};
use crate::deviations::deviation_sentences;
use crate::hero::hero;
use crate::note::note_texts;
use crate::path::{HopWords, all_hops, shares_words};
use crate::run_configuration::{clients, target_rows};
use crate::screen::written;
use crate::screen_options::{Detail, Screen, Tables};
use crate::sentence::{Sentence, Tone};
use crate::suite::{SuiteScreen, suite_again, suite_blocks, suite_sentence};
use crate::text::plain;
use crate::units::{counted, mb_per_s};

/// The input of a document.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The stated facts about the site.
    pub site: &'a Site,
    /// The runs, in the order in which the user named them.
    pub runs: &'a [DocumentRun],
    /// The suites, in the same order.
    pub suites: &'a [SuiteScreen<'a>],
    /// When it was created, RFC 3339.
    pub made_at: &'a str,
    /// Version of the program that creates it.
    pub tool_version: &'a str,
}

/// A run in a document.
#[derive(Clone, Debug)]
pub struct DocumentRun {
    /// Name of its directory.
    pub id: String,
    /// Its figures, with its streams per node, drive, core, client and rack unit of the stated site.
    pub summary: Summary,
    /// The command that repeats it.
    pub again: String,
    /// `run.toml`; `None` if it cannot be read.
    pub plan_toml: Option<String>,
    /// `hosts.json`.
    pub hosts: Vec<Value>,
    /// The notes that the user wrote.
    pub notes: Option<RunNotes>,
    /// The path to the disks, from the stated facts.
    pub path: PathFacts,
    /// Whether the run recorded a site that differs from this one.
    pub had_other_site: bool,
}

impl DocumentRun {
    fn name(&self) -> &str {
        let named = self.notes.as_ref().map(|notes| notes.name.as_str()).filter(|name| !name.is_empty());
        named.unwrap_or(&self.id)
    }
}

/// Creates the document from these facts.
pub fn reference_document(facts: &Facts) -> Document {
    let site = facts.site;
    let stated = stated(site);
    let missing = missing(facts, &stated);
    let title = site.document.title.as_deref().unwrap_or("Storage for video: reference measurement");
    let mut rows = about(&site.document);
    rows.push(("Made".to_owned(), format!("{} with Reelgauge {}", facts.made_at, plain(facts.tool_version))));
    rows.push(("Missing".to_owned(), format!("{}, listed below", counted(missing.len() as u64, "fact"))));
    let mut sections = vec![as_stated(site, &stated), as_measured(facts.runs), path(facts.runs)];
    sections.push(Section { blocks: vec![Block::Missing(missing)], ..Section::new("Missing facts") });
    sections.extend(facts.runs.iter().map(run));
    sections.extend(facts.suites.iter().map(suite));
    sections.extend([validity(facts.runs), again(facts)]);
    sections.extend(facts.runs.iter().map(|run| Section {
        blocks: figures(&run.summary),
        ..Section::new(format!("All figures: {}", plain(run.name())))
    }));
    sections.retain(|section| !section.blocks.is_empty());
    Document { title: plain(title), about: rows, answer: answer(facts), sections }
}

/// The result of each run and suite; with its name if there are several.
fn answer(facts: &Facts) -> Vec<Sentence> {
    let several = facts.runs.len() + facts.suites.len() > 1;
    let of_run = |run: &DocumentRun| {
        let told = answer_sentences(&run.summary).into_iter().take(if several { 1 } else { usize::MAX });
        let named = move |sentence: Sentence| match several {
            true => Sentence { text: format!("{}: {}", plain(run.name()), sentence.text), ..sentence },
            false => sentence,
        };
        let shares =
            run.summary.site_shares.as_ref().map(|shares| format!("Per unit: {}.", shares_words(shares)));
        let shares = shares.map(|text| Sentence { tone: Tone::Plain, text });
        told.map(named).chain(shares).collect::<Vec<_>>()
    };
    let of_suite = |suite: &SuiteScreen| Sentence {
        tone: Tone::Answer,
        text: suite_sentence(suite.name, suite.target, suite.table),
    };
    facts.runs.iter().flat_map(of_run).chain(facts.suites.iter().map(of_suite)).collect()
}

/// Everything that is neither stated nor measured.
fn missing(facts: &Facts, stated: &[Stated]) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    if !facts.runs.iter().any(|run| counts_streams(&run.summary)) {
        missing.push("Streams: no run in this document measured streams".to_owned());
    }
    let document = &facts.site.document;
    let headed = [("customer", &document.customer), ("place", &document.place), ("author", &document.author)];
    let headed = headed.into_iter().filter(|(_, said)| said.is_none());
    missing.extend(headed.map(|(key, _)| format!("Document: {key} ({key} in [document])")));
    if facts.site.parts.is_empty() {
        missing.push("Bill of materials ([[part]])".to_owned());
    }
    missing.extend(stated.iter().flat_map(Stated::missing));
    for run in facts.runs {
        let of_run = missing_of(run).into_iter().map(|what| format!("{}: {what}", plain(run.name())));
        missing.extend(of_run);
    }
    missing
}

fn counts_streams(summary: &Summary) -> bool {
    is_in_streams(summary) || summary.vda.is_some() || summary.check.is_some() || summary.search.is_some()
}

/// Facts that a run did not determine.
fn missing_of(run: &DocumentRun) -> Vec<String> {
    let summary = &run.summary;
    let mut missing = Vec::new();
    let mut note = |is_missing: bool, what: &str| {
        if is_missing {
            missing.push(what.to_owned());
        }
    };
    note(summary.storage.model.is_none(), "maker and model of the storage (--storage)");
    note(summary.target.fs_type.is_none(), "file system of the target");
    note(summary.target.mount_options.is_none(), "mount options of the target");
    note(
        summary.link.as_ref().is_some_and(|link| link.speed_mbit_per_s.is_none()),
        "speed of the client's link",
    );
    note(run.hosts.is_empty(), "the client (hosts.json cannot be read)");
    note(run.plan_toml.is_none(), "the plan (run.toml cannot be read)");
    note(!summary.log.complete && summary.outcome != Outcome::Running, "operations that are not in the log");
    for host in &run.hosts {
        let unknown = host_rows(host).unknown;
        missing.extend(unknown.into_iter().map(|fact| format!("client: {fact}")));
    }
    missing
}

fn as_stated(site: &Site, stated: &[Stated]) -> Section {
    let mut section = Section::new("Configuration as stated");
    if let Some(table) = bill_of_materials(&site.parts) {
        section.blocks.extend([Block::Heading("Bill of materials".to_owned()), Block::Table(table)]);
    }
    for of in stated {
        let rows = of.rows();
        if !rows.is_empty() {
            section.blocks.extend([Block::Heading(of.heading.to_owned()), Block::Rows(rows)]);
        }
    }
    if section.blocks.is_empty() {
        section.blocks.push(sentence("This site has no stated configuration."));
    }
    section
}

fn as_measured(runs: &[DocumentRun]) -> Section {
    let mut section = Section::new("Configuration as measured");
    let mut shown: Vec<&[Value]> = Vec::new();
    for run in runs {
        section.blocks.push(Block::Heading(plain(run.name())));
        let id = ("Run".to_owned(), plain(&run.id));
        section.blocks.push(Block::Rows(std::iter::once(id).chain(target_rows(&run.summary)).collect()));
        if run.hosts.is_empty() {
            continue;
        }
        if shown.contains(&run.hosts.as_slice()) {
            section.blocks.push(sentence("Its clients have the configuration of an earlier run above."));
            continue;
        }
        shown.push(&run.hosts);
        for client in clients(&run.hosts) {
            section.blocks.push(Block::Heading("Client".to_owned()));
            section.blocks.extend(client);
        }
    }
    section
}

fn path(runs: &[DocumentRun]) -> Section {
    let mut section = Section::new("Path from the client to the disks");
    for run in runs {
        if runs.len() > 1 {
            section.blocks.push(Block::Heading(plain(run.name())));
        }
        section.blocks.push(Block::Diagram(parts(run)));
        if run.had_other_site {
            let text = "When it started, this run recorded a different description of its site. The \
                drawing shows the description given for this document."
                .to_owned();
            section.blocks.push(Block::Warning(text));
        }
    }
    section
}

/// The target, then each component after it. For a local disk there is no network before it.
fn parts(run: &DocumentRun) -> Vec<HopWords> {
    let is_behind_network = run.summary.path.is_some();
    let target = HopWords {
        name: "client".to_owned(),
        known: place(&run.summary.target),
        is_known: true,
        carries: run
            .summary
            .load_points
            .iter()
            .filter_map(|point| point.total.bytes_per_s)
            .reduce(f64::max)
            .map_or_else(String::new, |most| {
                format!("{} MB/s measured, reads and writes together", mb_per_s(most))
            }),
        is_lowest: false,
    };
    let is_there = |kind: HopKind| is_behind_network || matches!(kind, HopKind::Backplane | HopKind::Disks);
    let hops = run.path.hops.iter().zip(all_hops(&run.path));
    let hops = hops.filter(|(hop, _)| is_there(hop.kind)).map(|(_, words)| words);
    std::iter::once(target).chain(hops).collect()
}

/// The whole screen of a run, with charts.
fn run(run: &DocumentRun) -> Section {
    let mut summary = run.summary.clone();
    // The path has a drawing and a separate section.
    summary.path = None;
    let show =
        Screen { tables: Tables::Every, detail: Detail::PerWorker, is_on_paper: true, ..Screen::default() };
    let mut section = Section::new(format!("Run: {}", plain(run.name())));
    if let Some(note) = run.notes.as_ref().map(|notes| plain(&notes.note)).filter(|note| !note.is_empty()) {
        section.blocks.push(Block::Rows(vec![("Note".to_owned(), note)]));
    }
    // Warnings are below "Validity and limitations".
    let blocks = written(&summary, &show).blocks.into_iter();
    section.blocks.extend(blocks.filter(|block| !matches!(block, Block::Warning(_))));
    section.blocks.extend(charts(&summary).into_iter().map(Block::Chart));
    section
}

/// Whether criteria were met, and the limitations of the figures.
fn validity(runs: &[DocumentRun]) -> Section {
    let mut section = Section::new("Validity and limitations");
    for run in runs {
        let summary = &run.summary;
        let hero = hero(summary);
        let confidence = hero.whole_confidence();
        let ended = match summary.outcome {
            Outcome::Complete => "complete",
            Outcome::Interrupted => "interrupted",
            Outcome::BrokeOff => "broke off",
            Outcome::Running => "still running",
        };
        let criteria = match of(summary).judgement {
            Judgement::Met => "met",
            Judgement::NotMet => "not met",
            Judgement::Inconclusive => "inconclusive",
            Judgement::NotKnown => "unknown",
            Judgement::NothingAsked => "none were set",
        };
        let rows =
            [("Run", ended), ("Criteria", criteria), ("Confidence", &confidence), ("Cause", &hero.cause)];
        let differs = deviation_sentences(&[summary.procedure.as_ref()]);
        let differs =
            differs.into_iter().map(|words| ("Differs from the published procedure".to_owned(), words));
        let rows = rows.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned()));
        section.blocks.push(Block::Heading(plain(run.name())));
        section.blocks.push(Block::Rows(rows.chain(differs).collect()));
        section.blocks.extend(note_texts(summary).into_iter().map(Block::Warning));
    }
    section
}

/// The whole screen of a suite, with its bars.
fn suite(suite: &SuiteScreen) -> Section {
    let mut section = Section::new(format!("Suite: {} on {}", plain(suite.name), plain(suite.target)));
    section.blocks = suite_blocks(suite);
    section.blocks.extend(of_suite(suite.table).map(Block::Chart));
    section
}

/// The command and the plan of each run, and the command of each suite.
fn again(facts: &Facts) -> Section {
    let mut section = Section::new("How to repeat each run");
    for suite in facts.suites {
        section.blocks.push(Block::Heading(format!("Suite {}", plain(suite.name))));
        section.blocks.push(Block::Command(suite_again(suite)));
    }
    for run in facts.runs {
        section.blocks.push(Block::Heading(plain(run.name())));
        section.blocks.push(Block::Command(run.again.clone()));
        if let Some(plan) = &run.plan_toml {
            section.blocks.push(sentence(
                "The plan is run.toml in the run's directory; a copy is below. Without the directory, save \
                 the copy as run.toml and use its path.",
            ));
            section.blocks.push(Block::Text(plan.clone()));
        }
    }
    section
}

fn sentence(text: &str) -> Block {
    Block::Paragraph(Sentence { tone: Tone::Plain, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::path::site::{DisksSite, PartSite};
    use reelgauge_analysis::path::{MeasuredPath, path};
    use reelgauge_analysis::summary::Target;

    use super::*;

    fn run(id: &str, site: &Site) -> DocumentRun {
        let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
        DocumentRun {
            id: id.to_owned(),
            summary: Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", target),
            again: "reelgauge run run.toml".to_owned(),
            plan_toml: Some("seed = 7\n".to_owned()),
            hosts: vec![serde_json::json!({"name": "edit-1", "cpu_model": null})],
            notes: None,
            path: path(site, None, MeasuredPath::default()),
            had_other_site: false,
        }
    }

    fn document(site: &Site, runs: &[DocumentRun]) -> Document {
        let (suites, made_at) = (&[][..], "2026-11-28T05:00:00Z");
        reference_document(&Facts { site, runs, suites, made_at, tool_version: "0.1.0" })
    }

    fn missing_in(document: &Document) -> Vec<String> {
        let blocks = document.sections.iter().flat_map(|section| &section.blocks);
        blocks
            .filter_map(|block| if let Block::Missing(facts) = block { Some(facts.clone()) } else { None })
            .flatten()
            .collect()
    }

    #[test]
    fn fact_neither_stated_nor_measured_is_missing() {
        let site = Site::default();
        let document = document(&site, &[run("r", &site)]);
        let missing = missing_in(&document);
        for what in [
            "Streams: ",
            "(customer in [document])",
            "([[part]])",
            "(raid in [disks])",
            "(--storage)",
            "r: client: cpu model",
        ] {
            assert!(missing.iter().any(|one| one.contains(what)), "{what}: {missing:#?}");
        }
        let about = document.about.iter().find(|(name, _)| name == "Missing").unwrap();
        assert!(about.1.starts_with(&missing.len().to_string()), "{}", about.1);
    }

    #[test]
    fn stated_fact_is_not_missing_and_local_disk_needs_no_network() {
        let disks = DisksSite { count: Some(12), each_mb_per_s: Some(180.0), ..DisksSite::default() };
        let part = PartSite { name: "server".to_owned(), ..PartSite::default() };
        let site = Site { disks, parts: vec![part], ..Site::default() };
        let document = document(&site, &[run("r", &site)]);
        let missing = missing_in(&document);
        assert!(!missing.iter().any(|one| one.contains("count in [disks]") || one.contains("[[part]]")));
        let blocks = document.sections.iter().flat_map(|section| &section.blocks);
        let hops =
            blocks.filter_map(|block| if let Block::Diagram(hops) = block { Some(hops) } else { None });
        let names: Vec<&str> = hops.flatten().map(|hop| hop.name.as_str()).collect();
        assert_eq!(names, ["client", "backplane", "disks"]);
    }

    #[test]
    fn each_of_several_runs_has_result_plan_and_doubts() {
        let site = Site::default();
        let document = document(&site, &[run("one", &site), run("two", &site)]);
        let told: Vec<&str> = document.answer.iter().map(|sentence| sentence.text.as_str()).collect();
        assert!(told[0].starts_with("one: ") && told[1].starts_with("two: "), "{told:?}");
        let section =
            |heading: &str| document.sections.iter().find(|section| section.heading == heading).unwrap();
        let plans = section("How to repeat each run").blocks.iter();
        assert_eq!(plans.filter(|block| **block == Block::Text("seed = 7\n".to_owned())).count(), 2);
        let named = section("Validity and limitations").blocks.iter();
        assert_eq!(named.filter(|block| matches!(block, Block::Heading(_))).count(), 2);
        let shown = &section("Configuration as measured").blocks;
        insta::assert_debug_snapshot!(shown);
    }
}
