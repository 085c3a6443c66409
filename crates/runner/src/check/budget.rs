//! The limits of a quick check: at most a minute and a half, and little space.

use std::num::NonZeroU64;
use std::time::Duration;

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};

use super::common_formats::common_formats;

/// Warm-up and measured time of random reads; of sequential ones, too, if they use the client's cache,
/// which would answer them after a while.
pub const RATE_TIMES: Times =
    Times { warmup: Duration::from_millis(400), measured: Duration::from_millis(1_600) };
/// Warm-up and measured time of sequential reads and writes: a burst of two seconds, and five seconds at
/// the level below it.
pub const LEVEL_TIMES: Times =
    Times { warmup: Duration::from_millis(400), measured: Duration::from_millis(6_600) };
/// The times if the rate has not settled by then.
pub const LONGER_TIMES: Times =
    Times { warmup: Duration::from_millis(400), measured: Duration::from_millis(5_600) };
/// The times of streams that are held. The measured time is slightly longer than
/// [`reelgauge_analysis::sustained::HELD_S`].
pub const HOLD_TIMES: Times =
    Times { warmup: Duration::from_millis(550), measured: Duration::from_millis(5_450) };
/// The time that each load point needs in addition to its warm-up and its measured time.
const AROUND_S: f64 = 0.2;
/// The number of counts that are held when time is short, while playing; as many while recording.
const HOLDS: f64 = 2.0;
/// The times of one trial with streams. The warm-up outlasts the first filling of the players' buffers
/// and the pause after it, so that the measured rate is that of steady playback.
pub const TRIAL_TIMES: Times =
    Times { warmup: Duration::from_millis(550), measured: Duration::from_millis(1_450) };
/// The time for all trials with one format for playing, and again for recording.
pub const FORMAT_S: f64 = 4.3;
/// The time of the whole check. Repeating contradictory counts, and holding counts for longer, are
/// omitted to keep it.
pub const LOOK_S: f64 = 90.0;
/// The time until playing has ended, from the start.
pub const PLAYED_S: f64 = 48.4;
/// The time for making the test files.
const FILES_S: f64 = 5.0;

/// The largest size of all test files.
const DATA_BYTES_MAX: u64 = 1 << 30;
/// The largest share of the free space that they take: one tenth.
const DATA_SHARE: u64 = 10;
/// The largest number of files.
const FILES_MAX: u32 = 16;
/// The smallest number of files, whatever the time.
const FILES_MIN: u32 = 2;
/// The smallest file: a frame of the largest of the formats fits into it twice.
const FILE_BYTES_MIN: u64 = 8 << 20;
const FILE_BYTES_MAX: u64 = DATA_BYTES_MAX / FILES_MAX as u64;

/// How long a load point takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Excluded from the figures.
    pub warmup: Duration,
    pub measured: Duration,
}

impl Times {
    /// The time of a load point with these times.
    pub fn took_s(self) -> f64 {
        (self.warmup + self.measured).as_secs_f64() + AROUND_S
    }
}

/// The test files of a quick check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPlan {
    pub file_bytes: u64,
    /// The number that fits, at most as many as are useful.
    pub files_max: u32,
}

impl DataPlan {
    /// For a target with this free space; `None` if the file system does not report it.
    pub fn for_space(available_bytes: Option<u64>) -> DataPlan {
        let share = available_bytes.map_or(DATA_BYTES_MAX, |bytes| bytes / DATA_SHARE);
        let data_bytes = share.min(DATA_BYTES_MAX);
        // Powers of two, so that the next check finds files of the same size even if less is free.
        let power = (data_bytes / u64::from(FILES_MAX)).checked_ilog2().map_or(0, |exponent| 1 << exponent);
        let file_bytes = power.clamp(FILE_BYTES_MIN, FILE_BYTES_MAX);
        let fit = u32::try_from(data_bytes / file_bytes).unwrap_or(FILES_MAX);
        DataPlan { file_bytes, files_max: fit.clamp(FILES_MIN, FILES_MAX) }
    }

    /// The number of files that the time allows, by the time the first took to write.
    pub fn files(&self, first_file_s: f64) -> u32 {
        let in_time = FILES_S / first_file_s.max(1e-3);
        (in_time as u32).clamp(FILES_MIN, self.files_max)
    }

    /// The number of files if some exist already: the same number, so that a repeated check writes none.
    /// If there are fewer than a check ever makes, an interrupted check left them.
    pub fn files_again(&self, files_there: u32) -> u32 {
        if files_there < FILES_MIN { self.files_max } else { files_there.min(self.files_max) }
    }

    /// The largest number of files, if some exist already and the others are written at this rate at
    /// most.
    pub fn files_most(&self, files_there: u32, bytes_per_s: f64) -> u32 {
        let files = match files_there {
            0 => self.files(self.file_bytes as f64 / bytes_per_s),
            there => self.files_again(there),
        };
        files.max(files_there)
    }

    /// The smallest free space that suffices.
    pub fn bytes_min(&self) -> u64 {
        self.file_bytes * u64::from(FILES_MIN)
    }
}

/// The forecast of a quick check with this rate limit, if any, and this number of existing test files. A
/// format is not tried if a single stream exceeds the limit.
pub fn forecast(plan: &DataPlan, files_there: u32, max_bytes_per_s: Option<NonZeroU64>) -> Forecast {
    let most_bytes_per_s = max_bytes_per_s.map_or(f64::INFINITY, |most| most.get() as f64);
    let tried = common_formats().into_iter().filter(|format| format.mean_bytes_per_s() <= most_bytes_per_s);
    let rates_s = RATE_TIMES.took_s() + 2.0 * LEVEL_TIMES.took_s();
    let formats = tried.count() as f64;
    let counts_s = formats * FORMAT_S + HOLDS.min(formats) * HOLD_TIMES.took_s();
    let missing = plan.files_most(files_there, most_bytes_per_s) - files_there;
    Forecast {
        max_bytes_per_s,
        memory_bytes: 0,
        time: TimeAhead::Planned { s: rates_s + 2.0 * counts_s },
        least_files_bytes: 0,
        most_files_bytes: u64::from(missing) * plan.file_bytes,
        new_files_bytes: 0,
        load: LoadAhead::Unbounded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_1_gib_or_a_tenth_of_free_space() {
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
    fn the_forecast_follows_from_the_rate_and_the_existing_files() {
        let plan = DataPlan::for_space(None);
        let ahead = |there, mb_per_s: u64| {
            let ahead = forecast(&plan, there, NonZeroU64::new(mb_per_s * 1_000_000));
            let TimeAhead::Planned { s } = ahead.time else { panic!("{ahead:?}") };
            (s.round() as u64, ahead.most_files_bytes >> 26)
        };
        // Without a rate limit (0): three rate measurements and ten counts, four of them held; each file
        // has 64 MiB.
        assert_eq!(ahead(0, 0), (84, 16));
        assert_eq!(ahead(1, 0), (84, 15));
        assert_eq!([ahead(2, 0), ahead(16, 0), ahead(40, 0)], [(84, 0); 3]);
        // One format needs less than 16 MB/s, none less than 10; 100 MB/s make seven files in five seconds.
        assert_eq!([ahead(0, 16), ahead(0, 10), ahead(0, 100)], [(38, 2), (17, 2), (84, 7)]);
    }

    #[test]
    fn the_next_check_writes_no_more_files() {
        let plan = DataPlan::for_space(None);
        assert_eq!((plan.files_again(8), plan.files_again(40), plan.files_again(1)), (8, 16, 16));
    }

    #[test]
    fn a_check_takes_at_most_a_minute_and_a_half() {
        let played_s =
            FILES_S + LEVEL_TIMES.took_s() + RATE_TIMES.took_s() + 5.0 * FORMAT_S + HOLD_TIMES.took_s();
        assert!(played_s <= PLAYED_S, "{played_s}");
        let all_s = PLAYED_S + LEVEL_TIMES.took_s() + 5.0 * FORMAT_S + HOLDS * HOLD_TIMES.took_s();
        assert!((80.0..=LOOK_S).contains(&all_s), "{all_s}");
        let trials = FORMAT_S / (TRIAL_TIMES.warmup + TRIAL_TIMES.measured).as_secs_f64();
        assert!(trials >= 2.0, "{trials}");
        let filled_ns = super::super::load::BUFFER_NS + super::super::load::STAGGER_NS;
        assert!(TRIAL_TIMES.warmup.as_nanos() > u128::from(filled_ns));
        assert!(HOLD_TIMES.measured.as_secs_f64() >= reelgauge_analysis::sustained::HELD_S as f64);
    }
}
