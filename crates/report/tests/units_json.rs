//! Compares the number formats with `console/test/units.json`. The console's own implementation is
//! compared with the same file, so that terminal and page print the same digits. The formats are
//! documented in `units.rs`. After changing a format, `REELGAUGE_WRITE_UNITS=1 cargo test -p
//! reelgauge-report --test units_json` rewrites the file.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use reelgauge_report::units;

/// Values at which rounding carries, the sign changes or the unit changes.
const EDGES: [f64; 62] = [
    0.0,
    -0.0,
    5e-324,
    0.000_4,
    0.000_5,
    0.000_999_9,
    0.001,
    0.001_5,
    0.002_5,
    0.012_34,
    0.0995,
    0.099_95,
    0.0999,
    0.1,
    0.125,
    0.256,
    0.375,
    0.995,
    0.9995,
    1.0,
    1.005,
    1.254,
    2.5,
    9.949,
    9.95,
    9.994_999,
    9.995,
    9.999,
    10.0,
    10.05,
    38.24,
    62.25,
    99.94,
    99.95,
    99.96,
    99.999,
    100.0,
    100.5,
    101.5,
    119.5,
    311.4,
    999.5,
    999.6,
    1000.5,
    3599.5,
    7199.5,
    7200.0,
    36_061.0,
    99_999.5,
    999_999.5,
    1_234_567.8,
    119_999_999.0,
    120e6,
    9_007_199_254_740_993.0,
    1e15,
    1.8446744073709552e19,
    1e21,
    1.5e22,
    1e100,
    f64::MAX,
    f64::INFINITY,
    f64::NAN,
];

/// Sizes at which the unit changes or a half is shown.
const BYTES: [u64; 24] = [
    0,
    1,
    511,
    512,
    999,
    1_000,
    1_023,
    1_024,
    1_025,
    1_536,
    4_096,
    9_728,
    10_752,
    65_536,
    999_500,
    999_999,
    1_048_576,
    1_048_577,
    1_572_864,
    67_108_864,
    1_610_612_736,
    5_368_709_120,
    12_345_678_901,
    9_007_199_254_740_991,
];

/// Numbers of all magnitudes, reproducible (xorshift).
fn drawn(count: usize) -> Vec<f64> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let number =
        |bits: u64, power: u64| (bits >> 11) as f64 / 2_f64.powi(53) * 10_f64.powi(power as i32 % 14 - 4);
    (0..count).map(|_| number(next(), next())).collect()
}

/// JSON cannot represent infinity or NaN.
fn argument(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

fn case(function: &str, arguments: Vec<Value>, text: impl Into<Value>) -> Value {
    json!({ "function": function, "arguments": arguments, "text": text.into() })
}

fn of_numbers(cases: &mut Vec<Value>) {
    type OfNumber = fn(f64) -> String;
    let functions: [(&str, OfNumber); 6] = [
        ("number", units::number),
        ("duration", units::duration),
        ("moment", units::moment),
        ("mb_per_s", units::mb_per_s),
        ("ms", units::ms),
        ("percent", units::percent),
    ];
    let negative = EDGES.iter().map(|value| -value);
    let values: Vec<f64> = EDGES.iter().copied().chain(negative).chain(drawn(60)).collect();
    for (name, function) in functions {
        cases.extend(values.iter().map(|value| case(name, vec![argument(*value)], function(*value))));
    }
    for (at, value) in values.iter().enumerate() {
        let decimals = at % 6;
        let text = units::fixed(*value, decimals);
        cases.push(case("fixed", vec![argument(*value), json!(decimals)], text));
    }
}

fn of_whole_numbers(cases: &mut Vec<Value>) {
    for bytes in BYTES {
        cases.push(case("count", vec![json!(bytes)], units::count(bytes)));
        cases.push(case("block_size", vec![json!(bytes)], units::block_size(bytes)));
        cases.push(case("amount", vec![json!(bytes)], units::amount(bytes)));
        cases.push(case("counted", vec![json!(bytes), json!("frame")], units::counted(bytes, "frame")));
        for noun in ["pass", "entry", "day"] {
            cases.push(case("counted", vec![json!(bytes), json!(noun)], units::counted(bytes, noun)));
        }
    }
}

fn of_columns(cases: &mut Vec<Value>) {
    let columns: [&[f64]; 9] = [
        &[],
        &[0.0],
        &[0.83, 12.04, 0.0],
        &[262.1, 145.6],
        &[0.000_25],
        &[12_000.0, 0.01],
        &[999.0, 0.1],
        &[1000.0, 10.0],
        &[1e-9, -3.0, 99_999.0],
    ];
    let drawn = drawn(60);
    for column in columns.into_iter().chain(drawn.chunks(3)) {
        let decimals = units::column_decimals(column.iter().copied());
        cases.push(case("column_decimals", vec![json!(column)], decimals));
    }
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../console/test/units.json")
}

#[test]
fn page_and_terminal_are_held_to_the_same_texts() {
    let mut cases = Vec::new();
    of_numbers(&mut cases);
    of_whole_numbers(&mut cases);
    of_columns(&mut cases);
    // One case per line, so that changes are easy to read in a diff.
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("REELGAUGE_WRITE_UNITS").is_some() {
        fs::write(path(), &text).unwrap();
    }
    let kept = fs::read_to_string(path()).unwrap();
    let different = kept.lines().zip(text.lines()).find(|(kept, made)| kept != made);
    assert_eq!(different, None, "console/test/units.json has the first, units.rs makes the second");
    assert_eq!(kept.len(), text.len());
}
