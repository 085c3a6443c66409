//! Parses the arguments of a call as strace prints them. They are split at commas outside quotes,
//! brackets and descriptors' paths.

use crate::number;

/// The number of arguments that are parsed; no system call has more.
const MAX_ARGS: usize = 8;

/// The arguments of one call.
#[derive(Debug, Default)]
pub(crate) struct Args<'a> {
    list: [&'a [u8]; MAX_ARGS],
    count: usize,
}

impl<'a> Args<'a> {
    /// The argument at this position; empty if there is none.
    pub fn at(&self, place: usize) -> &'a [u8] {
        self.list.get(place).copied().unwrap_or_default()
    }

    fn push(&mut self, argument: &'a [u8]) {
        if let Some(free) = self.list.get_mut(self.count) {
            *free = undecorated(argument.trim_ascii());
            self.count += 1;
        }
    }
}

/// Removes the additions of `-X verbose` and `--secontext`: a constant's number before its name (`0x1000
/// /* AT_EMPTY_PATH */`), and the context of a path (`"/a" [system_u:object_r:user_t:s0]`).
fn undecorated(argument: &[u8]) -> &[u8] {
    let number = argument.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-');
    if number && let Some(named) = argument.strip_suffix(b" */") {
        let open = memchr::memmem::find(named, b" /* ");
        let name = open.map(|open| &named[open + b" /* ".len()..]);
        let is_constant =
            |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_|x".contains(byte);
        if let Some(name) = name.filter(|name| name.iter().all(is_constant)) {
            return name;
        }
    }
    if argument.ends_with(b"]") && matches!(argument.first(), Some(b'"' | b'0'..=b'9' | b'A')) {
        let end = match argument.first() {
            Some(b'"') => after_string(argument, 0),
            _ => memchr::memchr(b'<', argument).and_then(|open| after_path(argument, open)),
        };
        if let Some(end) = end.filter(|&end| argument[end..].starts_with(b" [")) {
            return &argument[..end];
        }
    }
    argument
}

/// Bytes that may end an argument, or start a part in which commas do not separate.
static SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let bytes = b"\"<>()[]{},/";
    let mut at = 0;
    while at < bytes.len() {
        special[bytes[at] as usize] = true;
        at += 1;
    }
    special
};

/// Splits the arguments after a call's opening parenthesis. Also returns the text after the closing one;
/// `None` if it is missing.
pub(crate) fn split(text: &[u8]) -> Option<(Args<'_>, &[u8])> {
    let mut args = Args::default();
    let mut depth = 0_usize;
    let (mut at, mut start) = (0, 0);
    loop {
        at += text.get(at..)?.iter().position(|&byte| SPECIAL[usize::from(byte)])?;
        match text[at] {
            b'"' => at = after_string(text, at)?,
            b'<' if text.get(at + 1) != Some(&b'<') && is_descriptor(&text[start..at]) => {
                at = after_path(text, at)?
            }
            b'/' if text.get(at + 1) == Some(&b'*') => {
                at += 4 + memchr::memmem::find(text.get(at + 2..)?, b"*/")?;
            }
            b'(' | b'[' | b'{' => (depth, at) = (depth + 1, at + 1),
            b')' if depth == 0 => {
                if at > start || args.count > 0 {
                    args.push(&text[start..at]);
                }
                return Some((args, &text[at + 1..]));
            }
            b')' | b']' | b'}' => (depth, at) = (depth.saturating_sub(1), at + 1),
            b',' if depth == 0 => {
                args.push(&text[start..at]);
                (at, start) = (at + 1, at + 1);
            }
            _ => at += 1,
        }
    }
}

/// Whether the text before a `<` is a descriptor, so that a path follows: `3`, `AT_FDCWD`, `[{fd=3`.
fn is_descriptor(before: &[u8]) -> bool {
    let last_is_digit = before.last().is_some_and(u8::is_ascii_digit);
    last_is_digit || before.ends_with(b"AT_FDCWD") || before.ends_with(b"AT_FDCWD */")
}

/// The position after a string that starts at a quote.
fn after_string(text: &[u8], quote: usize) -> Option<usize> {
    let mut at = quote + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The position after a path that starts at `<`. In a path, `<` and `>` are escaped; in other
/// annotations (a socket's `->`, a device's `<char 1:3>`) they are not.
fn after_path(text: &[u8], open: usize) -> Option<usize> {
    let mut depth = 1_usize;
    let mut at = open + 1;
    loop {
        at += memchr::memchr2(b'<', b'>', text.get(at..)?)?;
        match text[at] {
            b'<' => depth += 1,
            _ if text[at - 1] == b'-' && text.get(open + 1) != Some(&b'/') => {}
            _ => depth -= 1,
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// A descriptor, with the annotation of `strace -y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor<'a> {
    /// Its number; [`CWD`] for `AT_FDCWD`.
    pub number: i32,
    /// The path, still escaped, if shown.
    pub path: Option<&'a [u8]>,
}

/// The number of `AT_FDCWD`.
pub(crate) const CWD: i32 = -100;

/// Parses an argument that is a descriptor.
pub(crate) fn descriptor(argument: &[u8]) -> Option<Descriptor<'_>> {
    let end = argument.iter().position(|&byte| byte == b'<').unwrap_or(argument.len());
    let (number, rest) = argument.split_at(end);
    let number = match number {
        b"AT_FDCWD" | b"-100 /* AT_FDCWD */" | b"-100" => CWD,
        _ => i32::try_from(number::decimal(number)?).ok()?,
    };
    Some(Descriptor { number, path: annotation(rest) })
}

/// The path in `</a/b>`, `</a/b>(deleted)` or, of older versions, `</a/b (deleted)>`.
pub(crate) fn annotation(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_suffix(b"(deleted)").unwrap_or(text);
    let path = text.strip_prefix(b"<")?.strip_suffix(b">")?;
    Some(path.strip_suffix(b" (deleted)").unwrap_or(path))
}

/// Whether an escaped path is absolute. With `-xx` it consists of hexadecimal escapes.
pub(crate) fn is_absolute(escaped: &[u8]) -> bool {
    escaped.first() == Some(&b'/') || escaped.starts_with(br"\x2f")
}

/// A decimal or hexadecimal argument; `None` for a negative one or a name.
pub(crate) fn unsigned(argument: &[u8]) -> Option<u64> {
    number::either(argument)
}

/// The content of a quoted argument, unescaped. `None` if it is no string or was cut.
pub(crate) fn string(argument: &[u8]) -> Option<Vec<u8>> {
    let inside = argument.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    Some(unescape(inside))
}

/// Decodes strace's escapes: `\n`, `\"`, `\\`, `\303`, `\x1b`.
pub(crate) fn unescape(text: &[u8]) -> Vec<u8> {
    if memchr::memchr(b'\\', text).is_none() {
        return text.to_vec();
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let Some((&code, after)) = rest.split_first() else { break };
        rest = after;
        match code {
            b'n' => plain.push(b'\n'),
            b't' => plain.push(b'\t'),
            b'r' => plain.push(b'\r'),
            b'v' => plain.push(0x0b),
            b'f' => plain.push(0x0c),
            b'x' => {
                let digits = rest.iter().take(2).take_while(|byte| byte.is_ascii_hexdigit()).count();
                let value = number::hexadecimal(&rest[..digits]).unwrap_or(u64::from(b'x'));
                plain.push(value as u8);
                rest = &rest[digits..];
            }
            b'0'..=b'7' => {
                let more = rest.iter().take(2).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let digits = rest[..more].iter();
                let value = digits.fold(u32::from(code - b'0'), |sum, byte| sum * 8 + u32::from(byte - b'0'));
                plain.push(value as u8);
                rest = &rest[more..];
            }
            other => plain.push(other),
        }
    }
    plain
}

/// In place of flags, `-X raw` prints numbers. Each row: name, value on x86, and the mask of bits it
/// belongs to.
const RAW_FLAGS: &[(&[u8], u64, u64)] = &[
    (b"O_WRONLY", 1, 3),
    (b"O_RDWR", 2, 3),
    (b"O_CREAT", 0o100, 0o100),
    (b"O_EXCL", 0o200, 0o200),
    (b"O_TRUNC", 0o1000, 0o1000),
    (b"O_APPEND", 0o2000, 0o2000),
    (b"O_DSYNC", 0o10_000, 0o10_000),
    (b"O_DIRECT", 0o40_000, 0o40_000),
    (b"O_DIRECTORY", 0o200_000, 0o200_000),
    (b"O_NOFOLLOW", 0o400_000, 0o400_000),
    (b"O_CLOEXEC", 0o2_000_000, 0o2_000_000),
    (b"O_PATH", 0o10_000_000, 0o10_000_000),
    (b"O_TMPFILE", 0o20_200_000, 0o20_200_000),
    (b"AT_REMOVEDIR", 0x200, 0x200),
    (b"AT_SYMLINK_NOFOLLOW", 0x100, 0x100),
    (b"AT_SYMLINK_FOLLOW", 0x400, 0x400),
    (b"CLOSE_RANGE_CLOEXEC", 4, 4),
    (b"FD_CLOEXEC", 1, 1),
    (b"R_OK", 4, 4),
    (b"W_OK", 2, 2),
    (b"X_OK", 1, 1),
];

/// A number in C syntax: `0x1f`, `0644`, `12`.
fn c_number(text: &[u8]) -> Option<u64> {
    match text {
        [b'0', b'x' | b'X', ..] => number::hexadecimal(text),
        [b'0', digits @ ..]
            if digits.iter().all(|digit| (b'0'..=b'7').contains(digit)) && digits.len() < 20 =>
        {
            Some(digits.iter().fold(0, |sum, digit| sum << 3 | u64::from(digit - b'0')))
        }
        _ => number::decimal(text),
    }
}

/// Whether a set of flags (`O_RDWR|O_CREAT`) has one of them.
pub(crate) fn has_flag(argument: &[u8], flag: &[u8]) -> bool {
    if argument.first().is_some_and(u8::is_ascii_digit)
        && let Some(number) = c_number(argument)
    {
        let raw = RAW_FLAGS.iter().find(|(name, ..)| *name == flag);
        return raw.is_some_and(|&(_, value, mask)| number & mask == value);
    }
    argument.split(|&byte| byte == b'|').any(|word| word.trim_ascii() == flag)
}

/// The number after `key=` in a printed structure. Strings are not skipped: the keys are too long to
/// occur there by chance.
pub(crate) fn field(structure: &[u8], key: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find(structure, key)? + key.len();
    let rest = &structure[at..];
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    number::decimal(&rest[..end])
}

/// The sum of all `iov_len=` of a vector of buffers, outside the buffers' contents. 0 if it is not
/// printed.
pub(crate) fn vector_bytes(argument: &[u8]) -> u64 {
    let mut sum = 0_u64;
    let mut rest = argument;
    loop {
        let Some(at) = memchr::memchr2(b'"', b'=', rest) else { return sum };
        if rest[at] == b'"' {
            let Some(after) = after_string(rest, at) else { return sum };
            rest = &rest[after..];
            continue;
        }
        if rest[..at].ends_with(b"iov_len") {
            sum = sum.saturating_add(field(&rest[at - 7..], b"iov_len=").unwrap_or(0));
        }
        rest = &rest[at + 1..];
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parts(text: &str) -> Vec<String> {
        let (args, rest) = split(text.as_bytes()).unwrap();
        let parts = args.list[..args.count].iter();
        let mut parts: Vec<String> = parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect();
        parts.push(String::from_utf8_lossy(rest).into_owned());
        parts
    }

    #[test]
    fn arguments_are_split_at_top_level_commas() {
        let cases: [(&str, &[&str]); 8] = [
            (r#"3</a,b>, "x,)\"y"..., 5) = 5"#, &["3</a,b>", r#""x,)\"y"..."#, "5", " = 5"]),
            ("", &[]),
            (") = 0", &[" = 0"]),
            (
                r#"3, [{iov_base="a,", iov_len=2}, {b}], 2)"#,
                &["3", r#"[{iov_base="a,", iov_len=2}, {b}]"#, "2", ""],
            ),
            ("3<TCP:[1.1:5->2.2:6]>, 1<<3, 2)x", &["3<TCP:[1.1:5->2.2:6]>", "1<<3", "2", "x"]),
            ("0</dev/pts/0<char 136:0>>, a)", &["0</dev/pts/0<char 136:0>>", "a", ""]),
            ("3, 0x5 /* 2 entries, ) */, 9)", &["3", "0x5 /* 2 entries, ) */", "9", ""]),
            (r"4</a\76b>(deleted), 1)", &[r"4</a\76b>(deleted)", "1", ""]),
        ];
        for (text, wanted) in cases {
            if wanted.is_empty() {
                assert!(split(text.as_bytes()).is_none());
            } else {
                assert_eq!(parts(text), wanted, "{text}");
            }
        }
        for (text, wanted) in [
            (
                "-100 /* AT_FDCWD */</tmp>, \"a\", 0x241 /* O_WRONLY|O_CREAT|O_TRUNC */, 0666) = 3",
                &["-100 /* AT_FDCWD */</tmp>", "\"a\"", "O_WRONLY|O_CREAT|O_TRUNC", "0666", " = 3"][..],
            ),
            ("3</m/a> [user_t], \"/x\" [etc_t], 9) = 0", &["3</m/a>", "\"/x\"", "9", " = 0"]),
            ("0x5 /* 2 entries */, 9) = 0", &["0x5 /* 2 entries */", "9", " = 0"]),
        ] {
            assert_eq!(parts(text), wanted, "{text}");
        }
        assert!(split(b"\"open string").is_none());
        assert_eq!(parts("1,2,3,4,5,6,7,8,9,10)").len(), MAX_ARGS + 1);
    }

    #[test]
    fn arguments_have_their_meaning() {
        let told = |text: &'static str| descriptor(text.as_bytes());
        assert_eq!(told("3"), Some(Descriptor { number: 3, path: None }));
        assert_eq!(told("3</a b>"), Some(Descriptor { number: 3, path: Some(b"/a b") }));
        assert_eq!(told("3</a>(deleted)").unwrap().path, Some(&b"/a"[..]));
        assert_eq!(told("3</a (deleted)>").unwrap().path, Some(&b"/a"[..]));
        assert_eq!(told("AT_FDCWD</x>"), Some(Descriptor { number: CWD, path: Some(b"/x") }));
        assert_eq!((told("-1"), told("NULL"), told("99999999999")), (None, None, None));
        assert_eq!(string(br#""tab\t \303\251 \x41\12""#).unwrap(), b"tab\t \xc3\xa9 A\n");
        assert_eq!(string(b"\"cut\"..."), None);
        assert!(has_flag(b"0101101", b"O_CREAT") && has_flag(b"0x241", b"O_WRONLY"));
        assert!(!has_flag(b"0", b"O_WRONLY") && !has_flag(b"0x200", b"AT_SYMLINK_NOFOLLOW"));
        assert!(has_flag(b"O_RDWR|O_CREAT", b"O_CREAT") && !has_flag(b"O_CREATE", b"O_CREAT"));
        assert_eq!(field(b"{st_mode=S_IFREG|0644, st_size=77, ...}", b"st_size="), Some(77));
        assert_eq!(vector_bytes(br#"[{iov_base="iov_len=9", iov_len=10}, {iov_base="", iov_len=20}]"#), 30);
    }
}
