//! A run in one value, from flags or from `run.toml`, with all checks that need no access to the target.
//!
//! The checks are pure. The runner checks whether the target exists, has space and supports direct I/O,
//! also before any test data is written.

use std::path::PathBuf;

use reelgauge_record::notes::StorageDetails;
use serde::{Deserialize, Serialize};

pub use crate::driver_choice::DriverChoice;
use crate::mix::{Lengths, MixShape, SyncPolicy};
use crate::range::{Ramp, Sizes, Sweep};
use crate::spelling::Spelling;
use crate::streams::ActorKind;
use crate::units::{Percent, Size, Span};

pub use crate::plan_version::PLAN_VERSION;

/// The smallest and the largest block size.
pub const BLOCK_BYTES: std::ops::RangeInclusive<u64> = 512..=64 << 20;

/// The maximum size of a test file: more than any storage provides for one run.
pub const FILE_SIZE_MAX: Size = Size(1 << 50);

/// The maximum number of workers in one process.
pub const WORKERS_MAX: u32 = 4096;

/// The maximum number of blocks of one worker in flight.
pub const IN_FLIGHT_MAX: u16 = 256;

/// A whole run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of this format.
    pub plan_version: u32,
    /// The program that wrote it.
    pub written_by: String,
    /// The directory to measure.
    pub target: PathBuf,
    /// The seed of all random draws.
    pub seed: u64,
    /// Performs the operations.
    pub driver: DriverChoice,
    /// Workers of each load point.
    pub workers: Ramp,
    /// A parameter that changes from load point to load point. Then `workers` contains one number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// Time before each load point that is excluded from the figures.
    pub warmup: Span,
    /// The measured time of each load point.
    pub duration: Span,
    /// A target that completes nothing for this long is abandoned.
    pub hang_after: Span,
    /// Whether to read back and check every block that the run wrote.
    pub verify: bool,
    /// Whether to keep every operation.
    pub log: bool,
    /// Memory of the file server, if the user knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_memory: Option<Size>,
    /// A folder of the user's own files, on the same storage, which are read instead of test files. They
    /// are never changed, so the plan must not write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_from: Option<PathBuf>,
    /// Criteria for every load point: `p99=40ms,throughput=60MB/s`. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub criteria: String,
    /// Tags to find the run by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Set if it shares its test files with other hosts of its run. Then all its workers use the same
    /// files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_data: Option<SharedData>,
    /// The user's description of the storage.
    #[serde(default, skip_serializing_if = "StorageDetails::is_empty")]
    pub storage: StorageDetails,
    /// The access profile.
    pub mix: MixPlan,
}

/// One data set for several hosts: one of them creates it, and the others use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedData {
    /// The data set's seed: the same for all hosts, even if their own seeds differ.
    pub seed: u64,
    /// Whether this host creates the files. Exactly one host does.
    pub is_owner: bool,
    /// The name of the fleet's run, by which the hosts find each other. Without it this host is alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The files of the clients on this host, if each client has a separate file. `None`: all clients
    /// use the same files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<ClientFiles>,
}

/// The files of one host's clients, among those of the clients of all hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFiles {
    /// The number of files of all hosts together.
    pub files: u32,
    /// The file of this host's first client, from 0.
    pub first: u32,
    /// The distance from one client's file to the next one's.
    pub apart: u32,
}

impl ClientFiles {
    /// The file of this host's client with this number, both from 0.
    pub fn of(self, client: u32) -> u32 {
        self.first.saturating_add(self.apart.saturating_mul(client))
    }
}

/// The access profile of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixPlan {
    /// The name of the original profile.
    pub profile: String,
    /// Maximum length of transfers. Either this or `lengths`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<Size>,
    /// The possible lengths of transfers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lengths: Option<Sizes>,
    /// Block sizes, equally likely.
    pub blocks: Sizes,
    /// Percentage of transfers that write.
    pub writes: Percent,
    /// Percentage of transfers with blocks at random positions.
    pub random: Percent,
    /// Maximum pause before each transfer; the minimum is 0.
    pub max_delay: Span,
    /// Number of files from which every transfer chooses one. Without it each worker has its own file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
    /// Size of each file.
    pub file_size: Size,
    /// Whether all workers use one file.
    #[serde(default)]
    pub shared_file: bool,
    /// When written data is made durable.
    pub sync: SyncPolicy,
    /// Whether to bypass the client's cache.
    #[serde(default = "yes")]
    pub direct: bool,
    /// Whether to visit every block once, in random order.
    #[serde(default)]
    pub no_repeat: bool,
    /// Blocks of each worker in flight at a time. Written only if above 1, so that earlier versions can
    /// read the plan.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub in_flight: u16,
    /// Whether each transfer creates its file instead of overwriting it. Written only if true, so that
    /// earlier versions can read the plan.
    #[serde(default, skip_serializing_if = "is_false")]
    pub create: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it in this form")]
const fn is_false(value: &bool) -> bool {
    !*value
}

const fn one() -> u16 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it in this form")]
const fn is_one(in_flight: &u16) -> bool {
    *in_flight == 1
}

const fn yes() -> bool {
    true
}

impl Default for MixPlan {
    /// The paper's production edit profile without the names of its blocks: see [`crate::profile`].
    fn default() -> MixPlan {
        MixPlan {
            profile: "custom".to_owned(),
            max_length: Some(Size::kib(10_240)),
            lengths: None,
            blocks: Sizes(vec![Size::mib(1)]),
            writes: Percent::whole(0),
            random: Percent::whole(0),
            max_delay: Span(0),
            files: None,
            file_size: Size::mib(1024),
            shared_file: false,
            sync: SyncPolicy::None,
            direct: true,
            no_repeat: false,
            in_flight: 1,
            create: false,
        }
    }
}

/// The problem of a plan. Each message names the problem and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The test files cannot be shared by several hosts.
    #[error("several hosts cannot share its test files: {0}")]
    SharedData(&'static str),
    /// A newer program wrote the plan.
    #[error("this plan has version {0}, but this program reads up to {PLAN_VERSION}. Update Reelgauge")]
    Newer(u32),
    /// The text is not a plan.
    #[error("not a plan: {0}")]
    Toml(String),
    /// There is neither a mix nor an actor.
    #[error(
        "the plan has no [[actor]] and no [mix]. Add at least\n\n  \
         [[actor]]\n  kind = \"copier\"\n"
    )]
    Nothing,
    /// There are a mix and actors.
    #[error(
        "a plan has [[actor]] tables or a [mix], not both. To combine a mix with others, use an [[actor]] of \
         kind \"mix\""
    )]
    Both,
    /// The file is that of a watch.
    #[error("this is the plan of a watch, which makes no load to repeat. Watch again with 'reelgauge watch'")]
    Watch,
    /// A problem of one actor of a file.
    #[error("actor {number} ({kind}): {problem}")]
    Actor {
        /// The number of the actor, from 1.
        number: usize,
        kind: ActorKind,
        problem: Box<PlanError>,
    },
    /// There are no workers.
    #[error("the ramp is empty. Give at least one number of workers, like {}", match .0 {
        Spelling::Flags => "--ramp 1..10",
        Spelling::File => "workers = \"1..10\"",
    })]
    EmptyRamp(Spelling),
    /// There are too many workers.
    #[error("{setting} results in {workers} workers, but one process runs 1 to {WORKERS_MAX}. Change it")]
    TooManyWorkers {
        /// Their number.
        workers: u32,
        /// The setting that determines the number.
        setting: &'static str,
    },
    /// The measured time is 0.
    #[error("the duration is 0. Give each load point some time, like {}", .0.set("duration", "30s"))]
    ZeroDuration(Spelling),
    /// The time limit for a hanging target is 0.
    #[error("{} is 0, so every operation would count as hung. Use 1s or more", .0.name("hang_after"))]
    ZeroHangAfter(Spelling),
    /// The plan writes to files that may only be read.
    #[error(
        "this run writes, but your own files ({}) are only read. Use {}, or omit your own files",
        .0.name("read_from"), .0.set("writes", "0")
    )]
    ReadFromWrites(Spelling),
    /// A block size is out of range.
    #[error("a block of {block} is outside 512B to 64MiB. Choose {setting} in this range")]
    BlockRange {
        block: Size,
        /// The name of its setting.
        setting: String,
    },
    /// A file size is out of range.
    #[error("{setting} {size} is outside {least} to {FILE_SIZE_MAX}. Choose a size in this range")]
    FileRange {
        size: Size,
        /// The smallest permitted size.
        least: Size,
        /// The name of its setting.
        setting: String,
    },
    /// A size is not aligned for direct I/O or the pattern.
    #[error("{what} is {size}, but must be a multiple of {quantum} above 0. Use {}", nearest(*below, *above))]
    Unaligned {
        /// The name of the size.
        what: String,
        size: Size,
        /// The required alignment.
        quantum: Size,
        /// The nearest aligned size below (at least one quantum).
        below: Size,
        /// The nearest aligned size above.
        above: Size,
    },
    /// A block does not fit into the file.
    #[error(
        "a block of {block} is larger than the file of {file}. Use a larger {} or smaller {setting}",
        spelling.name("file_size")
    )]
    BlockOverFile {
        /// The largest block.
        block: Size,
        file: Size,
        /// The name of the setting of the block size.
        setting: String,
        /// The source of the plan.
        spelling: Spelling,
    },
    /// A transfer does not fit into the file.
    #[error(
        "{} {length} is longer than the file of {file}. Use a larger {} or a shorter length",
        spelling.name("lengths"), spelling.name("file_size")
    )]
    LengthOverFile {
        /// The longest transfer.
        length: Size,
        file: Size,
        /// The source of the plan.
        spelling: Spelling,
    },
    /// All transfers are shorter than the smallest block.
    #[error(
        "transfers of up to {length} are shorter than the smallest block, {block}. Raise {} or use smaller \
         {}",
        spelling.name("max_length"), spelling.name("blocks")
    )]
    LengthUnderBlock {
        /// The longest transfer.
        length: Size,
        /// The smallest block.
        block: Size,
        /// The source of the plan.
        spelling: Spelling,
    },
    /// The files cannot be created again by each transfer.
    #[error(
        "{} creates each file again, so every transfer must write one whole file in order. Use {}, {}, no {} \
         and no {}, and set {} to the size of the files",
        .0.name("create"), .0.set("writes", "100"), .0.set("random", "0"), .0.name("files"),
        .0.name("shared_file"), .0.name("lengths")
    )]
    Create(Spelling),
    /// The number of blocks in flight is out of range.
    #[error(
        "{} is outside 1 to {IN_FLIGHT_MAX}. Choose a number in this \
         range", .1.set("in_flight", &.0.to_string()))]
    InFlight(u16, Spelling),
    /// The number of files is 0.
    #[error("{} leaves nothing to measure. Use at least 1", .0.set("files", "0"))]
    ZeroFiles(Spelling),
    /// A problem of the actors.
    #[error(transparent)]
    Streams(#[from] crate::streams::StreamsError),
    /// One of two options has no effect.
    #[error("{0}")]
    NoEffect(String),
}

impl From<toml::de::Error> for PlanError {
    fn from(error: toml::de::Error) -> PlanError {
        PlanError::Toml(error.to_string())
    }
}

impl From<toml::ser::Error> for PlanError {
    fn from(error: toml::ser::Error) -> PlanError {
        PlanError::Toml(error.to_string())
    }
}

/// Checks the version first: a newer plan may contain unknown settings.
pub(crate) fn check_version(text: &str) -> Result<(), PlanError> {
    #[derive(Deserialize)]
    struct Version {
        plan_version: Option<u32>,
    }
    match toml::from_str(text)? {
        Version { plan_version: Some(version) } if version > PLAN_VERSION => Err(PlanError::Newer(version)),
        _ => Ok(()),
    }
}

impl Plan {
    /// Reads a plan from TOML and checks it.
    pub fn from_toml(text: &str) -> Result<Plan, PlanError> {
        check_version(text)?;
        let plan: Plan = toml::from_str(text)?;
        plan.check_spelled(Spelling::File)?;
        Ok(plan)
    }

    /// The plan as TOML, for [`Plan::from_toml`].
    pub fn to_toml(&self) -> Result<String, PlanError> {
        Ok(toml::to_string_pretty(self)?)
    }

    /// The largest number of workers of any load point.
    pub fn workers_max(&self) -> u32 {
        self.workers.0.iter().copied().max().unwrap_or(0)
    }

    /// The number of load points.
    pub fn points(&self) -> usize {
        self.sweep.as_ref().map_or(self.workers.0.len(), Sweep::len)
    }

    /// Workers of this load point.
    pub fn workers_at(&self, point: usize) -> u32 {
        let index = if self.sweep.is_some() { 0 } else { point };
        self.workers.0.get(index).copied().unwrap_or(0)
    }

    /// The label of this load point: `8 workers`, `random 25 %`.
    pub fn label_at(&self, point: usize) -> String {
        let swept = self.sweep.as_ref().and_then(|sweep| sweep.label(point));
        swept.unwrap_or_else(|| match self.workers_at(point) {
            1 => "1 worker".to_owned(),
            workers => format!("{workers} workers"),
        })
    }

    /// The access profile of this load point: the plan's, with the sweep's value.
    pub fn mix_at(&self, point: usize) -> MixPlan {
        let mut mix = self.mix.clone();
        for (sweep, at) in self.sweep.iter().flat_map(|sweep| sweep.parts(point)) {
            match sweep {
                Sweep::Random(values) => mix.random = values.get(at).copied().unwrap_or(mix.random),
                Sweep::Blocks(values) => mix.blocks = Sizes(values.get(at).copied().into_iter().collect()),
                Sweep::Length(values) => {
                    mix.max_length = None;
                    mix.lengths = Some(Sizes(values.get(at).copied().into_iter().collect()));
                }
                // The parts of a grid are not grids themselves.
                Sweep::Grid(_) => {}
            }
        }
        mix
    }

    /// The smallest quantum of any load point: the alignment of all offsets and lengths.
    pub fn quantum_bytes_min(&self) -> u32 {
        let quanta = (0..self.points()).map(|point| self.mix_at(point).quantum_bytes());
        quanta.min().unwrap_or(512)
    }

    /// The number of files that the run needs.
    pub fn files(&self) -> u32 {
        match (self.mix.shared_file, self.mix.files) {
            (true, _) => 1,
            (false, Some(files)) => files,
            (false, None) => self.client_files().map_or_else(|| self.workers_max(), |clients| clients.files),
        }
    }

    /// The files of this host's clients, if each client of several hosts has its own.
    pub fn client_files(&self) -> Option<ClientFiles> {
        self.shared_data.as_ref().and_then(|shared| shared.clients)
    }

    /// The seed for the contents of its test files.
    pub fn data_seed(&self) -> u64 {
        self.shared_data.as_ref().map_or(self.seed, |shared| shared.seed)
    }

    /// Checks a plan made from flags. A plan from a file was checked when it was read.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_spelled(Spelling::Flags)
    }

    /// Checks whether several hosts can share the test files of this plan.
    ///
    /// # Errors
    /// [`PlanError::SharedData`] if they cannot.
    pub fn check_shared_data(&self) -> Result<(), PlanError> {
        let uses_same_files = self.mix.shared_file || self.mix.files.is_some();
        let last =
            self.client_files().map(|clients| (clients.of(self.workers_max().max(1) - 1), clients.files));
        let why = if uses_same_files == last.is_some() {
            "set 'clients' if each worker has its own file, and omit it otherwise"
        } else if last.is_some_and(|(last, files)| last >= files) {
            "'clients' needs at least one file per worker; use more files"
        } else if self.verify {
            "'verify' would find blocks that other hosts wrote; omit it"
        } else if self.mix.create && uses_same_files {
            "with 'create', each transfer truncates a file that other hosts use; omit 'create'"
        } else if self.mix.no_repeat && uses_same_files {
            "with 'no_repeat', each host would visit every block; omit 'no_repeat'"
        } else if self.read_from.is_some() {
            "'read_from' creates no test files; omit it"
        } else {
            return Ok(());
        };
        Err(PlanError::SharedData(why))
    }

    fn check_spelled(&self, spelling: Spelling) -> Result<(), PlanError> {
        if self.workers_max() == 0 || self.points() == 0 {
            return Err(PlanError::EmptyRamp(spelling));
        }
        if self.workers_max() > WORKERS_MAX {
            let setting = match spelling {
                Spelling::Flags => "--workers or --ramp",
                Spelling::File => "workers",
            };
            return Err(PlanError::TooManyWorkers { workers: self.workers_max(), setting });
        }
        if self.duration.ns() == 0 {
            return Err(PlanError::ZeroDuration(spelling));
        }
        if self.hang_after.ns() == 0 {
            return Err(PlanError::ZeroHangAfter(spelling));
        }
        if self.sweep.is_some() && self.workers.0.len() > 1 {
            return Err(PlanError::NoEffect(match spelling {
                Spelling::Flags => {
                    "a sweep and a ramp cannot be combined. Use --sweep with a fixed --workers, or --ramp \
                     alone"
                        .to_owned()
                }
                Spelling::File => {
                    "a sweep and a ramp cannot be combined. Set workers to one number, or omit sweep"
                        .to_owned()
                }
            }));
        }
        if self.verify && self.mix.writes.ppm() == 0 {
            return Err(PlanError::NoEffect(format!(
                "{} checks what the run wrote, but this run writes nothing. Omit it, or set {} above 0",
                spelling.name("verify"),
                spelling.name("writes"),
            )));
        }
        if self.verify && self.mix.create {
            return Err(PlanError::NoEffect(format!(
                "{} cannot be combined with {}: the last file of each worker is incomplete. Omit one of them",
                spelling.name("verify"),
                spelling.name("create"),
            )));
        }
        if self.shared_data.is_some() {
            self.check_shared_data()?;
        }
        if self.read_from.is_some() && self.mix.writes.ppm() > 0 {
            return Err(PlanError::ReadFromWrites(spelling));
        }
        self.mix.check_combination(spelling)?;
        (0..self.points()).try_for_each(|point| self.mix_at(point).check_sizes(spelling))
    }
}

impl MixPlan {
    /// The alignment of every length and offset: the largest power of two in the smallest block, at most
    /// 4 KiB (which direct I/O needs almost everywhere), at least 512 B. If every block is visited once,
    /// it is the block size itself, so that no part of a block is skipped.
    pub fn quantum_bytes(&self) -> u32 {
        if let ([block], true) = (self.blocks.0.as_slice(), self.no_repeat) {
            // The check refuses a block that is out of range.
            return u32::try_from(block.0).unwrap_or(u32::MAX);
        }
        let powers = self.blocks.0.iter().map(|block| block.0.trailing_zeros());
        let exponent = powers.min().unwrap_or(12).clamp(9, 12);
        1 << exponent
    }

    /// The maximum length of a transfer.
    fn longest(&self) -> Size {
        let fixed = self.lengths.iter().flat_map(|lengths| lengths.0.iter());
        self.max_length.iter().chain(fixed).copied().max().unwrap_or_default()
    }

    /// Whether every transfer writes the whole file of its worker, from beginning to end.
    fn writes_whole_files(&self) -> bool {
        let is_whole = self.lengths.as_ref().is_some_and(|lengths| lengths.0 == [self.file_size]);
        let is_own = self.files.is_none() && !self.shared_file;
        is_whole && is_own && self.writes == Percent::whole(100) && self.random == Percent::whole(0)
    }

    pub(crate) fn check_combination(&self, spelling: Spelling) -> Result<(), PlanError> {
        let name = |key| spelling.name(key);
        if self.files == Some(0) {
            return Err(PlanError::ZeroFiles(spelling));
        }
        let no_effect = |text| Err(PlanError::NoEffect(text));
        if self.shared_file && self.files.is_some() {
            let (shared, files) = (name("shared_file"), name("files"));
            return no_effect(format!(
                "{shared} means one file for all, so {files} has no effect. Omit one of them"
            ));
        }
        if self.max_length.is_some() == self.lengths.is_some() {
            let (longest, exact) = (name("max_length"), name("lengths"));
            return no_effect(format!(
                "use either {longest} (random lengths up to it) or {exact} (exactly these lengths)"
            ));
        }
        if self.sync != SyncPolicy::None && self.writes.ppm() == 0 {
            let (sync, writes) = (name("sync"), name("writes"));
            return no_effect(format!(
                "{sync} has no effect when nothing is written. Omit it, or set {writes} above 0"
            ));
        }
        if !(1..=IN_FLIGHT_MAX).contains(&self.in_flight) {
            return Err(PlanError::InFlight(self.in_flight, spelling));
        }
        if self.in_flight > 1 && self.sync == SyncPolicy::Block {
            let (depth, sync) = (name("in_flight"), spelling.set("sync", "block"));
            return no_effect(format!(
                "{sync} waits for each block before the next, so {depth} has no effect. Omit one of them"
            ));
        }
        if self.create && !self.writes_whole_files() {
            return Err(PlanError::Create(spelling));
        }
        let once = name("no_repeat");
        if self.no_repeat && self.random != Percent::whole(100) {
            let random = spelling.set("random", "100");
            return no_effect(format!(
                "{once} visits every block once, in random order, so it needs {random}"
            ));
        }
        if self.no_repeat && self.blocks.0.len() != 1 {
            let blocks = name("blocks");
            return no_effect(format!(
                "{once} needs a single block size, or blocks would overlap. Use {blocks} with one size"
            ));
        }
        Ok(())
    }

    pub(crate) fn check_sizes(&self, spelling: Spelling) -> Result<(), PlanError> {
        let quantum = Size(u64::from(self.quantum_bytes()));
        let setting = spelling.name("blocks");
        if let Some(&block) = self.blocks.0.iter().find(|block| !BLOCK_BYTES.contains(&block.0)) {
            return Err(PlanError::BlockRange { block, setting });
        }
        let Some((&smallest, &largest)) = self.blocks.0.iter().min().zip(self.blocks.0.iter().max()) else {
            return Err(PlanError::NoEffect(format!("{setting} is empty. Give at least one block size")));
        };
        let of_a_list = |key| format!("a size of {}", spelling.name(key));
        for &block in &self.blocks.0 {
            aligned(block, quantum, || of_a_list("blocks"))?;
        }
        for &length in self.lengths.iter().flat_map(|lengths| &lengths.0) {
            aligned(length, quantum, || of_a_list("lengths"))?;
        }
        let file = self.file_size;
        check_file_size(file, quantum, || spelling.name("file_size"))?;
        aligned(file, quantum, || spelling.name("file_size"))?;
        let longest = self.longest();
        if largest > file {
            return Err(PlanError::BlockOverFile { block: largest, file, setting, spelling });
        }
        if self.lengths.is_some() && longest > file {
            return Err(PlanError::LengthOverFile { length: longest, file, spelling });
        }
        if longest < smallest {
            return Err(PlanError::LengthUnderBlock { length: longest, block: smallest, spelling });
        }
        Ok(())
    }

    /// The parameters for the script.
    pub fn shape(&self) -> MixShape {
        let lengths = match &self.lengths {
            Some(fixed) => Lengths::Fixed(fixed.0.iter().map(|size| size.0).collect()),
            None => Lengths::UpTo(self.longest().0),
        };
        MixShape {
            lengths,
            // Already checked: at most 64 MiB.
            blocks_bytes: self.blocks.0.iter().map(|size| size.0 as u32).collect(),
            quantum_bytes: self.quantum_bytes(),
            writes: self.writes,
            random: self.random,
            max_delay_ns: self.max_delay.ns(),
            sync: self.sync,
            direct: self.direct,
            in_flight: self.in_flight,
            create: self.create,
        }
    }
}

/// Fails for a file size that no storage supports. Other rules check `least`, which is only for the
/// error message.
pub(crate) fn check_file_size(
    size: Size,
    least: Size,
    setting: impl FnOnce() -> String,
) -> Result<(), PlanError> {
    match size > FILE_SIZE_MAX {
        true => Err(PlanError::FileRange { size, least, setting: setting() }),
        false => Ok(()),
    }
}

/// The sizes to use instead, without duplicates.
fn nearest(below: Size, above: Size) -> String {
    if below == above { above.to_string() } else { format!("{below} or {above}") }
}

fn aligned(size: Size, quantum: Size, what: impl FnOnce() -> String) -> Result<(), PlanError> {
    if size.0 > 0 && size.0.is_multiple_of(quantum.0) {
        return Ok(());
    }
    let below = Size((size.0 / quantum.0 * quantum.0).max(quantum.0));
    let above = Size(size.0.div_ceil(quantum.0).max(1).saturating_mul(quantum.0));
    Err(PlanError::Unaligned { what: what(), size, quantum, below, above })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::profile::PROFILES;

    fn plan() -> Plan {
        Plan {
            plan_version: PLAN_VERSION,
            written_by: "test".to_owned(),
            target: PathBuf::from("/mnt/nas"),
            seed: 1,
            driver: DriverChoice::Threads,
            workers: Ramp(vec![4]),
            sweep: None,
            criteria: String::new(),
            warmup: Span::secs(5),
            duration: Span::secs(30),
            hang_after: Span::secs(30),
            verify: false,
            log: true,
            server_memory: None,
            read_from: None,
            shared_data: None,
            tags: Vec::new(),
            storage: StorageDetails::default(),
            mix: PROFILES[0].plan(),
        }
    }

    fn refused(change: impl FnOnce(&mut Plan)) -> String {
        let mut plan = plan();
        change(&mut plan);
        plan.check().unwrap_err().to_string()
    }

    #[test]
    fn plan_round_trips_through_toml() {
        let mut plan = plan();
        plan.sweep = Some("random=0..100 step 25".parse().unwrap());
        plan.mix.files = Some(3);
        plan.storage = "make=Acme,raid=6".parse().unwrap();
        plan.tags = vec!["before".to_owned()];
        assert_eq!(Plan::from_toml(&plan.to_toml().unwrap()).unwrap(), plan);
    }

    #[test]
    fn a_plan_with_one_block_in_flight_is_that_of_earlier_versions() {
        let mut plan = plan();
        assert!(!plan.to_toml().unwrap().contains("in_flight"));
        plan.mix.in_flight = 32;
        assert_eq!(Plan::from_toml(&plan.to_toml().unwrap()).unwrap().mix.in_flight, 32);
    }

    #[test]
    fn plan_error_names_its_keys() {
        let written = plan().to_toml().unwrap();
        for (line, instead, said) in [
            ("duration = \"30s\"", "duration = \"0s\"", "like duration = \"30s\""),
            ("hang_after = \"30s\"", "hang_after = \"0s\"", "hang_after is 0"),
            ("file_size = \"1GiB\"", "file_size = \"512KiB\"", "Use a larger file_size or smaller blocks"),
            ("no_repeat = false", "no_repeat = true", "so it needs random = 100"),
            ("shared_file = false", "shared_file = true\nfiles = 1", "so files has no effect"),
            ("blocks = ", "lengths = \"8MiB\"\nblocks = ", "use either max_length"),
        ] {
            assert!(written.contains(line), "{written}");
            let error = Plan::from_toml(&written.replacen(line, instead, 1)).unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains("--"), "{error}");
        }
    }

    #[test]
    fn newer_plan_version_is_refused_before_parsing() {
        assert_eq!(Plan::from_toml("plan_version = 2\nwarp = 9"), Err(PlanError::Newer(2)));
        assert!(matches!(Plan::from_toml("plan_version = 1\nwarp = 9"), Err(PlanError::Toml(_))));
        assert!(matches!(Plan::from_toml("\0"), Err(PlanError::Toml(_))));
    }

    #[test]
    fn every_profile_is_a_sound_plan() {
        for profile in PROFILES {
            let plan = Plan { mix: profile.plan(), ..plan() };
            plan.check().unwrap();
        }
    }

    #[test]
    fn mistakes_are_named_with_their_remedy() {
        let mut printed = Vec::<String>::new();
        let size = |text: &str| text.parse::<Size>().unwrap();
        assert!(refused(|p| p.workers = Ramp(vec![])).contains("--ramp"));
        assert!(refused(|p| p.duration = Span(0)).contains("--duration"));
        assert!(refused(|p| p.mix.file_size = size("512KiB")).contains("--file-size"));
        assert!(refused(|p| p.mix.blocks = Sizes(vec![Size(256)])).contains("512B"));
        assert!(refused(|p| p.mix.blocks = Sizes(vec![size("128MiB")])).contains("64MiB"));
        assert!(refused(|p| p.mix.blocks = Sizes(vec![Size(5000)])).contains("Use 4608B or 5KiB"));
        let too_large = refused(|p| p.mix.file_size = size("16777215TiB"));
        printed.push(too_large.to_string());
        let too_long = refused(|p| (p.mix.max_length, p.mix.lengths) = (None, Some("2GiB".parse().unwrap())));
        printed.push(too_long.to_string());
        let too_many = refused(|p| p.workers = Ramp(vec![5_000]));
        printed.push(too_many.to_string());
        let empty_file = refused(|p| p.mix.file_size = Size(0));
        assert!(empty_file.contains("--file-size") && empty_file.ends_with("Use 4KiB"), "{empty_file}");
        assert!(refused(|p| p.mix.max_length = Some(Size(512))).contains("--max-length"));
        assert!(refused(|p| p.mix.files = Some(0)).contains("--files"));
        assert!(
            refused(|p| {
                p.mix.shared_file = true;
                p.mix.files = Some(2)
            })
            .contains("--shared-file")
        );
        let shared = |p: &mut Plan| (p.mix.shared_file, p.mix.files) = (true, Some(1));
        printed.push(refused(shared).to_string());
        assert!(refused(|p| p.mix.no_repeat = true).contains("--random 100"));
        assert!(refused(|p| p.mix.in_flight = 0).contains("--in-flight 0"));
        assert!(refused(|p| p.mix.create = true).contains("--writes 100"));
        assert!(refused(|p| p.mix.in_flight = 257).contains("1 to 256"));
        let synced = |p: &mut Plan| {
            (p.mix.in_flight, p.mix.sync, p.mix.writes) = (2, SyncPolicy::Block, Percent::whole(100))
        };
        printed.push(refused(synced).to_string());
        assert!(
            refused(|p| {
                p.mix.writes = Percent::whole(0);
                p.mix.sync = SyncPolicy::Block
            })
            .contains("--sync")
        );
        assert!(
            refused(|p| {
                p.mix.writes = Percent::whole(0);
                p.verify = true
            })
            .contains("--verify")
        );
        assert!(
            refused(|p| {
                p.sweep = Some("random=0,50".parse().unwrap());
                p.workers = Ramp(vec![1, 2])
            })
            .contains("sweep")
        );
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn a_sweep_changes_one_thing_per_load_point() {
        let mut plan = plan();
        plan.sweep = Some("length=1MiB,2MiB x blocks=4KiB,64KiB".parse().unwrap());
        assert_eq!(plan.points(), 4);
        let third = plan.mix_at(2);
        assert_eq!((third.lengths.unwrap().0, third.max_length), (vec![Size::mib(2)], None));
        assert_eq!((third.blocks.0, plan.workers_at(2)), (vec![Size::kib(4)], plan.workers_at(0)));
        plan.sweep = Some("length=1MiB..4MiB".parse().unwrap());
        plan.check().unwrap();
        assert_eq!(plan.points(), 3);
        assert_eq!(plan.label_at(2), "length 4MiB");
        assert_eq!(plan.mix_at(2).shape().lengths, Lengths::Fixed(vec![4 << 20]));
        assert_eq!(plan.mix_at(2).random, plan.mix.random);
    }

    #[test]
    fn the_quantum_follows_the_smallest_block() {
        let quantum =
            |blocks: &str| MixPlan { blocks: blocks.parse().unwrap(), ..MixPlan::default() }.quantum_bytes();
        assert_eq!(quantum("4KiB..1MiB"), 4096);
        assert_eq!(quantum("1KiB..1MiB"), 1024);
        assert_eq!(quantum("512B"), 512);
        assert_eq!(quantum("3MiB"), 4096);
        let once = MixPlan { blocks: "3MiB".parse().unwrap(), no_repeat: true, ..MixPlan::default() };
        assert_eq!(once.quantum_bytes(), 3 << 20);
    }
}
