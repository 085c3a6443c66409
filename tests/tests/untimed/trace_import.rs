//! Imports strace output of real programs, and exports to a real fio.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reelgauge_tests::binary;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;

/// A read or write of an exported trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moved {
    file: String,
    action: String,
    offset: u64,
    len: u64,
}

/// Runs a command under strace, as in the importer's documentation. Returns the text's path.
fn strace(scratch: &Scratch, command: &[&str]) -> PathBuf {
    let text = scratch.path().join("strace.txt");
    let mut words = vec!["strace", "-f", "-ttt", "-T", "-y", "-s", "0", "-e", "trace=%file,%desc,%process"];
    let text_word = text.to_str().unwrap().to_owned();
    words.extend(["-o", &text_word]);
    words.extend(command);
    tool_with(&words).unwrap();
    text
}

/// Imports a text. Returns the output, and the trace's folder.
fn import(scratch: &Scratch, text: &Path, root: &Path) -> (serde_json::Value, PathBuf) {
    let out = scratch.dir("traces");
    let words = ["import", text.to_str().unwrap(), "--root", root.to_str().unwrap(), "--json", "--out"];
    let told = binary::run(words.iter().copied().chain([out.to_str().unwrap()])).expect_code(0).json();
    let dir = PathBuf::from(told["dir"].as_str().unwrap());
    (told, dir)
}

/// Exports a trace for fio, and reads the result.
fn exported(scratch: &Scratch, trace: &Path) -> (PathBuf, Vec<Moved>) {
    let log = scratch.path().join("fio.log");
    binary::run(["export", trace.to_str().unwrap(), "--out", log.to_str().unwrap()]).expect_code(0);
    let text = std::fs::read_to_string(&log).unwrap();
    let moved = text.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, file, action @ ("read" | "write"), offset, len] = words[..] else { return None };
        let (offset, len) = (offset.parse().unwrap(), len.parse().unwrap());
        Some(Moved { file: file.to_owned(), action: action.to_owned(), offset, len })
    });
    (log, moved.collect())
}

fn moved(file: &str, action: &str, offset: u64, len: u64) -> Moved {
    Moved { file: file.to_owned(), action: action.to_owned(), offset, len }
}

/// A file of pseudo-random bytes.
fn make(path: &Path, bytes: usize) {
    let content: Vec<u8> = (0..bytes).map(|at| (at * 31 % 251) as u8).collect();
    std::fs::write(path, content).unwrap();
}

const THREADS: &str = r"
import os, threading
fd = os.open('thr.bin', os.O_RDWR | os.O_CREAT | os.O_TRUNC)
def work(mine):
    for turn in range(50):
        os.pwrite(fd, b'x' * 4096, (turn * 4 + mine) * 4096)
threads = [threading.Thread(target=work, args=(mine,)) for mine in range(4)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
twin = os.dup(fd)
os.lseek(fd, 10, 0); os.write(fd, b'abc'); os.write(twin, b'def'); os.close(fd); os.write(twin, b'g')
if os.fork() == 0:
    os.write(twin, b'child'); os._exit(0)
os.wait()
os.write(twin, b'parent')
log = os.open('app.log', os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(log, b'12345'); os.lseek(log, 0, 0); os.write(log, b'678')
os.rename('app.log', 'old.log'); os.write(log, b'9')
";

#[test]
fn python_thread_operations_are_imported_exactly() {
    require!(Need::Tool("strace"), Need::Tool("python3"));
    let scratch = Scratch::new();
    let work = scratch.dir("work");
    let script = format!("import os; os.chdir('{}')\n{THREADS}", work.display());
    let text = strace(&scratch, &["python3", "-c", &script]);
    let (told, trace) = import(&scratch, &text, &work);
    assert_eq!(told["malformed_lines"], 0, "{told}");
    let (_, mut found) = exported(&scratch, &trace);
    let mut wanted: Vec<Moved> =
        (0..200).map(|block| moved("thr.bin", "write", block * 4096, 4096)).collect();
    for (offset, len) in [(10, 3), (13, 3), (16, 1), (17, 5), (22, 6)] {
        wanted.push(moved("thr.bin", "write", offset, len));
    }
    for (offset, len) in [(0, 5), (5, 3), (8, 1)] {
        wanted.push(moved("app.log", "write", offset, len));
    }
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
    assert_eq!(told["threads"], 6, "the first, four of its own, and a child");
}

#[test]
fn ffmpeg_writes_add_up_to_the_file_size() {
    require!(Need::Tool("strace"), Need::Tool("ffmpeg"));
    let scratch = Scratch::new();
    let work = scratch.dir("work");
    let input = work.join("in.ts");
    let input_word = input.to_str().unwrap();
    let picture = "testsrc2=s=640x360:r=25:d=4";
    let make =
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", picture, "-c:v", "mpeg2video", "-b:v", "8M"];
    tool_with(&[&make[..], &["-f", "mpegts", input_word]].concat()).unwrap();
    let output = work.join("out.mp4");
    let output_word = output.to_str().unwrap();
    let copy = [
        "ffmpeg",
        "-v",
        "error",
        "-y",
        "-i",
        input_word,
        "-c",
        "copy",
        "-movflags",
        "+faststart",
        output_word,
    ];
    let text = strace(&scratch, &copy);
    let (told, trace) = import(&scratch, &text, &work);
    assert_eq!(told["malformed_lines"], 0, "{told}");
    let (_, found) = exported(&scratch, &trace);
    let of = |file: &str, action: &str| -> Vec<&Moved> {
        found.iter().filter(|op| op.file == file && op.action == action).collect()
    };
    // Its writes reach exactly to the end of the file, and leave no hole.
    let mut writes: Vec<(u64, u64)> = of("out.mp4", "write").iter().map(|op| (op.offset, op.len)).collect();
    writes.sort_unstable();
    let end = writes.iter().fold(0, |end, (offset, len)| {
        assert!(*offset <= end, "a hole from {end} to {offset}");
        end.max(offset + len)
    });
    assert_eq!(end, std::fs::metadata(&output).unwrap().len());
    // It reads its own output again to shift it, and nothing beyond the end of its input.
    assert!(!of("out.mp4", "read").is_empty());
    let size = std::fs::metadata(&input).unwrap().len();
    let read: Vec<&Moved> = of("in.ts", "read");
    assert_eq!(read.iter().map(|op| op.offset + op.len).max(), Some(size));
    // As many as in strace's output, counted without the importer.
    let text = std::fs::read_to_string(text).unwrap();
    let shown = text
        .lines()
        .filter(|line| line.contains(" write(") && line.contains("out.mp4>") && !line.contains(") = -1"));
    assert_eq!(shown.count(), writes.len());
}

#[test]
fn cp_and_dd_are_a_copy_and_blocks() {
    require!(Need::Tool("strace"), Need::Tool("dd"), Need::Tool("cp"));
    let scratch = Scratch::new();
    let work = scratch.dir("work");
    make(&work.join("in.bin"), 300_000);
    let job = format!(
        "cd {} && cp in.bin copy.bin && dd if=in.bin of=blocks.bin bs=65536 skip=1 seek=2 conv=notrunc,fsync",
        work.display()
    );
    let text = strace(&scratch, &["sh", "-c", &job]);
    let (_, trace) = import(&scratch, &text, &work);
    let (_, found) = exported(&scratch, &trace);
    let sum = |file: &str, action: &str| -> u64 {
        found.iter().filter(|op| op.file == file && op.action == action).map(|op| op.len).sum()
    };
    assert_eq!(sum("copy.bin", "write"), 300_000);
    assert_eq!(sum("in.bin", "read"), 300_000 + (300_000 - 65_536));
    let blocks: Vec<Moved> = found.iter().filter(|op| op.file == "blocks.bin").cloned().collect();
    let mut wanted: Vec<Moved> =
        (0..3).map(|block| moved("blocks.bin", "write", (block + 2) * 65_536, 65_536)).collect();
    wanted.push(moved("blocks.bin", "write", 5 * 65_536, 300_000 - 4 * 65_536));
    assert_eq!(blocks, wanted);
}

#[test]
fn fio_takes_an_exported_trace_and_moves_the_same_bytes() {
    require!(Need::Tool("strace"), Need::Tool("fio"), Need::Tool("dd"));
    let scratch = Scratch::new();
    let work = scratch.dir("work");
    make(&work.join("in.bin"), 1 << 20);
    let job = format!(
        "cd {} && dd if=in.bin of=out.bin bs=65536 && dd if=out.bin of=/dev/null bs=4096 count=9",
        work.display()
    );
    let text = strace(&scratch, &["sh", "-c", &job]);
    let (_, trace) = import(&scratch, &text, &work);
    let (log, found) = exported(&scratch, &trace);
    let mut wanted: BTreeMap<&str, u64> = BTreeMap::new();
    for op in &found {
        *wanted.entry(op.action.as_str()).or_default() += op.len;
    }
    assert_eq!((wanted["read"], wanted["write"]), ((1 << 20) + 9 * 4096, 1 << 20));
    let target = scratch.dir("fio");
    make(&target.join("in.bin"), 1 << 20);
    make(&target.join("out.bin"), 1 << 20);
    let report = scratch.path().join("fio.json");
    let job = format!(
        "cd {} && fio --name=replay --ioengine=psync --read_iolog={} --output-format=json --output={}",
        target.display(),
        log.display(),
        report.display()
    );
    tool_with(&["sh", "-c", &job]).unwrap();
    let report = std::fs::read_to_string(report).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report[report.find('{').unwrap()..]).unwrap();
    let done = &report["jobs"][0];
    assert_eq!(done["error"], 0);
    for action in ["read", "write"] {
        assert_eq!(done[action]["io_bytes"].as_u64(), Some(wanted[action]), "{action}: {report}");
    }
}

#[test]
fn unknown_source_is_refused_with_the_expected_formats() {
    let scratch = Scratch::new();
    let file = scratch.path().join("notes.txt");
    std::fs::write(&file, "dear diary\n").unwrap();
    let word = file.to_str().unwrap();
    let told = binary::run(["import", word]).expect_code(2).stderr;
    assert!(told.contains("strace"), "{told}");
    let told = binary::run(["import", word, "--format", "tea"]).expect_code(2).stderr;
    assert!(told.contains("'tea'"), "{told}");
    let told = binary::run(["import", word, "--format", "procmon"]).expect_code(2).stderr;
    assert!(told.contains("Save, CSV"), "{told}");
    let told = binary::run(["import", "/nowhere/x"]).expect_code(2).stderr;
    assert!(told.contains("/nowhere/x"), "{told}");
    let told = binary::run(["export", word]).expect_code(2).stderr;
    assert!(told.contains(word), "{told}");
    assert!(!scratch.path().join("reelgauge-traces").exists());
}

#[test]
fn a_name_that_is_a_path_is_refused_and_one_that_is_changed_is_reported() {
    let scratch = Scratch::new();
    let source = scratch.path().join("one.log");
    std::fs::write(&source, "fio version 2 iolog\nx add\nx open\nx read 0 4096\nx close\n").unwrap();
    let out = scratch.dir("traces");
    let words = ["import", source.to_str().unwrap(), "--out", out.to_str().unwrap(), "--name"];
    let named = |name: &str| binary::run(words.iter().copied().chain([name]));
    for name in ["../../evil", "/etc/evil", "a/b", "..", ".", "a\\b", "a\nb", "", "  "] {
        let refused = named(name).expect_code(2);
        assert!(refused.stderr.contains("--name"), "{name:?}: {}", refused.said());
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0, "{name:?}");
    }
    for verb in [&["record", "/tmp"][..], &["watch", "--duration", "1ms"]] {
        let words = verb.iter().copied().chain(["--name", "../evil"]);
        let refused = binary::run(words).expect_code(2);
        assert!(refused.stderr.contains("path separator"), "{}", refused.said());
    }
    let note = |name: &str| named(name).expect_code(0).words();
    let [first, renamed, again] = ["edit", "my edit", "edit"].map(note);
    assert!(!first.contains("'edit'"), "{first}");
    assert!(renamed.contains("'my edit'") && renamed.contains("my-edit"), "{renamed}");
    assert!(again.contains("'edit'") && again.contains("edit-2"), "{again}");
}

#[test]
fn an_import_and_its_report_count_the_same_files() {
    let scratch = Scratch::new();
    let source = scratch.path().join("moved.txt");
    let text = "7 1.0 open(\"/m/a\", O_RDWR|O_CREAT, 0644) = 3 <0.1>\n7 2.0 write(3, \"\"..., 9) = 9 <0.1>\n\
                7 3.0 close(3) = 0 <0.1>\n7 4.0 rename(\"/m/a\", \"/m/b\") = 0 <0.1>\n\
                7 5.0 stat(\"/m/c\", {}) = 0 <0.1>\n";
    std::fs::write(&source, text).unwrap();
    let out = scratch.dir("traces");
    let words = ["import", source.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let imported = binary::run(words).expect_code(0).words();
    assert!(imported.contains("5 operations "), "{imported}");
    let trace = out.join("moved");
    let report = binary::run(["report", trace.to_str().unwrap()]).expect_code(0).words();
    assert!(report.contains("5 operations "), "{report}");
    let listed = binary::run(["traces", trace.to_str().unwrap()]).expect_code(0).words();
    assert!(listed.contains("5 operations ") && listed.contains("directories"), "{listed}");
}
