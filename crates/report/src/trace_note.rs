//! Notes of a trace in words: what an import found out about its source's times.

use crate::units::{counted, duration};

/// The source's clock went back: how often, by how many nanoseconds at least (the largest step), and at which
/// line first.
pub fn clock_went_back(times: u64, largest_ns: u64, first_line: u64) -> String {
    let by = duration(largest_ns as f64 / 1e3);
    let steps = match times {
        1 => format!("went back once, at line {first_line}, by at least {by}"),
        _ => format!(
            "went back {}, first at line {first_line}; the largest step was at least {by}",
            counted(times, "time")
        ),
    };
    format!(
        "The clock of the source {steps}. The lines kept their order: such a line follows the line before it \
         without a pause, and later lines keep their distances. How long the pause really was is unknown."
    )
}

/// A clock of twelve hours that does not show the half of the day.
pub fn half_of_day_assumed(times: u64, first_line: u64) -> String {
    format!(
        "The times do not show morning or afternoon. A new half of the day was assumed where the hours began \
         again ({}, first at line {first_line}). To be sure, add the column Relative Time (Options, Select \
         Columns) and save the CSV again.",
        counted(times, "time")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_named_with_its_size_and_line() {
        let once = clock_went_back(1, 1_800_000_000, 5);
        assert!(once.contains("once, at line 5, by at least 1.80 s."), "{once}");
        let often = clock_went_back(3, 2_000_000, 15);
        assert!(often.contains("3 times, first at line 15") && often.contains("at least 2.00 ms"), "{often}");
        assert!(half_of_day_assumed(1, 9).contains("(1 time, first at line 9)"));
    }
}
