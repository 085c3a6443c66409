//! Tests that the CSV files of a simulated run have the same figures as the summary.

#![allow(clippy::unwrap_used)]

mod simulated;

use reelgauge_analysis::{Summary, VdaFacts, VdaPoint};
use reelgauge_report::{CsvTable, write_csv};
use simulated::{Load, Share, summary};

type Row = std::collections::BTreeMap<String, String>;

fn rows(table: CsvTable, summary: &Summary) -> Vec<Row> {
    let mut bytes = Vec::new();
    write_csv(table, summary, &mut bytes).unwrap();
    csv::Reader::from_reader(&bytes[..]).deserialize().collect::<Result<_, _>>().unwrap()
}

fn number(row: &Row, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} is '{}'", row[column]))
}

#[test]
fn load_points() {
    let load = Load { measured_s: 4, ..Load::default() };
    let mut summary = summary(&Share { every_fails: 50, ..Share::default() }, &load, &[2, 5]);
    summary.load_points[1].label = "a \"label\", with\nall sorts".to_owned();
    let rows = rows(CsvTable::LoadPoints, &summary);
    assert_eq!(rows.len(), 1 + 2 + 1 + 5);
    let total = &summary.load_points[1].total;
    let row = rows.iter().find(|row| row["point"] == "1" && row["scope"] == "total").unwrap();
    assert_eq!(row["label"], "a \"label\", with\nall sorts");
    assert_eq!(row["worker"], "");
    assert_eq!(number(row, "read_bytes"), total.read_bytes as f64);
    assert_eq!(Some(number(row, "bytes_per_s")), total.bytes_per_s);
    let read = total.response.read.unwrap();
    assert_eq!(number(row, "response_read_count"), read.count as f64);
    assert_eq!(number(row, "response_read_p99_us"), read.p99_us);
    assert_eq!(number(row, "service_open_max_us"), total.service.open.unwrap().max_us);
    assert_eq!(row["response_sync_p99_us"], "");
    assert_eq!(number(row, "failed_ops"), total.failed_ops as f64);
    assert_eq!(row["first_error_kind"], "read");
    let of_workers = rows.iter().filter(|row| row["point"] == "1" && row["scope"] == "worker");
    assert_eq!(of_workers.map(|row| number(row, "ops")).sum::<f64>(), total.ops as f64);
}

#[test]
fn paper_tables() {
    let load = Load { measured_s: 4, ..Load::default() };
    let summary = summary(&Share::default(), &load, &[3]);
    let paper = &summary.load_points[0].paper;
    let rows = rows(CsvTable::Paper, &summary);
    let (rows, of_workers): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row["worker"].is_empty());
    assert_eq!(rows.len(), 5 * (paper.block_bytes.len() + 1));
    let bytes = |rows: &[_]| rows.iter().map(|row| number(row, "bytes")).sum::<f64>();
    assert!(bytes(&rows) > 0.0);
    assert_eq!(bytes(&of_workers), bytes(&rows));
    for (row, cell) in rows.iter().zip(&paper.cells) {
        assert_eq!(row["mode"], cell.mode.name());
        assert_eq!(row["block_bytes"].parse().ok(), cell.block_bytes);
        let rate = row["transfer_rate_while_transferring_mb_per_s"].parse().ok();
        assert_eq!(rate, cell.transfer_rate_while_transferring_mb_per_s);
        assert_eq!(row["average_latency_ms"].parse().ok(), cell.average_latency_ms);
    }
}

#[test]
fn seconds() {
    let load = Load { warmup_s: 2, measured_s: 4, ..Load::default() };
    let summary = summary(&Share::default(), &load, &[3, 6]);
    let rows = rows(CsvTable::Seconds, &summary);
    let sum = |column: &str| rows.iter().map(|row| number(row, column)).sum::<f64>();
    let read: u64 = summary.load_points.iter().map(|point| point.total.read_bytes).sum();
    assert_eq!(sum("read_bytes"), read as f64);
    let warmup: u64 = summary.load_points.iter().map(|point| point.total.warmup_ops).sum();
    assert_eq!(sum("warmup_ops"), warmup as f64);
    assert_eq!(rows[0]["point"], "");
    assert_eq!((rows[3]["began_s"].as_str(), rows[3]["point"].as_str()), ("3", "0"));
}

/// The user who names a run may differ from the user who opens its table, so names must not become
/// formulas.
#[test]
fn text_is_no_formula() {
    let load = Load { measured_s: 1, ..Load::default() };
    let mut summary = summary(&Share::default(), &load, &[1]);
    for formula in ["=HYPERLINK(\"x\")", "+1", "-1", "@SUM(1)", "\t=1"] {
        summary.load_points[0].label = formula.to_owned();
        for row in rows(CsvTable::LoadPoints, &summary) {
            assert_eq!(row["label"], format!("'{formula}"));
        }
    }
    summary.load_points[0].label = "4 workers".to_owned();
    assert_eq!(rows(CsvTable::LoadPoints, &summary)[0]["label"], "4 workers");
}

/// The curve of a VDA-like run is in the rows of whole load points.
#[test]
fn the_curve_of_a_vda_like_run_is_in_the_rows_of_its_load_points() {
    let mut summary = summary(&Share::default(), &Load { measured_s: 4, ..Load::default() }, &[2, 4]);
    let point = |streams, valid| VdaPoint {
        streams,
        achieved_ops_per_s: f64::from(streams) * 10.0,
        published_mb_per_s: Some(4.627),
        valid,
        ..VdaPoint::default()
    };
    summary.vda = Some(VdaFacts { points: vec![point(1, true), point(2, false)], ..VdaFacts::default() });
    let rows = rows(CsvTable::LoadPoints, &summary);
    let of_points: Vec<&Row> = rows.iter().filter(|row| row["scope"] == "total").collect();
    assert_eq!(of_points.iter().map(|row| row["vda_streams"].as_str()).collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(number(of_points[0], "vda_published_mb_per_s"), 4.627);
    assert_eq!((of_points[0]["vda_valid"].as_str(), of_points[1]["vda_valid"].as_str()), ("true", "false"));
    assert_eq!(of_points[0]["vda_mean_response_ms"], "", "not measured is empty");
    let workers = rows.iter().filter(|row| row["scope"] == "worker");
    assert!(workers.into_iter().all(|row| row["vda_streams"].is_empty()));
}
