//! `streams.json`: the properties of each stream of each load point, and the judged time. Together with
//! the log it is everything that is needed to count late frames, by Reelgauge or another program.

use reelgauge_analysis::late::{MeasuredPart, StreamSpec};
use reelgauge_analysis::pause::Pause;
use reelgauge_record::ProcessorWait;
use reelgauge_record::agents::AgentPlace;
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use serde::{Deserialize, Serialize};

use crate::small_file::{TABLE_MAX_BYTES, read_json};

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
    pub point: u16,
    /// The host of these streams, in a run on several hosts: each has a separate entry for every load
    /// point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The scale: how many times the plan's actors played.
    pub scale: u32,
    /// When it began, including the warm-up.
    pub started_ns: u64,
    /// Frames with a deadline from here on are judged.
    pub from_ns: u64,
    /// Frames with a deadline before this are judged.
    pub until_ns: u64,
    /// The streams that have frames.
    pub streams: Vec<StreamSpec>,
    /// Pauses of Reelgauge; known when the load point is over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
    /// Waits of its threads for a processor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<ProcessorWait>,
}

impl PointStreams {
    /// A judged load point.
    pub fn new(scale: u32, part: MeasuredPart, streams: Vec<StreamSpec>) -> PointStreams {
        PointStreams {
            point: part.point,
            agent: None,
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
    /// The judged part.
    pub fn part(&self) -> MeasuredPart {
        MeasuredPart {
            point: self.point,
            started_ns: self.started_ns,
            from_ns: self.from_ns,
            until_ns: self.until_ns,
        }
    }

    /// Converts the streams of one host to the clock and the numbers of a run on several hosts.
    #[must_use]
    pub fn placed(mut self, place: &AgentPlace) -> PointStreams {
        self.agent = Some(place.agent.clone());
        for time in [&mut self.started_ns, &mut self.from_ns, &mut self.until_ns] {
            *time = place.time_ns(*time);
        }
        for spec in &mut self.streams {
            spec.stream = spec.stream.saturating_add(place.first_stream);
        }
        for pause in &mut self.pauses {
            *pause = Pause { from_ns: place.time_ns(pause.from_ns), until_ns: place.time_ns(pause.until_ns) };
        }
        self.waits.iter_mut().for_each(|wait| *wait = place.placed_wait(*wait));
        self
    }
}

impl StreamTable {
    /// Merges the entries of each load point: the streams of all hosts, from when the first was judged
    /// until the last. For displays of all of them at once; late frames are counted for each host
    /// separately.
    pub fn by_point(self) -> Vec<PointStreams> {
        let mut points: Vec<PointStreams> = Vec::new();
        for mut streams in self.points {
            if let Some(agent) = streams.agent.take() {
                streams.streams.iter_mut().for_each(|spec| spec.name = format!("{agent}: {}", spec.name));
            }
            match points.iter_mut().find(|known| known.point == streams.point) {
                Some(known) => {
                    known.started_ns = known.started_ns.min(streams.started_ns);
                    known.from_ns = known.from_ns.min(streams.from_ns);
                    known.until_ns = known.until_ns.max(streams.until_ns);
                    known.streams.extend(streams.streams);
                    known.pauses.extend(streams.pauses);
                    known.waits.extend(streams.waits);
                }
                None => points.push(streams),
            }
        }
        points
    }
}

/// The table of a run; empty if it has none.
pub fn read(run_dir: &RunDir) -> StreamTable {
    read_json(&run_dir.path().join(FILE_NAME), TABLE_MAX_BYTES).unwrap_or_default()
}

pub fn write(run_dir: &RunDir, table: &StreamTable) -> Result<(), RunDirError> {
    let path = run_dir.path().join(FILE_NAME);
    let json =
        serde_json::to_vec(table).map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &json)
}
