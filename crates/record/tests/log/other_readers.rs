//! pyarrow and DuckDB read the log unchanged, and agree with this crate's reader; and this crate reads
//! files that they write.
//!
//! Needs a Python with both: `REELGAUGE_PYTHON`, or that of `REELGAUGE_TEST_VENV`, or that of
//! `target/test-venv` (`cargo xtask python` makes it). Without it, these tests print that they did
//! nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use reelgauge_record::log::LogWriter;
use reelgauge_record::{OpKind, OpRecord};

use crate::support::{SEAL_NS, expected, files, meta, names, op, read_all, small};

/// Sums of every column, and the number of rows of each given kind, by both readers, for all parts under
/// a directory, as hive partitions.
const TOTALS: &str = r#"
import sys, duckdb, pyarrow.dataset as ds, pyarrow.compute as pc
ops, *KINDS = sys.argv[1:]
numbers = ["worker", "stream", "transfer", "file", "offset", "len", "done_len",
           "due_ns", "issued_ns", "done_ns", "errno", "flags", "point"]
table = ds.dataset(ops, partitioning="hive").to_table()
totals = [table.num_rows] + [sum(table[name].to_pylist()) for name in numbers]
totals += [pc.sum(pc.equal(table["kind"], kind)).as_py() for kind in KINDS]
print("pyarrow", *totals, *sorted(set(table["agent"].to_pylist())))
sums = ", ".join(f'sum("{name}")::hugeint' for name in numbers)
kinds = ", ".join(f"count(*) filter (kind = '{kind}')" for kind in KINDS)
query = f"select count(*), {sums}, {kinds} from read_parquet('{ops}/**/*.parquet', hive_partitioning = true)"
agents = f"select distinct agent from read_parquet('{ops}/**/*.parquet', hive_partitioning = true) order by 1"
print("duckdb", *duckdb.sql(query).fetchall()[0], *[row[0] for row in duckdb.sql(agents).fetchall()])
"#;

/// Types as readers see them, the metadata, and a query that skips row groups by their statistics.
const LOOK: &str = r#"
import sys, json, duckdb, pyarrow.parquet as pq
part = sys.argv[1]
file = pq.ParquetFile(part)
schema = file.schema_arrow
print(*[f"{field.name}:{field.type}" for field in schema])
meta = schema.metadata
print(meta[b"reelgauge.schema_version"].decode(), meta[b"reelgauge.capture"].decode())
print(json.loads(meta[b"reelgauge.files"])[0]["path"])
query = f"select count(*) from read_parquet('{part}') where done_ns between 100000000 and 199999999 and worker = 0"
print(duckdb.sql(query).fetchall()[0][0])
print(duckdb.sql(f"select count(*) from read_parquet('{part}') where errno = 5").fetchall()[0][0])
"#;

/// Writes the part again, as pyarrow would: columns optional, other encodings.
const REWRITE: &str = r#"
import sys, pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
pq.write_table(table, sys.argv[1], compression=sys.argv[2], row_group_size=77)
"#;

/// The Python to use, or the reason why there is none.
fn python() -> Result<PathBuf, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace.join("target"), PathBuf::from);
    let venv =
        std::env::var_os("REELGAUGE_TEST_VENV").map_or_else(|| target.join("test-venv"), PathBuf::from);
    let python = std::env::var_os("REELGAUGE_PYTHON").map_or_else(|| venv.join("bin/python"), PathBuf::from);
    let works = Command::new(&python).args(["-c", "import pyarrow, duckdb"]).output();
    match works {
        Ok(output) if output.status.success() => Ok(python),
        Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Err(format!("{}: {error}", python.display())),
    }
}

/// The output of the script, by line; `None`, with a message, without a Python.
fn run(script: &str, arguments: &[&Path]) -> Option<Vec<String>> {
    let python = match python() {
        Ok(python) => python,
        Err(why) => {
            eprintln!("SKIPPED a test with pyarrow and DuckDB: {why}");
            return None;
        }
    };
    let output = Command::new(python).arg("-c").arg(script).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_string).collect())
}

/// The expected line of both readers for these operations.
fn totals(ops: &[OpRecord], agents: &str) -> String {
    let sum = |field: fn(&OpRecord) -> i128| ops.iter().map(field).sum::<i128>();
    let mut words = vec![ops.len() as i128];
    words.extend([
        sum(|op| op.worker.into()),
        sum(|op| op.stream.into()),
        sum(|op| op.transfer.into()),
        sum(|op| op.file.into()),
        sum(|op| op.offset.into()),
        sum(|op| op.len.into()),
        sum(|op| op.done_len.into()),
        sum(|op| op.due_ns.into()),
        sum(|op| op.issued_ns.into()),
        sum(|op| op.done_ns.into()),
        sum(|op| op.errno.into()),
        sum(|op| op.flags.0.into()),
        sum(|op| op.point.into()),
    ]);
    for kind in OpKind::ALL {
        words.push(ops.iter().filter(|op| op.kind == kind).count() as i128);
    }
    let words: Vec<_> = words.iter().map(i128::to_string).collect();
    format!("{} {agents}", words.join(" "))
}

#[test]
fn pyarrow_and_duckdb_agree_with_this_reader() {
    let dir = tempfile::tempdir().unwrap();
    let ops = dir.path().join("ops");
    let mut all = Vec::new();
    for agent in ["agent=a", "agent=b"] {
        let mut log = LogWriter::create_with(&ops.join(agent), meta(), files(3), small()).unwrap();
        let mut random = 1_u64;
        log.tick(0).unwrap();
        for at in 0..23_u32 {
            let mut portion: Vec<_> = (at * 31..at * 31 + 31).map(|number| op(at % 5, number)).collect();
            for op in &mut portion {
                // Values that use all bits of their columns.
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                op.offset = random >> 1;
                op.len = (random >> 32) as u32;
                op.transfer = random as u32;
                op.errno = (random >> 20) as i32;
            }
            log.append(&portion).unwrap();
            log.tick(u64::from(at + 1) * SEAL_NS).unwrap();
            all.extend(portion);
        }
        log.finish().unwrap();
        // The leftovers of a killed run must not disturb them.
        std::fs::write(ops.join(agent).join("_segment-000099.tmp"), "PAR1 torn").unwrap();
    }
    assert_eq!(totals(&read_all(&ops), ""), totals(&all, ""));
    let kinds = OpKind::ALL.map(OpKind::name);
    let arguments: Vec<&Path> = std::iter::once(ops.as_path()).chain(kinds.iter().map(Path::new)).collect();
    let Some(lines) = run(TOTALS, &arguments) else {
        return;
    };
    let expected = totals(&all, "a b");
    assert_eq!(lines, [format!("pyarrow {expected}"), format!("duckdb {expected}")]);
}

#[test]
fn they_see_the_types_and_the_metadata() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogWriter::create(dir.path(), meta(), files(3)).unwrap();
    log.append(&expected(1000)).unwrap();
    log.finish().unwrap();
    let Some(lines) = run(LOOK, &[&dir.path().join("part-000001.parquet")]) else {
        return;
    };
    let types = "worker:uint32 stream:uint32 transfer:uint32 kind:string file:uint32 offset:int64 \
                 len:uint32 done_len:uint32 due_ns:int64 issued_ns:int64 done_ns:int64 errno:int32 \
                 flags:uint8 point:uint16";
    let failed = expected(1000).iter().filter(|op| op.errno == 5).count().to_string();
    assert_eq!(lines, [types, "1 application", "set/ü00000.mxf", "100", &failed]);
}

#[test]
fn file_rewritten_by_pyarrow_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogWriter::create(dir.path(), meta(), files(3)).unwrap();
    log.append(&expected(1000)).unwrap();
    log.finish().unwrap();
    assert_eq!(names(dir.path()), ["part-000001.parquet"]);
    let part = dir.path().join("part-000001.parquet");
    let before = std::fs::read(&part).unwrap();
    if run(REWRITE, &[&part, Path::new("none")]).is_none() {
        return;
    }
    let after = std::fs::read(&part).unwrap();
    assert_ne!(before, after);
    assert_eq!(crate::support::read_part(&after).unwrap(), expected(1000));
    run(REWRITE, &[&part, Path::new("zstd")]);
    let compressed = std::fs::read(&part).unwrap();
    let error = crate::support::read_part(&compressed).unwrap_err().to_string();
    assert!(error.contains("without compression"), "{error}");
}
