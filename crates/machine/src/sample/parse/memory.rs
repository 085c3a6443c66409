//! `/proc/meminfo` and `/proc/vmstat`: dirty memory, and whether memory runs out.

use super::put;
use crate::meminfo;
use crate::sample::counter::{Layer, Look, Reading};

/// The levels in `/proc/meminfo`.
pub fn parse_meminfo(text: &str, look: &mut Look) {
    for (line, name) in [
        ("MemAvailable", "memory_available_bytes"),
        ("Dirty", "memory_dirty_bytes"),
        ("Writeback", "memory_writeback_bytes"),
    ] {
        if let Some(bytes) = meminfo::bytes(text, line) {
            put(look, Layer::Host, name, Reading::Level(bytes as f64));
        }
    }
}

/// The counters in `/proc/vmstat`: pages swapped in and out, and allocations that had to reclaim memory
/// themselves, with a separate line for each zone.
pub fn parse_vmstat(text: &str, look: &mut Look) {
    let swapped = value(text, "pswpin").zip(value(text, "pswpout"));
    if let Some((swapped_in, swapped_out)) = swapped {
        let pages = Reading::PerSecond(swapped_in.saturating_add(swapped_out));
        put(look, Layer::Host, "swapped_pages_per_s", pages);
        put(look, Layer::Host, "swapped_in_pages_per_s", Reading::PerSecond(swapped_in));
    }
    let of_zone = |line: &str| line.strip_prefix("allocstall")?.split_once(' ')?.1.parse::<u64>().ok();
    if let Some(stalls) = text.lines().filter_map(of_zone).reduce(u64::saturating_add) {
        put(look, Layer::Host, "allocation_stalls_per_s", Reading::PerSecond(stalls));
    }
}

/// The number after a name; a line has nothing else.
fn value(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    /// Linux 6.18, shortened.
    const MEMINFO: &str = "\
MemTotal:       24684084 kB
MemFree:         4889540 kB
MemAvailable:   24037976 kB
Dirty:             67804 kB
Writeback:            12 kB
WritebackTmp:          0 kB
HugePages_Total:       0
";
    const VMSTAT: &str = "\
nr_free_pages 1222385
pswpin 7
pswpout 5
allocstall_dma 0
allocstall_normal 3
allocstall_movable 18
";

    #[test]
    fn levels_are_in_bytes() {
        let mut look = Look::new();
        parse_meminfo(MEMINFO, &mut look);
        all_known(&look);
        assert_eq!(look.len(), 3);
        assert_eq!(reading(&look, "memory_dirty_bytes", ""), &Reading::Level(67804.0 * 1024.0));
        assert_eq!(reading(&look, "memory_writeback_bytes", ""), &Reading::Level(12.0 * 1024.0));
    }

    #[test]
    fn pages_and_stalls_are_added_up() {
        let mut look = Look::new();
        parse_vmstat(VMSTAT, &mut look);
        all_known(&look);
        assert_eq!(reading(&look, "swapped_pages_per_s", ""), &Reading::PerSecond(12));
        assert_eq!(reading(&look, "swapped_in_pages_per_s", ""), &Reading::PerSecond(7));
        assert_eq!(reading(&look, "allocation_stalls_per_s", ""), &Reading::PerSecond(21));
    }

    #[test]
    fn odd_text_gives_nothing() {
        let mut look = Look::new();
        parse_meminfo("Dirty: 5\nWriteback: x kB\nMemAvailable: 5 MB\n", &mut look);
        parse_vmstat("pswpin 5\nallocstall_dma\n", &mut look);
        assert_eq!(look, Look::new());
    }
}
