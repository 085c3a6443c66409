//! The configuration of a run: its target, its clients, its plan, the user's notes, and the command that
//! repeats it. For its page; a [document](crate::document) has the same rows.

use reelgauge_analysis::Summary;
use reelgauge_record::notes::RunNotes;
use serde_json::Value;

use crate::answer_parts::outcome;
use crate::document::hosts::host_rows;
use crate::document::{Block, Section};
use crate::sentence::Tone;
use crate::text::plain;
use crate::units::{amount, block_size, counted};
use crate::user_description::storage_words;

/// The files of a run other than its summary.
#[derive(Clone, Copy, Debug)]
pub struct RunFiles<'a> {
    /// The command that repeats it.
    pub again: &'a str,
    /// `run.toml`; `None` if it cannot be read.
    pub plan_toml: Option<&'a str>,
    /// `hosts.json`.
    pub hosts: &'a [Value],
    /// The notes that the user wrote.
    pub notes: Option<&'a RunNotes>,
}

/// The section of a run's page.
pub fn section(summary: &Summary, files: RunFiles<'_>) -> Section {
    let mut section = Section::of_page("configuration", "Configuration", "");
    let heading = |text: &str| Block::Heading(text.to_owned());
    section.blocks.extend([heading("Run it again"), Block::Command(files.again.to_owned())]);
    if let Some(notes) = files.notes.filter(|notes| **notes != RunNotes::default()) {
        section.blocks.extend([heading("Notes"), Block::Rows(noted(notes))]);
        notes.note.lines().for_each(|line| section.say(Tone::Plain, plain(line)));
    }
    section.blocks.extend([heading("Run"), Block::Rows(of_run(summary))]);
    section.blocks.extend([heading("Target"), Block::Rows(target_rows(summary))]);
    for blocks in clients(files.hosts) {
        section.blocks.push(Block::Folded(Section { blocks, ..Section::new("Client") }));
    }
    let plan = summary.plan.iter().map(|(name, value)| (name.replace('_', " "), plain(value)));
    section.blocks.extend([heading("Plan"), Block::Rows(plan.collect())]);
    if let Some(plan) = files.plan_toml {
        let blocks = vec![Block::Text(plan.to_owned())];
        section.blocks.push(Block::Folded(Section { blocks, ..Section::new("run.toml, as it is") }));
    }
    section
}

fn noted(notes: &RunNotes) -> Vec<(String, String)> {
    let tags = notes.tags.join(", ");
    let rows = [
        ("Name", &notes.name),
        ("Tags", &tags),
        ("Make", &notes.storage_make),
        ("Model", &notes.storage_model),
        ("Firmware", &notes.storage_firmware),
    ];
    let other = notes.storage_other.iter().map(|(name, value)| (name.as_str(), value));
    let rows = rows.into_iter().chain(other).filter(|(_, text)| !text.is_empty());
    rows.map(|(name, text)| (plain(name), plain(text))).collect()
}

fn of_run(summary: &Summary) -> Vec<(String, String)> {
    let files = &summary.data_set;
    let reused = if files.reused { ", there already" } else { "" };
    let version = format!("reelgauge {}, summary schema {}", summary.tool_version, summary.schema_version);
    let rows = [
        ("Started", summary.started_at.clone()),
        ("Kind", summary.verb.clone()),
        ("Label", summary.label.clone()),
        ("Ended", outcome(summary).unwrap_or_else(|| "as planned".to_owned())),
        ("Seed", summary.seed.to_string()),
        (
            "Files",
            format!("{} of {}{reused}", counted(files.files, "file"), block_size(files.file_size_bytes)),
        ),
        ("Run directory", summary.run_dir.as_deref().unwrap_or("").to_owned()),
        ("Version", version),
    ];
    let rows = rows.into_iter().filter(|(_, text)| !text.is_empty());
    rows.map(|(name, text)| (name.to_owned(), plain(&text))).collect()
}

/// The target as the run found it.
pub(crate) fn target_rows(summary: &Summary) -> Vec<(String, String)> {
    let target = &summary.target;
    let rows = [
        ("Target", Some(target.path.clone())),
        ("File system", target.fs_type.clone()),
        ("Mounted", target.description.clone().or_else(|| target.source.clone())),
        ("Server", target.server.clone()),
        ("Options", target.mount_options.clone()),
        ("Storage", storage_words(&summary.storage)),
        ("Link", summary.link.as_ref().map(|link| link.words.clone())),
        ("Mode", Some(summary.effective_mode.sentence.clone()).filter(|mode| !mode.is_empty())),
    ];
    rows.into_iter().filter_map(|(name, text)| Some((name.to_owned(), plain(&text?)))).collect()
}

/// All facts about each client.
pub(crate) fn clients(hosts: &[Value]) -> impl Iterator<Item = Vec<Block>> {
    hosts.iter().map(|host| {
        let facts = host_rows(host);
        let mut client = Section { blocks: vec![Block::Rows(facts.rows)], ..Section::default() };
        if facts.left_out > 0 {
            let more = counted(facts.left_out as u64, "fact");
            client.say(Tone::Plain, format!("{more} more in hosts.json."));
        }
        client.blocks
    })
}

/// A client in one line: its name, system, processors and memory.
pub fn client_words(hosts: &[Value]) -> String {
    let Some(host) = hosts.first() else { return "unknown".to_owned() };
    let text = |field: &str| host.get(field).and_then(Value::as_str).map(plain);
    let number = |field: &str| host.get(field).and_then(Value::as_u64);
    let facts = ["name", "os", "kernel", "cpu_model"].into_iter().map(text);
    let cpus = number("cpu_count").map(|cpus| counted(cpus, "processor"));
    let memory = number("memory_bytes").map(|bytes| format!("{} of memory", amount(bytes)));
    facts.chain([cpus, memory]).flatten().collect::<Vec<_>>().join(", ")
}
