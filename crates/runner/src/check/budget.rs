//! What a first look may take: about a minute, and little room.

use std::time::Duration;

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};

/// The plain rates that a first look measures, and its formats, each of them played and recorded.
const LOOK: (f64, f64) = (3.0, 2.0 * 5.0);
/// Warm-up and measured time of the plain rates: sequential reads, sequential writes, random reads.
pub const RATE_TIMES: Times =
    Times { warmup: Duration::from_millis(400), measured: Duration::from_millis(1_600) };
/// The same of one trial with streams. The warm-up outlasts the first filling of the players' buffers and the
/// pause behind it, so that what is measured is the rate at which they play.
pub const TRIAL_TIMES: Times =
    Times { warmup: Duration::from_millis(550), measured: Duration::from_millis(1_450) };
/// What the trials with one format may take together, playing; as much again recording.
pub const FORMAT_S: f64 = 4.4;
/// What the whole look may take. Only looking again at what contradicts the rest is left out for it.
pub const LOOK_S: f64 = 60.0;
/// What making the test files may take.
const FILES_S: f64 = 5.0;

/// The most that the test files take.
const DATA_BYTES_MAX: u64 = 1 << 30;
/// Of the free space, the share that they take at most: one tenth.
const DATA_SHARE: u64 = 10;
/// How many files there are at most.
const FILES_MAX: u32 = 16;
/// How many there are at least, whatever the time.
const FILES_MIN: u32 = 2;
/// The smallest file: a frame of the largest of the formats fits into it twice.
const FILE_BYTES_MIN: u64 = 8 << 20;
const FILE_BYTES_MAX: u64 = DATA_BYTES_MAX / FILES_MAX as u64;

/// How long a load point takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Left out of the figures.
    pub warmup: Duration,
    /// In them.
    pub measured: Duration,
}

/// The test files of a first look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPlan {
    /// Size of each.
    pub file_bytes: u64,
    /// How many there is room for, at most as many as are useful.
    pub files_max: u32,
}

impl DataPlan {
    /// For a target with so much free space; `None` where it doesn't tell.
    pub fn for_space(available_bytes: Option<u64>) -> DataPlan {
        let share = available_bytes.map_or(DATA_BYTES_MAX, |bytes| bytes / DATA_SHARE);
        let data_bytes = share.min(DATA_BYTES_MAX);
        // Powers of two, so that the next look finds files of the same size although less is free.
        let power = (data_bytes / u64::from(FILES_MAX)).checked_ilog2().map_or(0, |exponent| 1 << exponent);
        let file_bytes = power.clamp(FILE_BYTES_MIN, FILE_BYTES_MAX);
        let fit = u32::try_from(data_bytes / file_bytes).unwrap_or(FILES_MAX);
        DataPlan { file_bytes, files_max: fit.clamp(FILES_MIN, FILES_MAX) }
    }

    /// How many files to have when the first took so long to write: as many as the time allows.
    pub fn files(&self, first_file_s: f64) -> u32 {
        let in_time = FILES_S / first_file_s.max(1e-3);
        (in_time as u32).clamp(FILES_MIN, self.files_max)
    }

    /// How many files to have when so many are there already: no others, so that a look after the first
    /// writes none. Fewer than a look ever makes were left by one that broke off.
    pub fn files_again(&self, files_there: u32) -> u32 {
        if files_there < FILES_MIN { self.files_max } else { files_there.min(self.files_max) }
    }

    /// The least that there must be room for.
    pub fn bytes_min(&self) -> u64 {
        self.file_bytes * u64::from(FILES_MIN)
    }
}

/// What a first look takes that makes at most so many bytes of test files.
pub fn forecast(missing_bytes: u64) -> Forecast {
    let (rates, formats) = LOOK;
    let rate_s = (RATE_TIMES.warmup + RATE_TIMES.measured).as_secs_f64();
    Forecast {
        max_bytes_per_s: None,
        memory_bytes: 0,
        time: TimeAhead::Planned { s: rates * rate_s + formats * FORMAT_S },
        least_files_bytes: 0,
        most_files_bytes: missing_bytes,
        load: LoadAhead::Unbounded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gibibyte_or_a_tenth_of_what_is_free() {
        let plan = |mib: u64| DataPlan::for_space(Some(mib << 20));
        assert_eq!(plan(1 << 20), DataPlan { file_bytes: 64 << 20, files_max: 16 });
        assert_eq!(plan(4_000), DataPlan { file_bytes: 16 << 20, files_max: 16 });
        assert_eq!(plan(600), DataPlan { file_bytes: 8 << 20, files_max: 7 });
        // Below that it is two files of 8 MiB, or nothing.
        assert_eq!(plan(20), DataPlan { file_bytes: 8 << 20, files_max: 2 });
        assert_eq!(plan(20).bytes_min(), 16 << 20);
        assert_eq!(DataPlan::for_space(None), plan(1 << 20));
    }

    #[test]
    fn slow_storage_gets_fewer_files() {
        let plan = DataPlan::for_space(None);
        assert_eq!(plan.files(0.0), 16);
        assert_eq!(plan.files(1.0), 5);
        assert_eq!(plan.files(60.0), 2);
    }

    #[test]
    fn the_next_look_writes_no_more_files() {
        let plan = DataPlan::for_space(None);
        assert_eq!((plan.files_again(8), plan.files_again(40), plan.files_again(1)), (8, 16, 16));
    }

    #[test]
    fn a_look_takes_about_a_minute() {
        let rates = 3.0 * (RATE_TIMES.warmup + RATE_TIMES.measured).as_secs_f64();
        let formats = 2.0 * 5.0 * FORMAT_S;
        let all_s = FILES_S + rates + formats + FORMAT_S;
        assert!((45.0..=LOOK_S).contains(&all_s), "{all_s}");
        let trials = FORMAT_S / (TRIAL_TIMES.warmup + TRIAL_TIMES.measured).as_secs_f64();
        assert!(trials >= 2.0, "{trials}");
        let filled_ns = super::super::load::BUFFER_NS + super::super::load::STAGGER_NS;
        assert!(TRIAL_TIMES.warmup.as_nanos() > u128::from(filled_ns));
    }
}
