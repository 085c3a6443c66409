//! Reads logs: all agents of a run, every schema version, also after a killed run.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader};

use crate::agents::{AGENTS_FILE, AgentPlace, AgentPlaces};
use crate::op::OpRecord;
use crate::regular_file::open_regular;

use super::error::LogError;
use super::meta::{self, FileEntry, LogMeta};
use super::names::{PartRange, is_temporary};
use super::part_reader::PartReader;
use super::schema::SCHEMA_VERSION;

/// Rows in a batch, at most: 1 MiB of records.
const BATCH_ROWS: usize = 1 << 14;

/// The operation logs of a run.
#[derive(Debug)]
pub struct LogReader {
    agents: Vec<AgentLog>,
    skipped: Vec<Skipped>,
    /// Whether the run has several hosts. All numbers and times are then those of the run.
    is_whole: bool,
}

/// The operation log of one agent.
#[derive(Debug)]
pub struct AgentLog {
    /// The directory of the agent's log.
    pub dir: PathBuf,
    /// The metadata of the log.
    pub meta: LogMeta,
    /// The files that operations refer to, by index.
    pub files: BTreeMap<u32, FileEntry>,
    /// Number of its operations.
    pub rows: u64,
    /// Size of its files, in bytes.
    pub bytes: u64,
    parts: Vec<PathBuf>,
    /// The offsets for its numbers and times.
    place: AgentPlace,
}

/// Operations of one agent.
#[derive(Debug)]
pub struct Batch {
    /// The agent, as an index into [`LogReader::agents`].
    pub agent: usize,
    /// The operations; at least one.
    pub ops: Vec<OpRecord>,
}

/// A file that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The path of the skipped file.
    pub path: PathBuf,
    /// The reason why it was skipped.
    pub reason: SkipReason,
}

/// Why a file was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// It was being written when the run was killed: up to a second of operations is lost.
    Temporary,
    /// Its rows are also in a table; nothing is lost.
    Covered,
    /// It has no footer: a crash of the host, or a truncated copy. Its operations are lost.
    Torn,
    /// It does not exist, although parts before and after it do. Its operations are lost.
    Missing,
    /// An agent's directory without a readable part.
    Empty,
}

impl LogReader {
    /// Opens the logs under `dir`: a run's `ops/`, or one `agent=NAME/` in it. Reads all footers, no
    /// rows.
    ///
    /// In a run of several hosts, numbers and times are those of the run ([`crate::agents`]), and the
    /// host's name precedes the names of its files. The log of one `agent=NAME/` alone is as written.
    pub fn open(dir: &Path) -> Result<LogReader, LogError> {
        let places = AgentPlaces::read(dir).map_err(LogError::io("read", &dir.join(AGENTS_FILE)))?;
        let mut reader = LogReader { agents: Vec::new(), skipped: Vec::new(), is_whole: places.is_some() };
        for agent_dir in agent_dirs(dir)? {
            let Survey { parts, mut skipped } = survey(&agent_dir)?;
            // Its name starts with "agent=".
            let folder = agent_dir.file_name().unwrap_or_default().to_string_lossy();
            let place = places.as_ref().and_then(|places| places.of_folder(&folder)).cloned();
            match AgentLog::from_parts(&agent_dir, parts)? {
                Some(agent) => reader.agents.push(agent.placed(place)),
                None => skipped.push(Skipped { path: agent_dir, reason: SkipReason::Empty }),
            }
            reader.skipped.append(&mut skipped);
        }
        if reader.agents.is_empty() && reader.skipped.is_empty() {
            return Err(LogError::NoLog { dir: dir.to_path_buf() });
        }
        Ok(reader)
    }

    /// The agents, in order of their directories' names.
    pub fn agents(&self) -> &[AgentLog] {
        &self.agents
    }

    /// Whether the run has several hosts, whose numbers and times are already mapped to the run.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The skipped files, with reasons. Show them with every figure made from the log.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// All operations, agent after agent, in the order in which they were logged: in order of completion
    /// within a worker, in no order between workers. Ends after the first error.
    pub fn batches(&self) -> Batches<'_> {
        Batches { agents: self.agents.iter().enumerate().collect(), ..Batches::default() }
    }
}

impl AgentLog {
    /// The operations of this agent. [`Batch::agent`] is 0.
    pub fn batches(&self) -> Batches<'_> {
        Batches { agents: VecDeque::from([(0, self)]), ..Batches::default() }
    }

    /// The operations of each worker in order of time (of issue, then of completion), in memory. Returns
    /// an error if there are more than `limit` (64 bytes each).
    pub fn by_worker(&self, limit: usize) -> Result<BTreeMap<u32, Vec<OpRecord>>, LogError> {
        let mut workers: BTreeMap<u32, Vec<OpRecord>> = BTreeMap::new();
        let mut count = 0;
        for batch in self.batches() {
            let ops = batch?.ops;
            count += ops.len();
            if count > limit {
                return Err(LogError::TooMany { dir: self.dir.clone(), limit });
            }
            for op in ops {
                workers.entry(op.worker).or_default().push(op);
            }
        }
        for ops in workers.values_mut() {
            ops.sort_by_key(|op| (op.issued_ns, op.done_ns));
        }
        Ok(workers)
    }

    /// The offsets for its numbers and times: zero in a run of one host.
    pub fn place(&self) -> &AgentPlace {
        &self.place
    }

    /// Maps its numbers and times to those of the run.
    fn placed(mut self, place: Option<AgentPlace>) -> AgentLog {
        let Some(place) = place else { return self };
        let files = std::mem::take(&mut self.files);
        let named = |(index, entry): (u32, FileEntry)| {
            let path = format!("{}: {}", place.agent, entry.path);
            // Both are from files: see `AgentPlace::time_ns`.
            (index.saturating_add(place.first_file), FileEntry { path, ..entry })
        };
        self.files = files.into_iter().map(named).collect();
        self.place = place;
        self
    }

    fn from_parts(dir: &Path, parts: Vec<FoundPart>) -> Result<Option<AgentLog>, LogError> {
        let mut agent: Option<AgentLog> = None;
        for part in parts {
            let head = PartHead::of(&part)?;
            let agent = agent.get_or_insert_with(|| AgentLog {
                dir: dir.to_path_buf(),
                meta: head.meta.clone(),
                files: BTreeMap::new(),
                rows: 0,
                bytes: 0,
                parts: Vec::new(),
                place: AgentPlace::default(),
            });
            if agent.meta != head.meta {
                return Err(LogError::Corrupt {
                    path: part.path,
                    why: "its metadata differ from the first part's: it belongs to another log".to_string(),
                });
            }
            // Counts in footers are input: sums of many absurd ones must not wrap.
            agent.rows = agent.rows.saturating_add(head.rows);
            let size = fs::symlink_metadata(&part.path).map_err(LogError::io("look at", &part.path))?.len();
            agent.bytes += size;
            agent.files.extend(head.files);
            agent.parts.push(part.path);
        }
        Ok(agent)
    }
}

/// The operations of some agents, batch by batch.
#[derive(Default)]
pub struct Batches<'a> {
    /// The unfinished ones, with their indices.
    agents: VecDeque<(usize, &'a AgentLog)>,
    /// The next part of the first.
    next_part: usize,
    part: Option<PartReader>,
}

impl Batches<'_> {
    fn next_batch(&mut self) -> Result<Option<Batch>, LogError> {
        while let Some(&(index, agent)) = self.agents.front() {
            if let Some(part) = &mut self.part {
                let mut ops = Vec::new();
                part.read(BATCH_ROWS, &mut ops)?;
                if !ops.is_empty() {
                    ops.iter_mut().for_each(|op| agent.place.place(op));
                    return Ok(Some(Batch { agent: index, ops }));
                }
                self.part = None;
            }
            match agent.parts.get(self.next_part) {
                Some(path) => {
                    self.part = Some(opened(path)?);
                    self.next_part += 1;
                }
                None => {
                    self.agents.pop_front();
                    self.next_part = 0;
                }
            }
        }
        Ok(None)
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.next_batch();
        if next.is_err() {
            self.agents.clear();
            self.part = None;
        }
        next.transpose()
    }
}

fn opened(path: &Path) -> Result<PartReader, LogError> {
    let (file, _) = open_regular(path).map_err(LogError::io("open", path))?;
    let footer = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(LogError::corrupt(path))?;
    check_version(&footer, path)?;
    PartReader::new(path, file, footer)
}

/// The facts in a part's footer.
struct PartHead {
    meta: LogMeta,
    files: BTreeMap<u32, FileEntry>,
    rows: u64,
}

impl PartHead {
    fn of(part: &FoundPart) -> Result<PartHead, LogError> {
        check_version(&part.footer, &part.path)?;
        let (meta, files) = meta::from_key_values(key_values(&part.footer), &part.path)?;
        let rows = u64::try_from(part.footer.file_metadata().num_rows());
        Ok(PartHead {
            meta,
            files,
            rows: rows.map_err(|_| LogError::Corrupt {
                path: part.path.clone(),
                why: "its number of rows is negative".to_string(),
            })?,
        })
    }
}

/// Whether this program can read the part's schema version.
fn check_version(footer: &ParquetMetaData, path: &Path) -> Result<(), LogError> {
    match meta::version(key_values(footer), path)? {
        0 => Err(LogError::NotALog {
            path: path.to_path_buf(),
            why: "schema version 0 never existed".to_string(),
        }),
        SCHEMA_VERSION => Ok(()),
        found => Err(LogError::NewerVersion { path: path.to_path_buf(), found, known: SCHEMA_VERSION }),
    }
}

fn key_values(footer: &ParquetMetaData) -> &[KeyValue] {
    footer.file_metadata().key_value_metadata().map_or(&[], Vec::as_slice)
}

/// The directories of agents at or under `dir`, sorted.
fn agent_dirs(dir: &Path) -> Result<Vec<PathBuf>, LogError> {
    let is_agent = |name: &OsStr| name.to_string_lossy().starts_with("agent=");
    if dir.file_name().is_some_and(is_agent) {
        return Ok(vec![dir.to_path_buf()]);
    }
    let mut dirs = Vec::new();
    for entry in fs::read_dir(dir).map_err(LogError::io("list", dir))? {
        let entry = entry.map_err(LogError::io("list", dir))?;
        if is_agent(&entry.file_name()) && entry.path().is_dir() {
            dirs.push(entry.path());
        }
    }
    dirs.sort();
    Ok(dirs)
}

/// The usable parts of an agent's directory, in order, and the skipped files.
pub(super) struct Survey {
    pub parts: Vec<FoundPart>,
    pub skipped: Vec<Skipped>,
}

/// A part with its footer.
pub(super) struct FoundPart {
    span: PartRange,
    path: PathBuf,
    footer: ParquetMetaData,
}

/// Inspects every file of an agent's directory.
pub(super) fn survey(dir: &Path) -> Result<Survey, LogError> {
    let mut survey = Survey { parts: Vec::new(), skipped: Vec::new() };
    for entry in fs::read_dir(dir).map_err(LogError::io("list", dir))? {
        let entry = entry.map_err(LogError::io("list", dir))?;
        let name = entry.file_name();
        let path = entry.path();
        if is_temporary(&name.to_string_lossy()) {
            survey.skip(path, SkipReason::Temporary);
        } else if let Some(span) = PartRange::parse(&name.to_string_lossy()) {
            match read_footer(&path)? {
                Some(footer) => survey.parts.push(FoundPart { span, path, footer }),
                None => survey.skip(path, SkipReason::Torn),
            }
        }
    }
    survey.leave_out_covered(dir)?;
    Ok(survey)
}

impl Survey {
    fn skip(&mut self, path: PathBuf, reason: SkipReason) {
        self.skipped.push(Skipped { path, reason });
    }

    /// Sorts the parts, drops those that another one contains, and records gaps.
    fn leave_out_covered(&mut self, dir: &Path) -> Result<(), LogError> {
        let mut parts = std::mem::take(&mut self.parts);
        // A table comes before its segments.
        parts.sort_by_key(|part| (part.span.first, std::cmp::Reverse(part.span.last)));
        let mut held_to = 0;
        for part in parts {
            if part.span.last <= held_to {
                self.skip(part.path, SkipReason::Covered);
                continue;
            }
            if part.span.first <= held_to {
                return Err(LogError::Corrupt {
                    path: part.path,
                    why: "it overlaps the part before it".to_string(),
                });
            }
            if part.span.first > held_to + 1 {
                let missing = PartRange { first: held_to + 1, last: part.span.first - 1 };
                self.note_missing(dir, missing);
            }
            held_to = part.span.last;
            self.parts.push(part);
        }
        Ok(())
    }

    /// Records a gap as missing, unless the part exists but is torn, which is already recorded.
    fn note_missing(&mut self, dir: &Path, gap: PartRange) {
        let path = dir.join(gap.file_name());
        if !self.skipped.iter().any(|skipped| skipped.path == path) {
            self.skip(path, SkipReason::Missing);
        }
    }
}

/// The footer of a part; `None` if the file ends without one.
fn read_footer(path: &Path) -> Result<Option<ParquetMetaData>, LogError> {
    // Check the file type by name: an unpacked trace may contain a FIFO, and opening it would block.
    if !fs::metadata(path).map_err(LogError::io("look at", path))?.is_file() {
        let why = "it is not a regular file".to_string();
        return Err(LogError::NotALog { path: path.to_path_buf(), why });
    }
    let mut file = File::open(path).map_err(LogError::io("open", path))?;
    // Magic, an empty footer, its length and magic: no shorter file is complete.
    let mut tail = [0; 4];
    let ends_well = file.seek(SeekFrom::End(-4)).is_ok_and(|at| at >= 8)
        && file.read_exact(&mut tail).is_ok()
        && &tail == b"PAR1";
    if !ends_well {
        return Ok(None);
    }
    ParquetMetaDataReader::new().parse_and_finish(&file).map(Some).map_err(LogError::corrupt(path))
}
