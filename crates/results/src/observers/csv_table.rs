//! A table of numbers: the first line has names, the first column is the time.
//!
//! Separated by commas, semicolons or tabs. A column named `host` (or similar) names the host of a line,
//! one named `device` (or similar) the device; without them all lines are of one host. Time is RFC 3339,
//! or a number since 1970: seconds, or milliseconds, microseconds or nanoseconds, depending on its
//! digits. A cell without a number is a gap. A cell with an impossible number (a disk busy for 140 % of
//! the time) makes the table invalid, because its unit must be a different one.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::named::why_wrong;
use super::series::{MACHINES_MAX, SAMPLES_MAX, SERIES_MAX, Series, SeriesTable};

/// Lines with an invalid time that are named, at most.
const LINES_NAMED: u64 = 3;

/// Names of a column with the host of a line.
const MACHINE_COLUMNS: [&str; 6] = ["host", "hostname", "instance", "machine", "node", "server"];

/// Names of a column with the device of a line.
const DEVICE_COLUMNS: [&str; 4] = ["device", "disk", "interface", "port"];

/// Reads a table: one result for each host in a column, otherwise one.
///
/// # Errors
/// Why it is no such table, as text.
pub(super) fn read(text: &[u8]) -> Result<Vec<SeriesTable>, String> {
    let head = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(|delimiter| count(head, *delimiter));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text);
    let names = reader.byte_headers().map_err(|error| error.to_string())?.clone();
    if names.len() < 2 {
        return Err("its first line has no column names; write time,disk.util_percent sda,…".to_owned());
    }
    let mut lines = Lines::with_columns(&names, delimiter.is_some_and(|delimiter| delimiter != b','));
    for record in reader.byte_records() {
        lines.take(&record.map_err(|error| error.to_string())?)?;
    }
    lines.tables()
}

/// A table that is being converted from lines to series.
struct Lines {
    columns: Vec<Series>,
    /// The column of the host, and that of the device.
    machine_at: Option<usize>,
    device_at: Option<usize>,
    /// By host, and by device and column.
    found: BTreeMap<String, BTreeMap<(String, usize), Series>>,
    samples: usize,
    not_read: Vec<String>,
    without_time: u64,
    /// Cells with content that is no number.
    odd_cells: u64,
    /// Whether numbers may have a decimal comma, as in some locales.
    has_commas: bool,
}

impl Lines {
    fn with_columns(names: &csv::ByteRecord, has_commas: bool) -> Lines {
        let named = |name: &[u8]| {
            let name = String::from_utf8_lossy(name).trim_start_matches('\u{feff}').to_owned();
            match name.split_once(' ') {
                Some((name, device)) => {
                    Series { name: name.to_owned(), device: device.trim().to_owned(), ..Series::default() }
                }
                None => Series { name, ..Series::default() },
            }
        };
        let columns: Vec<Series> = names.iter().skip(1).take(SERIES_MAX).map(named).collect();
        let place = |known: &[&str]| {
            let is_one = |column: &Series| {
                column.device.is_empty() && known.iter().any(|name| column.name.eq_ignore_ascii_case(name))
            };
            columns.iter().position(is_one)
        };
        Lines {
            machine_at: place(&MACHINE_COLUMNS),
            device_at: place(&DEVICE_COLUMNS),
            columns,
            found: BTreeMap::new(),
            samples: 0,
            not_read: Vec::new(),
            without_time: 0,
            odd_cells: 0,
            has_commas,
        }
    }

    fn take(&mut self, record: &csv::ByteRecord) -> Result<(), String> {
        let mut time = String::from_utf8_lossy(record.get(0).unwrap_or_default()).into_owned();
        if self.has_commas {
            time = time.replace(',', ".");
        }
        let Some(at_ns) = wall_ns(&time) else {
            self.without_time += 1;
            if self.without_time <= LINES_NAMED {
                let time = time.chars().take(40).collect::<String>();
                self.not_read.push(format!("a line with the invalid time '{time}'"));
            }
            return Ok(());
        };
        let word = |at: Option<usize>| {
            let cell = record.get(at.map_or(usize::MAX, |at| at + 1)).unwrap_or_default();
            String::from_utf8_lossy(cell).into_owned()
        };
        let (machine, device) = (word(self.machine_at), word(self.device_at));
        if self.found.len() == MACHINES_MAX && !self.found.contains_key(&machine) {
            return Err(format!("it contains more than {MACHINES_MAX} hosts; reduce it to those you need"));
        }
        let of_machine = self.found.entry(machine).or_default();
        for (at, (cell, column)) in record.iter().skip(1).zip(&self.columns).enumerate() {
            if [self.machine_at, self.device_at].contains(&Some(at)) {
                continue;
            }
            let value = number(cell, self.has_commas);
            self.odd_cells += u64::from(value.is_none() && !cell.is_empty());
            if let Some(why) = value.and_then(|value| why_wrong(&column.name, value)) {
                return Err(wrong_cell(record.position(), column, cell, why));
            }
            let series = of_machine.entry((device.clone(), at)).or_insert_with(|| {
                let device = format!("{} {device}", column.device).trim().to_owned();
                Series { device, ..column.clone() }
            });
            series.points.push((at_ns, value));
            self.samples += 1;
        }
        match self.samples > SAMPLES_MAX {
            true => Err(format!("it has more than {SAMPLES_MAX} samples; reduce it to the time of the run")),
            false => Ok(()),
        }
    }

    fn tables(mut self) -> Result<Vec<SeriesTable>, String> {
        if self.without_time > LINES_NAMED {
            self.not_read.push(format!("and {} more such lines", self.without_time - LINES_NAMED));
        }
        if self.odd_cells > 0 {
            self.not_read.push(format!("{} cells that are not numbers", self.odd_cells));
        }
        let not_read = self.not_read;
        let table = |(machine, series): (String, BTreeMap<_, Series>)| {
            let series = series.into_values().collect();
            let mut table = SeriesTable { machine, series, not_read: not_read.clone() };
            table.sort();
            table
        };
        let tables: Vec<SeriesTable> = self.found.into_iter().map(table).collect();
        match tables.iter().all(|table| table.series.is_empty()) {
            true => Err("no line starts with a time (RFC 3339, or seconds since 1970)".to_owned()),
            false => Ok(tables),
        }
    }
}

/// `line 3, column 'disk.util_percent sda' says 140, which …`.
fn wrong_cell(at: Option<&csv::Position>, series: &Series, cell: &[u8], why: &str) -> String {
    let line = at.map_or_else(String::new, |at| format!("line {}, ", at.line()));
    let column = format!("{} {}", series.name, series.device);
    let said = String::from_utf8_lossy(cell).chars().take(40).collect::<String>();
    format!(
        "{line}column '{}' contains {said}, which {why}. Correct the cell or leave it empty",
        column.trim_end()
    )
}

fn count(line: &[u8], delimiter: u8) -> usize {
    line.iter().filter(|byte| **byte == delimiter).count()
}

/// `97.5`, or `97,5` if that is allowed.
fn number(cell: &[u8], has_commas: bool) -> Option<f64> {
    let cell = std::str::from_utf8(cell).ok()?;
    let plain = || cell.split_once(',').filter(|_| has_commas).map(|(whole, part)| format!("{whole}.{part}"));
    cell.parse().ok().or_else(|| plain()?.parse().ok())
}

/// A time of a table, in nanoseconds since 1970.
pub(super) fn wall_ns(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<f64>() {
        // The current time has ten digits of seconds.
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

    fn only(text: &str) -> SeriesTable {
        let mut tables = read(text.as_bytes()).unwrap();
        assert_eq!(tables.len(), 1, "{tables:?}");
        tables.remove(0)
    }

    #[test]
    fn lines_are_split_by_host_and_device() {
        let text = "time,host,device,disk.util_percent\n1763000000,ws7,sda,5\n1763000000,nas1,sda,95\n\
            1763000000,nas1,sdb,7\n1763000001,nas1,sda,96\n";
        let tables = read(text.as_bytes()).unwrap();
        let told: Vec<_> = tables
            .iter()
            .flat_map(|table| table.series.iter().map(|series| (table.machine.as_str(), series)))
            .map(|(machine, series)| (machine, series.device.as_str(), series.points.len()))
            .collect();
        assert_eq!(told, [("nas1", "sda", 2), ("nas1", "sdb", 1), ("ws7", "sda", 1)]);
        // Nothing distinguishes these lines, and they contradict each other.
        let merged = only("time,disk.util_percent sda\n1763000000,5\n1763000000,95\n1763000001,5\n");
        assert!(merged.not_read.len() == 1 && merged.not_read[0].starts_with("1 sample:"), "{merged:?}");
    }

    #[test]
    fn columns_have_names_devices_and_gaps() {
        let text = "time;disk.util_percent sda;fan_count\n1763000000;12.5;3\n2025-11-13T02:13:21Z;;4\n";
        let table = only(text);
        let [disk, fan] = &table.series[..] else { panic!("{table:?}") };
        assert_eq!((disk.name.as_str(), disk.device.as_str()), ("disk.util_percent", "sda"));
        assert_eq!(disk.points, [(1_763_000_000 * S, Some(12.5)), (1_763_000_001 * S, None)]);
        assert_eq!((fan.name.as_str(), fan.device.as_str()), ("fan_count", ""));
        assert!(table.not_read.is_empty());
    }

    #[test]
    fn usual_time_notations_are_read() {
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
    fn impossible_number_is_refused_with_its_position() {
        let with = |name: &str, cell: &str| {
            read(format!("time,fan_count,{name}\n1763000000,-3,1\n1763000001,4,{cell}\n").as_bytes())
        };
        let util = "disk.util_percent sda";
        for cell in ["140", "-1", "NaN", "inf", "-inf", "101"] {
            let error = with(util, cell).unwrap_err();
            let is_placed = error.starts_with("line 3, column 'disk.util_percent sda' ");
            assert!(is_placed && error.contains(&format!(" {cell}, ")), "{cell}: {error}");
        }
        // Rounded up by the writer, a gap, and a number of another kind.
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
    fn invalid_table_error_names_the_missing_part() {
        assert!(read(b"").is_err());
        assert!(read(b"just words\n1\n").unwrap_err().contains("time,disk.util_percent sda"));
        assert!(read(b"time,x\nlater,1\n").unwrap_err().contains("RFC 3339"));
        let odd = only("time,x\nlater,1\n1763000000,2\n");
        assert_eq!(odd.not_read, ["a line with the invalid time 'later'"]);
    }
}
