//! Status codes of Windows and of SMB servers, mapped to Linux's error numbers.

use crate::errno::EIO;

/// Name, number, and the Linux error that a program on Linux would have seen.
const KNOWN: &[(&str, u32, i32)] = &[
    ("SUCCESS", 0x0000_0000, 0),
    // Process Monitor shows an empty result for operations that have not ended.
    ("", 0x0000_0103, 0),
    ("REPARSE", 0x0000_0104, 0),
    ("OPLOCK BREAK IN PROGRESS", 0x0000_0108, 0),
    ("NOTIFY CLEANUP", 0x0000_010b, 0),
    ("NOTIFY ENUM DIR", 0x0000_010c, 0),
    ("FILE LOCKED WITH ONLY READERS", 0x0000_012a, 0),
    ("FILE LOCKED WITH WRITERS", 0x0000_012b, 0),
    ("OPLOCK SWITCHED TO NEW HANDLE", 0x0000_0215, 0),
    ("OPLOCK HANDLE CLOSED", 0x0000_0216, 0),
    ("WAIT FOR OPLOCK", 0x0000_0367, 0),
    ("BUFFER OVERFLOW", 0x8000_0005, 0),
    ("NO MORE FILES", 0x8000_0006, 0),
    ("NO SUCH FILE", 0xc000_000f, 2),
    ("NO MORE ENTRIES", 0x8000_001a, 0),
    ("END OF FILE", 0xc000_0011, 0),
    ("NOT IMPLEMENTED", 0xc000_0002, 38),
    ("INVALID HANDLE", 0xc000_0008, 9),
    ("INVALID PARAMETER", 0xc000_000d, 22),
    ("INVALID DEVICE REQUEST", 0xc000_0010, 95),
    ("ACCESS DENIED", 0xc000_0022, 13),
    ("NAME INVALID", 0xc000_0033, 22),
    ("NAME NOT FOUND", 0xc000_0034, 2),
    ("NAME COLLISION", 0xc000_0035, 17),
    ("PATH NOT FOUND", 0xc000_003a, 2),
    ("SHARING VIOLATION", 0xc000_0043, 16),
    ("QUOTA EXCEEDED", 0xc000_0044, 122),
    ("FILE LOCK CONFLICT", 0xc000_0054, 11),
    ("LOCK NOT GRANTED", 0xc000_0055, 11),
    ("DELETE PENDING", 0xc000_0056, 16),
    ("DISK FULL", 0xc000_007f, 28),
    ("INSUFFICIENT RESOURCES", 0xc000_009a, 12),
    ("WRITE PROTECTED", 0xc000_00a2, 30),
    ("IS DIRECTORY", 0xc000_00ba, 21),
    ("NOT SUPPORTED", 0xc000_00bb, 95),
    ("NETWORK NAME DELETED", 0xc000_00c9, 116),
    ("BAD NETWORK NAME", 0xc000_00cc, 2),
    ("DIRECTORY NOT EMPTY", 0xc000_0101, 39),
    ("NOT A DIRECTORY", 0xc000_0103, 20),
    ("OPLOCK NOT GRANTED", 0xc000_00e2, 11),
    ("CANCELLED", 0xc000_0120, 125),
    ("CANNOT DELETE", 0xc000_0121, 1),
    ("FILE CLOSED", 0xc000_0128, 9),
    ("NOT REPARSE POINT", 0xc000_0275, 22),
];

/// Not the final result: the real reply follows.
pub(crate) const PENDING: u32 = 0x0000_0103;
/// A read at or beyond the end of the file. On Linux this is no error, but returns no bytes.
pub(crate) const END_OF_FILE: u32 = 0xc000_0011;

/// The error number for a status; 0 for success.
pub(crate) fn of_number(status: u32) -> i32 {
    match KNOWN.iter().find(|(_, known, _)| *known == status) {
        Some(&(_, _, errno)) => errno,
        // Success and information codes have the highest bit clear; after a warning the operation was
        // executed.
        None if status >> 30 < 3 => 0,
        None => EIO,
    }
}

/// The error number for a name in Process Monitor; `None` for an unknown name.
pub(crate) fn of_name(name: &[u8]) -> Option<i32> {
    KNOWN.iter().find(|(known, ..)| known.as_bytes() == name).map(|&(_, _, errno)| errno)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_become_errno() {
        assert_eq!(of_number(0xc000_0034), 2);
        assert_eq!(of_number(0), 0);
        assert_eq!(of_number(0x8000_0006), 0);
        assert_eq!(of_number(0xc000_1234), EIO);
        assert_eq!(of_name(b"SHARING VIOLATION"), Some(16));
        assert_eq!(of_name(b"SOMETHING NEW"), None);
    }
}
