//! `/proc/diskstats`: the operations of block devices, the time of requests, and how many were in
//! flight. See Documentation/admin-guide/iostats.rst of the kernel.
//!
//! `util_percent` is the share of time with at least one request. For a disk with one head that is its
//! full utilization. It means little for an SSD or an array, which can process several at a time.

use procfs_core::DiskStat;

use super::put_on;
use crate::sample::counter::{Layer, Look, Reading};

/// The unit of sectors here, whatever the device's sector size.
const SECTOR_BYTES: u64 = 512;

/// The counters of these devices (`sda1`, `dm-0`).
pub fn parse(text: &str, devices: &[String], look: &mut Look) {
    let is_asked_for = |line: &&str| {
        let name = line.split_ascii_whitespace().nth(2);
        devices.iter().any(|device| Some(device.as_str()) == name)
    };
    // Line by line: a line that cannot be parsed must not lose the others.
    let lines = text.lines().filter(is_asked_for);
    lines.filter_map(|line| DiskStat::from_line(line).ok()).for_each(|disk| put_device(&disk, look));
}

fn put_device(disk: &DiskStat, look: &mut Look) {
    let mut put = |counter, reading| put_on(look, Layer::Disk, counter, &disk.name, reading);
    put("read_bytes_per_s", Reading::PerSecond(disk.sectors_read.saturating_mul(SECTOR_BYTES)));
    put("written_bytes_per_s", Reading::PerSecond(disk.sectors_written.saturating_mul(SECTOR_BYTES)));
    put("reads_per_s", Reading::PerSecond(disk.reads));
    put("writes_per_s", Reading::PerSecond(disk.writes));
    put("mean_read_us", Reading::Mean { sum: disk.time_reading as f64 * 1e3, count: disk.reads });
    put("mean_write_us", Reading::Mean { sum: disk.time_writing as f64 * 1e3, count: disk.writes });
    put("in_flight", Reading::Level(disk.in_progress as f64));
    put("util_percent", Reading::PercentOfTime(disk.time_in_progress.saturating_mul(1000)));
    // Milliseconds of all requests in each second: 1,000 means one request at all times.
    put("mean_in_flight", Reading::MillisecondsOfAll(disk.weighted_time_in_progress));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// Linux 6.18.
    const DISKSTATS: &str = "   7       0 loop0 1209819 30580 52040997 131741 1493532 14030 75134251 284071 0 109272 450791 0 0 0 0 76399 34978
 254       0 vda 3138074 166990 697272538 11827686 2578770 454394 1083177536 3036089 3 737880 15068281 972437 274 806955760 185201 230027 19303
 253       0 zram0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
   8       1 sda1 5 40 5 40
";

    #[test]
    fn only_requested_devices_are_read() {
        let mut look = Look::new();
        parse(DISKSTATS, &["vda".to_owned(), "sda1".to_owned(), "gone".to_owned()], &mut look);
        all_known(&look);
        assert!(look.keys().all(|key| key.device == "vda"), "four numbers are from before Linux 2.6.25");
        for (name, expected) in [
            ("read_bytes_per_s", Reading::PerSecond(697_272_538 * 512)),
            ("written_bytes_per_s", Reading::PerSecond(1_083_177_536 * 512)),
            ("reads_per_s", Reading::PerSecond(3_138_074)),
            ("writes_per_s", Reading::PerSecond(2_578_770)),
            ("mean_read_us", Reading::Mean { sum: 11_827_686e3, count: 3_138_074 }),
            ("mean_write_us", Reading::Mean { sum: 3_036_089e3, count: 2_578_770 }),
            ("in_flight", Reading::Level(3.0)),
            ("util_percent", Reading::PercentOfTime(737_880_000)),
            ("mean_in_flight", Reading::MillisecondsOfAll(15_068_281)),
        ] {
            assert_eq!(reading(&look, name, "vda"), &expected, "{name}");
        }
    }
}
