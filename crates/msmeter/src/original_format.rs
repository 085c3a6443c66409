//! A test in the original's format: records with the worker's number before them, then the three tables.
//! Old spreadsheets read it; its "Mbytes" are MiB, and [`reelgauge_analysis::msmeter`] defines its
//! "latency".

use reelgauge_analysis::msmeter::{MeterCell, MeterFigures};
use reelgauge_analysis::paper::Mode;

/// Block sizes of the columns, in KiB.
const BLOCKS_KIB: [u32; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

pub fn record_line(worker: usize, record: &str) -> String {
    format!("{worker:3},{record}\n")
}

/// The tables after the records.
pub fn summary(figures: &MeterFigures) -> String {
    let mut text = String::from("Results summary\n");
    let rate = |cell: &MeterCell| format!("{:7.2},", cell.rate_while_transferring_mib_per_s);
    table(&mut text, "Average transfer rates, Mbytes/s", figures, "   0.00,", &rate);
    let latency = |cell: &MeterCell| format!("{:7.1},", cell.msmeter_average_latency_ms);
    table(&mut text, "Average latency,ms", figures, "    0.0,", &latency);
    let most = |cell: &MeterCell| format!("{:7.3},", cell.msmeter_maximum_latency_s);
    table(&mut text, "Maximum latency,s", figures, "  0.000,", &most);
    text
}

/// One table; a cell without records is 0, as in the original.
fn table(
    text: &mut String,
    title: &str,
    figures: &MeterFigures,
    nothing: &str,
    cell: &dyn Fn(&MeterCell) -> String,
) {
    text.push_str(title);
    text.push_str("\n,Block size\nMode,");
    BLOCKS_KIB.iter().for_each(|block| text.push_str(&format!("{block}k,")));
    text.push_str("All\n");
    for row in Mode::ROWS {
        text.push_str(row.name());
        text.push(',');
        for column in BLOCKS_KIB.map(Some).into_iter().chain([None]) {
            let found = figures.cells.iter().find(|found| found.access == row && found.block_kib == column);
            text.push_str(&found.map_or_else(|| nothing.to_owned(), cell));
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::msmeter::{MeterRecord, MeterTally};

    use super::*;

    #[test]
    fn tables_match_the_original_format() {
        let mut tally = MeterTally::default();
        tally.take(&MeterRecord {
            file: "test000".into(),
            access: Mode::RandRd,
            length_kib: 640,
            block_kib: 64,
            rate_mib_per_s: 50.0,
            latency_ms: 4.0,
        });
        let text = summary(&tally.figures());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 3 * 8);
        assert_eq!(
            lines[..4],
            [
                "Results summary",
                "Average transfer rates, Mbytes/s",
                ",Block size",
                "Mode,1k,2k,4k,8k,16k,32k,64k,128k,256k,512k,1024k,All",
            ]
        );
        let nothing = "   0.00,".repeat(6);
        assert_eq!(lines[5], format!("rand_rd,{nothing}  50.00,{}  50.00,", "   0.00,".repeat(4)));
        assert!(
            lines[8].starts_with("All,")
                && lines[9] == "Average latency,ms"
                && lines[17] == "Maximum latency,s"
        );
        assert!(lines[13].contains("    4.0,") && lines[21].contains("  0.004,"), "{text}");
    }

    #[test]
    fn a_record_has_its_workers_number_before_it() {
        assert_eq!(record_line(7, "test000,0,1,1,1.0,2.0"), "  7,test000,0,1,1,1.0,2.0\n");
    }
}
