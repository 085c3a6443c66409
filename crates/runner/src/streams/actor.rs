//! One actor of a plan, ready to run: the needs of any number of them, and the criteria of their
//! streams.
//!
//! Not here: the behaviour and needs of each kind (its file in workload).

use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::forecast::LoadAhead;
use reelgauge_analysis::late::{Beginning, StreamKind, StreamSpec};
use reelgauge_analysis::rates::RateSpec;
use reelgauge_workload::media::Media;
use reelgauge_workload::script::{Needs, Script};
use reelgauge_workload::streams::ActorPlan;
use reelgauge_workload::streams::actor::{
    ActorScript, FrameStreams, Idle, Instance, InstanceFiles, InstanceNeeds, Outline,
};

/// One actor of the plan, ready to run any number of times.
#[derive(Clone, Debug)]
pub struct Actor {
    pub plan: ActorPlan,
    /// The media that it reads or writes.
    pub media: Option<Media>,
    pub criteria: Criteria,
    /// The files of each of the existing instances.
    pub files: Vec<InstanceFiles>,
}

impl Actor {
    /// The number of instances at a scale.
    pub fn count(&self, scale: u32) -> u32 {
        self.plan.count.saturating_mul(scale)
    }

    /// The number of prepared files of the existing instances.
    pub fn pieces(&self) -> usize {
        self.files.iter().map(|files| files.prepared.len()).sum()
    }

    /// A description by its settings and its media.
    fn outline(&self) -> Outline<'_> {
        self.plan.outline(self.media.as_ref())
    }

    /// The needs of one instance on the target.
    pub fn needs(&self) -> InstanceNeeds {
        self.outline().needs
    }

    /// Bytes of the files that one instance makes in this time.
    pub fn made_bytes(&self, seconds: f64) -> u64 {
        let outline = self.outline();
        outline.made_bytes + (outline.made_bytes_per_s * (seconds + 1.0)) as u64
    }

    /// The writes of one instance in this time.
    pub fn load_ahead(&self, seconds: f64) -> LoadAhead {
        let rate = self.outline().written_bytes_per_s;
        rate.map_or(LoadAhead::Unbounded, |rate| LoadAhead::AtMost((rate * seconds) as u64))
    }

    /// The deadlines of its streams, and their media.
    fn frames(&self) -> Option<(FrameStreams<'_>, &Media)> {
        self.outline().frames.zip(self.media.as_ref())
    }

    /// The number of streams of one instance in the log.
    pub fn streams(&self) -> u32 {
        self.frames().map_or(1, |_| self.outline().streams)
    }

    /// How long its buffers take to fill before playback; 0 if nothing is filled first.
    pub fn filled_ns(&self) -> u64 {
        let plays_on = self.frames().filter(|(frames, _)| !frames.writes && !frames.may_jump);
        plays_on.map_or(0, |(frames, media)| media.pace(frames.frames).prebuffer_ns())
    }

    /// The specifications of the streams of one instance (rate, buffer, policy); empty without frames.
    pub fn specs(&self, first_stream: u32, start_after_ns: u64) -> Vec<StreamSpec> {
        let Some((frames, media)) = self.frames() else {
            return Vec::new();
        };
        let pace = media.pace(frames.frames);
        let throughput = self.criteria.min_throughput_over_buffer_mb_per_s;
        let kind = match (frames.writes, frames.may_jump) {
            (true, _) => StreamKind::Recorder,
            (false, true) => StreamKind::Editor,
            (false, false) => StreamKind::Player,
        };
        let stream = |number: u32| StreamSpec {
            stream: first_stream + number,
            name: format!("{}, {}", self.plan.kind(), media.name),
            kind: Some(kind),
            format: Some(media.name.clone()),
            writes: frames.writes,
            policy: pace.policy,
            rate_num: pace.rate.num(),
            rate_den: pace.rate.den(),
            prebuffer_ns: pace.prebuffer_ns(),
            frame_bytes: media.constant_frame_bytes(),
            frames_total: None,
            throughput_needed_bytes_per_s: throughput.map(|mb_per_s| mb_per_s * 1e6),
            begins: Some(Beginning { after_ns: start_after_ns, may_jump: frames.may_jump }),
        };
        (0..self.streams()).map(stream).collect()
    }

    /// The required rate of a worker, if it has one.
    pub fn rate(&self, worker: u32) -> Option<RateSpec> {
        let requested_ops_per_s = self.outline().ops_per_s?;
        Some(RateSpec { worker, component: self.plan.kind().to_string(), requested_ops_per_s })
    }

    /// The script of one instance. Without frames (for example from an empty folder) it has nothing to
    /// do.
    pub fn script(&self, instance: &Instance<'_>) -> Box<dyn ActorScript> {
        self.plan.actor().script(instance).unwrap_or_else(|| Box::new(Idle))
    }

    /// The needs of its script for a driver, before it has any files.
    pub fn driver_needs(&self) -> Needs {
        let needs = self.needs();
        let files = InstanceFiles {
            prepared: (0..needs.prepared_files).collect(),
            begins: vec![0; needs.prepared_files as usize],
            made: (0..needs.made_files).collect(),
            folder: needs.folder.then_some(0),
            ..InstanceFiles::default()
        };
        let instance = Instance {
            media: self.media.as_ref(),
            files: &files,
            first_stream: 0,
            start_after_ns: 0,
            seed: 0,
            direct: false,
            length_ns: 1,
        };
        self.script(&instance).needs()
    }

    /// The largest file that one instance reads or writes in a load point of this length.
    pub fn largest_file_bytes(&self, seconds: f64) -> u64 {
        let needs = self.needs();
        let made = self.made_bytes(seconds) / u64::from(needs.made_files.max(1));
        needs.prepared_file_bytes.max(made)
    }
}
