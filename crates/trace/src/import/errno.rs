//! Error numbers: Linux's by their names, and those of macOS as Linux's nearest.

/// Names and numbers of Linux (x86-64 and arm64), as `errno(3)` has them.
const LINUX: &[(&str, i32)] = &[
    ("EPERM", 1),
    ("ENOENT", 2),
    ("EINTR", 4),
    ("EIO", 5),
    ("ENXIO", 6),
    ("E2BIG", 7),
    ("EBADF", 9),
    ("ECHILD", 10),
    ("EAGAIN", 11),
    ("ENOMEM", 12),
    ("EACCES", 13),
    ("EFAULT", 14),
    ("ENOTBLK", 15),
    ("EBUSY", 16),
    ("EEXIST", 17),
    ("EXDEV", 18),
    ("ENODEV", 19),
    ("ENOTDIR", 20),
    ("EISDIR", 21),
    ("EINVAL", 22),
    ("ENFILE", 23),
    ("EMFILE", 24),
    ("ENOTTY", 25),
    ("ETXTBSY", 26),
    ("EFBIG", 27),
    ("ENOSPC", 28),
    ("ESPIPE", 29),
    ("EROFS", 30),
    ("EMLINK", 31),
    ("EPIPE", 32),
    ("EDOM", 33),
    ("ERANGE", 34),
    ("EDEADLK", 35),
    ("ENAMETOOLONG", 36),
    ("ENOLCK", 37),
    ("ENOSYS", 38),
    ("ENOTEMPTY", 39),
    ("ELOOP", 40),
    ("ENODATA", 61),
    ("ETIME", 62),
    ("ENOLINK", 67),
    ("EPROTO", 71),
    ("EBADMSG", 74),
    ("EOVERFLOW", 75),
    ("EUSERS", 87),
    ("EOPNOTSUPP", 95),
    ("ENOTSUP", 95),
    ("ECONNABORTED", 103),
    ("ECONNRESET", 104),
    ("ENOBUFS", 105),
    ("ESHUTDOWN", 108),
    ("ETIMEDOUT", 110),
    ("ECONNREFUSED", 111),
    ("EHOSTDOWN", 112),
    ("EHOSTUNREACH", 113),
    ("EALREADY", 114),
    ("EINPROGRESS", 115),
    ("ESTALE", 116),
    ("EUCLEAN", 117),
    ("EDQUOT", 122),
    ("ECANCELED", 125),
    ("EKEYEXPIRED", 127),
    ("EKEYREVOKED", 128),
];

/// No such file or directory.
pub(crate) const ENOENT: i32 = 2;
/// Input/output error: what a failure becomes for which there is no better number.
pub(crate) const EIO: i32 = 5;

/// The number of a name; [`EIO`] for a name that is not in the list.
pub(crate) fn of_name(name: &[u8]) -> i32 {
    LINUX.iter().find(|(known, _)| known.as_bytes() == name).map_or(EIO, |&(_, number)| number)
}

/// Linux's number for one of macOS. The first 34 are the same but for two.
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
        assert_eq!(of_name(b"EWHATEVER"), EIO);
        assert_eq!((of_macos(2), of_macos(66), of_macos(35), of_macos(9999)), (2, 39, 11, EIO));
    }
}
