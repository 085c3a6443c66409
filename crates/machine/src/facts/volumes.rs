//! Volumes over several disks that are neither software arrays nor ZFS pools: btrfs, LVM, and those of
//! RAID controllers. Each is healthy, degraded or failed, as its own tool reports it; an unknown state
//! word counts as unknown.
//!
//! Sources of the formats: btrfs-progs (`cmds/filesystem.c`, `device.c`, `scrub.c`, `balance.c`), and
//! lvs(8) on `lv_attr`; those of controllers are in [`super::controllers`].

use super::controllers;
use super::volume::{State, Volume};
use super::{FactKind, Facts};
use crate::texts::Texts;
use crate::texts::required_texts::BTRFS_SHOW;

const LVS: &str = "lvs -a";

pub(super) fn volumes(texts: &Texts, facts: &mut Facts) {
    let known: Vec<String> = texts.known().map(str::to_owned).collect();
    let is_ours = |name: &&String| {
        let program = name.split(' ').next().unwrap_or_default();
        ["btrfs", "lvs"].contains(&program) || controllers::PROGRAMS.contains(&program)
    };
    for name in known.iter().filter(is_ours) {
        let Ok(said) = texts.get(name) else { continue };
        let volumes = match name.split(' ').collect::<Vec<_>>().as_slice() {
            ["btrfs", "filesystem" | "fi", "show", ..] => btrfs(said),
            ["btrfs", "device" | "dev", "stats", place @ ..] => btrfs_stats(said, place.last().copied()),
            ["btrfs", "scrub", "status", place @ ..] => btrfs_scrub(said, place.last().copied()),
            ["btrfs", "balance", "status", place @ ..] => btrfs_balance(said, place.last().copied()),
            ["lvs", ..] => logical(said),
            [program, ..] => controllers::of_program(program, said),
            [] => Vec::new(),
        };
        facts.subjects.extend(volumes.into_iter().map(|volume| volume.subject(name)));
    }
    unseen(texts, facts);
}

/// Reports kinds of volumes that seem to exist although no text shows them. Without such a sign, none
/// are reported.
fn unseen(texts: &Texts, facts: &mut Facts) {
    let has_btrfs = texts.mounts().iter().any(|mount| mount.fs_type == "btrfs");
    if let (true, Err(why)) = (has_btrfs, texts.get(BTRFS_SHOW)) {
        facts.cannot_see(&[FactKind::Volume], BTRFS_SHOW, &why);
    }
    let names = texts.get("/sys/block").unwrap_or_default().split_whitespace();
    let mut mapped = names.filter_map(|disk| texts.get(&format!("/sys/block/{disk}/dm/name")).ok());
    let has_parts = mapped.any(|name| name.contains("_rimage_") || name.contains("_mimage_"));
    if let (true, Err(why)) = (has_parts, texts.get(LVS)) {
        facts.cannot_see(&[FactKind::Volume], LVS, &why);
    }
}

/// `Label: 'media'  uuid: …`, and `devid    2 size 0 used 0 path MISSING` for each device below.
fn btrfs(said: &str) -> Vec<Volume> {
    let mut found: Vec<Volume> = Vec::new();
    for line in said.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("Label:") {
            let (label, uuid) = rest.split_once("uuid:").unwrap_or((rest, ""));
            let label = label.trim().trim_matches('\'');
            let name = if label == "none" || label.is_empty() { uuid.trim() } else { label };
            found.push(Volume::new(name));
        }
        let Some(volume) = found.last_mut() else { continue };
        let is_missing = line.starts_with("devid") && line.to_ascii_lowercase().contains("missing");
        if is_missing || line.contains("Some devices missing") {
            volume.state = Some(State::Degraded);
            "a device is missing".clone_into(&mut volume.told);
        }
    }
    found
}

/// `[/dev/sda].write_io_errs    0`: since the last reset.
fn btrfs_stats(said: &str, place: Option<&str>) -> Vec<Volume> {
    let mut volume = Volume::new(place.unwrap_or("btrfs"));
    let counts = said.lines().filter_map(|line| {
        let (device, rest) = line.trim().strip_prefix('[')?.split_once("].")?;
        let mut words = rest.split_whitespace();
        Some((device, words.next()?, words.next()?))
    });
    for (device, kind, count) in counts.filter(|(.., count)| *count != "0") {
        volume.with_errors.push(format!("{device} ({kind} {count})"));
    }
    vec![volume]
}

/// `Status: running`, or `scrub started at …, running for …` in older versions.
fn btrfs_scrub(said: &str, place: Option<&str>) -> Vec<Volume> {
    let mut volume = Volume::new(place.unwrap_or("btrfs"));
    let is_running = said.lines().map(str::trim).any(|line| {
        line.strip_prefix("Status:").is_some_and(|status| status.trim() == "running")
            || line.starts_with("scrub started at") && line.contains("running for")
    });
    volume.activity = is_running.then(|| "scrub".to_owned());
    vec![volume]
}

/// `Balance on '/mnt' is running`.
fn btrfs_balance(said: &str, place: Option<&str>) -> Vec<Volume> {
    let mut volume = Volume::new(place.unwrap_or("btrfs"));
    let is_running = said.contains("Balance on") && said.contains("is running");
    volume.activity = is_running.then(|| "balance".to_owned());
    vec![volume]
}

/// Lines of lvs with their ten letters: the ninth is a volume's health, the first its kind.
fn logical(said: &str) -> Vec<Volume> {
    said.lines().filter_map(logical_volume).collect()
}

fn logical_volume(line: &str) -> Option<Volume> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| is_attributes(word)).filter(|at| *at > 0)?;
    let letters: Vec<char> = words[at].chars().collect();
    let name = words[..at].iter().rev().take(2).copied().collect::<Vec<_>>().join("/");
    let mut volume = Volume::new(name);
    volume.state = match (letters[8], letters[4]) {
        (_, 'X') | ('X', _) => None,
        ('-' | 'w', _) => Some(State::InOrder),
        ('p' | 'r' | 'm', _) => Some(State::Degraded),
        ('F' | 'E' | 'D' | 'M', _) => Some(State::Failed),
        ('R' | 's', _) => {
            volume.activity = Some("reshape".to_owned());
            Some(State::InOrder)
        }
        _ => None,
    };
    words[at].clone_into(&mut volume.told);
    let is_of_images = matches!(letters[0], 'r' | 'R' | 'm' | 'M');
    let synced = words[at + 1..].iter().find_map(|word| percent(word));
    if is_of_images && synced.is_some_and(|percent| percent < 100.0) {
        volume.activity = Some("synchronisation".to_owned());
    }
    Some(volume)
}

/// `rwi-aor---`: ten letters, of which the second shows the permission.
fn is_attributes(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.len() == 10
        && letters.iter().all(|c| *c == '-' || c.is_ascii_alphabetic())
        && "wrR-".contains(letters[1])
        && "aciln-ACILN".contains(letters[2])
        && letters.contains(&'-')
}

/// `12.50`, or `12,50` in some locales.
fn percent(word: &str) -> Option<f64> {
    let (whole, part) = word.split_once(['.', ','])?;
    let is_right = part.len() == 2 && [whole, part].iter().all(|it| it.chars().all(|c| c.is_ascii_digit()));
    is_right.then(|| format!("{whole}.{part}").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::super::FactSubject;
    use super::*;

    /// Each volume on one line: name, state, failed members, members with errors, activity.
    fn told(name: &str, said: &str) -> Vec<String> {
        let mut texts = Texts::default();
        texts.put(name, Ok(said.to_owned()));
        let mut facts = Facts::default();
        volumes(&texts, &mut facts);
        let line = |one: &FactSubject| {
            let words = ["state", "failed_members", "members_with_errors", "activity"];
            format!("{}: {}", one.name, words.map(|fact| one.word_of(fact).unwrap_or("unknown")).join(" "))
        };
        facts.subjects.iter().map(line).collect()
    }

    #[test]
    fn btrfs_reports_missing_devices_and_errors() {
        let whole = "Label: 'media'  uuid: 0b5e\n\tTotal devices 2 FS bytes used 1.20TiB\n\
                     \tdevid    1 size 3.64TiB used 1.2TiB path /dev/sda\n";
        assert_eq!(told(BTRFS_SHOW, whole), ["media: in order none none none"]);
        for line in ["\tdevid    2 size 0 used 0 path  MISSING", "\t*** Some devices missing"] {
            let said = format!("{whole}{line}\n");
            assert_eq!(told(BTRFS_SHOW, &said), ["media: degraded none none none"], "{line}");
        }
        let stats = "[/dev/sda].write_io_errs    0\n[/dev/sdb].corruption_errs  12\n";
        assert_eq!(
            told("btrfs device stats /m", stats),
            ["/m: in order none /dev/sdb (corruption_errs 12) none"]
        );
        let scrub = "UUID: x\nStatus:           running\nDuration: 0:00:15\n";
        assert_eq!(told("btrfs scrub status /m", scrub), ["/m: in order none none scrub"]);
        assert_eq!(told("btrfs scrub status /m", "Status: finished\n"), ["/m: in order none none none"]);
        let balance = "Balance on '/m' is running\n3 out of about 7 chunks balanced\n";
        assert_eq!(told("btrfs balance status /m", balance), ["/m: in order none none balance"]);
        let none = "No balance found on '/m'\n";
        assert_eq!(told("btrfs balance status /m", none), ["/m: in order none none none"]);
    }

    #[test]
    fn the_ninth_letter_of_a_logical_volume_is_its_health() {
        let head = "  LV    VG Attr       LSize   Pool Origin Data%  Meta%  Move Log Cpy%Sync Convert\n";
        for (line, expected) in [
            (
                "  media vg rwi-aor---  1.00t                               100.00",
                "vg/media: in order none none none",
            ),
            (
                "  media vg rwi-aor-p-  1.00t                               100.00",
                "vg/media: degraded none none none",
            ),
            (
                "  media vg rwi-aor-r-  1.00t                               100,00",
                "vg/media: degraded none none none",
            ),
            (
                "  media vg rwi-aor-m-  1.00t                               100.00",
                "vg/media: degraded none none none",
            ),
            (
                "  media vg rwi-aor---  1.00t                               12,50",
                "vg/media: in order none none synchronisation",
            ),
            ("  pool  vg twi-aotzF-  1.00t              12.50  3.01", "vg/pool: failed none none none"),
            (
                "  media vg rwi-aor-q-  1.00t                               100.00",
                "vg/media: unknown none none none",
            ),
            ("  root  vg -wi-ao---- 20.00g", "vg/root: in order none none none"),
            ("  lost  vg -wi-----p- 20.00g", "vg/lost: degraded none none none"),
        ] {
            assert_eq!(told("lvs -a", &format!("{head}{line}\n")), [expected], "{line}");
        }
    }

    #[test]
    fn volume_without_status_text_is_reported_as_unseen() {
        let mut texts = Texts::default();
        let mut facts = Facts::default();
        volumes(&texts, &mut facts);
        assert_eq!(facts.unseen(FactKind::Volume), None, "nothing shows that there are any");
        texts.put(crate::mountinfo::FILE, Ok("29 1 0:40 / / rw - btrfs /dev/sda2 rw\n".to_owned()));
        volumes(&texts, &mut facts);
        assert_eq!(facts.unseen(FactKind::Volume).map(|gap| gap.text.as_str()), Some(BTRFS_SHOW));
    }
}
