//! Tests the strace importer with lines of every form that strace 6.1 prints.

#![allow(clippy::unwrap_used)]

mod common;

use common::{imported, try_import};
use reelgauge_import::Format;
use reelgauge_record::OpKind;
use reelgauge_trace::TraceNote;

/// Lines of one process, a millisecond apart.
fn trace_of(calls: &[&str]) -> String {
    let lines = calls.iter().enumerate();
    lines.map(|(at, call)| format!("7 1795186657.{:06} {call}\n", at * 1000)).collect()
}

fn ops_of(calls: &[&str]) -> Vec<String> {
    imported(&trace_of(calls)).lines()
}

const OPEN_IN: &str = r#"openat(AT_FDCWD</m>, "in.ts", O_RDONLY|O_CLOEXEC) = 3</m/in.ts> <0.000053>"#;
const OPEN_OUT: &str = r#"openat(AT_FDCWD</m>, "o", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 4</m/o> <0.000140>"#;

#[test]
fn a_remux_by_ffmpeg() {
    let imported = imported(&trace_of(&[
        r#"execve("/usr/bin/ffmpeg", ["ffmpeg"...], 0x7ffe /* 39 vars */) = 0 <0.000160>"#,
        r#"openat(AT_FDCWD</m>, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3</etc/ld.so.cache> <0.000009>"#,
        r"close(3</etc/ld.so.cache>) = 0 <0.000007>",
        OPEN_IN,
        r#"newfstatat(3</m/in.ts>, "", {st_mode=S_IFREG|0644, st_size=40000, ...}, AT_EMPTY_PATH) = 0 <0.1>"#,
        r#"read(3</m/in.ts>, "G@\21\20"..., 32768) = 32768 <0.000071>"#,
        r#"read(3</m/in.ts>, ""..., 32768) = 7232 <0.000071>"#,
        r#"read(3</m/in.ts>, "", 32768) = 0 <0.000010>"#,
        OPEN_OUT,
        r#"write(4</m/o>, "\0\0\0\34ftyp)isom, \"x"..., 44) = 44 <0.000071>"#,
        r#"write(4</m/o>, ""..., 262144) = 262144 <0.000127>"#,
        r"lseek(4</m/o>, 36, SEEK_SET) = 36 <0.000058>",
        r#"write(4</m/o>, "\3\10\352\203", 4) = 4 <0.000057>"#,
        r"lseek(4</m/o>, 0, SEEK_END)  = 262188 <0.000056>",
        r#"write(4</m/o>, "\0\0?Cmoov"..., 16195) = 16195 <0.000068>"#,
        r"close(4</m/o>) = 0 <0.000009>",
        r"+++ exited with 0 +++",
    ]));
    let wanted = [
        "open m/in.ts r h1",
        "stat m/in.ts h1",
        "read m/in.ts 0+32768=32768 h1",
        "read m/in.ts 32768+32768=7232 h1",
        "read m/in.ts 40000+32768=0 h1",
        "create m/o wct h2",
        "write m/o 0+44=44 h2",
        "write m/o 44+262144=262144 h2",
        "write m/o 36+4=4 h2",
        "write m/o 262188+16195=16195 h2",
        "close m/o h2",
        "close m/in.ts h1",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.times_us()[2], (5000, 5071));
    assert_eq!(imported.before("m/in.ts"), "found 40000");
    assert_eq!(imported.before("m/o"), "unknown");
    let info = imported.info();
    assert_eq!(info.made_by, "import strace");
    assert_eq!(info.left_out["a system file (--root / includes it)"], 2);
    assert_eq!((info.malformed_lines, info.warnings.len()), (0, 0), "{info:?}");
    assert_eq!(imported.trace.meta().run_ns, 1_795_186_657_000_000_000);
}

#[test]
fn a_position_belongs_to_the_open_file_not_to_the_descriptor() {
    let ops = ops_of(&[
        r#"openat(AT_FDCWD</m>, "a", O_RDWR) = 3</m/a> <0.1>"#,
        r"dup(3</m/a>) = 5</m/a> <0.1>",
        r#"write(3</m/a>, "abc", 3) = 3 <0.1>"#,
        r#"write(5</m/a>, "def", 3) = 3 <0.1>"#,
        r"close(3</m/a>) = 0 <0.1>",
        r"fcntl(5</m/a>, F_DUPFD_CLOEXEC, 10) = 10</m/a> <0.1>",
        r"lseek(10</m/a>, 100, SEEK_SET) = 100 <0.1>",
        r#"read(5</m/a>, ""..., 10) = 4 <0.1>"#,
        r#"pread64(5</m/a>, ""..., 10, 7) = 10 <0.1>"#,
        r#"preadv2(5</m/a>, [{iov_base=""..., iov_len=6}], 1, -1, 0) = 6 <0.1>"#,
        r#"readv(5</m/a>, [{iov_base=""..., iov_len=10}, {iov_base="", iov_len=20}], 2) = 10 <0.1>"#,
        r"dup2(10</m/a>, 5</m/a>) = 5</m/a> <0.1>",
        r"close_range(3, 4294967295, 0) = 0 <0.1>",
    ]);
    let wanted = [
        "open m/a rw h1",
        "write m/a 0+3=3 h1",
        "write m/a 3+3=3 h1",
        "read m/a 100+10=4 h1",
        "read m/a 7+10=10 h1",
        "read m/a 104+6=6 h1",
        "read m/a 110+30=10 h1",
        "close m/a h1",
    ];
    assert_eq!(ops, wanted);
}

#[test]
fn children_and_threads_share_descriptors_as_cloned() {
    let source = r#"7 1795186657.000000 openat(AT_FDCWD</m>, "a", O_RDONLY|O_CLOEXEC) = 3</m/a> <0.1>
7 1795186657.001000 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD <unfinished ...>
8 1795186657.002000 read(3</m/a>, ""..., 10) = 10 <0.000001>
7 1795186657.003000 <... clone resumed>, child_tidptr=0x7fab) = 8 <0.002>
7 1795186657.004000 read(3</m/a>, ""..., 10) = 10 <0.000001>
8 1795186657.005000 close(3</m/a>) = 0 <0.000001>
7 1795186657.006000 read(3</m/a>, ""..., 10) = 10 <0.000001>
7 1795186657.007000 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES, child_tid=0x7f}, 88) = 9 <0.1>
9 1795186657.008000 close(3</m/a>) = 0 <0.000001>
7 1795186657.009000 openat(AT_FDCWD</m>, "b", O_RDONLY|O_CLOEXEC) = 3</m/b> <0.1>
9 1795186657.010000 read(3</m/b>, ""..., 5) = 5 <0.000001>
9 1795186657.011000 +++ exited with 0 +++
7 1795186657.012000 execve("/usr/bin/x", ["x"], 0x7f /* 1 var */) = 0 <0.000001>
"#;
    let imported = imported(source);
    let wanted = [
        "open m/a r h1",
        "read m/a 0+10=10 h1 t1",
        "read m/a 10+10=10 h1",
        "read m/a 20+10=10 h1",
        "close m/a h1 t2",
        "open m/b r h2",
        "read m/b 0+5=5 h2 t2",
        "close m/b h2",
    ];
    assert_eq!(imported.lines(), wanted, "the child's close is not the last; exec closes b");
    assert_eq!(imported.info().threads, 3);
}

#[test]
fn calls_split_over_two_lines_are_joined() {
    let source = r#"7 1795186657.000000 openat(AT_FDCWD</m>, "a", O_RDWR) = 3</m/a> <0.000010>
7 1795186657.001000 pwrite64(3</m/a>, "x)"..., 65536, 0 <unfinished ...>
8 1795186657.001100 close(3</m/a> <unfinished ...>
9 1795186657.001200 openat(AT_FDCWD</m>, "b", O_RDONLY) = 3</m/b> <0.000010>
8 1795186657.001300 <... close resumed>)       = 0 <0.000200>
7 1795186657.002000 <... pwrite64 resumed>) = 65536 <0.000990>
9 1795186657.003000 read(3</m/b>,  <unfinished ...>
9 1795186657.004000 <... read resumed>"", 4096) = 9 <0.000900>
8 1795186657.005000 <... futex resumed>) = 0 <0.1>
7 1795186657.006000 read(3</m/b>,  <unfinished ...>
"#;
    let imported = imported(source);
    let wanted = [
        "open m/a rw h1",
        "write m/a 0+65536=65536 h1",
        "close m/a h1 t2",
        "open m/b r h2 t1",
        "read m/b 0+4096=9 h2 t1",
    ];
    assert_eq!(imported.lines(), wanted, "threads are numbered as their first operations end");
    assert_eq!(imported.times_us()[1], (1000, 1990));
    assert_eq!(imported.info().left_out["a call without its end, or an end without its call"], 2);
}

#[test]
fn the_end_of_a_file_is_where_appending_writes_go() {
    let ops = ops_of(&[
        r#"openat(AT_FDCWD</m>, "log", O_WRONLY|O_CREAT|O_APPEND|O_EXCL, 0666) = 3</m/log> <0.1>"#,
        r#"write(3</m/log>, "12345", 5) = 5 <0.1>"#,
        r#"openat(AT_FDCWD</m>, "log", O_WRONLY|O_APPEND) = 4</m/log> <0.1>"#,
        r#"write(4</m/log>, "678", 3) = 3 <0.1>"#,
        r#"write(3</m/log>, "9", 1) = 1 <0.1>"#,
        r"ftruncate(3</m/log>, 2) = 0 <0.1>",
        r#"write(4</m/log>, "x", 1) = 1 <0.1>"#,
    ]);
    let wanted = [
        "create m/log wacx made h1",
        "write m/log 0+5=5 h1",
        "open m/log wa h2",
        "write m/log 5+3=3 h2",
        "write m/log 8+1=1 h1",
        "truncate m/log 2 h1",
        "write m/log 2+1=1 h2",
    ];
    assert_eq!(ops, wanted);
}

#[test]
fn append_to_a_file_of_unknown_size_continues_at_the_trace_end() {
    let imported = imported(&trace_of(&[
        r#"openat(AT_FDCWD</m>, "log", O_WRONLY|O_CREAT|O_APPEND, 0666) = 3</m/log> <0.1>"#,
        r#"write(3</m/log>, "12345", 5) = 5 <0.1>"#,
        r"lseek(3</m/log>, 0, SEEK_SET) = 0 <0.1>",
        r#"write(3</m/log>, "678", 3) = 3 <0.1>"#,
    ]));
    let wanted = ["create m/log wac h1", "write m/log 0+5=5 h1", "write m/log 5+3=3 h1"];
    assert_eq!(imported.lines(), wanted);
    assert!(imported.info().warnings[0].starts_with("2 writes to the end of a file of unknown size"));
}

#[test]
fn kernel_copy_is_a_read_and_a_write() {
    let ops = ops_of(&[
        OPEN_IN,
        OPEN_OUT,
        r"copy_file_range(3</m/in.ts>, NULL, 4</m/o>, NULL, 9223372035781033984, 0) = 3221225473 <0.0001>",
        r"copy_file_range(3</m/in.ts>, NULL, 4</m/o>, NULL, 9223372035781033984, 0) = 0 <0.1>",
        r"sendfile(4</m/o>, 3</m/in.ts>, [100] => [300], 200) = 200 <0.1>",
        r"sendfile(1<socket:[55]>, 3</m/in.ts>, NULL, 200) = 200 <0.1>",
        r"splice(3</m/in.ts>, [5], 1<pipe:[77]>, NULL, 65536, 0) = 10 <0.1>",
    ]);
    const GIB: u64 = 1 << 30;
    let mut wanted = vec!["open m/in.ts r h1".to_owned(), "create m/o wct h2".to_owned()];
    // Each piece is read and written before the next one.
    for (at, len) in [(0, GIB), (GIB, GIB), (2 * GIB, GIB), (3 * GIB, 1)] {
        wanted.push(format!("read m/in.ts {at}+{len}={len} h1 copied"));
        wanted.push(format!("write m/o {at}+{len}={len} h2 copied"));
    }
    wanted.extend(["read m/in.ts 3221225473+0=0 h1 copied".to_owned()]);
    wanted.extend(["write m/o 3221225473+0=0 h2 copied".to_owned()]);
    wanted.extend(["read m/in.ts 100+200=200 h1 copied".to_owned()]);
    wanted.extend(["write m/o 3221225473+200=200 h2 copied".to_owned()]);
    wanted.extend(["read m/in.ts 3221225473+200=200 h1 copied".to_owned()]);
    wanted.extend(["read m/in.ts 5+10=10 h1 copied".to_owned()]);
    assert_eq!(ops, wanted);
}

#[test]
fn names_that_exchange_their_files_are_followed() {
    let imported = imported(&trace_of(&[
        r#"stat("/m/a", {st_mode=S_IFREG|0644, st_size=77, ...}) = 0 <0.1>"#,
        r#"stat("/m/b", {st_mode=S_IFREG|0644, st_size=5, ...}) = 0 <0.1>"#,
        r#"renameat2(AT_FDCWD</m>, "a", AT_FDCWD</m>, "b", RENAME_EXCHANGE) = 0 <0.1>"#,
        r#"renameat2(AT_FDCWD</m>, "a", AT_FDCWD</m>, "gone", RENAME_EXCHANGE) = -1 ENOENT (No such file or directory) <0.1>"#,
    ]));
    assert_eq!(imported.lines()[2..], ["rename m/a to m/b exchanges", "rename m/a to m/gone e2 exchanges"]);
    assert_eq!(
        (imported.before("m/a"), imported.before("m/b")),
        ("found 77".to_owned(), "found 5".to_owned())
    );
}

#[test]
fn operations_on_names() {
    let imported = imported(&trace_of(&[
        r#"mkdirat(AT_FDCWD</m>, "d", 0777) = 0 <0.1>"#,
        r#"rename("/m/a", "/m/b") = 0 <0.1>"#,
        r#"renameat2(AT_FDCWD</m>, "d", AT_FDCWD</m>, "e", RENAME_NOREPLACE) = 0 <0.1>"#,
        r#"unlink("/m/b") = 0 <0.1>"#,
        r#"unlinkat(AT_FDCWD</m>, "e", AT_REMOVEDIR) = 0 <0.1>"#,
        r#"unlink("/m/gone") = -1 ENOENT (No such file or directory) <0.1>"#,
        r#"access("/m/in.ts", R_OK) = 0 <0.1>"#,
        r#"access("/m/in.ts", F_OK) = 0 <0.1>"#,
        r#"faccessat(AT_FDCWD</m>, "in.ts", W_OK|X_OK) = -1 EACCES (Permission denied) <0.1>"#,
        r#"faccessat2(AT_FDCWD</m>, "in.ts", R_OK|W_OK, AT_EACCESS) = 0 <0.1>"#,
        r#"stat("/m/in.ts", {st_mode=S_IFREG|0644, st_size=77, ...}) = 0 <0.1>"#,
        r#"statx(AT_FDCWD</m>, "sub", 0, STATX_ALL, {stx_mask=STATX_ALL, stx_mode=S_IFDIR|0755, stx_size=4096, ...}) = 0 <0.1>"#,
        r#"utimensat(AT_FDCWD</m>, "in.ts", NULL, 0) = 0 <0.1>"#,
        r#"truncate("/m/in.ts", 5) = 0 <0.1>"#,
        r#"symlink("in.ts", "/m/l") = 0 <0.1>"#,
        r#"openat(AT_FDCWD</m>, "sub", O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY) = 3</m/sub> <0.1>"#,
        r"getdents64(3</m/sub>, 0x5 /* 2 entries */, 32768) = 48 <0.1>",
        r"getdents64(3</m/sub>, 0x5 /* 0 entries */, 32768) = 0 <0.000040>",
        r"close(3</m/sub>) = 0 <0.1>",
    ]));
    let wanted = [
        "mkdir m/d/",
        "rename m/a to m/b",
        "rename m/d/ to m/e/",
        "unlink m/b",
        "rmdir m/e/",
        "unlink m/gone e2",
        "access m/in.ts r",
        "access m/in.ts f",
        "access m/in.ts wx e13",
        "access m/in.ts rw",
        "stat m/in.ts",
        "stat m/sub/",
        "setattr m/in.ts",
        "truncate m/in.ts 5",
        "symlink m/l to m/in.ts",
        "readdir m/sub/",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(*imported.times_us().last().unwrap(), (16_000, 17_040), "from the first piece to the last");
    let before = ["m/d/", "m/a", "m/b", "m/gone", "m/in.ts", "m/sub/"].map(|path| imported.before(path));
    assert_eq!(before, ["absent", "found", "unknown", "absent", "found 77", "found"]);
}

#[test]
fn open_file_keeps_its_first_name() {
    let ops = ops_of(&[
        OPEN_OUT,
        r#"rename("/m/o", "/m/p") = 0 <0.1>"#,
        r#"write(4</m/p>, "h", 1) = 1 <0.1>"#,
        r#"unlink("/m/p") = 0 <0.1>"#,
        r#"write(4</m/p>(deleted), "i", 1) = 1 <0.1>"#,
        r#"write(4</m/p (deleted)>, "i", 1) = 1 <0.1>"#,
    ]);
    let wanted = [
        "create m/o wct h1",
        "rename m/o to m/p",
        "write m/o 0+1=1 h1",
        "unlink m/p",
        "write m/o 1+1=1 h1",
        "write m/o 2+1=1 h1",
    ];
    assert_eq!(ops, wanted);
}

#[test]
fn reused_descriptor_is_another_open_file() {
    let imported = imported(&trace_of(&[OPEN_IN, r#"read(3</m/other>, ""..., 10) = 10 <0.1>"#]));
    // The descriptor's previous file was closed without a visible call.
    let wanted = ["open m/in.ts r h1", "open m/other ? h2", "close m/in.ts h1", "read m/other 0+10=10 h2"];
    assert_eq!(imported.lines(), wanted);
    assert!(imported.info().warnings[0].starts_with("1 files whose opening the source does not show"));
}

#[test]
fn failures_reservations_and_odd_names() {
    let ops = ops_of(&[
        r#"openat(AT_FDCWD</m>, "none", O_RDONLY) = -1 ENOENT (No such file or directory) <0.1>"#,
        r#"openat(AT_FDCWD</m>, "tab\there \"q\" \303\251 100%", O_RDWR|O_DIRECT|O_DSYNC) = 6</m/tab\there \"q\" \303\251 100%> <0.1>"#,
        r#"write(6</m/tab\there \"q\" \303\251 100%>, "x", 4096) = -1 ENOSPC (No space left on device) <0.1>"#,
        r#"fallocate(6</m/tab\there \"q\" \303\251 100%>, 0, 0, 1073741825) = 0 <0.0001>"#,
        r#"fallocate(6</m/tab\there \"q\" \303\251 100%>, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 0, 5) = 0 <0.1>"#,
        r#"fdatasync(6</m/tab\there \"q\" \303\251 100%>) = -1 EIO (Input/output error) <0.1>"#,
        r#"read(0</dev/pts/0<char 136:0>>, "x", 1) = 1 <0.1>"#,
    ]);
    let name = "m/tab%09here \"q\" é 100%25";
    let wanted = [
        "open m/none r h1 e2".to_owned(),
        format!("open {name} rwds h2"),
        format!("write {name} 0+4096=0 h2 e28"),
        format!("allocate {name} 0+1073741824 h2"),
        format!("allocate {name} 1073741824+1 h2"),
        format!("other {name} h2"),
        format!("sync {name} h2 e5"),
    ];
    assert_eq!(ops, wanted);
}

#[test]
fn without_paths_and_durations_arguments_must_do() {
    let source = "\
1795186657.000000 chdir(\"/m\") = 0
1795186657.000100 open(\"a\", O_RDONLY) = 3
1795186657.000200 read(3, \"\"..., 10) = 10
1795186657.000300 read(9, \"\"..., 10) = 10
1795186657.000400 close(3) = 0
";
    let imported = imported(source);
    assert_eq!(imported.lines(), ["open m/a r h1", "read m/a 0+10=10 h1", "close m/a h1"]);
    assert!(imported.info().blind_to.iter().any(|what| what == "durations"));
    assert_eq!(imported.info().left_out["through a handle whose file is unknown"], 1);
}

#[test]
fn maps_and_rings_are_warned_of() {
    let imported = imported(&trace_of(&[
        OPEN_IN,
        r"mmap(NULL, 27028, PROT_READ, MAP_SHARED, 3</m/in.ts>, 0) = 0x7ff829e91000 <0.000017>",
        r"mmap(NULL, 8192, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ff839e9c000 <0.000011>",
        r"io_uring_enter(5<anon_inode:[io_uring]>, 1, 1, IORING_ENTER_GETEVENTS, NULL, 8) = 1 <0.1>",
    ]));
    assert_eq!(imported.lines(), ["open m/in.ts r h1", "other m/in.ts h1"]);
    let warnings = imported.info().warnings.join("\n");
    assert!(
        warnings.contains("1 files were mapped") && warnings.contains("1 calls of io_uring"),
        "{warnings}"
    );
}

#[test]
fn a_root_makes_names_relative_and_leaves_the_rest_out() {
    let source = trace_of(&[OPEN_IN, OPEN_OUT, r#"rename("/m/sub/a", "/m/a") = 0 <0.1>"#]);
    let imported = try_import(source.as_bytes(), None, Some("/m")).unwrap();
    assert_eq!(imported.lines(), ["open in.ts r h1", "create o wct h2", "rename sub/a to a"]);
    let error = try_import(source.as_bytes(), Some(Format::Strace), Some("/elsewhere")).err().unwrap();
    let told = error.to_string();
    assert!(told.contains("no operations") && told.contains("outside of the root"), "{told}");
}

#[test]
fn lines_that_mean_nothing_are_counted_and_shown() {
    let mut source = trace_of(&[OPEN_IN]);
    source += "what is this\n7 1795186657.5 read(3</m/in.ts>, \"cut off\n7 1795186657.6 write(1, 2\n";
    let imported = try_import(source.as_bytes(), None, None).unwrap();
    let info = imported.info();
    assert_eq!(info.malformed_lines, 3);
    assert_eq!((info.first_malformed[0].line, info.first_malformed[0].text.as_str()), (2, "what is this"));
    assert_eq!(info.first_malformed[1].why, "no end of the call's arguments");
}

/// Real lines of a small program: it stores its directory, changes to another and back, and creates
/// unnamed files, two of which get a name. Here with `-r` and without `-y`.
#[test]
fn steps_are_added_up_and_a_directory_is_found_again() {
    let source = r#"12059      0.000000 execve("/usr/bin/python3", ["pyth"..., "-S"], 0x7fffe19e5a58 /* 35 vars */) = 0
12059      0.005579 openat(AT_FDCWD, ".", O_RDONLY|O_CLOEXEC) = 3
12059      0.000111 chdir("sub")        = 0
12059      0.000047 openat(AT_FDCWD, "in.ts", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 4
12059      0.000146 write(4, "abc", 3)  = 3
12059      0.000072 close(4)            = 0
12059      0.000057 fchdir(3)           = 0
12059      0.000040 openat(AT_FDCWD, "top.ts", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 4
12059      0.000040 write(4, "def", 3)  = 3
12059      0.000041 close(4)            = 0
12059      0.000081 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x7ff062aaee50) = 12105
12059      0.005879 wait4(-1,  <unfinished ...>
12105      0.000382 openat(AT_FDCWD, "top.ts", O_RDONLY|O_CLOEXEC) = 4
12105      0.000079 read(4, "def", 10)  = 3
12105      0.000051 exit_group(0)       = ?
12105      0.000536 +++ exited with 0 +++
12059      0.000007 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 12105
12059      0.000024 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=12105, si_uid=0, si_status=0, si_utime=0, si_stime=0} ---
12059      0.011041 exit_group(0)       = ?
12059      0.003894 +++ exited with 0 +++
"#;
    let imported = imported(source);
    let wanted = [
        "create sub/in.ts rwc h1",
        "write sub/in.ts 0+3=3 h1",
        "close sub/in.ts h1",
        "create top.ts rwc h2",
        "write top.ts 0+3=3 h2",
        "close top.ts h2",
        "open top.ts r h3 t1",
        "read top.ts 0+10=3 h3 t1",
        "close top.ts h3 t1",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.info().malformed_lines, 0, "{:?}", imported.info().first_malformed);
    let starts: Vec<u64> = imported.times_us().iter().map(|(start, _)| *start).collect();
    assert_eq!(starts, [5737, 5883, 5955, 6052, 6092, 6133, 12_475, 12_554, 13_141]);
    assert_eq!(imported.trace.meta().run_ns, 0, "steps tell no date");
}

#[test]
fn whole_second_times_are_reported_as_coarse() {
    let source = r#"10627 21:59:51 openat(AT_FDCWD, "/m/in.ts", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 4
10627 21:59:51 write(4, "abc", 3)       = 3
10627 21:59:52 close(4)                 = 0
"#;
    let imported = imported(source);
    assert_eq!(imported.lines(), ["create m/in.ts rwc h1", "write m/in.ts 0+3=3 h1", "close m/in.ts h1"]);
    let info = imported.info();
    assert!(info.warnings[0].starts_with("3 lines with times of whole seconds"), "{:?}", info.warnings);
    assert!(info.warnings[0].contains("--pace max"), "{:?}", info.warnings);
    assert!(imported.trace.meta().blind_to.iter().any(|what| what == "times finer than a second"));
}

/// Real lines of `-ttt -T -y -xx`.
#[test]
fn names_in_hexadecimal_numbers_are_decoded() {
    let ops = ops_of(&[
        r#"openat(AT_FDCWD<\x2f\x74\x6d\x70\x2f\x6d>, "\x2e", O_RDONLY|O_CLOEXEC) = 3<\x2f\x74\x6d\x70\x2f\x6d> <0.000029>"#,
        r#"chdir("\x73\x75\x62") = 0 <0.000016>"#,
        r#"openat(AT_FDCWD<\x2f\x74\x6d\x70\x2f\x6d\x2f\x73\x75\x62>, "\x69\x6e\x2e\x74\x73", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 4<\x2f\x74\x6d\x70\x2f\x6d\x2f\x73\x75\x62\x2f\x69\x6e\x2e\x74\x73> <0.000019>"#,
        r#"write(4<\x2f\x74\x6d\x70\x2f\x6d\x2f\x73\x75\x62\x2f\x69\x6e\x2e\x74\x73>, "\x61\x62\x63", 3) = 3 <0.000022>"#,
        r#"close(4<\x2f\x74\x6d\x70\x2f\x6d\x2f\x73\x75\x62\x2f\x69\x6e\x2e\x74\x73>) = 0 <0.000015>"#,
        r#"read(5<\x2f\x74\x6d\x70\x2f\x6d\x2f\x69\x6e\x2e\x74\x73>, "\x69\x6d\x70\x6f"..., 4096) = 562 <0.000015>"#,
    ]);
    let wanted = [
        "open tmp/m r h1",
        "create tmp/m/sub/in.ts rwc h2",
        "write tmp/m/sub/in.ts 0+3=3 h2",
        "close tmp/m/sub/in.ts h2",
        "open tmp/m/in.ts ? h3",
        "read tmp/m/in.ts 0+4096=562 h3",
    ];
    assert_eq!(ops, wanted);
}

/// Real lines, with `-y` and without.
#[test]
fn unnamed_file_is_named_or_discarded() {
    let with_paths = ops_of(&[
        r#"openat(AT_FDCWD</m>, ".", O_RDWR|O_CLOEXEC|O_TMPFILE, 0600) = 4</m/#10002945>(deleted) <0.000119>"#,
        r#"write(4</m/#10002945>(deleted), "hell"..., 5) = 5 <0.000032>"#,
        r#"linkat(AT_FDCWD</m>, "/proc/self/fd/4", AT_FDCWD</m>, "named.ts", AT_SYMLINK_FOLLOW) = 0 <0.000037>"#,
        r#"write(4</m/#10002945>(deleted), "more", 4) = 4 <0.001736>"#,
        r"close(4</m/#10002945>(deleted)) = 0 <0.000018>",
        r#"openat(AT_FDCWD</m>, "sub", O_RDWR|O_CLOEXEC|O_TMPFILE, 0600) = 4</m/sub/#10002961>(deleted) <0.000104>"#,
        r#"linkat(4</m/sub/#10002961>(deleted), "", AT_FDCWD</m>, "empty.ts", AT_EMPTY_PATH) = 0 <0.000026>"#,
        r"close(4</m/sub/#10002961>(deleted)) = 0 <0.000015>",
        r#"openat(AT_FDCWD</m>, "sub", O_RDWR|O_CLOEXEC|O_TMPFILE, 0600) = 4</m/sub/#10002977>(deleted) <0.000083>"#,
        r#"write(4</m/sub/#10002977>(deleted), "gone", 4) = 4 <0.000026>"#,
        r"close(4</m/sub/#10002977>(deleted)) = 0 <0.000053>",
    ]);
    let wanted = [
        "create m/#10002945 rwc made h1",
        "write m/#10002945 0+5=5 h1",
        "rename m/#10002945 to m/named.ts",
        "write m/#10002945 5+4=4 h1",
        "close m/#10002945 h1",
        "create m/sub/#10002961 rwc made h2",
        "rename m/sub/#10002961 to m/empty.ts",
        "close m/sub/#10002961 h2",
        "create m/sub/#10002977 rwc made h3",
        "write m/sub/#10002977 0+4=4 h3",
        "close m/sub/#10002977 h3",
        "unlink m/sub/#10002977",
    ];
    assert_eq!(with_paths, wanted);
    let without = imported(&trace_of(&[
        r#"openat(AT_FDCWD, ".", O_RDWR|O_CLOEXEC|O_TMPFILE, 0600) = 4 <0.000127>"#,
        r#"write(4, "hell"..., 5) = 5 <0.000059>"#,
        r#"linkat(AT_FDCWD, "/proc/self/fd/4", AT_FDCWD, "named.ts", AT_SYMLINK_FOLLOW) = 0 <0.000092>"#,
        r"close(4)        = 0 <0.000042>",
    ]));
    let wanted = [
        "create #nameless-1 rwc made h1",
        "write #nameless-1 0+5=5 h1",
        "rename #nameless-1 to named.ts",
        "close #nameless-1 h1",
    ];
    assert_eq!(without.lines(), wanted);
    assert!(without.info().warnings[0].starts_with("1 files created without a name"));
    assert_eq!(without.before("named.ts"), "unknown");
}

#[test]
fn links_have_both_their_names_and_paths_lead_through_them() {
    let imported = imported(&trace_of(&[
        OPEN_IN,
        r#"newfstatat(3</m/in.ts>, "", {st_mode=S_IFREG|0644, st_size=40000, ...}, AT_EMPTY_PATH) = 0 <0.1>"#,
        r#"linkat(AT_FDCWD</m>, "in.ts", AT_FDCWD</m>, "hard.ts", 0) = 0 <0.000037>"#,
        r#"symlinkat("in.ts", AT_FDCWD</m>, "soft.ts") = 0 <0.000037>"#,
        r#"openat(AT_FDCWD</m>, "hard.ts", O_RDONLY) = 4</m/hard.ts> <0.000053>"#,
        r#"stat("/m/soft.ts", {st_mode=S_IFREG|0644, st_size=40000, ...}) = 0 <0.1>"#,
        r#"lstat("/m/soft.ts", {st_mode=S_IFLNK|0777, st_size=5, ...}) = 0 <0.1>"#,
        r#"symlink("/elsewhere/x", "/m/out.ts") = 0 <0.000037>"#,
        r#"readlink("/m/dir", "/m/real", 4096) = 7 <0.000037>"#,
        r#"open("/m/dir/soft.ts", O_RDONLY|O_NOFOLLOW) = -1 ELOOP (Too many levels) <0.000037>"#,
        r#"unlink("/m/soft.ts") = 0 <0.000037>"#,
        r#"access("/m/soft.ts", F_OK) = -1 ENOENT (No such file or directory) <0.000037>"#,
    ]));
    let wanted = [
        "open m/in.ts r h1",
        "stat m/in.ts h1",
        "link m/in.ts to m/hard.ts",
        "symlink m/soft.ts to m/in.ts",
        "open m/hard.ts r h2",
        "stat m/in.ts",
        "stat m/soft.ts",
        "symlink m/out.ts to elsewhere/x",
        "readlink m/dir",
        "open m/real/soft.ts r h3 e40",
        "unlink m/soft.ts",
        "access m/soft.ts f e2",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(
        (imported.before("m/hard.ts"), imported.before("m/soft.ts")),
        ("absent".into(), "absent".into())
    );
    assert_eq!(imported.before("m/dir"), "found link to m/real");
}

/// The total duration of the operations of a kind, in microseconds, and how often one starts before the
/// previous one has ended.
fn time_us(imported: &common::Imported, kind: OpKind) -> (u64, usize) {
    let ops: Vec<_> = imported.ops().into_iter().filter(|op| op.kind == kind).collect();
    let sum: u64 = ops.iter().map(|op| op.done_ns - op.issued_ns).sum();
    (sum / 1000, ops.windows(2).filter(|pair| pair[1].issued_ns < pair[0].done_ns).count())
}

#[test]
fn the_pieces_of_a_long_operation_take_its_time_together() {
    let source = [
        r#"7 1.000000 open("/m/a", O_RDWR) = 3 <0.1>"#,
        r"7 2.000000 fallocate(3, 0, 0, 5368709121) = 0 <0.600001>",
        r#"7 3.000000 open("/m/b", O_WRONLY) = 4 <0.1>"#,
        r"7 4.000000 sendfile(4, 3, NULL, 2147479552) = 2147479552 <0.5>",
        r"7 5.000000 close(3) = 0 <0.1>",
    ];
    let imported = imported(&(source.join("\n") + "\n"));
    let of = |kind| imported.ops().iter().filter(|op| op.kind == kind).count();
    assert_eq!((of(OpKind::Allocate), of(OpKind::Read), of(OpKind::Write)), (6, 2, 2));
    assert_eq!(time_us(&imported, OpKind::Allocate), (600_001, 0));
    assert_eq!(time_us(&imported, OpKind::Read), (500_000, 0));
    assert_eq!(time_us(&imported, OpKind::Write), (500_000, 0));
    assert_eq!(imported.info().notes, [TraceNote::LongOperationsSplit { times: 3, first_line: 2 }]);
}

#[test]
fn oversized_short_request_is_clamped_slightly_above_its_result() {
    let source = [
        r#"7 1.0 open("/m/a", O_RDONLY) = 3 <0.1>"#,
        r#"7 2.0 read(3, ""..., 8589934592) = 2147479552 <0.2>"#,
        r#"7 3.0 read(3, ""..., 8589934592) = 100 <0.2>"#,
        r#"7 4.0 read(3, 0x7f0000000000, 8589934592) = -1 EFAULT (Bad address) <0.2>"#,
    ];
    let imported = imported(&(source.join("\n") + "\n"));
    let wanted = [
        "open a r h1",
        "read a 0+2147483648=2147479552 h1",
        "read a 2147479552+1073741824=100 h1",
        "read a 2147479652+1073741824=0 h1 e14",
    ];
    let lines: Vec<String> = imported.lines().iter().map(|line| line.replace("m/a", "a")).collect();
    assert_eq!(lines, wanted);
    assert_eq!(imported.info().notes, [TraceNote::LongRequestsShortened { times: 3, first_line: 2 }]);
}
