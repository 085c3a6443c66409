//! Tests with lines of real program output that others have published. The importers were written from
//! documentation; these lines show the real output. Each test names the source of its lines. They are
//! unchanged, except for line breaks of mails and comments.

#![allow(clippy::unwrap_used)]

mod common;

use common::{imported, try_import};
use reelgauge_import::Format;

/// `head Logfile.CSV` in the documentation of yampelo/beagle ("Adding new data sources"): another order
/// of columns than Process Monitor's default, a thread column at the end, and reads of the cache
/// manager.
#[test]
fn process_monitor_with_a_thread_column() {
    let source = "\
\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\",\"TID\"
\"10:29:05.0593693 AM\",\"Explorer.EXE\",\"2900\",\"ReadFile\",\"C:\\Windows\\explorer.exe\",\"SUCCESS\",\
\"Offset: 2,275,840, Length: 16,384, I/O Flags: Non-cached, Paging I/O, Synchronous Paging I/O, Priority: \
Normal\",\"3408\"
\"10:29:05.0595947 AM\",\"Explorer.EXE\",\"2900\",\"ReadFile\",\"C:\\Windows\\explorer.exe\",\"SUCCESS\",\
\"Offset: 2,255,360, Length: 16,384, I/O Flags: Non-cached, Paging I/O, Synchronous Paging I/O, Priority: \
Normal\",\"3408\"
";
    let error = try_import(source.as_bytes(), None, None).err().unwrap().to_string();
    assert!(error.contains("2 operations left out: paging I/O of the cache manager"), "{error}");
}

/// A helper of Eye-Fi cards, in a comment of its rewrite (eyefi-config, Windows port), as rows of a
/// copied table: 24-hour times, a user column, no thread, a missing file.
#[test]
fn process_monitor_of_a_card_in_a_camera() {
    let row = |time: &str, operation: &str, path: &str, result: &str, detail: &str| {
        format!(
            "\"{time}\",\"EyeFiHelper.exe\",\"21892\",\"{operation}\",\"{path}\",\"{result}\",\"{detail}\",\"JIM-I7\\Jim\"\r\n"
        )
    };
    let opened = "Desired Access: Generic Read/Write, Disposition: OpenIf, Options: Write Through, No Buffering, \
        Synchronous IO Non-Alert, Non-Directory File, Attributes: N, ShareMode: Read, Write, AllocationSize: 0, \
        OpenResult: Opened";
    let missing = "Desired Access: Read Attributes, Disposition: Open, Options: Open Reparse Point, Attributes: n/a, \
        ShareMode: Read, Write, Delete, AllocationSize: n/a";
    let written = "Offset: 0, Length: 4,096, I/O Flags: Non-cached, Write Through, Priority: Normal";
    let source = [
        "\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\",\"User\"\r\n"
            .to_owned(),
        row("13:30:03.0948228", "CreateFile", "G:\\EYEFI\\RSPM", "SUCCESS", opened),
        row(
            "13:30:03.0949218",
            "ReadFile",
            "G:\\EYEFI\\RSPM",
            "SUCCESS",
            "Offset: 0, Length: 16,384, I/O Flags: Non-cached, Priority: Normal",
        ),
        row("13:30:03.0978307", "CloseFile", "G:\\EYEFI\\RSPM", "SUCCESS", ""),
        row("13:30:03.0978917", "CreateFile", "G:\\EYEFI\\REQM", "SUCCESS", opened),
        row("13:30:03.0979793", "WriteFile", "G:\\EYEFI\\REQM", "SUCCESS", written),
        row("13:30:03.0986232", "FlushBuffersFile", "G:\\EYEFI\\REQM", "SUCCESS", ""),
        row(
            "13:30:03.1040209",
            "WriteFile",
            "G:\\EYEFI",
            "SUCCESS",
            "Offset: 0, Length: 4,096, I/O Flags: Non-cached, Paging I/O, Synchronous Paging I/O, Priority: Normal",
        ),
        row("13:30:03.1251564", "CloseFile", "G:\\EYEFI\\REQM", "SUCCESS", ""),
        row("13:30:03.9830778", "CreateFile", "G:\\EYEFIFWU.BIN", "NAME NOT FOUND", missing),
    ];
    let imported = imported(&source.concat());
    let wanted = [
        "create G/EYEFI/RSPM rwcds h1",
        "read G/EYEFI/RSPM 0+16384=16384 h1",
        "close G/EYEFI/RSPM h1",
        "create G/EYEFI/REQM rwcds h2",
        "write G/EYEFI/REQM 0+4096=4096 h2",
        "sync G/EYEFI/REQM h2",
        "close G/EYEFI/REQM h2",
        "stat G/EYEFIFWU.BIN e2",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.info().malformed_lines, 0);
    assert_eq!(imported.info().left_out["paging I/O of the cache manager"], 1);
}

/// A browser's journal, in comments of a program that reads such dumps (FileIoEvent states: TimeStamp
/// 14195102 and after): an information query, a read of one byte, its cleanup, and an end without the
/// blank before the process number.
#[test]
fn xperf_of_a_browsers_journal() {
    let path = "\"C:\\Users\\Alexandre\\AppData\\Local\\Google\\Chrome\\User Data\\Default\\databases\\Databases.db-journal\"";
    let common = "chrome.exe (12192), 12352, chrome.exe (12192), 12352, 2";
    let source = format!(
        "FileIoQueryInfo, 14195102, {common}, 0xffffe0001cbb8508, 0xffffe000142b0070, 0x0000000000000000, \
         FileBasicInformation, {path}\r\n\
         FileIoRead, 14195127, {common}, 0xffffe00018843568, 0xffffe000142b0070, 0x0000000000, 0x00000001, \
         0x00060900, 0x00000000, Normal, \r\n\
         FileIoCleanup, 14195148, {common}, 0xffffe00018843568, 0xffffe000142b0070, {path}\r\n\
         FileIoOpEnd, 1626934, chrome.exe(9336), 6332, chrome.exe(9336), 6332, 0, 0xffffe00014cb3b58, \
         0xffffe000186e3070, 233, 0x00000000, 0x0000000000004000\r\n"
    );
    let shown = try_import(source.as_bytes(), Some(Format::Etw), Some("C:\\Users")).unwrap();
    // Every line is parsed, but none has both its start and its end. The query shows the file of the
    // read.
    assert_eq!(shown.info().malformed_lines, 0);
    assert_eq!(shown.info().left_out["a call without its end, or an end without its call"], 3);
    assert!(shown.lines().iter().all(|line| line.starts_with("open ")), "{:?}", shown.lines());
    // With their ends. The published program also joins them by the request packet.
    let end = |at: u64, irp: &str, elapsed: u64, bytes: &str| {
        format!(
            "FileIoOpEnd, {at}, chrome.exe(12192), 12352, chrome.exe(12192), 12352, 2, {irp}, 0xffffe000142b0070, {elapsed}, 0x00000000, {bytes}\r\n"
        )
    };
    let lines: Vec<&str> = source.lines().collect();
    let whole = format!(
        "{}\r\n{}{}\r\n{}{}\r\n{}",
        lines[0],
        end(14_195_110, "0xffffe0001cbb8508", 8, "0x28"),
        lines[1],
        end(14_195_140, "0xffffe00018843568", 13, "0x1"),
        lines[2],
        end(14_195_150, "0xffffe00018843568", 2, "0x0"),
    );
    let imported = try_import(whole.as_bytes(), Some(Format::Etw), Some("C:\\Users")).unwrap();
    let name = "Alexandre/AppData/Local/Google/Chrome/User Data/Default/databases/Databases.db-journal";
    let lines = imported.lines();
    assert!(lines.contains(&format!("read {name} 0+1=1 h1")), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("close "), "{lines:?}");
    assert_eq!(imported.info().malformed_lines, 0);
}

/// git and a daemon, in a mail by Max Horn to the git list (git-rebase-debug.txt, about a rebase that
/// fails on OS X): relative paths, a call in angle brackets, a thread name of sixteen letters.
#[test]
fn fs_usage_of_a_rebase() {
    let source = "\
00:59:54.349156  lstat64                                src/BAD_FILE                                             0.000050   git.623953
00:59:54.600160  open              F=7        (R_____)  /Users/mhorn/the-path-to-my-repository/src/BAD_FILE      0.000006   revisiond.623963
00:59:54.600161  fstatfs64         F=7                                                                           0.000002   revisiond.623963
00:59:54.600163  close             F=7                                                                           0.000002   revisiond.623963
00:59:54.600387  unlink                                 src/BAD_FILE                                             0.000328 W git.623959
00:59:54.600429  open              F=5        (_WC__E)  src/BAD_FILE                                             0.000039   git.623959
00:59:54.602910  write             F=5    B=0x4000                                                               0.000040   git.623959
00:59:54.602977  write             F=5    B=0x12f5                                                               0.000007   git.623959
00:59:54.602983  fstat64           F=5                                                                           0.000004   git.623959
00:59:54.603032  close             F=5                                                                           0.000049   git.623959
00:59:56.600440  open              F=7        (R_____)  /Users/mhorn/the-path-to-my-repository/src/BAD_FILE      0.000014   revisiond.623963
00:59:56.600442  fcntl             F=7   <GETPATH>                                                               0.000002   revisiond.623963
00:59:56.600445  close             F=7                                                                           0.000004   revisiond.623963
00:59:57.118844  lstat64                                src/BAD_FILE                                             0.000005   git-merge-recurs.624544
";
    let imported = imported(source);
    assert_eq!(imported.info().malformed_lines, 0, "{:?}", imported.info().first_malformed);
    let lines = imported.lines();
    let of = |kind: &str| lines.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!((of("open"), of("create"), of("close"), of("unlink")), (2, 1, 3, 1), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("write src/BAD_FILE 0+16384=16384")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("write src/BAD_FILE 16384+4853=4853")), "{lines:#?}");
    assert!(lines.iter().any(|line| line.contains("wcx")), "an exclusive making: {lines:#?}");
}

/// Ten writes of a small test program under Windows Subsystem for Linux, from the head of Darshan's own
/// example of a conflict search (write_count: 10).
#[test]
fn darshan_of_a_conflict_test() {
    let source = "\
# DXT, file_id: 8515199880342690440, file_name: /mnt/c/Ed/UI/Research/Darshan/conflict_app.out.RAW.POSIX.NONE
# DXT, rank: 0, hostname: XPS13
# DXT, write_count: 10, read_count: 0
# DXT, mnt_pt: /mnt/c, fs_type: 9p
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_POSIX       0  write        0               0         1048576      4.8324      4.8436
 X_POSIX       0  write        1         1048576         1048576      4.8436      4.8534
 X_POSIX       0  write        2         2097152         1048576      4.8534      4.8637
 X_POSIX       0  write        3         3145728         1048576      4.8638      4.8706
 X_POSIX       0  write        4         4194304         1048576      4.8706      4.8769
";
    let imported = imported(source);
    assert_eq!(imported.info().malformed_lines, 0);
    let lines = imported.lines();
    assert_eq!(lines.len(), 6, "{lines:#?}");
    let name = "mnt/c/Ed/UI/Research/Darshan/conflict_app.out.RAW.POSIX.NONE";
    assert_eq!(lines[1], format!("write {name} 0+1048576=1048576 h1"));
    assert_eq!(lines[5], format!("write {name} 4194304+1048576=1048576 h1"));
    assert_eq!(imported.times_us()[5], (4_870_600, 4_876_900), "since the program began");
}
