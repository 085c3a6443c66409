//! Hostile sources of importers, through the binary: names that climb, positions beyond every file, a
//! million opens, lines without an end, files cut off in the middle, wrong encodings. Each is refused
//! with a message (exit code 2) or imported with a count of skipped operations, in bounded memory.
//! Imported traces stay in the area when they are replayed.
//!
//! `trace_hostile.rs` has traces that no importer would accept; the fuzzers cover random bytes.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::resource_limits::{self, Bounds};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::surroundings::Surroundings;
use serde_json::Value;

/// Memory limit of any import, except for the names and open files that it keeps.
const IMPORT_MIB: u64 = 96;
/// Memory limit of an import with the maximum number of tracked open files: 2^20.
const OPEN_FILES_MIB: u64 = 384;
/// How long an endless line is.
const ENDLESS_BYTES: usize = 200_000_000;
const FORMATS: [&str; 9] = ["strace", "fio", "procmon", "etw", "fs_usage", "smb2", "nfs", "darshan", "naspt"];

/// The words of an import.
fn import(source: &Path, out: &Path, flags: &[&str]) -> Vec<OsString> {
    let words = [OsString::from("import"), source.into(), "--json".into(), "--out".into(), out.into()];
    words.into_iter().chain(flags.iter().map(OsString::from)).collect()
}

/// Imports a valid text. Returns the output, and the trace.
#[track_caller]
fn imported(scratch: &Scratch, name: &str, text: &[u8], flags: &[&str]) -> (Value, PathBuf) {
    let source = scratch.path().join(name);
    std::fs::write(&source, text).unwrap();
    let told = binary::run(import(&source, &scratch.path().join("traces"), flags)).expect_code(0).json();
    let trace = PathBuf::from(told["dir"].as_str().unwrap());
    (told, trace)
}

/// Replays as fast as possible; the surroundings stay as they are.
#[track_caller]
fn replayed(trace: &Path, around: &Surroundings) -> Outcome {
    let (before, runs) = (around.stock(), Scratch::new());
    let words = [OsString::from("replay"), trace.into(), around.target().into()];
    let flags = ["--pace", "max", "--json", "--out"].map(OsString::from);
    let outcome = binary::run(words.into_iter().chain(flags).chain([runs.path().into()]));
    assert_eq!(around.stock(), before, "{}", outcome.said());
    assert_eq!(around.left_in_area(), Vec::<PathBuf>::new());
    outcome
}

const STRACE: &str = "\
7 1.000 open(\"/m/../../../../../theirs.mov\", O_RDWR|O_CREAT|O_TRUNC, 0666) = 3
7 1.001 pwrite64(3, \"\", 4096, 0) = 4096
7 1.002 pwrite64(3, \"\", 4096, 9223372036854775807) = 4096
7 1.003 pwrite64(3, \"\", 4096, 18446744073709551615) = 4096
7 1.004 open(\"../../theirs.mov\", O_WRONLY|O_CREAT, 0666) = 4
7 1.005 open(\"/m/zero\\0byte\", O_RDWR|O_CREAT, 0666) = 5
7 1.006 open(\"C:\\\\Windows\\\\win.ini\", O_RDWR|O_CREAT, 0666) = 6
7 1.007 rename(\"/m/a\", \"/../../../theirs.mov\") = 0
7 1.008 symlink(\"/etc/passwd\", \"/m/way-out\") = 0
7 1.009 open(\"/m/way-out\", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 7
7 1.010 write(7, \"\", 100) = 100
7 1.011 unlink(\"/theirs.mov\") = 0
7 1.012 ftruncate(3, 9223372036854775807) = 0
7 1.013 fallocate(3, 0, 0, 4611686018427387904) = 0
";

const FIO: &str = "\
fio version 3 iolog
0 /../../../theirs.mov add
1 /../../../theirs.mov open
2 /../../../theirs.mov write 0 4096
3 /../../../theirs.mov write 9223372036854775808 4096
4 ../up/theirs.mov open
5 ../up/theirs.mov write 0 18446744073709551615
6 ../up/theirs.mov close
";

const PROCMON: &str = "\
\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\"
\"1:00:00.0000001 PM\",\"a.exe\",\"7\",\"CreateFile\",\"D:\\..\\..\\theirs.mov\",\"SUCCESS\",\"Desired Access: Generic Write, Disposition: OverwriteIf, OpenResult: Created\"
\"1:00:00.0000002 PM\",\"a.exe\",\"7\",\"WriteFile\",\"D:\\..\\..\\theirs.mov\",\"SUCCESS\",\"Offset: 0, Length: 4,096\"
\"1:00:00.0000003 PM\",\"a.exe\",\"7\",\"WriteFile\",\"D:\\..\\..\\theirs.mov\",\"SUCCESS\",\"Offset: 9,223,372,036,854,775,808, Length: 4,096\"
\"1:00:00.0000004 PM\",\"a.exe\",\"7\",\"WriteFile\",\"\\\\server\\share\\..\\..\\..\\theirs.mov\",\"SUCCESS\",\"Offset: 0, Length: 10\"
\"1:00:00.0000005 PM\",\"a.exe\",\"7\",\"CloseFile\",\"D:\\..\\..\\theirs.mov\",\"SUCCESS\",\"\"
";

#[test]
fn parent_paths_of_a_source_stay_in_the_replay_area() {
    let (scratch, around) = (Scratch::new(), Surroundings::new());
    let names = |trace: &Path| -> Vec<String> {
        let said = binary::run([OsString::from("ops"), trace.into(), "--json".into()]).expect_code(0).json();
        said.as_array().unwrap().iter().map(|op| op["file"].as_str().unwrap_or("").to_owned()).collect()
    };
    for (name, text, beyond) in
        [("hostile.strace", STRACE, 2), ("fio.log", FIO, 2), ("procmon.csv", PROCMON, 1)]
    {
        // Everything, including the system's own files.
        let (told, trace) = imported(&scratch, name, text.as_bytes(), &["--root", "/"]);
        let left_out = &told["left_out"];
        assert_eq!(left_out["an offset beyond 2^63"], beyond, "{name}: {told:#}");
        for named in names(&trace) {
            let leaves = named.starts_with('/') || named.split('/').any(|part| part == "..");
            assert!(!leaves && !named.contains(['\0', '\\']), "{name}: {named:?}");
        }
        replayed(&trace, &around).expect_code(0);
    }
    assert!(!Path::new("/theirs.mov").exists() && !Path::new("/m").exists());
}

#[test]
fn a_million_opens_are_imported_in_bounded_memory_and_refused_when_replayed() {
    require!(Need::Tool("python3"));
    let (scratch, around) = (Scratch::new(), Surroundings::new());
    let mut text = String::new();
    for at in 0..1_000_000 {
        let (second, micro) = (1 + at / 1_000_000, at % 1_000_000);
        writeln!(
            text,
            "7 {second}.{micro:06} openat(AT_FDCWD, \"/m/reel-{}\", O_RDWR) = {}",
            at % 1000,
            at + 3
        )
        .unwrap();
    }
    let source = scratch.path().join("opens.strace");
    std::fs::write(&source, text).unwrap();
    let out = scratch.path().join("traces");
    let done =
        resource_limits::run(import(&source, &out, &[]), Bounds { open_files: 64, ..Bounds::default() });
    println!("{} MiB in {:?}", done.peak_mib, done.outcome.took);
    let told = done.outcome.expect_code(0).json();
    assert_eq!((&told["ops"], &told["files"]), (&1_000_000.into(), &1000.into()));
    assert!(done.peak_mib < OPEN_FILES_MIB, "{} MiB", done.peak_mib);
    let refused = replayed(Path::new(told["dir"].as_str().unwrap()), &around).expect_code(2);
    assert!(refused.stderr.contains("at once"), "{}", refused.said());
    assert!(!around.target().join("reelgauge-area").exists());
}

#[test]
fn endless_line_uses_bounded_memory_in_any_format() {
    require!(Need::Tool("python3"));
    let scratch = Scratch::new();
    let source = scratch.path().join("endless.txt");
    let mut text = b"7 1.0 open(\"/m/a\", O_RDONLY) = 3\n7 1.1 read(3, \"".to_vec();
    text.resize(ENDLESS_BYTES, b'x');
    std::fs::write(&source, text).unwrap();
    let out = scratch.path().join("traces");
    for format in FORMATS {
        let done = resource_limits::run(import(&source, &out, &["--format", format]), Bounds::default());
        let outcome = done.outcome.expect_code(if format == "strace" { 0 } else { 2 });
        assert!(done.peak_mib < IMPORT_MIB, "{format}: {} MiB", done.peak_mib);
        assert!(!outcome.stderr.contains("panicked") && outcome.said().len() < 10_000, "{format}");
        if format == "strace" {
            let told = outcome.json();
            assert_eq!((&told["ops"], &told["malformed_lines"]), (&1.into(), &1.into()), "{told:#}");
            assert_eq!(told["first_malformed"][0]["line"], 2);
        }
    }
}

#[test]
fn a_pipe_without_a_line_end_takes_bounded_memory() {
    require!(Need::Tool("python3"), Need::Tool("mkfifo"));
    let scratch = Scratch::new();
    let pipe = scratch.path().join("pipe");
    reelgauge_tests::programs::tool(&format!("mkfifo {}", pipe.display()));
    let into = pipe.clone();
    let writer = std::thread::spawn(move || {
        use std::io::Write as _;
        let mut file = std::fs::OpenOptions::new().write(true).open(into).unwrap();
        let block = vec![b'x'; 1 << 20];
        // It may be refused before its end, and then the reader is closed.
        let mut written = 0;
        while written < ENDLESS_BYTES && file.write_all(&block).is_ok() {
            written += block.len();
        }
        written
    });
    let out = scratch.path().join("traces");
    let bounds = Bounds { input: Some(&pipe), ..Bounds::default() };
    let done = resource_limits::run(import(Path::new("-"), &out, &["--format", "strace"]), bounds);
    assert!(writer.join().unwrap() >= ENDLESS_BYTES);
    let outcome = done.outcome.expect_code(2);
    assert!(outcome.stderr.contains("1 MiB"), "{}", outcome.said());
    assert!(done.peak_mib < IMPORT_MIB, "{} MiB", done.peak_mib);
    assert!(!out.exists() || std::fs::read_dir(&out).unwrap().count() == 0);
}

#[test]
fn truncated_source_is_imported_to_its_end() {
    let (scratch, around) = (Scratch::new(), Surroundings::new());
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for format in FORMATS {
        let folder = std::fs::read_dir(corpus.join(format)).unwrap();
        for file in folder.map(|entry| entry.unwrap().path()) {
            let whole = std::fs::read(&file).unwrap();
            let source = scratch.path().join("cut");
            std::fs::write(&source, &whole[..whole.len() * 2 / 3]).unwrap();
            let out = scratch.dir("out");
            let ended = binary::run(import(&source, &out, &["--format", format]));
            assert!(!ended.stderr.contains("panicked"), "{}", ended.said());
            match ended.code {
                Some(0) => {
                    let told = ended.json();
                    assert!(told["malformed_lines"].as_u64() <= Some(1), "{}: {told:#}", file.display());
                    let done = replayed(Path::new(told["dir"].as_str().unwrap()), &around);
                    assert!(matches!(done.code, Some(0 | 2)), "{}: {}", file.display(), done.said());
                }
                code => assert_eq!(code, Some(2), "{}: {}", file.display(), ended.said()),
            }
        }
    }
}

#[test]
fn wrong_encodings_are_refused_with_a_remedy() {
    let scratch = Scratch::new();
    let utf16 = |big: bool| -> Vec<u8> {
        let text = format!("\u{feff}{STRACE}");
        text.encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    let noise: Vec<u8> = (0..100_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let cases: [(&str, Vec<u8>, &str); 6] = [
        ("little.txt", utf16(false), "iconv -f UTF-16"),
        ("big.txt", utf16(true), "iconv -f UTF-16"),
        ("noise.bin", noise, "binary"),
        ("capture.pcap", b"\xd4\xc3\xb2\xa1\x02\0\x04\0".to_vec(), "tshark"),
        ("log.gz", b"\x1f\x8b\x08\0\0\0\0\0".to_vec(), "zcat"),
        ("empty.txt", Vec::new(), "format"),
    ];
    for (name, bytes, remedy) in cases {
        let source = scratch.path().join(name);
        std::fs::write(&source, bytes).unwrap();
        let out = scratch.path().join("none");
        let refused = binary::run(import(&source, &out, &[])).expect_code(2);
        assert!(refused.stderr.contains(remedy) && refused.stdout.is_empty(), "{name}: {}", refused.said());
        assert!(!out.exists() || std::fs::read_dir(&out).unwrap().count() == 0, "{name}");
    }
    // Latin-1 bytes in a name are accepted; in Process Monitor's table too.
    let (told, _) =
        imported(&scratch, "latin.strace", b"7 1.0 open(\"/m/caf\xe9.mov\", O_RDONLY) = 3\n", &[]);
    assert_eq!((&told["files"], &told["malformed_lines"]), (&1.into(), &0.into()), "{told:#}");
    let table = PROCMON.replace("theirs", "caf\u{e9}");
    let latin: Vec<u8> = table.chars().map(|letter| letter as u8).collect();
    let (told, trace) = imported(&scratch, "latin.csv", &latin, &[]);
    assert_eq!(told["malformed_lines"], 0, "{told:#}");
    let shown = binary::run([OsString::from("ops"), trace.into()]).expect_code(0).stdout;
    assert!(shown.contains("caf%E9.mov"), "{shown}");
}
