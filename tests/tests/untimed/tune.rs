//! The programs accept the fragments that `tune` prints for them, and nothing else is written.

use std::path::Path;
use std::process::Command;

use reelgauge_tests::binary;
use reelgauge_tests::link::Link;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::powershell;
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;

/// Sites of opposite kinds.
const SITES: [&[&str]; 3] = [
    &[],
    &[
        "--server-link",
        "10Gbit",
        "--client-link",
        "1Gbit",
        "--clients",
        "12",
        "--disks",
        "hdd",
        "--memory",
        "64GiB",
    ],
    &[
        "--server-link",
        "100Gbit",
        "--client-link",
        "100Gbit",
        "--clients",
        "1",
        "--disks",
        "ssd",
        "--round-trip",
        "2ms",
    ],
];

/// A fragment's text.
fn fragment(purpose: &str, name: &str, more: &[&str]) -> String {
    let words = [&["tune", "--for", purpose, "--json"][..], more].concat();
    let told = binary::run(words).expect_code(0).json();
    let all = told["fragments"].as_array().unwrap();
    let one = all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {told:#}"));
    one["text"].as_str().unwrap().to_owned()
}

#[test]
fn samba_takes_its_lines_and_the_doctor_finds_nothing_to_change() {
    require!(Need::Tool("testparm"));
    let scratch = Scratch::new();
    for (at, more) in SITES.iter().enumerate() {
        let more = [*more, &["--path", "/tmp"]].concat();
        let config = scratch.path().join(format!("{at}.conf"));
        let text = fragment("smb", "smb.conf", &more);
        std::fs::write(&config, &text).unwrap();
        let checked = Command::new("testparm").args(["-s", "-v"]).arg(&config).output().unwrap();
        let complaints = String::from_utf8_lossy(&checked.stderr);
        let is_bad =
            |line: &str| ["Unknown", "Ignoring", "ERROR", "invalid"].iter().any(|bad| line.contains(bad));
        assert!(checked.status.success() && !complaints.lines().any(is_bad), "{complaints}\n{text}");
        let folder = scratch.dir(&format!("collected-{at}"));
        std::fs::write(folder.join("testparm -s -v"), &checked.stdout).unwrap();
        std::fs::write(folder.join("uname -sr"), "Linux 6.1.0").unwrap();
        std::fs::write(folder.join("%2Fetc%2Fsamba%2Fsmb.conf"), &text).unwrap();
        let told = binary::run(["doctor", "--server", "--json", "--from", folder.to_str().unwrap()]);
        let told = told.expect_code(0).json();
        assert_eq!(told["findings"].as_array().unwrap().len(), 0, "{told:#}");
        assert!(told["in_order"].as_array().unwrap().len() > 8, "{told:#}");
    }
}

/// TCP settings belong to a network namespace, so they are loaded in one. The others apply to the whole
/// host: the test checks only that each of them exists.
#[test]
fn the_kernel_takes_its_settings() {
    require!(Need::Root, Need::Tool("ip"), Need::Tool("tc"), Need::Tool("nsenter"), Need::Tool("sysctl"));
    let (scratch, link) = (Scratch::new(), Link::new(1000));
    for (purpose, more) in SITES.iter().flat_map(|more| [("smb", more), ("client-linux", more)]) {
        let text = fragment(purpose, "sysctl.conf", more);
        let settings = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        // A namespace may not choose the congestion control, unless the host permits it.
        let is_of_machine =
            |line: &&str| !line.starts_with("net.ipv4.") || line.contains("congestion_control");
        let (of_machine, of_namespace): (Vec<&str>, Vec<&str>) = settings.partition(is_of_machine);
        assert!(of_namespace.len() >= 4, "{text}");
        for line in of_machine {
            let name = line.split(' ').next().unwrap();
            let file = Path::new("/proc/sys").join(name.replace('.', "/"));
            assert!(file.exists(), "{line}: this kernel has no {}", file.display());
        }
        let file = scratch.path().join("90.conf");
        std::fs::write(&file, of_namespace.join("\n") + "\n").unwrap();
        let loaded = link.on_client("sysctl").arg("-p").arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&loaded.stderr);
        assert!(loaded.status.success() && said.is_empty(), "{said}\n{text}");
        // The settings were applied.
        let wanted = of_namespace.iter().find(|line| line.contains("tcp_sack")).unwrap();
        let has = link.on_client("sysctl").arg("net.ipv4.tcp_sack").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&has.stdout).trim(), *wanted);
    }
}

/// The command in a fragment's comment that saves the current settings.
fn keeping(text: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with("#   sysctl ")).map(|line| &line[1..]);
    let mut command = String::new();
    for line in lines {
        match line.strip_suffix(" \\") {
            Some(part) => command.push_str(part),
            None => return command + line,
        }
    }
    panic!("no command in {text}");
}

/// The commands in a fragment's comments save the former settings and restore them, whatever they were.
#[test]
fn the_kernel_gets_its_former_settings_back() {
    require!(Need::Root, Need::Tool("ip"), Need::Tool("tc"), Need::Tool("nsenter"), Need::Tool("sysctl"));
    let (scratch, link) = (Scratch::new(), Link::new(1000));
    let text = fragment("smb", "sysctl.conf", SITES[2]);
    let file = scratch.path().join("90-reelgauge-media.conf");
    // The folder is ours, and settings that a namespace may not choose are omitted.
    let place = format!("{}/", scratch.path().display());
    let text = text.replace("/etc/sysctl.d/", &place).replace("net.ipv4.tcp_congestion_control", "#");
    std::fs::write(&file, &text).unwrap();
    let run = |command: &str| {
        let output = link.on_client("sh").args(["-c", command]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    // Not the defaults of a namespace.
    run("sysctl -w net.ipv4.tcp_sack=0 net.ipv4.tcp_mtu_probing=2 net.ipv4.tcp_rmem='4096 65536 700000'");
    let state =
        || run("sysctl net.ipv4.tcp_sack net.ipv4.tcp_mtu_probing net.ipv4.tcp_rmem net.ipv4.tcp_wmem");
    let before = state();
    let command = keeping(&text).replace(" #", "");
    let said = run(&command);
    assert_eq!(said, "", "{command}");
    run(&format!("sysctl -p {}", file.display()));
    assert_ne!(state(), before);
    let flat = text.replace("\n#  ", "");
    let undo = flat.lines().find_map(|line| line.split_once("Undo: ")).unwrap().1;
    run(undo);
    assert_eq!(state(), before, "{undo}");
    assert!(!file.exists(), "{undo}");
}

#[test]
fn contradictory_site_facts_are_refused_without_writing() {
    for (wrong, said) in [
        (&["--topology", "fan-in", "--server-link", "10Gbit", "--client-link", "10Gbit"][..], "contradicts"),
        (&["--topology", "several", "--clients", "1"], "contradicts --clients 1"),
        (&["--topology", "several", "--server-link", "10Gbit", "--client-link", "1Gbit"], "contradicts"),
    ] {
        let refused = binary::run([&["tune", "--for", "smb"][..], wrong].concat()).expect_code(2);
        assert!(refused.stderr.contains(said) && refused.stdout.is_empty(), "{}", refused.said());
    }
    let out = binary::run(["tune", "--for", "client-linux", "--protocol", "smb"]).expect_code(0).stdout;
    assert!(!out.contains("nfs.conf") && !out.contains("nfsrahead"), "{out}");
    for purpose in ["smb", "nfs", "zfs", "client-linux", "client-macos", "client-windows", "truenas"] {
        for more in SITES {
            let more = [more, &["--protocol", "nfs"][..]].concat();
            let out = binary::run([&["tune", "--for", purpose][..], &more].concat()).expect_code(0).words();
            assert!(!out.contains("But: No "), "{out}");
        }
    }
}

/// NFS-Ganesha reads its configuration before it does anything else, and reports errors in it. It then
/// ends because it has no port mapper, which does not matter here.
#[test]
fn ganesha_understands_its_export() {
    require!(
        Need::Root,
        Need::Tool("ganesha.nfsd"),
        Need::Tool("ip"),
        Need::Tool("tc"),
        Need::Tool("nsenter")
    );
    let (scratch, link) = (Scratch::new(), Link::new(1000));
    let said = |text: &str| {
        let (config, log) = (scratch.path().join("ganesha.conf"), scratch.path().join("ganesha.log"));
        let _ = std::fs::remove_file(&log);
        std::fs::write(&config, text).unwrap();
        std::fs::create_dir_all("/var/run/ganesha").unwrap();
        let mut ganesha = link.on_server("timeout");
        ganesha.args(["--signal=KILL", "4", "ganesha.nfsd", "-F", "-N", "NIV_EVENT", "-L"]).arg(&log);
        ganesha.arg("-f").arg(&config).arg("-p").arg(scratch.path().join("ganesha.pid"));
        ganesha.output().unwrap();
        std::fs::read_to_string(&log).unwrap_or_default()
    };
    let complains = |log: &str| log.contains("config_errs_to_log");
    let shared = scratch.dir("shared");
    let text = fragment("nfs", "ganesha.conf", &["--path", shared.to_str().unwrap()]);
    let log = said(&text);
    assert!(log.contains("successfully parsed") && !complains(&log), "{log}\n{text}");
    let wrong = said(&text.replace("MaxRead", "MaxReed"));
    assert!(complains(&wrong), "a wrong line would not be seen: {wrong}");
}

/// Where the kernel server's tool is installed, it reads the exports.
#[test]
fn exports_are_lines_that_exportfs_reads() {
    let text = fragment("nfs", "exports", &["--path", "/tmp"]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert_eq!(lines, ["/tmp 10.0.0.0/24(rw,sync,no_subtree_check,sec=sys)"]);
    if !Path::new("/usr/sbin/exportfs").exists() {
        eprintln!("skipped: no exportfs here reads the line; NFS-Ganesha's parser is tried above");
        return;
    }
    require!(Need::Root, Need::Tool("unshare"));
    let scratch = Scratch::new();
    let exports = scratch.path().join("exports");
    std::fs::write(&exports, &text).unwrap();
    let read = "mount --bind \"$0\" /etc/exports && exportfs -ra && exportfs -s";
    tool_with(&["unshare", "-m", "sh", "-c", read, exports.to_str().unwrap()]).unwrap();
}

#[test]
fn powershell_parses_its_script() {
    let text = fragment("client-windows", "client.ps1", SITES[2]);
    // No line runs anything besides the fragment's own commands, and quotes and brackets are closed.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
            assert_eq!(line.matches(open).count(), line.matches(close).count(), "{line}");
        }
        assert!(line.matches('\'').count().is_multiple_of(2), "{line}");
    }
    match powershell::is_here() {
        true => powershell::parse(&text),
        false => eprintln!(
            "skipped: no PowerShell here, and Debian has none; quotes and brackets alone were tried"
        ),
    }
}

#[test]
fn shell_commands_and_mount_lines_are_whole() {
    let scratch = Scratch::new();
    for (purpose, name) in [
        ("smb", "link.sh"),
        ("zfs", "zfs-dataset.sh"),
        ("client-macos", "mac.sh"),
        ("client-linux", "link.sh"),
    ] {
        for more in SITES {
            let script = scratch.path().join("fragment.sh");
            std::fs::write(&script, fragment(purpose, name, more)).unwrap();
            tool_with(&["sh", "-n", script.to_str().unwrap()]).unwrap();
        }
    }
    for protocol in ["nfs", "smb"] {
        let more = [SITES[2], &["--protocol", protocol]].concat();
        let text = fragment("client-linux", "fstab", &more);
        let line = text.lines().find(|line| !line.starts_with('#') && !line.is_empty()).unwrap();
        assert_eq!(line.split(' ').count(), 6, "{line}");
    }
}

#[test]
fn files_are_written_once_and_only_in_the_requested_place() {
    let scratch = Scratch::new();
    let out = scratch.path().join("out");
    let words = ["tune", "--for", "client-macos", "--out", out.to_str().unwrap()];
    let said = binary::run(words).expect_code(0).words();
    assert!(said.contains("nsmb.conf") && said.contains("Nothing "), "{said}");
    let names: Vec<_> = std::fs::read_dir(&out).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    std::fs::write(out.join("nsmb.conf"), "mine").unwrap();
    assert!(binary::run(words).expect_code(2).stderr.contains("already exists"));
    assert_eq!(std::fs::read_to_string(out.join("nsmb.conf")).unwrap(), "mine");
    for wrong in [
        &["--server-link", "10"][..],
        &["--topology", "single", "--server-link", "10Gbit", "--client-link", "1Gbit"],
        &["--path", "/srv/$(reboot)"],
        &["--memory", "8GiB", "--reserve", "9GiB"],
    ] {
        binary::run([&["tune", "--for", "smb"][..], wrong].concat()).expect_code(2);
    }
}

/// An incomplete file is removed, so that it does not block the next run.
#[test]
fn a_full_disk_leaves_no_part_of_a_file() {
    require!(Need::Root, Need::FileSystem("tmpfs"));
    let disk = TempMount::tmpfs(1);
    let full = disk.path().join("full");
    let filled = std::fs::write(&full, vec![0; 2 << 20]);
    assert!(filled.is_err(), "the disk has to be full");
    let words = ["tune", "--for", "smb", "--out", disk.path().to_str().unwrap()];
    let refused = binary::run(words).expect_code(2);
    assert!(refused.stderr.contains("free space"), "{}", refused.said());
    let left: Vec<_> =
        std::fs::read_dir(disk.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["full"]);
    std::fs::remove_file(&full).unwrap();
    binary::run(words).expect_code(0);
}

/// The stated default is the value that this Samba uses without a setting.
#[test]
fn stated_samba_defaults_match_testparm() {
    require!(Need::Tool("testparm"));
    let scratch = Scratch::new();
    let empty = scratch.path().join("empty.conf");
    std::fs::write(&empty, "[global]\n[media]\npath = /tmp\n").unwrap();
    let shown = Command::new("testparm").args(["-s", "-v"]).arg(&empty).output().unwrap();
    let shown = String::from_utf8_lossy(&shown.stdout).to_lowercase();
    // Lists have commas there.
    let setting = |line: &str| line.trim().to_lowercase().replace(',', "");
    let usual: Vec<String> = shown.lines().map(setting).collect();
    let words = ["tune", "--for", "smb", "--json", "--samba", "4.17"];
    let told = binary::run(words).expect_code(0).json();
    let smb = &told["fragments"].as_array().unwrap()[0];
    let lines = smb["fragment"]["parts"].as_array().unwrap().iter().map(|part| &part["is"]);
    let defaults: Vec<&str> = lines
        .filter(|line| line["because"] == "is_default")
        .filter_map(|line| line["text"].as_str())
        .collect();
    assert!(defaults.len() > 12, "{defaults:?}");
    for line in defaults {
        assert!(usual.contains(&setting(line)), "{line} is not the default:\n{shown}");
    }
}

#[test]
fn site_error_has_position_and_units() {
    for (words, said) in [
        (&["--share", "a;b"][..], "character ;"),
        (&["--path", "/srv/$(id)"], "character $"),
        (&["--interface", "a b"], "blank"),
        (&["--memory", "32GiB", "--reserve", "64GiB"], "less than 32 GiB"),
    ] {
        let refused = binary::run([&["tune", "--for", "smb"][..], words].concat()).expect_code(2);
        assert!(refused.stderr.contains(said) && refused.stdout.is_empty(), "{}", refused.said());
    }
}

#[test]
fn a_folder_that_is_a_link_is_not_followed() {
    let scratch = Scratch::new();
    let (theirs, link) = (scratch.dir("theirs"), scratch.path().join("link"));
    std::os::unix::fs::symlink(&theirs, &link).unwrap();
    for out in [link.display().to_string(), format!("{}/", link.display())] {
        let refused = binary::run(["tune", "--for", "smb", "--out", &out]).expect_code(2);
        assert!(refused.stderr.contains("symbolic link"), "{}", refused.said());
    }
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 0);
}
