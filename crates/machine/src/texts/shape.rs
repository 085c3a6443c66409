//! Whether a text has the format that its name promises: a table of mounts has mounts in its lines. The
//! output of a host always has that format. A text that was copied, cut or overwritten in transit may
//! not, and then lacks some facts.
//!
//! Pure. Only texts that list things are checked, because a missing entry would go unnoticed. An invalid
//! single value is detected when it is parsed.

use crate::mountinfo;

use super::required_texts::says_nothing_blank;
use crate::unraid::UnraidArray;

/// How much of a line is shown.
const LINE_CHARS: usize = 40;

/// The part of a text that is not understood; `None` if all of it is, or there is no check.
pub(super) fn fault(name: &str, text: &str) -> Option<String> {
    if text.trim().is_empty() && says_nothing_blank(name) {
        return None;
    }
    let lines = |is_right: &dyn Fn(&str) -> bool| wrong_line(text, is_right);
    match name {
        mountinfo::FILE => lines(&is_mount),
        "/proc/net/route" => lines(&|line| line.starts_with("Iface") || is_route(line)),
        "/proc/net/ipv6_route" => lines(&|line| words(line) >= 10 && is_hex(line, 0)),
        "/proc/meminfo" => lines(&is_amount),
        "/proc/mdstat" if UnraidArray::read(text).is_some() => lines(&|line| line.contains('=')),
        "/proc/mdstat" => lines(&is_of_arrays),
        "/var/lib/nfs/etab" => lines(&|line| line.contains('(') && line.trim_end().ends_with(')')),
        "/sys/devices/system/node/online" => {
            lines(&|line| only(line, |c| c.is_ascii_digit() || "-,".contains(c)))
        }
        "testparm -s -v" => without(text, "[global]").or_else(|| {
            wrong_line(&sections(text), &|line| is_setting(line) || is_remark(line))
                .map(|what| format!("in the sections, {what}"))
        }),
        "/sys/class/net" | "/sys/block" => lines(&|line| only(line, |c| !c.is_control() && c != '/')),
        "smbstatus --json" => no_object(text),
        "ss -tinHO" => lines(&is_connection),
        "/etc/fstab" => lines(&|line| line.trim().starts_with('#') || words(line) >= 3),
        "/etc/samba/smb.conf" => lines(&|line| is_setting(line) || line.starts_with(char::is_whitespace)),
        "/proc/net/wireless" => lines(&|line| line.contains('|') || line.contains(':')),
        "zpool status" if ["no pools available", "modprobe zfs"].iter().any(|it| text.contains(it)) => None,
        "zpool status" => without(text, "pool:"),
        "nfsstat -m" => lines(&|line| line.starts_with(char::is_whitespace) || line.contains(" from ")),
        _ if name.starts_with("df ") => {
            lines(&|line| line.starts_with("Filesystem") || line.contains(['%', '-']))
        }
        _ if name.starts_with("zpool ") || name.starts_with("zfs ") => lines(&|line| line.contains('\t')),
        _ if name.starts_with("Get-") => {
            lines(&|line| line.contains(':') || line.starts_with(char::is_whitespace))
        }
        _ if name.ends_with("/device/uevent") => lines(&|line| line.contains('=')),
        _ if name.starts_with("/proc/net/bonding/") => without(text, "Bonding Mode"),
        _ => None,
    }
}

/// The first line with a wrong format.
fn wrong_line(text: &str, is_right: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let (at, line) = lines.find(|(_, line)| !is_right(line))?;
    let shown: String = line.trim().chars().take(LINE_CHARS).collect();
    let more = if line.trim().chars().count() > LINE_CHARS { "…" } else { "" };
    Some(format!("line {}: '{shown}{more}'", at + 1))
}

/// One complete mount. Options may contain blanks that the kernel does not escape; if a line feed is
/// lost, they contain the device, root and mount point of the next mount.
fn is_mount(line: &str) -> bool {
    let mounts = mountinfo::parse(line.as_bytes());
    let behind: Vec<&str> = line.split(' ').skip(6).skip_while(|field| *field != "-").skip(1).collect();
    let is_device = |field: &str| {
        let numbers = field.split_once(':').map(|(major, minor)| [major, minor]);
        numbers.is_some_and(|numbers| numbers.iter().all(|number| only(number, |c| c.is_ascii_digit())))
    };
    let is_next = |three: &[&str]| is_device(three[0]) && three[1..].iter().all(|path| path.starts_with('/'));
    let is_whole = behind.len() >= 3 && behind[..3].iter().all(|field| !field.is_empty());
    mounts.len() == 1
        && is_whole
        && !behind.windows(3).any(is_next)
        && mounts[0].mount_point.starts_with(b"/")
}

/// `ESTAB 0 0 10.0.0.2:801 10.0.0.5:2049 …`.
fn is_connection(line: &str) -> bool {
    let mut words = line.split_whitespace().skip(1);
    let mut is_number = || words.next().is_some_and(|word| only(word, |c| c.is_ascii_digit()));
    is_number() && is_number()
}

fn without(text: &str, part: &str) -> Option<String> {
    (!text.contains(part)).then(|| format!("it lacks '{part}'"))
}

fn no_object(text: &str) -> Option<String> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => None,
        Ok(_) => Some("it is not a JSON object".to_owned()),
        Err(error) => Some(format!("it is not JSON (line {}, column {})", error.line(), error.column())),
    }
}

fn words(line: &str) -> usize {
    line.split_whitespace().count()
}

fn is_hex(line: &str, at: usize) -> bool {
    line.split_whitespace().nth(at).is_some_and(|word| only(word, |c| c.is_ascii_hexdigit()))
}

fn is_route(line: &str) -> bool {
    [1, 2, 7].into_iter().all(|at| is_hex(line, at))
}

/// `MemTotal:       65889408 kB`.
fn is_amount(line: &str) -> bool {
    let number = line.split_once(':').and_then(|(_, rest)| rest.split_whitespace().next());
    number.is_some_and(|number| only(number, |c| c.is_ascii_digit()))
}

fn is_of_arrays(line: &str) -> bool {
    line.starts_with(char::is_whitespace)
        || ["Personalities", "unused devices", "read_ahead"].iter().any(|head| line.starts_with(head))
        || line.starts_with("md") && line.contains(" : ")
}

fn is_setting(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(['#', ';']) || line.starts_with('[') && line.ends_with(']') || line.contains('=')
}

/// From the first section on. The lines above it are testparm's messages, with names of sections in
/// quotes.
fn sections(text: &str) -> String {
    let is_heading = |line: &&str| line.trim().starts_with('[') && line.trim().ends_with(']');
    let lines: Vec<&str> = text.lines().skip_while(|line| !is_heading(line)).collect();
    lines.join("\n")
}

/// A message of testparm between settings, which are indented: `WARNING: …`, `Server role: …`.
fn is_remark(line: &str) -> bool {
    let words = [
        "WARNING",
        "ERROR",
        "NOTE",
        "Server role",
        "Loaded services",
        "Load smb config",
        "Processing section",
        "Unknown parameter",
        "Ignoring unknown",
        "rlimit_max",
        "Weak crypto",
        "Press enter",
        "Invalid",
        "idmap",
    ];
    words.iter().any(|word| line.starts_with(word))
}

fn only(word: &str, is_right: impl Fn(char) -> bool) -> bool {
    !word.is_empty() && word.chars().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_wrong_shape_is_reported_with_its_line() {
        for (name, text, what) in [
            (
                "/proc/self/mountinfo",
                "29 1 8:1 / / rw - ext4 /dev/sda1 rw\n\n33 29 0:\n",
                "line 3: '33 29 0:'",
            ),
            ("/proc/self/mountinfo", "<html>\n", "line 1: '<html>'"),
            ("/proc/net/route", "Iface Destination\neth0 x\n", "line 2: 'eth0 x'"),
            ("/proc/meminfo", "MemTotal: 65x kB\n", "line 1: 'MemTotal: 65x kB'"),
            ("/proc/mdstat", "404 not found\n", "line 1: '404 not found'"),
            ("testparm -s -v", "[media]\n\tpath = /x\n", "it lacks '[global]'"),
            (
                "testparm -s -v",
                "Processing section \"[media]\"\nLoaded\n[global]\n\toplocks\n",
                "in the sections, line 2: 'oplocks'",
            ),
            ("testparm -s -v", "Loaded\n[global]\n\toplocks\n", "in the sections, line 2: 'oplocks'"),
            ("/sys/class/net", "eth0\n\u{1}\n", "line 2: '\u{1}'"),
            ("smbstatus --json", "{\"sessions\": \n", "it is not JSON (line 2, column 0)"),
            ("smbstatus --json", "[]\n", "it is not a JSON object"),
            ("zpool status", "\u{0}\u{0}\n", "it lacks 'pool:'"),
            ("Get-SmbConnection", "x\n", "line 1: 'x'"),
            ("/proc/net/bonding/bond0", "x\n", "it lacks 'Bonding Mode'"),
        ] {
            assert_eq!(fault(name, text).as_deref(), Some(what), "{name}");
        }
        assert_eq!(fault("/var/lib/nfs/etab", " \n"), None, "nothing is shared");
        let remarks =
            "Processing section \"[media]\"\nServer role: X\n\n[global]\nWARNING: weak\n\toplocks = Yes\n";
        assert_eq!(fault("testparm -s -v", remarks), None, "what testparm says on the side");
    }
}
