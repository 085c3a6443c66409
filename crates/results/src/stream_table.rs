//! `streams.json`: what each stream of each load point was, and when it was judged. With the log it is all
//! that counting late frames takes, by this program or any other.

use reelgauge_analysis::late::{MeasuredPart, StreamSpec};
use reelgauge_analysis::pause::Pause;
use reelgauge_record::ProcessorWait;
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use serde::{Deserialize, Serialize};

/// The file's name in the run directory.
pub const FILE_NAME: &str = "streams.json";

/// All load points so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamTable {
    /// In the order in which they ran.
    pub points: Vec<PointStreams>,
}

/// The streams of one load point. Times are nanoseconds on the run's clock, as in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointStreams {
    /// Its number.
    pub point: u16,
    /// How many times the plan's actors played.
    pub scale: u32,
    /// When it began, warm-up included.
    pub started_ns: u64,
    /// Frames with a deadline from here on are judged.
    pub from_ns: u64,
    /// Frames with a deadline before this are judged.
    pub until_ns: u64,
    /// The streams that have frames.
    pub streams: Vec<StreamSpec>,
    /// When the tool did not run; known when the load point is over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// When its threads waited for a processor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<ProcessorWait>,
}

impl PointStreams {
    /// A load point as it was judged.
    pub fn new(scale: u32, part: MeasuredPart, streams: Vec<StreamSpec>) -> PointStreams {
        PointStreams {
            point: part.point,
            scale,
            started_ns: part.started_ns,
            from_ns: part.from_ns,
            until_ns: part.until_ns,
            streams,
            pauses: Vec::new(),
            waits: Vec::new(),
        }
    }
}

impl PointStreams {
    /// When it was judged.
    pub fn part(&self) -> MeasuredPart {
        MeasuredPart {
            point: self.point,
            started_ns: self.started_ns,
            from_ns: self.from_ns,
            until_ns: self.until_ns,
        }
    }
}

/// The table of a run; empty where it has none.
pub fn read(run_dir: &RunDir) -> StreamTable {
    let json = std::fs::read(run_dir.path().join(FILE_NAME)).unwrap_or_default();
    serde_json::from_slice(&json).unwrap_or_default()
}

/// Writes the table.
pub fn write(run_dir: &RunDir, table: &StreamTable) -> Result<(), RunDirError> {
    let path = run_dir.path().join(FILE_NAME);
    let json =
        serde_json::to_vec(table).map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &json)
}
