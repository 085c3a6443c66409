//! Single lines of `/proc/meminfo`. procfs-core rejects a file without certain lines that are not needed
//! here, as in sandboxes.

pub const FILE: &str = "/proc/meminfo";

/// The value of a line, in bytes; `None` if there is no such line, or it has no number of kB.
pub fn bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_its_whole_name() {
        let text = "MemTotal:       24689652 kB\nWritebackTmp:          7 kB\nWriteback:  12 kB\nHugePages_Total: 5\n";
        assert_eq!(bytes(text, "MemTotal"), Some(24_689_652 * 1024));
        assert_eq!(bytes(text, "Writeback"), Some(12 * 1024));
        assert_eq!((bytes(text, "Mem"), bytes(text, "HugePages_Total")), (None, None));
        for odd in ["MemTotal: x kB", "MemTotal: 5 MB", "MemTotal", "MemTotal: 18446744073709551615 kB"] {
            assert_eq!(bytes(odd, "MemTotal"), None, "{odd}");
        }
    }
}
