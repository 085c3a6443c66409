//! Tests the importers of fio, Process Monitor, xperf, fs_usage, Darshan and NASPT with text in the
//! formats of these programs.

#![allow(clippy::unwrap_used)]

mod common;

use common::{imported, try_import};
use reelgauge_import::{Format, ImportError};
use reelgauge_record::OpKind;
use reelgauge_trace::TraceNote;

#[test]
fn fio_version_3_has_times() {
    let source = "fio version 3 iolog\n17 x.dat add\n195 x.dat open\n198 x.dat write 0 65536\n\
        125162 x.dat read 65536 4096\n125170 x.dat datasync 0 0\n125180 x.dat close\n125190 y.dat read 5 6\n";
    let imported = imported(source);
    let wanted = [
        "open x.dat ? h1",
        "write x.dat 0+65536=65536 h1",
        "read x.dat 65536+4096=4096 h1",
        "sync x.dat h1",
        "close x.dat h1",
        "open y.dat ? h2",
        "read y.dat 5+6=6 h2",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.times_us()[2], (125_162, 125_162));
    assert!(imported.info().blind_to.contains(&"durations".to_owned()));
}

#[test]
fn fio_version_2_has_pauses() {
    let source = "fio version 2 iolog\nx add\nx open\nx read 0 100\nx wait 2500 0\nx write 100 7\nx wait 10 0\n\
        x trim 0 5\nx sync 0 0\nx close\nx bite 1 2\n";
    let imported = imported(source);
    let wanted = ["open x ? h1", "read x 0+100=100 h1", "write x 100+7=7 h1", "sync x h1", "close x h1"];
    assert_eq!(imported.lines(), wanted);
    let starts: Vec<u64> = imported.times_us().iter().map(|times| times.0).collect();
    assert_eq!(starts, [0, 0, 2500, 2510, 2510]);
    assert_eq!((imported.info().left_out["trims"], imported.info().malformed_lines), (1, 1));
}

const GIB: u64 = 1 << 30;

/// The requested and the transferred bytes of the trace's operations of a kind; they are sequential.
#[track_caller]
fn moved_in_a_row(imported: &common::Imported, kind: OpKind, from: u64) -> (u64, u64) {
    let (mut asked, mut done) = (0, 0);
    for op in imported.ops().iter().filter(|op| op.kind == kind) {
        assert_eq!(op.offset, from + asked);
        (asked, done) = (asked + u64::from(op.len), done + u64::from(op.done_len));
    }
    (asked, done)
}

#[test]
fn operations_longer_than_a_record_can_hold_are_split_with_their_exact_total() {
    for (len, pieces) in
        [(4 * GIB - 1, 1), (4 * GIB, 4), (4 * GIB + 1, 5), (6 * GIB + 4096, 7), (100 * GIB, 100)]
    {
        let source = format!("fio version 3 iolog\n1 x add\n2 x open\n3 x write 4096 {len}\n4 x close\n");
        let imported = imported(&source);
        assert_eq!(moved_in_a_row(&imported, OpKind::Write, 4096), (len, len), "{len}");
        let info = imported.info();
        let writes = info.moved.unwrap();
        assert_eq!((writes.writes, writes.written_bytes), (pieces, len));
        let split = TraceNote::LongOperationsSplit { times: 1, first_line: 4 };
        assert_eq!(info.notes, if pieces > 1 { vec![split] } else { Vec::new() }, "{len}");
    }
    let too_long = "fio version 2 iolog\nx add\nx open\nx read 0 70368744177665\nx read 0 5\n";
    let imported = imported(too_long);
    assert_eq!(imported.info().left_out["an operation of more than 64 TiB"], 1);
    assert_eq!(moved_in_a_row(&imported, OpKind::Read, 0), (5, 5));
}

#[test]
fn process_monitor_shows_reads_of_5_gib_that_are_split() {
    let source = procmon(&[
        ("CreateFile", r"C:\m\a.mov", "SUCCESS", READABLE),
        ("ReadFile", r"C:\m\a.mov", "SUCCESS", "Offset: 0, Length: 5,368,709,120, Priority: Normal"),
        ("CloseFile", r"C:\m\a.mov", "SUCCESS", ""),
    ]);
    let imported = imported(&source);
    assert_eq!(moved_in_a_row(&imported, OpKind::Read, 0), (5 * GIB, 5 * GIB));
    let reads: Vec<_> = imported.ops().into_iter().filter(|op| op.kind == OpKind::Read).collect();
    assert_eq!(reads.iter().map(|op| op.done_ns - op.issued_ns).sum::<u64>(), 50_000);
    assert!(reads.windows(2).all(|pair| pair[0].done_ns == pair[1].issued_ns));
}

const PROCMON_HEADER: &str = "\u{feff}\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\
    \"Detail\",\"Relative Time\",\"Duration\",\"TID\"\n";

fn procmon(rows: &[(&str, &str, &str, &str)]) -> String {
    let row = |(at, (operation, path, result, detail)): (usize, &(&str, &str, &str, &str))| {
        format!(
            "\"7:19:37.5653985 AM\",\"edit.exe\",\"5860\",\"{operation}\",\"{path}\",\"{result}\",\"{detail}\",\
             \"00:00:00.{at:03}0000\",\"0.0000500\",\"77\"\r\n"
        )
    };
    PROCMON_HEADER.to_owned() + &rows.iter().enumerate().map(row).collect::<String>()
}

const WRITABLE: &str = "Desired Access: Generic Read/Write, Disposition: OverwriteIf, Options: Synchronous IO \
    Non-Alert, Non-Directory File, ShareMode: Read, AllocationSize: 0, OpenResult: Created";
const READABLE: &str = "Desired Access: Generic Read, Disposition: Open, Options: Sequential Access, Non-Directory \
    File, ShareMode: Read, AllocationSize: n/a, OpenResult: Opened";

#[test]
fn procmon_shows_handles_sizes_and_results() {
    let (clip, out, dir) = (r"C:\Media\clip.mov", r"C:\Media\out.mov", r"C:\Media");
    let imported = imported(&procmon(&[
        ("RegOpenKey", r"HKLM\Software", "SUCCESS", "Desired Access: Read"),
        ("CreateFile", clip, "SUCCESS", READABLE),
        (
            "QueryStandardInformationFile",
            clip,
            "SUCCESS",
            "AllocationSize: 249,856, EndOfFile: 246,784, NumberOfLinks: 1",
        ),
        ("ReadFile", clip, "SUCCESS", "Offset: 0, Length: 16,022, Priority: Normal"),
        (
            "ReadFile",
            clip,
            "SUCCESS",
            "Offset: 0, Length: 32,768, I/O Flags: Non-cached, Paging I/O, Priority: Normal",
        ),
        ("ReadFile", clip, "END OF FILE", "Offset: 246,784, Length: 4,096"),
        ("CreateFile", r"C:\Media\none.mov", "NAME NOT FOUND", READABLE),
        ("CreateFile", out, "SUCCESS", WRITABLE),
        ("WriteFile", out, "SUCCESS", "Offset: 5,242,880, Length: 1,048,576, Priority: Very Low"),
        ("SetEndOfFileInformationFile", out, "SUCCESS", "EndOfFile: 4,096"),
        ("FlushBuffersFile", out, "SUCCESS", ""),
        ("CloseFile", out, "SUCCESS", ""),
        ("SetRenameInformationFile", out, "SUCCESS", r"ReplaceIfExists: False, FileName: C:\Media\final.mov"),
        ("QueryDirectory", dir, "SUCCESS", "Filter: *.mov, 1: clip.mov"),
        (
            "CreateFile",
            dir,
            "SUCCESS",
            "Desired Access: Read Attributes, Disposition: Open, Options: Directory, OpenResult: Opened",
        ),
        ("CloseFile", clip, "SUCCESS", ""),
        ("SetDispositionInformationFile", clip, "SUCCESS", "Delete: True"),
        ("CreateFile", r"C:\Windows\System32\x.dll", "SUCCESS", READABLE),
    ]));
    let wanted = [
        "open C/Media/clip.mov r h1",
        "stat C/Media/clip.mov h1",
        "read C/Media/clip.mov 0+16022=16022 h1",
        "read C/Media/clip.mov 246784+4096=0 h1",
        "open C/Media/none.mov r h2 e2",
        "create C/Media/out.mov rwct made h3",
        "write C/Media/out.mov 5242880+1048576=1048576 h3",
        "truncate C/Media/out.mov 4096 h3",
        "sync C/Media/out.mov h3",
        "close C/Media/out.mov h3",
        "rename C/Media/out.mov to C/Media/final.mov",
        "readdir C/Media/",
        "stat C/Media/",
        "close C/Media/clip.mov h1",
        "unlink C/Media/clip.mov",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.before("C/Media/clip.mov"), "found 246784");
    assert_eq!(imported.before("C/Media/out.mov"), "absent");
    let info = imported.info();
    assert_eq!(info.left_out["paging I/O of the cache manager"], 1);
    assert_eq!(info.left_out["events that are not file operations"], 1);
    assert_eq!((info.malformed_lines, info.warnings.len()), (0, 0), "{info:?}");
    assert_eq!(imported.times_us()[0], (0, 50));
}

#[test]
fn procmon_results_that_are_no_errors_and_writes_to_the_end() {
    let log = r"C:\Media\log.txt";
    let imported = imported(&procmon(&[
        ("QueryOpen", log, "FAST IO DISALLOWED", ""),
        ("CreateFile", log, "SUCCESS", WRITABLE),
        ("WriteFile", log, "FAST IO DISALLOWED", "Offset: 0, Length: 4,096, Priority: Normal"),
        ("WriteFile", log, "SUCCESS", "Offset: 0, Length: 4,096, Priority: Normal"),
        ("WriteFile", log, "SUCCESS", "Offset: -1, Length: 88"),
        ("WriteFile", log, "SUCCESS", "Offset: 18,446,744,073,709,551,615, Length: 12"),
        ("CreateFileMapping", log, "FILE LOCKED WITH ONLY READERS", "SyncType: SyncTypeCreateSection"),
        ("FileSystemControl", log, "OPLOCK HANDLE CLOSED", "Control: FSCTL_REQUEST_OPLOCK"),
        ("NotifyChangeDirectory", r"C:\Media", "NOTIFY ENUM DIR", "Filter: FILE_NOTIFY_CHANGE_FILE_NAME"),
        ("WriteFile", log, "SUCCESS", "Offset: 7,41,632, Length: 8,192"),
        ("WriteFile", log, "SUCCESS", "Offset: 7,4163, Length: 8,192"),
        ("CloseFile", log, "SUCCESS", ""),
    ]));
    let wanted = [
        "create C/Media/log.txt rwct made h1",
        "write C/Media/log.txt 0+4096=4096 h1",
        "write C/Media/log.txt 4096+88=88 h1",
        "write C/Media/log.txt 4184+12=12 h1",
        "other C/Media/log.txt h1",
        "other C/Media/log.txt h1",
        "other C/Media",
        "write C/Media/log.txt 741632+8192=8192 h1",
        "close C/Media/log.txt h1",
    ];
    assert_eq!(imported.lines(), wanted);
    let info = imported.info();
    assert!(info.warnings.is_empty(), "{:?}", info.warnings);
    let refused = "refused fast I/O (it is requested again, and that row is kept)";
    assert_eq!(info.left_out[refused], 2);
    assert_eq!(info.malformed_lines, 1);
    assert!(info.first_malformed[0].why.contains("grouping of digits"), "{:?}", info.first_malformed);
}

#[test]
fn procmon_error_names_the_missing_columns() {
    let source = "\"Time of Day\",\"Process Name\",\"PID\",\"Operation\",\"Path\",\"Result\",\"Detail\"\n\
        \"23:59:59,9999999\",\"a\",\"1\",\"ReadFile\",\"C:\\x\",\"SUCCESS\",\"Offset: 1.024, Length: 16\"\n\
        \"00:00:00,0000001\",\"a\",\"1\",\"ReadFile\",\"C:\\x\",\"SUCCESS\",\"Offset: 1.040, Length: 16\"\n";
    let imported = imported(source);
    let wanted = ["open C/x ? h1", "read C/x 1024+16=16 h1", "read C/x 1040+16=16 h1"];
    assert_eq!(imported.lines(), wanted);
    let last = imported.ops().last().unwrap().issued_ns;
    assert_eq!(last, 200, "midnight is no step back");
    let blind = &imported.info().blind_to;
    assert!(blind.contains(&"durations".to_owned()) && blind.contains(&"threads".to_owned()));
    let source = "\"Operation\",\"Path\",\"Detail\"\n";
    let error = try_import(source.as_bytes(), Some(Format::Procmon), None).err().unwrap().to_string();
    assert!(error.contains("no column Result") && error.contains("Save, CSV"), "{error}");
}

#[test]
fn xperf_joins_requests_with_their_ends() {
    let common = |event: &str, at: u64, irp: u64| {
        format!(
            "{event:>20}, {at:>10}, edit.exe ( 934), 633, edit.exe ( 934), 633, 0, 0xffffe000{irp:08x}, 0xffffe000186e3070"
        )
    };
    let path = "\"C:\\Media\\a, b.mov\"";
    let source = [
        "BeginHeader".to_owned(),
        "EndHeader".to_owned(),
        common("FileIoCreate", 100, 1) + ", 0x05000020, 0x80, 0x1, " + path + ", x, y, z",
        common("FileIoOpEnd", 150, 1) + ", 50, 0x00000000, 0x0000000000000002, Create, " + path,
        common("FileIoWrite", 200, 2) + ", 0x0000010000, 0x00004000, 0x00060900, 0x0, Normal, , ",
        common("FileIoWrite", 210, 3) + ", 0x0000010000, 0x00004000, 0x00060043, 0x0, Normal, " + path + ", ",
        common("FileIoOpEnd", 260, 2) + ", 60, 0x00000000, 0x0000000000004000, Write, " + path,
        common("FileIoOpEnd", 261, 3) + ", 60, 0x00000000, 0x0000000000004000, Write, " + path,
        common("FileIoRead", 300, 4) + ", 0x0000000000, 0x00001000, 0x00060900, 0x0, Normal, " + path + ", ",
        common("FileIoOpEnd", 310, 4) + ", 10, 0xc0000011, 0x0, Read, " + path,
        common("FileIoCleanup", 400, 5) + ", " + path,
        common("FileIoOpEnd", 401, 5) + ", 1, 0x00000000, 0x0, Cleanup, " + path,
        common("FileIoFlush", 500, 6) + ", " + path,
        "DiskRead, 5, x".to_owned(),
    ];
    let imported = imported(&source.join("\r\n"));
    let wanted = [
        "create C/Media/a, b.mov rwct made h1",
        "write C/Media/a, b.mov 65536+16384=16384 h1",
        "read C/Media/a, b.mov 0+4096=0 h1",
        "close C/Media/a, b.mov h1",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.times_us()[..2], [(0, 50), (100, 160)]);
    assert_eq!(imported.before("C/Media/a, b.mov"), "absent");
    assert_eq!(imported.info().left_out["paging I/O of the cache manager"], 1);
    assert_eq!(imported.info().left_out["a call without its end, or an end without its call"], 1);
}

#[test]
fn fs_usage_positions_are_followed() {
    let source = "\
10:00:00.000100  open              F=5        (R_____)  /Volumes/nas/a b.mov    0.000050   Final Cut Pro.900
10:00:00.000200  read              F=5    B=0x8000                              0.000100 W Final Cut Pro.900
10:00:00.000300  read              F=5    B=0x10                                0.000010   Final Cut Pro.901
10:00:00.000400  lseek             F=5      O=0x00000064         <SEEK_SET>     0.000001   Final Cut Pro.900
10:00:00.000500  read_nocancel     F=5[ 35]                                     0.000010   Final Cut Pro.900
10:00:00.000600  pread             F=5    B=0x20       O=0x4000001000      0.000010   Final Cut Pro.900
10:00:00.000700  stat64                 [  2]           /Volumes/nas/none       0.000010   Final Cut Pro.900
10:00:00.000800  open              F=6        (_WC_T_)  /Volumes/nas/out.mov    0.000010   Final Cut Pro.900
10:00:00.000900  write             F=6    B=0x7                                 0.000010   Final Cut Pro.900
10:00:00.001000  close             F=6                                          0.000010   Final Cut Pro.900
10:00:00.001100  read              F=5    B=0x9                                 0.000010   mds.77
10:00:00.001200  getattrlist                            /System/Library/x       0.000010   mds.77
not a line
";
    let imported = imported(source);
    let wanted = [
        "open Volumes/nas/a b.mov r h1",
        "read Volumes/nas/a b.mov 0+32768=32768 h1",
        "read Volumes/nas/a b.mov 32768+16=16 h1 t1",
        "read Volumes/nas/a b.mov 100+0=0 h1 e11",
        "read Volumes/nas/a b.mov 4096+64=32 h1",
        "stat Volumes/nas/none e2",
        "create Volumes/nas/out.mov wct h2",
        "write Volumes/nas/out.mov 0+7=7 h2",
        "close Volumes/nas/out.mov h2",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.times_us()[..2], [(0, 50), (50, 150)], "a line's time is that of the call's end");
    assert_eq!(imported.info().malformed_lines, 1);
    assert_eq!(imported.info().left_out["through a handle whose file is unknown"], 1);
}

/// fs_usage prints the third argument of a positioned call << 32 | the lower half of the fourth, so that
/// `pwrite(fd, buffer, 8, 0)` shows `O=0x0800000000`.
#[test]
fn fs_usage_offsets_are_truncated_and_sizes_are_requested_ones() {
    let mut source = "\
10:00:00.000100  open              F=5        (RWC___)  /Volumes/nas/a.mov    0.000050   cp.900
10:00:00.000200  pwrite            F=5    B=0x8         O=0x0800000000    0.000100 W cp.900
10:00:00.000300  pread             F=5    B=0x0         O=0x400000000008    0.000010   cp.900
10:00:00.000400  pwritev           F=5    B=0x20        O=0x0200000008    0.000010   cp.900
10:00:00.000500  pread             F=5[  5]  O=0x400000001000    0.000010   cp.900
"
    .to_owned();
    // One GiB per read, starting at 0, crosses 4 GiB. The return to 16 is ambiguous: it may be 4 GiB +
    // 16.
    for at in 0..5_u64 {
        let shown = 0x4000_0000_u64 << 32 | (at * 0x4000_0000) & 0xffff_ffff;
        source += &format!(
            "10:00:01.{at:06}  pread             F=5    B=0x40000000  O=0x{shown:016x}    0.000010   cp.900\n"
        );
    }
    source += "10:00:02.000000  pwrite            F=5    B=0x4  O=0x0450000010    0.000010   cp.900\n";
    let imported = imported(&source);
    let mut wanted = vec![
        "create Volumes/nas/a.mov rwc h1".to_owned(),
        "write Volumes/nas/a.mov 0+8=8 h1".to_owned(),
        "read Volumes/nas/a.mov 8+16384=0 h1".to_owned(),
        "write Volumes/nas/a.mov 8+32=32 h1".to_owned(),
        "read Volumes/nas/a.mov 4096+16384=0 h1 e5".to_owned(),
    ];
    const GIB: u64 = 1 << 30;
    wanted.extend((0..5).map(|at| format!("read Volumes/nas/a.mov {}+{GIB}={GIB} h1", at * GIB)));
    wanted.push(format!("write Volumes/nas/a.mov {}+4=4 h1", 0x1_5000_0010_u64));
    assert_eq!(imported.lines(), wanted);
    let warnings = &imported.info().warnings;
    assert!(warnings.iter().any(|said| said.starts_with("1 offsets of 4 GiB and more")), "{warnings:?}");
    assert!(warnings.iter().any(|said| said.starts_with("1 offsets in files above 4 GiB that may")));
}

/// `fcntl F=3 <FULLFSYNC>`, as printed on a Mac for Rust's `sync_data`.
#[test]
fn fs_usage_full_sync_is_a_sync() {
    let source = "\
09:13:59.799800  open              F=3        (RWC___)  /Volumes/nas/block.bin   0.000020   blockfile_workload.9941451
09:13:59.799895  lseek             F=3  O=0x20c42000  <SEEK_SET>  0.000001  blockfile_workload.9941451
09:13:59.799924  write             F=3  B=0x4                    0.000029  blockfile_workload.9941451
09:13:59.799928  write             F=3  B=0xffc                  0.000004  blockfile_workload.9941451
09:13:59.804842  fcntl             F=3  <FULLFSYNC>              0.004914  blockfile_workload.9941451
09:13:59.804850  fcntl             F=3  <GETPATH>                0.000002  blockfile_workload.9941451
";
    let imported = imported(source);
    let wanted = [
        "create Volumes/nas/block.bin rwc h1",
        "write Volumes/nas/block.bin 549724160+4=4 h1",
        "write Volumes/nas/block.bin 549724164+4092=4092 h1",
        "sync Volumes/nas/block.bin h1",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.info().left_out["calls that are not file operations"], 1);
}

#[test]
fn darshan_is_put_in_order() {
    let source = "\
# darshan log version: 3.41
# start_time: 1795186657
# DXT, file_id: 16457598720760448348, file_name: /scratch/a.dpx
# DXT, rank: 0, hostname: node1
# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)
 X_MPIIO       0  write        0               0       262144      0.0029      0.0033
 X_POSIX       0  write        0               0       262144      0.0029      0.0032
 X_POSIX       0   read        0               0       262144      0.0048      0.0049  [  3]
# DXT, file_id: 2, file_name: /scratch/b.dpx
 X_POSIX       1  write        0              64           16      0.0010      0.0011
 X_POSIX       1  write        x              64
";
    let imported = imported(source);
    let wanted = [
        "open scratch/b.dpx ? h1 t1",
        "write scratch/b.dpx 64+16=16 h1 t1",
        "open scratch/a.dpx ? h2",
        "write scratch/a.dpx 0+262144=262144 h2",
        "read scratch/a.dpx 0+262144=262144 h2",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.times_us()[3], (2900, 3200));
    assert_eq!(imported.info().malformed_lines, 1);
}

#[test]
fn naspt_is_recognised_and_answered() {
    let source = "<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/css\" href=\"report.css\"?>\n<TRACE>\n\
        <what><ever/></what>\n</TRACE>\n";
    let error = try_import(source.as_bytes(), None, None).err().unwrap();
    assert!(matches!(error, ImportError::Naspt { .. }));
    let told = error.to_string();
    assert!(
        told.contains("not public") && told.contains("its style sheet, its beginning, its end"),
        "{told}"
    );
}
