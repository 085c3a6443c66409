//! Real traces of other tools in `tests/cases`: each file imports with the operations in its
//! `expected.md`, or is refused with the remedy.

use std::path::{Path, PathBuf};

use reelgauge_tests::binary;
use reelgauge_tests::scratch::Scratch;
use serde_json::Value;

/// The result of an import.
struct Imported {
    /// The verb's output as JSON.
    told: Value,
    /// `read mnt/nas/a.mov 0+65536`, in the order of the trace.
    ops: Vec<String>,
    /// The start of each, in microseconds.
    starts_us: Vec<u64>,
    /// The duration of each, in microseconds; 0 if the source has no durations.
    took_us: Vec<u64>,
}

fn case(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(path)
}

/// The files of a case, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(case(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.is_file() && !path.ends_with("expected.md")).collect();
    files.sort();
    assert!(!files.is_empty(), "{folder}");
    files
}

#[track_caller]
fn import(file: &Path) -> Imported {
    let scratch = Scratch::new();
    let out = scratch.dir("traces");
    let told = binary::run([
        "import".as_ref(),
        file.as_os_str(),
        "--json".as_ref(),
        "--out".as_ref(),
        out.as_os_str(),
    ])
    .expect_code(0)
    .json();
    assert_eq!(told["malformed_lines"], 0, "{}: {told}", file.display());
    let ops = binary::run(["ops", told["dir"].as_str().unwrap(), "--json"]).expect_code(0).json();
    let ops = ops.as_array().unwrap();
    let number = |op: &Value, key: &str| op[key].as_u64().unwrap();
    let line = |op: &Value| {
        let named = format!("{} {}", op["kind"].as_str().unwrap(), op["file"].as_str().unwrap());
        match (op["offset_bytes"].as_u64(), op["length_bytes"].as_u64()) {
            (Some(offset), Some(len)) => format!("{named} {offset}+{len}"),
            _ => named,
        }
    };
    Imported {
        ops: ops.iter().map(line).collect(),
        starts_us: ops.iter().map(|op| number(op, "issued_ns") / 1000).collect(),
        took_us: ops.iter().map(|op| op["service_ns"].as_u64().unwrap_or(0) / 1000).collect(),
        told,
    }
}

/// Imports a text written by the test.
#[track_caller]
fn import_text(text: &str) -> Imported {
    let scratch = Scratch::new();
    let file = scratch.path().join("source.txt");
    std::fs::write(&file, text).unwrap();
    import(&file)
}

impl Imported {
    /// The recorded step back of the clock: how often, how much in milliseconds, at which line.
    fn steps(&self) -> Option<(u64, u64, u64)> {
        let notes = self.told["notes"].as_array()?;
        let note = notes.iter().find(|note| note["kind"] == "clock_went_back")?;
        let number = |key: &str| note[key].as_u64().unwrap();
        Some((number("times"), number("largest_ns") / 1_000_000, number("first_line")))
    }

    fn has_note(&self, kind: &str) -> bool {
        self.told["notes"].as_array().is_some_and(|notes| notes.iter().any(|note| note["kind"] == kind))
    }
}

/// The message of a refusal.
#[track_caller]
fn refused(file: &Path) -> String {
    let scratch = Scratch::new();
    let out = scratch.dir("traces");
    let outcome = binary::run(["import".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()]);
    let outcome = outcome.expect_code(2);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0, "nothing is left behind");
    outcome.stderr
}

#[test]
fn fio_logs_of_devices_import_like_those_of_files() {
    for (file, name) in [("trace.log", "dev/nvme0n1"), ("same-with-a-file.log", "mnt/nas/a.mov")] {
        let imported = import(&case("fio-block-device").join(file));
        let wanted =
            [format!("open {name}"), format!("read {name} 1000+4096"), format!("read {name} 5096+4096")];
        assert_eq!(imported.ops, wanted, "{file}");
        assert_eq!(imported.starts_us, [100, 100, 350]);
        assert_eq!(imported.told["warnings"].as_array().unwrap().len(), 1, "the opening was put in front");
    }
    let imported = import(&case("fio-jobs/device-version-2.log"));
    let wanted =
        ["open dev/sdb", "read dev/sdb 0+65536", "write dev/sdb 65536+4096", "sync dev/sdb", "close dev/sdb"];
    assert_eq!(
        (&imported.ops[..], &imported.starts_us[..]),
        (&wanted.map(str::to_owned)[..], &[0, 0, 250, 250, 250][..])
    );
    let imported = import(&case("fio-jobs/devices-without-open.log"));
    let wanted = [
        "open dev/disk/by-id/nvme-0001",
        "read dev/disk/by-id/nvme-0001 0+4096",
        "open dev/md0",
        "write dev/md0 1048576+8192",
        "read dev/disk/by-id/nvme-0001 4096+4096",
    ];
    assert_eq!(imported.ops, wanted);
    let imported = import(&case("fio-jobs/name-with-blank.log"));
    assert_eq!(imported.ops[1], "write mnt/nas/with blank 0+16384");
}

#[test]
fn fio_jobs_in_one_log_follow_each_other() {
    let imported = import(&case("fio-jobs/two-jobs.log"));
    let kinds: Vec<&str> = imported.ops.iter().map(|op| op.split(' ').next().unwrap()).collect();
    let wanted =
        ["open", "read", "read", "read", "read", "close", "open", "write", "write", "sync", "write", "write"];
    assert_eq!(kinds[..12], wanted);
    // The second job's first line, at 14 us, follows the close at 3,519 us.
    let start_us = imported.starts_us[0];
    assert_eq!([5, 6, 7, 12].map(|at| imported.starts_us[at] - start_us), [3369, 3446, 3447, 12880]);
    assert_eq!(imported.steps(), Some((1, 3, 10)));
    let imported = import(&case("clock-goes-back/replay.log"));
    assert_eq!(imported.ops.len(), 15);
    assert_eq!(imported.ops[12], "read mnt/nas/vol.img 497433108992+4096");
    assert_eq!(imported.starts_us[11..], [1_000_007, 1_000_007, 2_000_007, 2_000_008]);
    assert_eq!(imported.steps(), Some((1, 1000, 15)));
}

#[test]
fn strace_lines_keep_their_order_where_the_clock_goes_back() {
    let imported = import(&case("clock-goes-back/step.strace"));
    let writes = (0..4).map(|at| format!("write mnt/nas/rec.mxf {}+1000000", at * 1_000_000));
    let wanted: Vec<String> = std::iter::once("create mnt/nas/rec.mxf".to_owned())
        .chain(writes)
        .chain(["close mnt/nas/rec.mxf".to_owned()])
        .collect();
    assert_eq!(imported.ops, wanted);
    assert_eq!(imported.starts_us, [0, 100_000, 600_000, 610_000, 1_110_000, 1_610_000]);
    assert_eq!(imported.took_us, [500, 10_000, 10_000, 10_000, 10_000, 100]);
    assert_eq!(imported.steps(), Some((1, 1800, 4)));
}

#[test]
fn a_step_of_the_clock_is_one_step_for_all_threads() {
    for (file, starts_us, steps) in [
        ("two-threads", &[0, 200_000, 300_000, 300_000, 400_000, 600_000][..], (1, 2800, 5)),
        ("other-thread-first", &[0, 200_000, 1_000_000, 1_000_000, 1_100_000], (1, 500, 5)),
        ("with-steps", &[0, 500_000, 1_200_000, 1_700_000], (1, 3000, 3)),
        ("split-call", &[0, 100_000, 250_000], (1, 900, 4)),
    ] {
        let imported = import(&case("strace-clock-steps").join(format!("{file}.strace")));
        let ends = [&imported.ops[0][..4], &imported.ops[imported.ops.len() - 1][..5]];
        assert_eq!(ends, ["open", "close"], "{file}");
        assert_eq!(imported.starts_us, starts_us, "{file}: {:?}", imported.ops);
        assert_eq!(imported.steps(), Some(steps), "{file}");
    }
}

#[test]
fn strace_on_standard_error_is_the_same_as_in_a_file() {
    for file in files("strace-on-stderr") {
        let imported = import(&file);
        let wanted = [
            "open mnt/nas/a.mov",
            "read mnt/nas/a.mov 0+65536",
            "read mnt/nas/a.mov 65536+8192",
            "read mnt/nas/a.mov 73728+65536",
            "close mnt/nas/a.mov",
        ];
        assert_eq!(imported.ops, wanted, "{}", file.display());
        assert_eq!(*imported.starts_us.last().unwrap(), 7378, "the parent closes it, at the end");
        assert_eq!(imported.told["warnings"].as_array().unwrap().len(), 0, "{}", imported.told);
        assert_eq!(imported.told["threads"], 2);
    }
}

#[test]
fn strace_with_decorations_gives_the_same_operations() {
    for file in files("strace-decode-pids") {
        let imported = import(&file);
        let wanted = [
            "open mnt/nas/cut.mov",
            "read mnt/nas/cut.mov 0+262144",
            "read mnt/nas/cut.mov 262144+262144",
            "close mnt/nas/cut.mov",
        ];
        assert_eq!(imported.ops, wanted, "{}", file.display());
        assert_eq!(imported.took_us, [300, 4000, 4000, 20]);
    }
    for file in files("strace-decorations") {
        let imported = import(&file);
        let mut wanted = vec![
            "open mnt/nas/a.mov",
            "read mnt/nas/a.mov 0+65536",
            "read mnt/nas/a.mov 65536+1000",
            "read mnt/nas/a.mov 100000+4096",
            "read mnt/nas/a.mov 66536+8192",
            "read mnt/nas/a.mov 74728+5",
            "read mnt/nas/a.mov 74733+7",
            "close mnt/nas/a.mov",
        ];
        if file.ends_with("stderr-very-quiet.strace") {
            wanted.pop();
        }
        assert_eq!(imported.ops, wanted, "{}", file.display());
        assert_eq!(imported.told["threads"], 4, "{}", file.display());
        assert_eq!(imported.steps(), None, "{}", file.display());
    }
    for file in files("strace-thread-execs") {
        let imported = import(&file);
        let wanted = [
            "open mnt/nas/a.mov",
            "open mnt/nas/a.mov",
            "read mnt/nas/a.mov 0+10",
            "read mnt/nas/a.mov 10+8192",
            "close mnt/nas/a.mov",
            "close mnt/nas/a.mov",
        ];
        assert_eq!(imported.ops, wanted, "{}", file.display());
    }
}

#[test]
fn fs_usage_without_w_is_refused_with_the_command() {
    for file in [
        "fs-usage-without-w/narrow.txt",
        "fs-usage-widths/narrow-reads.txt",
        "fs-usage-widths/narrow-long.txt",
    ] {
        let why = refused(&case(file));
        assert!(why.contains("without -w"), "{why}");
        assert!(why.contains("sudo fs_usage -w -f filesys"), "{why}");
    }
}

#[test]
fn fs_usage_w_keeps_names_and_drops_truncated_lines() {
    let imported = import(&case("fs-usage-widths/wide.txt"));
    let name = "Volumes/media/Job 12/Camera A/A001_C002 take 2.mov";
    let wanted = [
        format!("open {name}"),
        format!("stat {name}"),
        format!("read {name} 0+1048576"),
        format!("read {name} 65536+32768"),
        format!("close {name}"),
    ];
    assert_eq!(imported.ops, wanted);
    let below = "disk I/O below the file system (RdData, WrData, PgIn and similar)";
    assert_eq!(imported.told["left_out"][below], 3, "{}", imported.told);
    let imported = import(&case("fs-usage-widths/cut-path.txt"));
    assert_eq!(imported.ops, ["open clips/B001.mov", "read clips/B001.mov 0+8192", "close clips/B001.mov"]);
    let cut = "a path whose beginning fs_usage cut off (it was too long for the line)";
    assert_eq!(imported.told["left_out"][cut], 3, "{}", imported.told);
    let imported = import(&case("fs-usage-widths/midnight.txt"));
    let offsets: Vec<&str> =
        imported.ops.iter().filter_map(|op| op.strip_prefix("read Volumes/m/a.mov ")).collect();
    assert_eq!(offsets, ["0+4096", "4096+4096", "8192+4096"]);
    assert_eq!(imported.ops.last().unwrap(), "close Volumes/m/a.mov");
    assert_eq!(imported.took_us, [100, 200, 200, 200, 10]);
    assert_eq!(imported.steps(), Some((2, 100, 3)));
}

#[test]
fn process_monitor_clocks_of_every_country() {
    for file in files("procmon-am-pm").into_iter().chain(files("procmon-clocks")) {
        let imported = import(&file);
        let name = "N/job/A001.mov";
        let wanted = [format!("open {name}"), format!("read {name} 0+1048576"), format!("close {name}")];
        assert_eq!(imported.ops, wanted, "{}", file.display());
        let is_set_back = file.ends_with("set-back.csv");
        let starts_us = if is_set_back { [0, 1_000_000, 1_001_000] } else { [0, 1_000_000, 1_500_000] };
        assert_eq!(imported.starts_us, starts_us, "{}", file.display());
        let took_us = if file.starts_with(case("procmon-am-pm")) { [1000, 12_345, 50] } else { [1000; 3] };
        assert_eq!(imported.took_us, took_us, "{}", file.display());
        assert_eq!(imported.steps(), is_set_back.then_some((1, 3500, 4)), "{}", file.display());
        let is_assumed = file.ends_with("no-half.csv");
        assert_eq!(imported.has_note("half_of_day_assumed"), is_assumed, "{}", file.display());
    }
}

#[test]
fn notes_of_times_are_sentences_on_the_screen() {
    let scratch = Scratch::new();
    let out = scratch.dir("traces");
    let screen = |file: &str| {
        let file = case(file);
        binary::run(["import".as_ref(), file.as_os_str(), "--out".as_ref(), out.as_os_str()])
            .expect_code(0)
            .words()
    };
    let steps = screen("clock-goes-back/step.strace");
    assert!(steps.contains("line 4,") && steps.contains("1.80 s"), "{steps}");
    let half = screen("procmon-clocks/no-half.csv");
    assert!(half.contains("Relative Time"), "{half}");
    let report = binary::run(["report".as_ref(), out.join("step").as_os_str()]).expect_code(0).words();
    assert!(report.contains("line 4,"));
}

#[test]
fn process_monitor_numbers_of_every_country() {
    for file in files("procmon-numbers/csv") {
        if file.ends_with("german-excel-semicolon.csv") {
            assert!(refused(&file).contains(" row of CSV"));
            continue;
        }
        let imported = import(&file);
        let name = "N/job/A001.mov";
        let wanted = [
            format!("open {name}"),
            format!("stat {name}"),
            format!("read {name} 0+1048576"),
            format!("read {name} 1048576+1048576"),
            format!("read {name} 18649088+30856"),
            format!("close {name}"),
        ];
        assert_eq!(imported.ops, wanted, "{}", file.display());
        assert_eq!(imported.took_us[2..5], [12_345, 10_000, 20_000], "{}", file.display());
    }
}

/// A capture of SMB2 with these packet times: an open, two reads and a close.
fn smb2(times: [&str; 8], column: &str) -> String {
    let mut text = format!(
        "{column}\ttcp.stream\tsmb2.flags.response\tsmb2.cmd\tsmb2.msg_id\tsmb2.fid\tsmb2.filename\t\
         smb2.file_offset\tsmb2.write_length\tsmb2.read_length\tsmb2.nt_status\n"
    );
    let messages = [
        "0\t0\t5\t1\t\tjob\\a.mov\t\t\t\t",
        "0\t1\t5\t1\tf-1\t\t\t\t\t0x00000000",
        "0\t0\t8\t2\tf-1\t\t0\t\t65536\t",
        "0\t1\t8\t2\tf-1\t\t\t\t65536\t0x00000000",
        "0\t0\t8\t3\tf-1\t\t65536\t\t65536\t",
        "0\t1\t8\t3\tf-1\t\t\t\t65536\t0x00000000",
        "0\t0\t6\t4\tf-1\t\t\t\t\t",
        "0\t1\t6\t4\tf-1\t\t\t\t\t0x00000000",
    ];
    for (time, message) in times.iter().zip(messages) {
        text += &format!("{time}\t{message}\n");
    }
    text
}

const EPOCH: [&str; 8] = [
    "1795806780.000",
    "1795806780.001",
    "1795806780.100",
    "1795806780.110",
    "1795806780.200",
    "1795806780.210",
    "1795806780.300",
    "1795806780.301",
];

#[test]
fn packets_with_iso_times_are_those_with_seconds() {
    let seconds = import_text(&smb2(EPOCH, "frame.time_epoch"));
    let wanted =
        ["open job/a.mov", "read job/a.mov 0+65536", "read job/a.mov 65536+65536", "close job/a.mov"];
    assert_eq!(seconds.ops, wanted);
    let iso = |zone: &str, hour: u32| {
        EPOCH
            .map(|time| format!("2026-11-27T{hour:02}:13:00.{}000000{zone}", time.split('.').nth(1).unwrap()))
    };
    for (times, column) in [
        (iso("Z", 19), "frame.time_utc"),
        (iso("+0100", 20), "frame.time"),
        (iso("Z", 19), "frame.time_epoch"),
    ] {
        let imported = import_text(&smb2(times.each_ref().map(String::as_str), column));
        assert_eq!((&imported.ops, &imported.starts_us), (&seconds.ops, &seconds.starts_us), "{column}");
        assert_eq!(imported.took_us, [1000, 10_000, 10_000, 1000]);
    }
}

#[test]
fn packets_keep_their_order_where_the_clock_goes_back() {
    let mut times = EPOCH;
    times[4..].copy_from_slice(&["1795806777.900", "1795806777.910", "1795806778.000", "1795806778.001"]);
    let imported = import_text(&smb2(times, "frame.time_epoch"));
    assert_eq!(imported.ops[2..], ["read job/a.mov 65536+65536", "close job/a.mov"]);
    assert_eq!(imported.starts_us, [0, 100_000, 110_000, 210_000]);
    assert_eq!(imported.took_us, [1000, 10_000, 10_000, 1000]);
    assert_eq!(imported.steps(), Some((1, 2210, 6)));
    let mut nfs =
        "frame.time_epoch\ttcp.stream\trpc.xid\trpc.msgtyp\tnfs.fh.hash\tnfs.procedure_v3\tnfs.offset3\t\
        nfs.count3\tnfs.status3\n"
            .to_owned();
    for (at, (call, reply)) in
        [("100.0", "100.01"), ("100.5", "100.51"), ("98.0", "98.01")].iter().enumerate()
    {
        nfs += &format!("{call}\t0\t0x{at}\t0\t0x11\t6\t{}\t4096\t\n", at * 4096);
        nfs += &format!("{reply}\t0\t0x{at}\t1\t\t6\t\t4096\t0\n");
    }
    let imported = import_text(&nfs);
    let reads: Vec<u64> = imported.starts_us[1..].to_vec();
    assert_eq!(reads, [0, 500_000, 510_000], "{:?}", imported.ops);
    assert_eq!(imported.steps(), Some((1, 2510, 6)));
}

#[test]
fn events_of_windows_and_rows_of_darshan_keep_their_order_too() {
    let event = |name: &str, at: u64, irp: u64| {
        format!("{name}, {at}, edit.exe ( 934), 633, edit.exe ( 934), 633, 0, 0x{irp:x}, 0x70")
    };
    let path = "\"C:\\Media\\a.mov\"";
    let mut etw = vec![
        "BeginHeader".to_owned(),
        event("FileIoCreate", 5_000_000, 1) + ", 0x01000020, 0x80, 0x1, " + path,
        event("FileIoOpEnd", 5_000_100, 1) + ", 100, 0x00000000, 0x1, Create, " + path,
    ];
    for (irp, at) in [(2, 5_500_000), (3, 3_000_000)] {
        etw.push(event("FileIoRead", at, irp) + ", 0x0, 0x1000, 0x60900, 0x0, Normal, " + path + ", ");
        etw.push(event("FileIoOpEnd", at + 2000, irp) + ", 2000, 0x00000000, 0x1000, Read, " + path);
    }
    etw.push(event("FileIoCleanup", 3_100_000, 4) + ", " + path);
    etw.push(event("FileIoOpEnd", 3_100_010, 4) + ", 10, 0x00000000, 0x0, Cleanup, " + path);
    let imported = import_text(&etw.join("\n"));
    assert_eq!(imported.ops.last().unwrap(), "close C/Media/a.mov");
    assert_eq!(imported.starts_us, [0, 500_000, 502_000, 602_000]);
    assert_eq!(imported.took_us, [100, 2000, 2000, 10]);
    assert_eq!(imported.steps().map(|steps| steps.0), Some(1));

    let darshan = "# darshan log version: 3.41\n# DXT, file_id: 1, file_name: /m/a.mov\n# DXT, rank: 0, hostname: n\n \
        X_POSIX 0 read 0 0 4096 5.0000 5.1000\n X_POSIX 0 read 1 4096 4096 5.5000 5.6000\n \
        X_POSIX 0 read 2 8192 4096 3.0000 3.1000\n X_POSIX 0 read 3 12288 4096 3.5000 3.6000\n";
    let imported = import_text(darshan);
    let offsets: Vec<&str> = imported.ops.iter().filter_map(|op| op.strip_prefix("read m/a.mov ")).collect();
    assert_eq!(offsets, ["0+4096", "4096+4096", "8192+4096", "12288+4096"]);
    assert_eq!(imported.starts_us[1..], [5_000_000, 5_500_000, 5_600_000, 6_100_000]);
    assert_eq!(imported.steps(), Some((1, 2500, 6)));
}
