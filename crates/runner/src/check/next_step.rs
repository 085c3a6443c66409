//! One thing to do next. At most one hint, and only one that is safe to follow: each comes from what was
//! measured or is written among the mount's options, with its reason. Where nothing stands out, the next
//! step is the exact answer.
//!
//! The values are those of the project's tuning rules (`nfs.rsize_wsize`, `nfs.proto_udp`, `nfs.sync_mount`,
//! `nfs.soft_mount`, `nfs.nconnect_missing`, `smb.dialect_low`, `smb.cifs.mount_options`,
//! `fs.free_space_low`).
//!
//! Not here: counters, servers, and proving that a change helped: that is the doctor's room.

use reelgauge_analysis::statement::Component;
use reelgauge_machine::file_system::Protocol;
use reelgauge_machine::link::{Link, LinkKind};
use reelgauge_machine::mount::Mount;

use super::limit::{Limiter, decisive};

/// NFS requests below this cost a round trip each for little data.
const NFS_REQUEST_BYTES_MIN: u64 = 256 << 10;
/// The same of SMB.
const SMB_REQUEST_BYTES_MIN: u64 = 1 << 20;
/// A link below this is slow for video, whatever else there is.
const FAST_MBIT_PER_S: u32 = 1_000;
/// From this speed on, one TCP connection often does not fill the link.
const ONE_CONNECTION_MBIT_PER_S: u32 = 10_000;
/// Below this share of the line rate, one connection is suspected.
const HALF_EMPTY_SHARE: f64 = 0.6;
/// Free space below this share slows file systems down.
const FREE_SHARE_MIN: f64 = 0.10;

/// What movies of the usual length take for two streams, with a margin, in seconds of one.
const USUAL_CLIP_S: f64 = 25.0;

/// Where the check was.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The mount.
    pub mount: &'a Mount,
    /// Over what this client reaches it.
    pub link: &'a Link,
    /// Free space, 0 to 1; `None` where the file system doesn't tell.
    pub free_share: Option<f64>,
    /// The same in bytes.
    pub free_bytes: Option<u64>,
    /// The target as a word of a command line.
    pub target: &'a str,
}

/// What is known after the look.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Where it was.
    pub place: &'a Place<'a>,
    /// What limited each format.
    pub limiters: &'a [Limiter],
    /// The highest rate that was seen.
    pub best_mb_per_s: Option<f64>,
    /// What a stream of the format for an exact answer needs.
    pub needed_mb_per_s: f64,
    /// The format for an exact answer.
    pub format_id: &'a str,
}

/// A step, and the components that it is about; none where it blames none.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// In a sentence or two.
    pub words: String,
    /// Those that it may mean.
    pub components: &'static [Component],
}

/// The next step. A limit of this client, or one that was set, comes first: behind it nothing else is known
/// to limit.
pub fn next_step(situation: &Situation<'_>) -> Advice {
    type Hint = fn(&Situation<'_>) -> Option<String>;
    const HINTS: [(Hint, &[Component]); 8] = [
        (of_memory, &[]),
        (of_this_machine, &[Component::Client]),
        (of_max_rate, &[Component::RateLimit]),
        (of_a_faulty_link, &[Component::Network]),
        (of_a_full_link, &[Component::Network]),
        (of_the_options, &[Component::Network]),
        (of_one_connection, &[Component::Network]),
        (of_space, &[Component::Storage]),
    ];
    let first = HINTS.iter().find_map(|(hint, components)| Some((hint(situation)?, *components)));
    let (words, components) = first.unwrap_or_else(|| (exact_answer(situation), &[]));
    Advice { words, components }
}

fn exact_answer(situation: &Situation<'_>) -> String {
    let clip = match situation.place.free_bytes {
        Some(free) if (free as f64) < USUAL_CLIP_S * situation.needed_mb_per_s * 1e6 => " --clip 2s",
        _ => "",
    };
    format!(
        "For an exact answer: reelgauge streams {} --format {}{clip} --find-max",
        situation.place.target, situation.format_id
    )
}

fn of_memory(situation: &Situation<'_>) -> Option<String> {
    let is_memory = situation.place.link.kind == LinkKind::Memory;
    is_memory.then(|| "Give a path on the storage that you want to know about.".to_owned())
}

fn of_a_faulty_link(situation: &Situation<'_>) -> Option<String> {
    let LinkKind::Network { interface, speed_mbit_per_s, is_half_duplex, .. } = &situation.place.link.kind
    else {
        return None;
    };
    if *is_half_duplex {
        return Some(format!(
            "{interface} runs half duplex, which no network of today should: set both ends to automatic \
             negotiation and replace the cable."
        ));
    }
    let slow = speed_mbit_per_s.filter(|speed| *speed < FAST_MBIT_PER_S)?;
    Some(format!(
        "{interface} runs at {slow} Mbit/s. If network card and switch can do more, the cable or its plug is \
         the usual cause: replace it."
    ))
}

/// Mount options that cost speed or data.
fn of_the_options(situation: &Situation<'_>) -> Option<String> {
    let mount = situation.place.mount;
    match mount.protocol() {
        Some(Protocol::Nfs) => of_nfs(mount),
        // Of the options of other systems nothing is known here.
        Some(Protocol::Smb) if cfg!(target_os = "linux") => of_smb(mount),
        _ => None,
    }
}

fn of_nfs(mount: &Mount) -> Option<String> {
    let has = |name: &str| mount.options.iter().any(|option| option == name);
    if mount.option("proto").is_some_and(|proto| proto.starts_with("udp")) {
        return Some(
            "This is NFS over UDP, which can damage data unnoticed: mount it with proto=tcp.".to_owned(),
        );
    }
    if has("sync") || has("noac") {
        return Some(
            "The mount options sync and noac make every write wait for the server: mount without them, unless \
             an application needs them."
                .to_owned(),
        );
    }
    if let Some((name, bytes)) = small_request(mount, NFS_REQUEST_BYTES_MIN) {
        return Some(format!(
            "{name} is {bytes} bytes, so every request moves little: take rsize and wsize out of the mount \
             options, and client and server agree on the most they can."
        ));
    }
    let is_soft = (has("soft") || has("softerr")) && !mount.is_read_only();
    is_soft.then(|| {
        "This mount is soft: when the server is slow to answer, recordings get holes. Mount it with hard."
            .to_owned()
    })
}

fn of_smb(mount: &Mount) -> Option<String> {
    let old = mount.protocol_version.as_deref().filter(|version| version.starts_with(['1', '2']));
    if let Some(version) = old {
        return Some(format!("This is SMB {version}; mount it with vers=3.1.1, which is faster and safer."));
    }
    let (name, bytes) = small_request(mount, SMB_REQUEST_BYTES_MIN)?;
    Some(format!("{name} is {bytes} bytes, so every request moves little: mount with {name}=4194304."))
}

/// The request size that is below `least_bytes`, if one is.
fn small_request(mount: &Mount, least_bytes: u64) -> Option<(&'static str, u64)> {
    ["rsize", "wsize"].into_iter().find_map(|name| {
        let bytes = mount.option(name)?.parse().ok()?;
        (bytes < least_bytes).then_some((name, bytes))
    })
}

fn of_a_full_link(situation: &Situation<'_>) -> Option<String> {
    let LinkKind::Network { interface, .. } = &situation.place.link.kind else {
        return None;
    };
    let is_full = matches!(decisive(situation.limiters), Some(Limiter::Link { .. }));
    is_full.then(|| {
        format!(
            "{interface} is full, so no setting will carry more streams to this machine: only a faster link \
             will. Whether the storage could feed more, further clients at the same time will show."
        )
    })
}

fn of_this_machine(situation: &Situation<'_>) -> Option<String> {
    let decisive = decisive(situation.limiters);
    matches!(decisive, Some(Limiter::ThisMachine | Limiter::StorageOrOthers)).then(|| {
        "Close what else runs on this machine and look again, or measure from a faster one: the storage may \
         carry more than is shown."
            .to_owned()
    })
}

fn of_max_rate(situation: &Situation<'_>) -> Option<String> {
    let is_held = matches!(decisive(situation.limiters), Some(Limiter::MaxRate));
    is_held
        .then(|| "The storage may carry more than --max-rate allows; give a larger one to see it.".to_owned())
}

fn of_one_connection(situation: &Situation<'_>) -> Option<String> {
    let Place { mount, link, .. } = situation.place;
    let LinkKind::Network { speed_mbit_per_s: Some(speed), .. } = &link.kind else {
        return None;
    };
    let share = situation.best_mb_per_s? / link.realistic_mb_per_s()?;
    let is_nfs = mount.protocol() == Some(Protocol::Nfs);
    let several = mount.option("nconnect").is_some_and(|connections| connections != "1");
    let suspected = is_nfs && !several && *speed >= ONE_CONNECTION_MBIT_PER_S && share < HALF_EMPTY_SHARE;
    suspected.then(|| {
        format!(
            "Only {:.0} % of the link was used, over one connection: try the mount option nconnect=4 and look \
             again.",
            share * 100.0
        )
    })
}

fn of_space(situation: &Situation<'_>) -> Option<String> {
    let free = situation.place.free_share.filter(|share| *share < FREE_SHARE_MIN)?;
    Some(format!(
        "Only {:.0} % is free. File systems slow down when they are nearly full: make room, then look again.",
        free * 100.0
    ))
}

#[cfg(test)]
pub(super) mod tests {
    use std::net::IpAddr;

    use reelgauge_machine::mount::MountKind;

    use super::*;

    pub(in super::super) fn mount(fs_type: &str, options: &str, version: Option<&str>) -> Mount {
        Mount {
            fs_type: fs_type.to_owned(),
            source: "nas1:/tank".to_owned(),
            mount_point: "/mnt/nas".into(),
            options: options.split(',').map(str::to_owned).collect(),
            kind: MountKind::Network,
            server: Some("nas1".to_owned()),
            protocol_version: version.map(str::to_owned),
        }
    }

    pub(in super::super) fn link(speed: Option<u32>, is_half_duplex: bool) -> Link {
        let kind = LinkKind::Network {
            interface: "eth0".to_owned(),
            speed_mbit_per_s: speed,
            mtu_bytes: Some(1500),
            is_half_duplex,
            server_address: IpAddr::from([10, 0, 0, 2]),
            is_this_machine: false,
        };
        Link { kind, sentence: String::new() }
    }

    fn step(mount: &Mount, link: &Link, limiters: &[Limiter]) -> String {
        let place = Place {
            mount,
            link,
            free_share: Some(0.5),
            free_bytes: Some(500_000_000_000),
            target: "/mnt/nas",
        };
        let situation = Situation {
            place: &place,
            limiters,
            best_mb_per_s: Some(400.0),
            needed_mb_per_s: 92.0,
            format_id: "prores-422-hq-uhd-25",
        };
        next_step(&situation).words
    }

    #[test]
    fn options_that_cost_speed_or_data_are_named() {
        let gigabit = link(Some(10_000), false);
        for (fs_type, options, version, hint) in [
            ("nfs4", "rw,proto=udp", Some("3"), "proto=tcp"),
            ("nfs4", "rw,noac", None, "sync and noac"),
            ("nfs4", "rw,rsize=65536,wsize=1048576", None, "rsize is 65536 bytes"),
            ("nfs4", "rw,rsize=1048576,wsize=32768", None, "wsize is 32768 bytes"),
            ("nfs4", "rw,soft,nconnect=4", None, "Mount it with hard"),
            ("nfs4", "rw,hard", None, "nconnect=4"),
            ("cifs", "rw,rsize=4194304", Some("2.1"), "vers=3.1.1"),
            ("cifs", "rw,rsize=65536", Some("3.1.1"), "rsize=4194304"),
        ] {
            let step = step(&mount(fs_type, options, version), &gigabit, &[Limiter::Storage]);
            assert!(step.contains(hint), "{options}: {step}");
        }
        // A read-only mount may be soft.
        let reads = mount("nfs4", "ro,soft,nconnect=4", None);
        assert!(step(&reads, &gigabit, &[Limiter::Storage]).contains("--find-max"));
    }

    #[test]
    fn faults_of_the_link_come_first() {
        let soft = mount("nfs4", "rw,soft", None);
        assert!(step(&soft, &link(Some(1_000), true), &[]).contains("half duplex"));
        assert!(step(&soft, &link(Some(100), false), &[]).contains("100 Mbit/s"));
        // Behind a limit of this client nothing is known of the link.
        let busy = step(&soft, &link(Some(1_000), true), &[Limiter::ThisMachine]);
        assert!(busy.starts_with("Close what else runs"), "{busy}");
        let memory = Link { kind: LinkKind::Memory, sentence: String::new() };
        assert!(step(&soft, &memory, &[]).starts_with("Give a path"));
    }

    #[test]
    fn a_full_link_and_a_busy_machine() {
        let good = mount("nfs4", "rw,hard,rsize=1048576,wsize=1048576,nconnect=4", None);
        let full = [Limiter::Link { share: 0.95 }, Limiter::Storage];
        assert!(step(&good, &link(Some(10_000), false), &full).contains("only a faster link"));
        let busy = [Limiter::ThisMachine];
        assert!(step(&good, &link(Some(10_000), false), &busy).contains("may carry more"));
        let either = [Limiter::StorageOrOthers];
        assert!(step(&good, &link(Some(10_000), false), &either).contains("may carry more"));
        // One format of several is no reason.
        let once = [Limiter::Storage, Limiter::ThisMachine, Limiter::Storage];
        assert!(step(&good, &link(Some(10_000), false), &once).contains("--find-max"));
    }

    #[test]
    fn without_a_hint_the_next_step_is_the_exact_answer() {
        let good = mount("nfs4", "rw,hard,rsize=1048576,wsize=1048576", None);
        for speed in [None, Some(1_000)] {
            assert_eq!(
                step(&good, &link(speed, false), &[Limiter::Storage]),
                "For an exact answer: reelgauge streams /mnt/nas --format prores-422-hq-uhd-25 --find-max"
            );
        }
        let unknown = link(None, false);
        let small = Place {
            mount: &good,
            link: &unknown,
            free_share: Some(0.8),
            free_bytes: Some(240_000_000),
            target: "/mnt/nas",
        };
        let at = |place: &Place<'_>| {
            let (limiters, format_id) = (&[][..], "x");
            next_step(&Situation { place, limiters, best_mb_per_s: None, needed_mb_per_s: 92.0, format_id })
                .words
        };
        assert!(at(&small).ends_with("--format x --clip 2s --find-max"));
        let full = Place { free_share: Some(0.04), free_bytes: Some(4_000_000_000), ..small };
        assert!(at(&full).starts_with("Only 4 % is free"));
    }
}
