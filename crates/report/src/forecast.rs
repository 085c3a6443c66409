//! The estimated time and space of a run, as one line.

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};

use crate::units::{amount, count, mb_per_s};

/// The line without its subject: `Takes 100 min, plus the time to write 236 GB of test files; …`.
pub fn forecast_line(ahead: &Forecast) -> String {
    format!("Takes {}", forecast_words(ahead))
}

/// The line for a form that has not been submitted yet. Files of earlier runs may be reused.
pub fn forecast_before_start(ahead: &Forecast) -> String {
    let reused = if ahead.most_files_bytes > 0 { " Existing test files are reused." } else { "" };
    format!("{}{reused}", forecast_line(ahead))
}

/// The part after the word "Takes".
pub(crate) fn forecast_words(ahead: &Forecast) -> String {
    let mut line = time(&ahead.time);
    line.push_str(&files(ahead));
    match ahead.load {
        LoadAhead::AtMost(0) => line.push_str("; the load only reads"),
        LoadAhead::AtMost(bytes) => line.push_str(&format!("; the load writes up to {}", amount(bytes))),
        LoadAhead::Unbounded if ahead.max_bytes_per_s.is_some() => {
            line.push_str("; the load writes as fast as allowed");
        }
        LoadAhead::Unbounded => line.push_str("; the load writes as fast as the storage accepts"),
    }
    if let Some(most) = ahead.max_bytes_per_s {
        line.push_str(&format!("; at most {} MB/s in total", mb_per_s(most.get() as f64)));
    }
    if ahead.takes_much_memory() {
        line.push_str(&format!("; up to {} of memory", amount(ahead.memory_bytes)));
    }
    line.push('.');
    line
}

fn time(ahead: &TimeAhead) -> String {
    match *ahead {
        TimeAhead::Planned { s } => length(s),
        TimeAhead::Between { least_s, most_s, .. } if least_s <= 0.0 => {
            format!("at most {}", length(most_s))
        }
        TimeAhead::Between { least_s, most_s, or_longer } => {
            let longer = if or_longer {
                " (longer if repeated trials of the same count have different results)"
            } else {
                ""
            };
            format!("at least {} and at most {}{longer}", length(least_s), length(most_s))
        }
        TimeAhead::Unknown => "an unknown time, which depends on the storage".to_owned(),
    }
}

fn files(ahead: &Forecast) -> String {
    let (least, most) = (ahead.least_files_bytes, ahead.most_files_bytes);
    let bytes = match (least, most) {
        (_, 0) => return String::new(),
        (0, most) => format!("at most {}", amount(most)),
        (least, most) if least == most => amount(most),
        (least, most) => format!("between {} and {}", amount(least), amount(most)),
    };
    // If the size is a range, the time is that of its maximum, so that no user has to wait longer than
    // announced.
    let time = ahead.most_files_s().map_or_else(|| "the time".to_owned(), |s| format!("about {}", length(s)));
    format!(", plus {time} to write {bytes} of test files")
}

/// An estimated time, in whole seconds or minutes: `45 s`, `100 min`, `3 h 05 min`.
pub(crate) fn length(seconds: f64) -> String {
    // The cast cannot overflow: it yields the largest value for times that are too long.
    let whole = seconds.ceil() as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min", whole.div_ceil(60)),
        _ => {
            let minutes = whole.div_ceil(60);
            format!("{} h {:02} min", count(minutes / 60), minutes % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_need_is_shown() {
        let mut printed = Vec::<String>::new();
        let of = |memory_bytes| {
            let time = TimeAhead::Planned { s: 61.0 };
            let load = LoadAhead::AtMost(0);
            let max_bytes_per_s = None;
            forecast_line(&Forecast {
                time,
                least_files_bytes: 0,
                most_files_bytes: 0,
                new_files_bytes: 0,
                load,
                memory_bytes,
                max_bytes_per_s,
            })
        };
        printed.push(of(1 << 30).to_string());
        printed.push(of(18 << 30).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn forecast_lines_have_time_and_bytes() {
        let ahead = |time, (least_files_bytes, most_files_bytes), load| {
            let (memory_bytes, max_bytes_per_s) = (0, None);
            forecast_line(&Forecast {
                time,
                least_files_bytes,
                most_files_bytes,
                new_files_bytes: 0,
                load,
                memory_bytes,
                max_bytes_per_s,
            })
        };
        let planned = |s| TimeAhead::Planned { s };
        let search = |or_longer| TimeAhead::Between { least_s: 52.0, most_s: 541.0, or_longer };
        let lines = [
            ahead(planned(6000.0), (236_000_000_000, 236_000_000_000), LoadAhead::AtMost(145_000_000_000)),
            ahead(planned(61.0), (0, 0), LoadAhead::AtMost(0)),
            ahead(search(true), (90_000_000, 9_000_000_000), LoadAhead::AtMost(0)),
            ahead(search(false), (0, 1_000_000), LoadAhead::Unbounded),
            ahead(
                TimeAhead::Between { least_s: 0.0, most_s: 86_400.0, or_longer: false },
                (0, 0),
                LoadAhead::AtMost(0),
            ),
            ahead(TimeAhead::Unknown, (0, 0), LoadAhead::AtMost(5_000)),
        ];
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn files_that_are_held_to_a_rate_take_a_time_that_is_known() {
        let mut printed = Vec::<String>::new();
        let ahead = |least_files_bytes, most_files_bytes| Forecast {
            time: TimeAhead::Planned { s: 15.0 },
            least_files_bytes,
            most_files_bytes,
            new_files_bytes: 0,
            load: LoadAhead::Unbounded,
            memory_bytes: 0,
            max_bytes_per_s: std::num::NonZeroU64::new(20_000_000),
        };
        printed.push(forecast_line(&ahead(2_760_000_000, 2_760_000_000)).to_string());
        printed.push(forecast_line(&ahead(0, 100_000_000)).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn lengths_are_never_shorter_than_the_time() {
        for (seconds, said) in
            [(0.2, "1 s"), (119.0, "119 s"), (121.0, "3 min"), (7199.0, "120 min"), (11_101.0, "3 h 06 min")]
        {
            assert_eq!(length(seconds), said);
        }
    }
}
