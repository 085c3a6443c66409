//! Detects the format of a source by its first bytes.

use crate::Format;

/// The result of the detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Text, with its format if recognised.
    Text(Option<Format>),
    /// Text with two bytes per character (UTF-16).
    Utf16,
    Binary {
        /// The detected kind of file.
        what: &'static str,
        /// How to convert it to text.
        advice: &'static str,
    },
}

/// Binary files that users often have along with the text needed here.
const BINARY: &[(&[u8], &str, &str)] = &[
    (b"PML_", "a log of Process Monitor (PML)", "In Process Monitor, save it as CSV (File, Save)"),
    (b"\x0a\x0d\x0d\x0a", "a packet capture", NETWORK),
    (b"\xd4\xc3\xb2\xa1", "a packet capture", NETWORK),
    (b"\xa1\xb2\xc3\xd4", "a packet capture", NETWORK),
    (b"\x4d\x3c\xb2\xa1", "a packet capture", NETWORK),
    (b"\x1f\x8b", "compressed (gzip)", "Decompress it: zcat FILE | reelgauge import -"),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)", "Decompress it: zstdcat FILE | reelgauge import -"),
    (b"\xfd7zXZ", "compressed (xz)", "Decompress it: xzcat FILE | reelgauge import -"),
    (b"PK\x03\x04", "a zip archive", "Unpack it first"),
    (b"PAR1", "a Parquet file", "Traces and runs need no import: use their directory"),
];

/// The number after the eight bytes of the version, at the start of a binary Darshan log
/// (darshan-log-format.h).
const DARSHAN: u64 = 6_567_223;

const NETWORK: &str = "Convert it with the tshark command in 'reelgauge import --help'";

/// Length of a byte order mark, which is skipped.
pub(crate) fn bom_bytes(head: &[u8]) -> u64 {
    if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// Detects the format of a source.
pub fn detect(head: &[u8]) -> Head {
    if is_utf16(head) {
        return Head::Utf16;
    }
    if let Some(&(_, what, advice)) = BINARY.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Head::Binary { what, advice };
    }
    if head.get(8..16).is_some_and(|number| number == DARSHAN.to_le_bytes()) {
        let advice = "Convert it: darshan-dxt-parser FILE > TEXT";
        return Head::Binary { what: "a binary Darshan log", advice };
    }
    let head = &head[bom_bytes(head) as usize..];
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).take(50).collect();
    let found = by_first_line(&lines).or_else(|| lines.iter().find_map(|line| by_any_line(line)));
    if found.is_none() && memchr::memchr(0, head).is_some() {
        return Head::Binary { what: "binary", advice: "Reelgauge imports only text" };
    }
    Head::Text(found)
}

/// UTF-16: a byte order mark, or every second byte is zero at the start.
fn is_utf16(head: &[u8]) -> bool {
    let marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let start = &head[..head.len().min(64) / 2 * 2];
    let zeros = |from: usize| start.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count() * 2;
    marked || (start.len() >= 8 && (zeros(0) == start.len()) != (zeros(1) == start.len()))
}

/// Formats that identify themselves in the first line.
fn by_first_line(lines: &[&[u8]]) -> Option<Format> {
    let first = *lines.first()?;
    let has = |word: &[u8]| memchr::memmem::find(first, word).is_some();
    if first.starts_with(b"fio version ") {
        return Some(Format::Fio);
    }
    if first.starts_with(b"# darshan log version") || first.starts_with(b"# DXT,") {
        return Some(Format::Darshan);
    }
    if has(b"smb2.cmd") {
        return Some(Format::Smb2);
    }
    if has(b"nfs.fh.hash") || has(b"nfs.procedure_v3") || has(b"rpc.xid") {
        return Some(Format::Nfs);
    }
    if has(b"Operation") && has(b"Path") && has(b"Detail") && first.starts_with(b"\"") {
        return Some(Format::Procmon);
    }
    let is_naspt = lines.iter().take(5).any(|line| line.starts_with(b"<TRACE"));
    (first.starts_with(b"<?xml") && is_naspt).then_some(Format::Naspt)
}

/// Formats that any line identifies.
fn by_any_line(line: &[u8]) -> Option<Format> {
    if line.starts_with(b"BeginHeader") || line.starts_with(b"FileIo") {
        return Some(Format::Etw);
    }
    if line.starts_with(b"# DXT,") {
        return Some(Format::Darshan);
    }
    if crate::strace::looks_like(line) {
        return Some(Format::Strace);
    }
    crate::fs_usage::looks_like(line).then_some(Format::FsUsage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_known_by_its_beginning() {
        for (text, format) in [
            ("20584 1795186657.095958 close(3) = 0 <0.000008>\n", Format::Strace),
            ("strace: Process 7 attached\n[pid 7] 1.5 close(3) = 0\n", Format::Strace),
            ("fio version 3 iolog\n", Format::Fio),
            (
                "\u{feff}\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\"\n",
                Format::Procmon,
            ),
            ("BeginHeader\n", Format::Etw),
            ("          FileIoRead,  5, a.exe ( 1), 2\n", Format::Etw),
            ("12:00:00.000001  read  F=3  B=0x10  0.000003   a.7\n", Format::FsUsage),
            ("frame.time_epoch\tsmb2.cmd\n", Format::Smb2),
            ("frame.time_epoch\trpc.xid\tnfs.fh.hash\n", Format::Nfs),
            ("# darshan log version: 3.41\n", Format::Darshan),
            ("<?xml version=\"1.0\"?>\n<?xml-stylesheet?>\n<TRACE>\n", Format::Naspt),
        ] {
            assert_eq!(detect(text.as_bytes()), Head::Text(Some(format)), "{text}");
        }
        for text in ["", "hello\nworld\n", "<?xml version=\"1.0\"?><html>", "\"a\",\"b\"\n"] {
            assert_eq!(detect(text.as_bytes()), Head::Text(None), "{text}");
        }
    }

    #[test]
    fn binary_formats_are_detected_by_file_name() {
        assert_eq!(detect(b"\xff\xfe\"\0T\0"), Head::Utf16);
        assert_eq!(detect(b"\"\0T\0i\0m\0e\0 \0"), Head::Utf16);
        for head in [&b"PML_\x09\0"[..], b"\x1f\x8b\x08", b"\x0a\x0d\x0d\x0a\x1c", b"a\0\0\x01\x02"] {
            assert!(matches!(detect(head), Head::Binary { .. }), "{head:?}");
        }
        let darshan = b"3.41\0\0\0\0\x37\x35\x64\0\0\0\0\0\x01";
        let Head::Binary { advice, .. } = detect(darshan) else { panic!() };
        assert!(advice.contains("darshan-dxt-parser"), "{advice}");
    }
}
