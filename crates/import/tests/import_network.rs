//! Tests the importers of SMB2 and NFS with rows in the format that tshark 4.0 prints for captures of
//! Samba and of NFS-Ganesha.

#![allow(clippy::unwrap_used)]

mod common;

use common::{imported, try_import};
use reelgauge_import::Format;

const SMB2: [&str; 20] = [
    "frame.time_epoch",
    "tcp.stream",
    "smb2.flags.response",
    "smb2.cmd",
    "smb2.msg_id",
    "smb2.fid",
    "smb2.filename",
    "smb2.file_offset",
    "smb2.write_length",
    "smb2.read_length",
    "smb2.nt_status",
    "smb2.write.count",
    "smb2.create.disposition",
    "smb2.create.action",
    "smb2.eof",
    "smb2.tree",
    "smb.access_mask",
    "smb.create_options",
    "smb2.disposition.delete_on_close",
    "smb2.file_info.infolevel",
];
const NFS: [&str; 24] = [
    "frame.time_epoch",
    "tcp.stream",
    "rpc.xid",
    "rpc.msgtyp",
    "nfs.fh.hash",
    "nfs.procedure_v3",
    "nfs.name",
    "nfs.offset3",
    "nfs.count3",
    "nfs.status3",
    "nfs.fattr3.size",
    "nfs.fattr3.type",
    "nfs.set_size",
    "nfs.opcode",
    "nfs.offset4",
    "nfs.count4",
    "nfs.nfsstat4",
    "nfs.fattr4.size",
    "nfs.pathname.component",
    "nfs.open4.share_access",
    "nfs.open.opentype",
    "nfs.write.data_length",
    "nfs.read.data_length",
    "nfs.symlink.to",
];

/// Rows from `field=value` pairs, with times a millisecond apart.
fn rows(columns: &[&str], rows: &[&str]) -> String {
    let mut text = columns.join("\t") + "\n";
    for (at, row) in rows.iter().enumerate() {
        let mut fields = vec![String::new(); columns.len()];
        fields[0] = format!("1795298472.{:03}000000", at);
        fields[1] = "0".to_owned();
        for pair in row.split_whitespace() {
            let (name, value) = pair.split_once('=').unwrap();
            let ends = |column: &&str| column.ends_with(&format!(".{name}"));
            fields[columns.iter().position(ends).unwrap_or_else(|| panic!("{name}"))] =
                value.replace('_', " ");
        }
        text += &(fields.join("\t") + "\n");
    }
    text
}

const A: &str = "761577b8-0000-0000-df24-c08300000000";
const B: &str = "7e8ebd12-0000-0000-cb14-2ef700000000";

#[test]
fn smb2_calls_and_replies_are_operations() {
    let tree = r"tree=\\nas\s";
    let call = |rest: &str| format!("response=0 {tree} {rest}");
    let reply = |rest: &str| format!("response=1 {tree} {rest}");
    let text: Vec<String> = vec![
        call("cmd=5 msg_id=7 filename=in.ts disposition=1 access_mask=0x00120089 create_options=0x00000040"),
        reply(&format!("cmd=5 msg_id=7 fid={A} nt_status=0x00000000 action=1 eof=300000")),
        call(&format!("cmd=8 msg_id=8 fid={A} file_offset=0 read_length=65536")),
        call(&format!("cmd=8 msg_id=9 fid={A} file_offset=262144 read_length=65536")),
        reply("cmd=8 msg_id=9 nt_status=0x00000000"),
        reply("cmd=8 msg_id=8 nt_status=0x00000103"),
        reply("cmd=8 msg_id=8 nt_status=0x00000000"),
        call(
            "cmd=5 msg_id=10 filename=d\\up.ts disposition=5 access_mask=0x0012019f create_options=0x00000040",
        ),
        reply(&format!("cmd=5 msg_id=10 fid={B} nt_status=0x00000000 action=2 eof=0")),
        call(&format!("cmd=9 msg_id=11 fid={B} file_offset=131072 write_length=1")),
        reply("cmd=9 msg_id=11 nt_status=0x00000000 count=1"),
        call(&format!("cmd=17 msg_id=12 fid={B} eof=4096")),
        reply("cmd=17 msg_id=12 nt_status=0x00000000"),
        call(&format!("cmd=17 msg_id=13 fid={B} filename=d\\up2.ts")),
        reply("cmd=17 msg_id=13 nt_status=0x00000000"),
        call(&format!("cmd=7 msg_id=14 fid={B}")),
        reply("cmd=7 msg_id=14 nt_status=0x00000000"),
        call(&format!("cmd=17 msg_id=15 fid={B} delete_on_close=1")),
        reply("cmd=17 msg_id=15 nt_status=0x00000000"),
        call(&format!("cmd=6 msg_id=16 fid={B}")),
        reply("cmd=6 msg_id=16 nt_status=0x00000000 eof=0"),
        call("cmd=5 msg_id=17 filename=nosuch disposition=1 access_mask=0x00120089 create_options=0x0"),
        reply("cmd=5 msg_id=17 nt_status=0xc0000034"),
        reply("cmd=9 msg_id=99 nt_status=0x00000000 count=8388608"),
    ];
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let imported = imported(&rows(&SMB2, &text));
    let wanted = [
        "open s/in.ts r h1",
        "read s/in.ts 0+65536=65536 h1",
        "read s/in.ts 262144+65536=37856 h1",
        "create s/d/up.ts rwct made h2",
        "write s/d/up.ts 131072+1=1 h2",
        "truncate s/d/up.ts 4096 h2",
        "rename s/d/up.ts to s/d/up2.ts",
        "sync s/d/up2.ts h2",
        "close s/d/up2.ts h2",
        "unlink s/d/up2.ts",
        "open s/nosuch r h3 e2",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.times_us()[1], (2000, 6000), "a reply that says 'pending' is none");
    assert_eq!(imported.before("s/in.ts"), "found 300000");
    assert_eq!(imported.before("s/d/up.ts"), "absent");
    assert_eq!(imported.info().left_out["a call without its end, or an end without its call"], 1);
}

#[test]
fn unrelated_name_is_no_smb2_rename() {
    let text = [
        r"response=0 tree=\\nas\s cmd=5 msg_id=1 filename=a disposition=1 access_mask=0x0012019f create_options=0x0",
        &format!("response=1 cmd=5 msg_id=1 fid={A} nt_status=0x00000000 action=1 eof=7"),
        &format!(r"response=0 tree=\\nas\s cmd=17 msg_id=2 fid={A} filename=b infolevel=0x0b"),
        "response=1 cmd=17 msg_id=2 nt_status=0x00000000",
        &format!(r"response=0 tree=\\nas\s cmd=17 msg_id=3 fid={A} filename=c infolevel=0x0a"),
        "response=1 cmd=17 msg_id=3 nt_status=0x00000000",
    ];
    let imported = imported(&rows(&SMB2, &text));
    assert_eq!(imported.lines(), ["open s/a rw h1", "link s/a to s/b", "rename s/a to s/c"]);
    assert_eq!(imported.before("s/b"), "absent");
}

#[test]
fn links_of_nfs_have_both_their_names() {
    let imported = imported(&rows(
        &NFS,
        &[
            "xid=0x1 msgtyp=0 procedure_v3=19 hash=0x48b1260b",
            "xid=0x1 msgtyp=1 procedure_v3=19 status3=0 fattr3.size=4096",
            "xid=0x2 msgtyp=0 procedure_v3=3 hash=0x48b1260b name=in.ts",
            "xid=0x2 msgtyp=1 procedure_v3=3 hash=0xd510a5a1 status3=0 fattr3.size=100 fattr3.type=1",
            "xid=0x3 msgtyp=0 procedure_v3=15 hash=0xd510a5a1|0x48b1260b name=hard.ts",
            "xid=0x3 msgtyp=1 procedure_v3=15 status3=0",
            "xid=0x4 msgtyp=0 procedure_v3=10 hash=0x48b1260b name=soft.ts symlink.to=in.ts",
            "xid=0x4 msgtyp=1 procedure_v3=10 hash=0xe0e0e0e0 status3=0",
            "xid=0x5 msgtyp=0 procedure_v3=5 hash=0xe0e0e0e0",
            "xid=0x5 msgtyp=1 procedure_v3=5 status3=0",
            "xid=0x6 msgtyp=0 procedure_v3=10 hash=0x48b1260b name=out.ts symlink.to=../../x",
            "xid=0x6 msgtyp=1 procedure_v3=10 status3=0",
            "xid=0x7 msgtyp=0 procedure_v3=15 hash=0xd510a5a1|0x48b1260b name=hard.ts",
            "xid=0x7 msgtyp=1 procedure_v3=15 status3=17",
            "xid=0x8 msgtyp=0 hash=0xd510a5a1|0x48b1260b opcode=53|22|32|22|11 pathname.component=four.ts",
            "xid=0x8 msgtyp=1 opcode=53|22|32|22|11 nfsstat4=0|0|0|0|0|0",
        ],
    ));
    let wanted = [
        "stat in.ts",
        "link in.ts to hard.ts",
        "symlink soft.ts to in.ts",
        "readlink soft.ts",
        "symlink out.ts to out.ts",
        "link in.ts to hard.ts e17",
        "link in.ts to four.ts",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!((imported.before("hard.ts"), imported.before("soft.ts")), ("absent".into(), "absent".into()));
    assert!(imported.info().warnings.iter().any(|said| said.starts_with("1 symbolic links that lead out")));
}

#[test]
fn smb2_messages_in_one_packet_are_separated() {
    let related = "ffffffff-ffff-ffff-ffff-ffffffffffff";
    let text = [
        &format!(
            "response=0|0|0 cmd=5|16|6 msg_id=1|2|3 filename=a.mov disposition=1 access_mask=0x80 create_options=0x0 fid={related}|{related} tree=\\\\n\\s|\\\\n\\s"
        ),
        &format!("response=1|1|1 cmd=5|16|6 msg_id=1|2|3 fid={A} nt_status=0x0|0x0|0x0 action=1 eof=77|0"),
        // A directory, listed in two replies.
        "response=0 cmd=5 msg_id=4 disposition=1 access_mask=0x81 create_options=0x1 tree=\\\\n\\s",
        &format!("response=1 cmd=5 msg_id=4 fid={B} nt_status=0x0 action=1 eof=0"),
        &format!("response=0 cmd=14 msg_id=5 fid={B}"),
        "response=1 cmd=14 msg_id=5 nt_status=0x0 filename=.|..|a.mov eof=0|0|77",
        &format!("response=0 cmd=14 msg_id=6 fid={B}"),
        "response=1 cmd=14 msg_id=6 nt_status=0x80000006",
    ];
    let imported = imported(&rows(&SMB2, &text));
    assert_eq!(imported.lines(), ["stat s/a.mov", "stat s/a.mov", "stat s/", "readdir s/"]);
    assert_eq!(*imported.times_us().last().unwrap(), (4000, 7000));
    assert_eq!(imported.before("s/a.mov"), "found 77");
}

#[test]
fn nfs_version_3_learns_names() {
    let imported = imported(&rows(
        &NFS,
        &[
            "xid=0x1 msgtyp=0 procedure_v3=19 hash=0x48b1260b",
            "xid=0x1 msgtyp=1 procedure_v3=19 status3=0 fattr3.size=4096",
            "xid=0x2 msgtyp=0 procedure_v3=3 hash=0x48b1260b name=in.ts",
            "xid=0x2 msgtyp=1 procedure_v3=3 hash=0xd510a5a1 status3=0 fattr3.size=3145728|4096 fattr3.type=1|2",
            "xid=0x3 msgtyp=0 procedure_v3=6 hash=0xd510a5a1 offset3=2097152 count3=1048576",
            "xid=0x3 msgtyp=1 procedure_v3=6 count3=1048576 status3=0 fattr3.size=3145728",
            "xid=0x4 msgtyp=0 procedure_v3=8 hash=0x48b1260b name=up.ts",
            "xid=0x4 msgtyp=1 procedure_v3=8 hash=0xb376674b status3=0 fattr3.size=0|4096 fattr3.type=1|2",
            "xid=0x5 msgtyp=0 procedure_v3=7 hash=0xb376674b offset3=0 count3=65536",
            "xid=0x5 msgtyp=1 procedure_v3=7 count3=65536 status3=0",
            "xid=0x6 msgtyp=0 procedure_v3=21 hash=0xb376674b offset3=0 count3=0",
            "xid=0x6 msgtyp=1 procedure_v3=21 status3=0",
            "xid=0x7 msgtyp=0 procedure_v3=14 hash=0x48b1260b|0x48b1260b name=up.ts|up2.ts",
            "xid=0x7 msgtyp=1 procedure_v3=14 status3=0",
            "xid=0x8 msgtyp=0 procedure_v3=3 hash=0x48b1260b name=none",
            "xid=0x8 msgtyp=1 procedure_v3=3 status3=2",
            "xid=0x9 msgtyp=0 procedure_v3=6 hash=0x11111111 offset3=0 count3=10",
            "xid=0x9 msgtyp=1 procedure_v3=6 count3=10 status3=0",
            "xid=0xa msgtyp=0 procedure_v3=12 hash=0x48b1260b name=up2.ts",
            "xid=0xa msgtyp=1 procedure_v3=12 status3=0",
        ],
    ));
    let wanted = [
        "stat in.ts",
        "open in.ts ? h1",
        "read in.ts 2097152+1048576=1048576 h1",
        "create up.ts rwc h2",
        "write up.ts 0+65536=65536 h2",
        "sync up.ts h2",
        "rename up.ts to up2.ts",
        "stat none e2",
        "open fh-11111111 ? h3",
        "read fh-11111111 0+10=10 h3",
        "unlink up2.ts",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.before("in.ts"), "found 3145728");
    assert_eq!(imported.before("none"), "absent");
}

/// Attributes of the directory in a reply (type 2, at its end, or alone) are not those of the name.
#[test]
fn nfs3_removals_and_failed_lookups_use_names() {
    let imported = imported(&rows(
        &NFS,
        &[
            "xid=0x1 msgtyp=0 procedure_v3=3 hash=0x48b1260b name=in.ts",
            "xid=0x1 msgtyp=1 procedure_v3=3 hash=0xd510a5a1 status3=0 fattr3.size=100|4096 fattr3.type=1|2",
            "xid=0x2 msgtyp=0 procedure_v3=12 hash=0x48b1260b name=in.ts",
            "xid=0x2 msgtyp=1 procedure_v3=12 status3=0 fattr3.size=4096 fattr3.type=2",
            "xid=0x3 msgtyp=0 procedure_v3=3 hash=0x48b1260b name=none",
            "xid=0x3 msgtyp=1 procedure_v3=3 status3=2 fattr3.size=4096 fattr3.type=2",
            "xid=0x4 msgtyp=0 procedure_v3=9 hash=0x48b1260b name=d",
            "xid=0x4 msgtyp=1 procedure_v3=9 hash=0x22222222 status3=0 fattr3.size=6|4096 fattr3.type=2|2",
            "xid=0x5 msgtyp=0 procedure_v3=13 hash=0x48b1260b name=d",
            "xid=0x5 msgtyp=1 procedure_v3=13 status3=0 fattr3.size=4096 fattr3.type=2",
            "xid=0x6 msgtyp=0 procedure_v3=12 hash=0x48b1260b name=gone",
            "xid=0x6 msgtyp=1 procedure_v3=12 status3=2 fattr3.size=4096 fattr3.type=2",
        ],
    ));
    let dir = "fh-48b1260b";
    let wanted = [
        format!("stat {dir}/in.ts"),
        format!("unlink {dir}/in.ts"),
        format!("stat {dir}/none e2"),
        format!("mkdir {dir}/d/"),
        format!("rmdir {dir}/d/"),
        format!("unlink {dir}/gone e2"),
    ];
    assert_eq!(imported.lines(), wanted);
}

#[test]
fn nfs4_lookups_span_operations_and_reads_have_actual_lengths() {
    let imported = imported(&rows(
        &NFS,
        &[
            "xid=0x1 msgtyp=0 opcode=24|15|15|15|18|10|9 component=exp|dir|b.mov share_access=1 opentype=0",
            "xid=0x1 msgtyp=1 hash=0x7f8e3504 opcode=24|15|15|15|18|10|9 nfsstat4=0|0|0|0|0|0|0|0 fattr4.size=111",
            "xid=0x2 msgtyp=0 hash=0x7f8e3504 opcode=22|25 offset4=100 count4=100",
            "xid=0x2 msgtyp=1 opcode=22|25 nfsstat4=0|0|0 read.data_length=11",
            "xid=0x3 msgtyp=0 opcode=24|15|15|18|10 component=exp|dir|c.mov share_access=1 opentype=0",
            "xid=0x3 msgtyp=1 hash=0x7f8e3505 opcode=24|15|15|18|10 nfsstat4=0|0|0|0|0|0",
            "xid=0x4 msgtyp=0 hash=0x7f8e3505 opcode=22|25 offset4=0 count4=100",
            "xid=0x4 msgtyp=1 opcode=22|25 nfsstat4=0|0|0 read.data_length=11",
            "xid=0x5 msgtyp=0 opcode=24|15|15|15|10 component=exp|none|b.mov",
            "xid=0x5 msgtyp=1 opcode=24|15|15 nfsstat4=2|0|0|2",
            "xid=0x6 msgtyp=0 hash=0x7f8e3506 opcode=22|25 offset4=0 count4=100",
            "xid=0x6 msgtyp=1 opcode=22|25 nfsstat4=0|0|0",
        ],
    ));
    let wanted = [
        "stat exp/",
        "stat exp/dir/",
        "stat exp/dir/b.mov",
        "open exp/dir/b.mov r h1",
        "read exp/dir/b.mov 100+100=11 h1",
        "stat exp/",
        "stat exp/dir/",
        "open exp/dir/c.mov r h2",
        "read exp/dir/c.mov 0+100=11 h2",
        "stat exp/",
        "stat exp/none e2",
        "open fh-7f8e3506 ? h3",
        "read fh-7f8e3506 0+100=100 h3",
    ];
    assert_eq!(imported.lines(), wanted);
    assert_eq!(imported.before("exp/dir/b.mov"), "found 111");
    let warnings = &imported.info().warnings;
    assert!(warnings.iter().any(|said| said.starts_with("1 reads whose replies")), "{warnings:?}");
}

#[test]
fn nfs4_operations_are_grouped_by_compound() {
    let imported = imported(&rows(
        &NFS,
        &[
            "xid=0x1 msgtyp=0 opcode=24|15|9|10 component=s",
            "xid=0x1 msgtyp=1 hash=0x0c7a3081 opcode=24|15|9|10 nfsstat4=0|0|0|0|0 fattr4.size=4096",
            "xid=0x2 msgtyp=0 hash=0x0c7a3081 opcode=22|9|3|18|10 component=in.ts share_access=1 opentype=0",
            "xid=0x2 msgtyp=1 hash=0x7f8e3504 opcode=22|9|3|18|10 nfsstat4=0|0|0|0|0|0",
            "xid=0x3 msgtyp=0 hash=0x7f8e3504 opcode=22|9",
            "xid=0x3 msgtyp=1 opcode=22|9 nfsstat4=0|0|0 fattr4.size=3145728",
            "xid=0x4 msgtyp=0 hash=0x7f8e3504 opcode=22|25 offset4=2097152 count4=1048577",
            "xid=0x4 msgtyp=1 opcode=22|25 nfsstat4=0|0|0",
            "xid=0x5 msgtyp=0 hash=0x7f8e3504 opcode=22|5|4 offset4=0 count4=0",
            "xid=0x5 msgtyp=1 opcode=22|5|4 nfsstat4=0|0|0|0",
            "xid=0x6 msgtyp=0 hash=0x0c7a3081 opcode=22|18|10 component=up.ts share_access=2 opentype=1",
            "xid=0x6 msgtyp=1 hash=0x33ac9629 opcode=22|18|10 nfsstat4=0|0|0|0",
            "xid=0x7 msgtyp=0 hash=0x33ac9629 opcode=22|38 offset4=0 data_length=4096",
            "xid=0x7 msgtyp=1 opcode=22|38 count4=4096 nfsstat4=0|0|0",
            "xid=0x8 msgtyp=0 hash=0x0c7a3081 opcode=22|26",
            "xid=0x8 msgtyp=1 opcode=22|26 nfsstat4=0|0|0",
        ],
    ));
    let wanted = [
        "stat s",
        "open s/in.ts r h1",
        "stat s/in.ts h1",
        "read s/in.ts 2097152+1048577=1048576 h1",
        "sync s/in.ts h1",
        "close s/in.ts h1",
        "create s/up.ts wc h2",
        "write s/up.ts 0+4096=4096 h2",
        "readdir s/",
    ];
    assert_eq!(imported.lines(), wanted);
}

#[test]
fn smb2_removal_of_a_missing_file_is_a_failed_open() {
    let tree = r"tree=\\nas\s";
    let open = "filename=nosuch disposition=1 access_mask=0x00010080 create_options=0x00001000";
    let text = [
        format!("response=0 {tree} cmd=5 msg_id=1 {open}"),
        format!("response=1 {tree} cmd=5 msg_id=1 nt_status=0xc0000034"),
    ];
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let lines = imported(&rows(&SMB2, &text)).lines();
    assert!(
        lines.len() == 1 && lines[0].starts_with("open s/nosuch") && lines[0].ends_with("e2"),
        "{lines:?}"
    );
}

#[test]
fn capture_without_rows_suggests_another_port() {
    for (columns, decode) in [(&SMB2[..], "-d tcp.port==PORT,nbss"), (&NFS[..], "-d tcp.port==PORT,rpc")] {
        let error = try_import(rows(columns, &[]).as_bytes(), None, None).err().unwrap().to_string();
        assert!(error.contains(decode), "{error}");
    }
}

#[test]
fn capture_without_fields_gets_the_tshark_command() {
    let source = "frame.time_epoch\tsmb2.cmd\n1.5\t5\n";
    let error = try_import(source.as_bytes(), None, None).err().unwrap().to_string();
    assert!(error.contains("no column tcp.stream, smb2.flags.response"), "{error}");
    assert!(error.contains("tshark -r FILE -Y smb2 -T fields -E header=y"), "{error}");
    let error = try_import(b"a b\n", Some(Format::Nfs), None).err().unwrap().to_string();
    assert!(error.contains("-e rpc.xid"), "{error}");
}

/// One capture of Samba on the loopback, printed with every time format of tshark 4.0.17.
#[test]
fn every_time_that_tshark_prints_gives_the_same_trace() {
    let told = |text: &str| {
        let imported = imported(text);
        (imported.lines(), imported.times_us())
    };
    let wanted = told(include_str!("../../../tests/cases/tshark-times/epoch.txt"));
    assert!(wanted.0.iter().filter(|line| line.starts_with("read ")).count() >= 3, "{:#?}", wanted.0);
    for text in [
        include_str!("../../../tests/cases/tshark-times/t-ad.txt"),
        include_str!("../../../tests/cases/tshark-times/t-ud.txt"),
        include_str!("../../../tests/cases/tshark-times/t-adoy.txt"),
        include_str!("../../../tests/cases/tshark-times/t-r.txt"),
        include_str!("../../../tests/cases/tshark-times/t-ad-berlin.txt"),
        include_str!("../../../tests/cases/tshark-times/frame-time.txt"),
        include_str!("../../../tests/cases/tshark-times/frame-time-berlin.txt"),
    ] {
        assert_eq!(told(text), wanted, "{}", text.lines().nth(1).unwrap_or_default());
        // With Windows line ends.
        assert_eq!(told(&text.replace('\n', "\r\n")), wanted);
    }
}
