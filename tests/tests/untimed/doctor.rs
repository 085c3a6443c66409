//! The doctor: judges the local host and collected texts through the binary, and changes nothing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::link::Link;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// A folder of collected texts, as a script creates it.
fn collected(scratch: &Scratch, texts: &[(&str, &str)]) -> PathBuf {
    let folder = scratch.dir("collected");
    for (name, text) in texts {
        std::fs::write(folder.join(name.replace('%', "%25").replace('/', "%2F")), text).unwrap();
    }
    folder
}

fn from(folder: &Path, more: &[&str]) -> Outcome {
    binary::run(["doctor", "--from", folder.to_str().unwrap()].iter().chain(more))
}

fn ids(told: &Value, list: &str) -> Vec<String> {
    let list = told[list].as_array().unwrap().iter();
    list.map(|rule| rule.get("rule").unwrap_or(rule).as_str().unwrap().to_owned()).collect()
}

const NFS: &str = "29 1 254:1 / / rw,relatime - ext4 /dev/sda1 rw\n\
    33 29 0:52 / /mnt/nas rw,relatime - nfs4 nas1:/m rw,vers=4.2,rsize=65536,wsize=65536,soft,proto=tcp,sec=sys,addr=10.0.0.5\n\
    34 29 0:53 / /mnt/old rw,relatime - nfs nas2:/m rw,vers=3,rsize=1048576,wsize=1048576,hard,proto=udp,addr=10.0.0.6\n";

/// The local host's texts, collected once: two judgements are then of the same moment.
fn of_this_machine(scratch: &Scratch) -> PathBuf {
    let (script, folder) = (scratch.path().join("collect.sh"), scratch.path().join("this"));
    let text = binary::run(["doctor", "--collect-script", "sh"]).expect_code(0).stdout;
    std::fs::write(&script, text).unwrap();
    tool_with(&["sh", script.to_str().unwrap(), folder.to_str().unwrap()]).unwrap();
    folder
}

/// The card reports no speed, so a rule that needs one uses a rate that a run measured over the network.
#[test]
fn named_run_supplies_the_unknown_link_rate() {
    let scratch = Scratch::new();
    let verb: Verb =
        Mix::on(&scratch.dir("target")).with(&["--duration", "1s", "--keep-free", "1GiB"]).into();
    verb.run().expect_code(0);
    let path = verb.run_dir().join("summary.json");
    let write = |server: Value| {
        let mut summary: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        summary["target"]["server"] = server;
        summary["load_points"][0]["total"]["read_bytes_per_s"] = 300e6.into();
        std::fs::write(&path, summary.to_string()).unwrap();
    };
    let texts = [
        ("/proc/self/mountinfo", NFS),
        ("/proc/sys/net/ipv4/tcp_rmem", "4096 65536 98304\n"),
        ("/proc/sys/net/ipv4/tcp_wmem", "4096 65536 98304\n"),
        ("uname -sr", "Linux 6.1.0\n"),
    ];
    let folder = collected(&scratch, &texts);
    let buffers = |run: &[&str]| {
        let told = from(&folder, &[&["--json"], run].concat());
        ids(&told.json(), "findings").contains(&"net.tcp.buffer_below_bdp".to_owned())
    };
    let run_dir = verb.run_dir();
    let run = ["--run", run_dir.to_str().unwrap()];
    write("10.0.0.5".into());
    assert!(!buffers(&[]), "without a run no rate is known");
    assert!(buffers(&run), "300 MB/s need more than 96 KiB");
    // The speed of a disk needs no buffers of TCP.
    write(Value::Null);
    assert!(!buffers(&run));
}

/// A mount table that ends within the line of the target's mount does not show the target's file system.
#[test]
fn truncated_mount_table_names_no_mount_and_has_a_reason() {
    let scratch = Scratch::new();
    let at = NFS.find("nfs4").unwrap();
    for cut in [&NFS[..at], &format!("{}\n", &NFS[..at]), &NFS[..NFS.find("wsize").unwrap()]] {
        let folder = collected(&scratch, &[("/proc/self/mountinfo", cut), ("uname -sr", "Linux 6.1.0\n")]);
        let told = from(&folder, &["/mnt/nas"]).said();
        assert!(told.contains("/mnt/nas: the collected /proc/self/mountinfo"), "{cut}\n{told}");
    }
}

#[test]
fn every_rule_is_listed_and_screen_matches_json() {
    let scratch = Scratch::new();
    let folder = of_this_machine(&scratch);
    let folder = ["--from", folder.to_str().unwrap()];
    let (here, from): (&[&str], &[&str]) = (&[], &folder);
    for (place, more) in [
        (here, &["doctor"][..]),
        (here, &["doctor", "/"]),
        (from, &["doctor"]),
        (from, &["doctor", "--server"]),
        (from, &["doctor", "/"]),
    ] {
        let words: Vec<&str> = more.iter().chain(place).copied().collect();
        let told = binary::run(words.iter().chain(&["--json"]));
        assert!(matches!(told.code, Some(0 | 1)), "{}", told.said());
        let json = told.json();
        let lists = ["findings", "not_looked_at", "in_order", "documented_only", "not_here"];
        let all: Vec<String> = lists.iter().flat_map(|list| ids(&json, list)).collect();
        let each: BTreeSet<&String> = all.iter().collect();
        assert_eq!((all.len(), each.len()), (132, 132), "{json:#}");
        assert!(!json["in_order"].as_array().unwrap().is_empty(), "{json:#}");

        if place.is_empty() {
            // A second sample would be of another moment.
            continue;
        }
        let screen = binary::run(words.iter().chain(&["--all"])).words();
        assert!(screen.starts_with(&format!("Result: {}", json["answer"].as_str().unwrap())), "{screen}");
        assert!(all.iter().all(|id| screen.contains(id.as_str())), "{screen}");
        let grave = json["findings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|finding| matches!(finding["severity"].as_str().unwrap(), "critical" | "high"));
        assert_eq!(told.code, Some(i32::from(grave)));
    }
}

#[test]
fn collected_texts_are_judged_for_a_path() {
    let scratch = Scratch::new();
    let folder = collected(&scratch, &[("/proc/self/mountinfo", NFS)]);
    let whole = from(&folder, &["--json"]).expect_code(1).json();
    let found = ids(&whole, "findings");
    assert_eq!(found[0], "nfs.proto_udp", "what costs most stands first: {found:?}");
    assert!(["nfs.soft_mount", "nfs.rsize_wsize"].iter().all(|id| found.iter().any(|found| found == id)));
    let nas = from(&folder, &["/mnt/nas/clips", "--json"]).expect_code(1).json();
    assert!(!ids(&nas, "findings").contains(&"nfs.proto_udp".to_owned()), "{nas:#}");
    assert_eq!(nas["place"]["mount_point"], "/mnt/nas");
    let sentence = nas["findings"].as_array().unwrap().iter().find(|one| one["rule"] == "nfs.rsize_wsize");
    let sentence = sentence.unwrap()["found"][0]["sentence"].as_str().unwrap();
    assert!(sentence.contains("/mnt/nas") && sentence.matches("64 KiB").count() == 2, "{sentence}");
    let old = from(&folder, &["/mnt/old", "--json"]).expect_code(1).json();
    assert_eq!(ids(&old, "findings"), ["nfs.proto_udp"]);
}

/// TCP settings belong to a network namespace, so a test may set them wrong there.
#[test]
fn real_faults_are_found_and_their_remedies_end_them() {
    require!(Need::Root, Need::Tool("ip"), Need::Tool("tc"), Need::Tool("nsenter"), Need::Tool("sysctl"));
    let link = Link::new(1000);
    let run = |program: &str, words: &[&str]| {
        let output = link.on_client(program).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let found = || {
        let told: Value =
            serde_json::from_str(&run(binary::path().to_str().unwrap(), &["doctor", "--json"])).unwrap();
        told["findings"].as_array().unwrap().clone()
    };
    for (setting, wrong, rule) in [
        ("net.ipv4.tcp_window_scaling", "0", "net.tcp.window_scaling_off"),
        ("net.ipv4.tcp_moderate_rcvbuf", "0", "net.tcp.moderate_rcvbuf_off"),
        ("net.ipv4.tcp_sack", "0", "net.tcp.options_off"),
    ] {
        let is_found = |findings: &[Value]| findings.iter().any(|one| one["rule"] == rule);
        assert!(!is_found(&found()), "{rule} in a namespace as it was made");
        run("sysctl", &["-w", &format!("{setting}={wrong}")]);
        let findings = found();
        let finding = findings.iter().find(|one| one["rule"] == rule).unwrap();
        let fix = finding["fix"].as_str().unwrap();
        let words: Vec<&str> = fix.split(". ").next().unwrap().split(' ').collect();
        assert!(words[0] == "sysctl" && fix.contains(setting), "{fix}");
        run(words[0], &words[1..]);
        assert!(!is_found(&found()), "{rule} after: {fix}");
        // Its undo restores the earlier value.
        let undo = finding["rollback"].as_str().unwrap();
        let words: Vec<&str> = undo.split("; ").next().unwrap().split(' ').collect();
        run(words[0], &words[1..]);
        assert_eq!(run("sysctl", &["-n", setting]).trim(), wrong, "{undo}");
        run("sysctl", &["-w", &format!("{setting}=1")]);
    }
}

/// Invalid content is reported with its place, hides no rule, and causes no finding.
#[test]
fn damaged_texts_are_named_and_hide_nothing() {
    let scratch = Scratch::new();
    let folder = collected(
        &scratch,
        &[
            ("uname -sr", "Linux 6.1.0\n"),
            ("/proc/self/mountinfo", &format!("{NFS}\u{1}\u{2} <html>\n")),
            ("/proc/mdstat", "Personalities : [raid6]\nmd0 : active raid6 sdb[0]\n      97663 blocks [6/"),
            ("testparm -s -v", "[global]\n\tuse send"),
            ("smbstatus --json", "{\"sessions\": {\n"),
            ("/proc/meminfo", "MemTotal: 65889408 kB\nMemAvailable: 60123456 kB\n"),
            ("/proc/sys/vm/dirty_ratio", "20\n"),
            ("/proc/sys/vm/dirty_bytes", "99999999999999999999999\n"),
            ("/proc/sys/net/ipv4/tcp_sack", "yes please\n"),
            ("/proc/sys/net/ipv4/tcp_timestamps", "1"),
            ("notes \u{1b}[31m.txt", "mine"),
        ],
    );
    let json = from(&folder, &["--server", "--json"]).expect_code(1).json();
    let named: Vec<&str> =
        json["not_understood"].as_array().unwrap().iter().map(|gap| gap["text"].as_str().unwrap()).collect();
    assert_eq!(
        named,
        [
            "/proc/mdstat",
            "/proc/self/mountinfo",
            "/proc/sys/net/ipv4/tcp_sack",
            "/proc/sys/net/ipv4/tcp_timestamps",
            "/proc/sys/vm/dirty_bytes",
            "smbstatus --json",
            "testparm -s -v",
        ],
        "{json:#}"
    );
    assert_eq!(json["not_read"].as_array().unwrap().len(), 1, "{json:#}");
    // Undamaged lines still lead to findings; the content of damaged ones is unknown.
    assert!(ids(&json, "findings").contains(&"nfs.proto_udp".to_owned()), "{json:#}");
    let not_looked = ids(&json, "not_looked_at");
    for id in ["vm.dirty_limits", "net.tcp.options_off", "smb.signing_required", "fs.free_space_low"] {
        assert!(not_looked.contains(&id.to_owned()), "{id}: {json:#}");
    }
    let outcome = from(&folder, &["--server"]).expect_code(1);
    let (screen, text) = (&outcome.stdout, outcome.words());
    for said in [
        ": 7 texts",
        "reelgauge doctor --collect-script",
        "/proc/self/mountinfo",
        "(line 4: '",
        "/proc/mdstat",
        "/proc/sys/vm/dirty_bytes",
        "('99999999999999999999999…",
        ": 1 file ",
        ": notes ",
    ] {
        assert!(text.contains(said) || said.contains('…'), "{said}\n{screen}");
    }
    assert!(!text.contains(" TB ") && !screen.contains('\u{1b}'), "{screen}");
}

/// Text without a valid encoding, from the host or the command line, must not end the program.
#[test]
fn words_in_no_encoding_are_refused_in_a_sentence() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    let name = scratch.path().join(std::ffi::OsStr::from_bytes(b"x\xff\xfey"));
    std::fs::create_dir(&name).unwrap();
    let runs = scratch.path().join("runs");
    let word = |word: &str| std::ffi::OsString::from(word);
    let wrong = binary::run([word("watch"), word("--path"), name.clone().into()]).expect_code(2);
    assert!(wrong.stderr.contains("--path") && !wrong.stderr.contains("panicked"), "{}", wrong.said());
    let words = [
        word("watch"),
        name.clone().into(),
        word("--duration"),
        word("1s"),
        word("--out"),
        runs.clone().into(),
    ];
    let refused = binary::run(words).expect_code(2);
    assert!(refused.stderr.contains("UTF-8") && !runs.exists(), "{}", refused.said());
    let told = binary::run([word("doctor"), name.into(), word("--json")]);
    assert!(matches!(told.code, Some(0 | 1)) && told.json()["place"].is_object(), "{}", told.said());
}

#[test]
fn settings_of_a_real_samba_are_judged() {
    require!(Need::Tool("testparm"));
    let scratch = Scratch::new();
    let config = scratch.path().join("smb.conf");
    let judged = |lines: &str| {
        std::fs::write(&config, format!("[global]\n{lines}\n[media]\n path = /tmp\n")).unwrap();
        let settings = tool_with(&["testparm", "-s", "-v", config.to_str().unwrap()]).unwrap();
        let file = std::fs::read_to_string(&config).unwrap();
        let texts = [
            ("testparm -s -v", settings.as_str()),
            ("/etc/samba/smb.conf", &file),
            ("uname -sr", "Linux 6.1.0"),
        ];
        let folder = collected(&scratch, &texts);
        ids(&from(&folder, &["--server", "--json"]).json(), "findings")
    };
    assert_eq!(judged(""), Vec::<String>::new(), "as it was installed");
    for (lines, rule) in [
        (" socket options = TCP_NODELAY SO_RCVBUF=8192", "smb.samba.socket_options"),
        (" server signing = mandatory", "smb.signing_required"),
        (" server smb3 signing algorithms = aes-128-cmac", "smb.crypto_algorithm_slow"),
        (" server smb encrypt = required", "smb.encryption_on"),
        (" server multi channel support = no", "smb.multichannel_unused"),
        (" aio read size = 0", "smb.samba.aio_off"),
        (" sync always = yes", "smb.samba.sync_settings"),
        (" oplocks = no", "smb.samba.oplocks_leases"),
        (" smb2 max read = 65536", "smb.samba.max_rw"),
        (" log level = 5", "smb.samba.debug_and_vfs"),
        (" vfs objects = full_audit", "smb.samba.debug_and_vfs"),
        (" vfs objects = fruit\n fruit:zero_file_id = yes", "smb.samba.fruit"),
        (" vfs objects = catia fruit streams_xattr", "smb.samba.fruit_zero_file_id"),
        (" kernel oplocks = yes", "smb.samba.oplocks_leases"),
        (" strict sync = no", "smb.samba.sync_settings"),
    ] {
        assert_eq!(judged(lines), [rule], "{lines}");
    }
}

#[test]
fn uncollected_facts_do_not_pass() {
    let scratch = Scratch::new();
    let folder = collected(&scratch, &[("/proc/sys/net/ipv4/tcp_sack", "1\n")]);
    std::fs::write(folder.join("%2Fproc%2Fsys%2Fnet%2Fipv4%2Ftcp_window_scaling.why"), "not allowed\n")
        .unwrap();
    let told = from(&folder, &["--json"]).expect_code(2).json();
    assert_eq!(ids(&told, "in_order"), Vec::<String>::new(), "SACK alone is half of its rule");
    let unseen = told["not_looked_at"].as_array().unwrap();
    let reason = |id: &str| unseen.iter().find(|rule| rule["rule"] == id).unwrap()["reasons"][0].to_string();
    assert!(reason("net.tcp.window_scaling_off").contains("/proc/sys/net/ipv4/tcp_window_scaling"));
    assert!(reason("nfs.version").contains("'/proc/self/mountinfo'"), "{told:#}");
    assert_ne!(told["answer"], "", "{told:#}");
}

#[test]
fn hostile_texts_are_escaped_and_not_followed() {
    let scratch = Scratch::new();
    let mounts = "33 29 0:52 / /mnt/\u{1b}[2J\u{202e}x rw - nfs4 n:/\u{7} rw,vers=4.0,soft,proto=\u{1b}]0;udp,rsize=1,wsize=99999999999999999999999,addr=\u{9b}31m\n";
    let folder = collected(
        &scratch,
        &[
            ("/proc/self/mountinfo", mounts),
            ("/etc/os-release", "PRETTY_NAME=\"\u{1b}[31mred\"\n"),
            (
                "testparm -s -v",
                "[global]\n\tsocket options = SO_RCVBUF=8192\u{1b}[2J\n[\u{1b}[1m]\n\toplocks = No\n",
            ),
            ("smbstatus --json", "{\"sessions\": {\"\\u001b[2J\": {\"session_dialect\": \"SMB2_02\"}}}"),
            ("../../../../etc/passwd", "x"),
        ],
    );
    std::os::unix::fs::symlink("/etc/shadow", folder.join("%2Fetc%2Ffstab")).unwrap();
    tool_with(&["mkfifo", folder.join("zpool status").to_str().unwrap()]).unwrap();
    for more in [&["--server", "--all"][..], &["--server", "--json"]] {
        let outcome = from(&folder, more).expect_code(1);
        let text = outcome.stdout + &outcome.stderr;
        let is_bad = |c: &char| c.is_control() && *c != '\n' || matches!(c, '\u{202a}'..='\u{202e}');
        assert_eq!(text.chars().find(is_bad), None, "{text:?}");
        assert!(text.contains("nfs.proto_udp") && text.contains("smb.samba.socket_options"), "{text}");
    }
    // A pipe in the place of a text is reported, and not read.
    let told = from(&folder, &["--server", "--json"]).expect_code(1).stdout;
    assert!(told.contains("'zpool status' is "), "{told}");
}

#[test]
fn wrong_folders_and_paths_are_named() {
    let scratch = Scratch::new();
    let empty = scratch.dir("empty");
    assert!(from(&empty, &[]).expect_code(2).stderr.contains("--collect-script"));
    std::fs::write(empty.join("notes.txt"), "x").unwrap();
    std::fs::write(empty.join("%2Fproc%2Fmeminfo"), "\n").unwrap();
    std::fs::write(empty.join("ethtool eth0.why"), "not allowed\n").unwrap();
    assert!(from(&empty, &[]).expect_code(2).stderr.contains("--collect-script"));
    assert!(from(&scratch.path().join("gone"), &[]).expect_code(2).stderr.contains("gone"));
    let gone = scratch.path().join("no-such-folder");
    assert!(binary::run(["doctor", gone.to_str().unwrap()]).expect_code(2).stderr.contains("no-such-folder"));
    let folder = collected(&scratch, &[("/proc/self/mountinfo", NFS)]);
    assert!(from(&folder, &["clips"]).expect_code(2).stderr.contains("absolute path"));
    binary::run(["doctor", "--collect-script", "sh", "--server"]).expect_code(2);
}

#[test]
fn collected_texts_give_the_local_diagnosis() {
    require!(Need::Tool("dash"));
    let scratch = Scratch::new();
    let script = scratch.path().join("collect.sh");
    let text = binary::run(["doctor", "--collect-script", "sh"]).expect_code(0).stdout;
    assert!(!text.lines().any(|line| line.starts_with('@')), "a list was not filled in");
    std::fs::write(&script, text).unwrap();
    tool_with(&["dash", "-n", script.to_str().unwrap()]).unwrap();
    let lists =
        |told: &Value| ["findings", "in_order", "not_here", "documented_only"].map(|list| ids(told, list));
    // Other tests mount file systems and change interfaces. The comparison counts only if the host is
    // the same before and after.
    for attempt in 0..10 {
        let folder = scratch.path().join(format!("this-{attempt}"));
        let before = binary::run(["doctor", "--json"]).json();
        tool_with(&["dash", script.to_str().unwrap(), folder.to_str().unwrap()]).unwrap();
        let after = binary::run(["doctor", "--json"]).json();
        if lists(&before) != lists(&after) {
            continue;
        }
        let again = tool_with(&["dash", script.to_str().unwrap(), folder.to_str().unwrap()]);
        assert!(again.is_err(), "never twice into one folder");
        let there = from(&folder, &["--json"]).json();
        if lists(&there) == lists(&before) || attempt == 9 {
            assert_eq!(lists(&there), lists(&before));
            assert_eq!(there["system"], before["system"]);
            return;
        }
    }
    panic!("this machine was never the same before and after");
}

#[test]
fn the_script_keeps_no_passwords() {
    let scratch = Scratch::new();
    let (script, folder) = (scratch.path().join("collect.sh"), scratch.path().join("this"));
    let etc = scratch.dir("etc");
    std::fs::write(etc.join("fstab"), "//nas/m /mnt cifs user=a,password=s3cret,Pass=s3cret 0 0\n").unwrap();
    // The same script, with our own /etc.
    let text = binary::run(["doctor", "--collect-script", "sh"]).expect_code(0).stdout;
    let text = text.replace("/etc/", &format!("{}/", etc.display()));
    std::fs::write(&script, text).unwrap();
    tool_with(&["sh", script.to_str().unwrap(), folder.to_str().unwrap()]).unwrap();
    let name = etc.join("fstab").display().to_string().replace('/', "%2F");
    let kept = std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(kept, "//nas/m /mnt cifs user=a,password=hidden,Pass=hidden 0 0\n");
}

#[test]
fn the_script_for_powershell_asks_and_sets_nothing() {
    let text = binary::run(["doctor", "--collect-script", "powershell"]).expect_code(0).stdout;
    let words = text.split(|c: char| c.is_whitespace() || "'(){}|".contains(c));
    let commands: BTreeSet<&str> = words
        .filter(|word| {
            let begins = ["Set-", "New-", "Remove-", "Enable-", "Disable-", "Invoke-", "Start-", "Stop-"];
            begins.iter().any(|begin| word.starts_with(begin))
        })
        .collect();
    // Into the folder that it created.
    assert_eq!(commands, BTreeSet::from(["New-Item", "Set-Content"]));
}

#[test]
fn a_mount_that_others_serve_is_not_touched() {
    require!(Need::Tool("strace"));
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (scratch, faulty) = (Scratch::new(), Faulty::mount());
    let calls = scratch.path().join("calls.strace");
    let binary = binary::path().display().to_string();
    // The path does not exist. No call may access it to find that out.
    let path = faulty.path().join("no/such/clip").display().to_string();
    let strace = ["strace", "-f", "-o", calls.to_str().unwrap(), "-e", "trace=%file,%stat,%statfs,execve"];
    let told =
        tool_with(&strace.iter().copied().chain([&binary, "doctor", "--json", &path]).collect::<Vec<_>>());
    let text = std::fs::read_to_string(&calls).unwrap();
    let there = faulty.path().display().to_string();
    let touching: Vec<&str> =
        text.lines().filter(|line| line.contains(&there) && !line.contains("execve(")).collect();
    assert!(touching.is_empty() && text.contains("/proc/self/mountinfo"), "{touching:#?}");
    let told: Value = serde_json::from_str(&told.unwrap()).unwrap();
    assert_eq!(told["place"]["is_local"], false, "{told:#}");
}

/// Calls that could change something. Started commands are traced, too.
const CHANGING: [&str; 12] = [
    "O_WRONLY",
    "O_RDWR",
    "O_CREAT",
    "unlink(",
    "unlinkat(",
    "rename",
    "mkdir",
    "truncate(",
    "chmod(",
    "setxattr(",
    "mount(",
    "SIOCS",
];

/// Calls that change something whatever their arguments are.
const ALWAYS_CHANGING: &str = "init_module,finit_module,delete_module,swapon,swapoff,reboot,sethostname,\
    setdomainname,settimeofday,clock_settime,mknod,mknodat,symlink,symlinkat,link,linkat,fallocate,copy_file_range,\
    io_uring_setup,bpf,quotactl,mount,umount2,ftruncate,fchmod,fchown,fsetxattr";

/// Queries of a driver, a file system or a terminal that set nothing.
const ASKING: &[&str] = &[
    "TCGETS",
    "TIOCGWINSZ",
    "TIOCGPGRP",
    "FIONREAD",
    "FIONBIO",
    "FIOCLEX",
    "SIOCG",
    "SIOCETHTOOL",
    "FS_IOC_GETFSLABEL",
    "BTRFS_IOC_FS_INFO",
    "BTRFS_IOC_DEV_INFO",
    "BTRFS_IOC_SPACE_INFO",
    "BTRFS_IOC_TREE_SEARCH",
    "BTRFS_IOC_GET_DEV_STATS",
];

/// The queries among the message numbers of ethtool's family. The numbers between them set something.
const ETHTOOL_QUESTIONS: [u8; 17] = [1, 2, 4, 6, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 29, 32, 34];

/// Whether a message to the kernel is only a query. In ethtool's family the message number follows the
/// header; in other families the name shows it.
fn only_asks(line: &str) -> bool {
    let Some((_, kind)) = line.split_once("nlmsg_type=") else {
        // To another program than the kernel: a name is resolved.
        return !line.contains("AF_NETLINK");
    };
    match kind.strip_prefix("ethtool") {
        Some(rest) => rest.split_once("\"\\x").is_some_and(|(_, rest)| {
            u8::from_str_radix(rest.get(..2).unwrap_or_default(), 16)
                .is_ok_and(|number| ETHTOOL_QUESTIONS.contains(&number))
        }),
        None => {
            let name = kind.split([',', '}']).next().unwrap_or_default();
            name.contains("GET") || ["SOCK_DIAG_BY_FAMILY", "nlctrl"].iter().any(|asks| name.contains(asks))
        }
    }
}

/// Whether a call that succeeded changes something.
fn changes(line: &str) -> bool {
    let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
    let name = call.split('(').next().unwrap_or_default();
    match name {
        "ioctl" => !ASKING.iter().any(|asks| call.contains(&format!(", {asks}"))),
        "sendto" | "sendmsg" => !only_asks(call),
        _ if ALWAYS_CHANGING.split(',').any(|one| one == name) => true,
        _ => CHANGING.iter().any(|call| line.contains(call)),
    }
}

#[test]
fn changing_calls_are_distinguished_from_queries() {
    for line in [
        "7 openat(AT_FDCWD, \"/proc/sys/vm/swappiness\", O_WRONLY|O_CLOEXEC) = 3",
        "7 ioctl(3, SIOCSIFMTU, {ifr_name=\"eth0\"}) = 0",
        "7 ioctl(3, BLKRASET, 4096) = 0",
        "7 sendto(3, [{nlmsg_len=32, nlmsg_type=RTM_SETLINK, nlmsg_flags=0x5}], 32, 0, NULL, 0) = 32",
        "7 sendto(3, [{nlmsg_len=36, nlmsg_type=ethtool, nlmsg_flags=0x5}, \"\\x10\\x01\\x00\"], 36, 0) = 36",
        "7 swapon(\"/dev/sda2\", 0) = 0",
        "7 ftruncate(3, 0) = 0",
    ] {
        assert!(changes(line), "{line}");
    }
    for line in [
        "7 openat(AT_FDCWD, \"/proc/sys/vm/swappiness\", O_RDONLY|O_CLOEXEC) = 3",
        "7 ioctl(1, TCGETS, 0x7ffd) = 0",
        "7 sendto(3, [{nlmsg_len=32, nlmsg_type=RTM_GETLINK, nlmsg_flags=0x301}], 32, 0, NULL, 0) = 32",
        "7 sendto(3, [{nlmsg_len=36, nlmsg_type=ethtool, nlmsg_flags=0x5}, \"\\x0f\\x01\\x00\"], 36, 0) = 36",
        "7 sendto(3, \"a question\", 10, 0, {sa_family=AF_INET}, 16) = 10",
    ] {
        assert!(!changes(line), "{line}");
    }
}

/// Files opened for writing that are no settings of the host.
fn is_harmless(line: &str) -> bool {
    line.contains("\"/dev/null\"") || line.contains("\"/dev/tty\"")
}

#[test]
fn doctor_changes_nothing() {
    require!(Need::Tool("strace"));
    let scratch = Scratch::new();
    let calls = scratch.path().join("calls.strace");
    let binary = binary::path().display().to_string();
    let what = format!("trace=%file,ioctl,sendto,sendmsg,{ALWAYS_CHANGING}");
    for more in [&["--server"][..], &["/"]] {
        // Non-text bytes are printed as numbers.
        let strace = ["strace", "-f", "-x", "-e", &what, "-o", calls.to_str().unwrap()];
        let words = strace.iter().copied().chain([binary.as_str(), "doctor", "--json"]).collect::<Vec<_>>();
        // Its exit code depends on its findings.
        let _ = tool_with(&words.iter().chain(more).copied().collect::<Vec<_>>());
        let text = std::fs::read_to_string(&calls).unwrap();
        assert!(text.contains("/proc/sys/net/ipv4/tcp_window_scaling"), "it has looked");
        // Failed calls, and lines about the end of a process, changed nothing.
        let is_done =
            |line: &&str| line.contains('(') && !line.contains(" = -1 ") && !line.contains("resumed>");
        let done = text.lines().filter(is_done);
        let changing: Vec<&str> = done.filter(|line| !is_harmless(line) && changes(line)).collect();
        assert!(changing.is_empty(), "{changing:#?}");
    }
}
