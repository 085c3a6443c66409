//! Error numbers: those of Linux by name, and those of macOS mapped to Linux.

use reelgauge_record::errno::errno_number;

/// No such file or directory.
pub(crate) const ENOENT: i32 = 2;
/// The file exists already.
pub(crate) const EEXIST: i32 = 17;
/// Input/output error. Also used for failures without a better number.
pub(crate) const EIO: i32 = 5;

/// The number of a name; [`EIO`] for a name that Linux does not have.
pub(crate) fn of_name(name: &[u8]) -> i32 {
    std::str::from_utf8(name).ok().and_then(errno_number).unwrap_or(EIO)
}

/// Maps a number of macOS to Linux. Of the first 34, all but two are equal.
pub(crate) fn of_macos(number: u64) -> i32 {
    let name: &[u8] = match number {
        11 => b"EDEADLK",
        45 | 102 => b"ENOTSUP",
        35 => b"EAGAIN",
        62 => b"ELOOP",
        63 => b"ENAMETOOLONG",
        66 => b"ENOTEMPTY",
        69 => b"EDQUOT",
        70 => b"ESTALE",
        77 => b"ENOLCK",
        78 => b"ENOSYS",
        84 => b"EOVERFLOW",
        89 => b"ECANCELED",
        93 => b"ENODATA",
        1..=34 => return number as i32,
        _ => b"EIO",
    };
    of_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_linux() {
        assert_eq!(of_name(b"ENOENT"), ENOENT);
        assert_eq!(of_name(b"ENOTEMPTY"), 39);
        assert_eq!((of_name(b"ENOTSUP"), of_name(b"EOPNOTSUPP")), (95, 95));
        assert_eq!(of_name(b"EWHATEVER"), EIO);
        assert_eq!((of_macos(2), of_macos(66), of_macos(35), of_macos(9999)), (2, 39, 11, EIO));
    }
}
