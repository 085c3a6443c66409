//! A table of numbers: a first line with names, the first column the time.
//!
//! Separated by commas, semicolons or tabs. Time is RFC 3339, or a number since 1970: seconds, or
//! milliseconds,
//! microseconds or nanoseconds where it has so many digits. A cell without a number is a gap; one with a
//! number that can't be (a disk busy for 140 % of the time) is refused with the table, as its unit is another
//! one.

use jiff::Timestamp;

use super::named::why_wrong;
use super::series::{SAMPLES_MAX, SERIES_MAX, Series, SeriesTable};

/// So many lines with a time that can't be read are named.
const LINES_NAMED: usize = 3;

/// Reads a table.
///
/// # Errors
/// In words: it is none.
pub(super) fn read(text: &[u8]) -> Result<SeriesTable, String> {
    let head = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(|delimiter| count(head, *delimiter));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text);
    let names = reader.byte_headers().map_err(|error| error.to_string())?.clone();
    if names.len() < 2 {
        return Err("its first line has no names of columns; write time,disk.util_percent sda,…".to_owned());
    }
    let named = |name: &[u8]| {
        let name = String::from_utf8_lossy(name).trim_start_matches('\u{feff}').to_owned();
        match name.split_once(' ') {
            Some((name, device)) => {
                Series { name: name.to_owned(), device: device.trim().to_owned(), ..Series::default() }
            }
            None => Series { name, ..Series::default() },
        }
    };
    let mut series: Vec<Series> = names.iter().skip(1).take(SERIES_MAX).map(named).collect();
    let mut table = SeriesTable::default();
    let (mut samples, mut wrong) = (0, 0_u64);
    for record in reader.byte_records() {
        let record = record.map_err(|error| error.to_string())?;
        let time = String::from_utf8_lossy(record.get(0).unwrap_or_default()).into_owned();
        let Some(at_ns) = wall_ns(&time) else {
            wrong += 1;
            if table.not_read.len() < LINES_NAMED {
                table
                    .not_read
                    .push(format!("a line whose time is '{}'", time.chars().take(40).collect::<String>()));
            }
            continue;
        };
        for (cell, series) in record.iter().skip(1).zip(&mut series) {
            let value = std::str::from_utf8(cell).ok().and_then(|cell| cell.parse::<f64>().ok());
            if let Some(why) = value.and_then(|value| why_wrong(&series.name, value)) {
                return Err(wrong_cell(record.position(), series, cell, why));
            }
            series.points.push((at_ns, value));
            samples += 1;
        }
        if samples > SAMPLES_MAX {
            return Err(format!("it has more than {SAMPLES_MAX} samples; cut it to the time of the run"));
        }
    }
    if wrong > LINES_NAMED as u64 {
        table.not_read.push(format!("and {} more such lines", wrong - LINES_NAMED as u64));
    }
    series.iter_mut().for_each(Series::sort);
    series.retain(|series| !series.points.is_empty());
    if series.is_empty() {
        return Err("no line of it begins with a time: RFC 3339, or seconds since 1970".to_owned());
    }
    table.series = series;
    Ok(table)
}

/// `line 3, column 'disk.util_percent sda' says 140, which …`.
fn wrong_cell(at: Option<&csv::Position>, series: &Series, cell: &[u8], why: &str) -> String {
    let line = at.map_or_else(String::new, |at| format!("line {}, ", at.line()));
    let column = format!("{} {}", series.name, series.device);
    let said = String::from_utf8_lossy(cell).chars().take(40).collect::<String>();
    format!(
        "{line}column '{}' says {said}, which {why}; correct that cell, or leave it empty",
        column.trim_end()
    )
}

fn count(line: &[u8], delimiter: u8) -> usize {
    line.iter().filter(|byte| **byte == delimiter).count()
}

/// A time of a table, in nanoseconds since 1970.
pub(super) fn wall_ns(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<f64>() {
        // Today has ten digits of seconds.
        let to_ns = match number.abs() {
            seconds if seconds < 1e11 => 1e9,
            ms if ms < 1e14 => 1e6,
            us if us < 1e17 => 1e3,
            _ => 1.0,
        };
        let ns = number * to_ns;
        return (ns.is_finite() && ns > 0.0 && ns < i64::MAX as f64).then_some(ns as i64);
    }
    let time: Timestamp = text.parse().ok()?;
    i64::try_from(time.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const S: i64 = 1_000_000_000;

    #[test]
    fn columns_have_names_devices_and_gaps() {
        let text = "time;disk.util_percent sda;fan_count\n1763000000;12.5;3\n2025-11-13T02:13:21Z;;4\n";
        let table = read(text.as_bytes()).unwrap();
        let [disk, fan] = &table.series[..] else { panic!("{table:?}") };
        assert_eq!((disk.name.as_str(), disk.device.as_str()), ("disk.util_percent", "sda"));
        assert_eq!(disk.points, [(1_763_000_000 * S, Some(12.5)), (1_763_000_001 * S, None)]);
        assert_eq!((fan.name.as_str(), fan.device.as_str()), ("fan_count", ""));
        assert!(table.not_read.is_empty());
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for text in [
            "1763000000",
            "1763000000.0",
            "1763000000000",
            "1763000000000000000",
            "2025-11-13T03:13:20+01:00",
        ] {
            assert_eq!(wall_ns(text), Some(1_763_000_000 * S), "{text}");
        }
        for text in ["", "yesterday", "NaN", "-5", "inf"] {
            assert_eq!(wall_ns(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_that_cannot_be_is_refused_with_its_place() {
        let with = |name: &str, cell: &str| {
            read(format!("time,fan_count,{name}\n1763000000,-3,1\n1763000001,4,{cell}\n").as_bytes())
        };
        let util = "disk.util_percent sda";
        assert_eq!(
            with(util, "140").unwrap_err(),
            "line 3, column 'disk.util_percent sda' says 140, which is no share of the time (0 to 100 percent); \
             correct that cell, or leave it empty"
        );
        for cell in ["-1", "NaN", "inf", "-inf", "101"] {
            let error = with(util, cell).unwrap_err();
            assert!(error.starts_with("line 3, column 'disk.util_percent sda' says"), "{cell}: {error}");
        }
        // Rounded up by who wrote it, a gap, and a number of another kind.
        for cell in ["100", "100.1", "0", "", "-"] {
            assert!(with(util, cell).is_ok(), "{cell}");
        }
        assert!(with("disk.mean_read_us sda", "-5").is_err());
        assert!(with("node_disk_io_time_seconds_total sda", "-5").is_err());
        assert!(with("host.program_percent smbd", "210").is_ok());
        assert!(with("temperature_celsius", "-5").is_ok());
        assert!(with("temperature_celsius", "nan").is_err());
    }

    #[test]
    fn what_is_no_table_says_what_it_lacks() {
        assert!(read(b"").is_err());
        assert!(read(b"just words\n1\n").unwrap_err().contains("names of columns"));
        assert!(read(b"time,x\nlater,1\n").unwrap_err().contains("RFC 3339"));
        let odd = read(b"time,x\nlater,1\n1763000000,2\n").unwrap();
        assert_eq!(odd.not_read, ["a line whose time is 'later'"]);
    }
}
