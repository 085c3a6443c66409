//! Published curves, point by point, and synthetic curves that are difficult.
//!
//! The points are the published ones, with their sources. A seventh curve with a known overall response
//! time, the reference system's 26 software builds (0.96 ms), is missing because its points were not
//! available.

#![allow(clippy::unwrap_used)]

use super::*;

/// (load, mean latency in ms, achieved op/s, "MB/s")
type Row = (u32, f64, f64, u32);

/// SPEC ITM-33 reference, VDA 15, sfs2014-20141029-00003.
const ITM33_VDA: [Row; 15] = [
    (1, 25.36, 10.0, 4),
    (2, 24.04, 20.0, 9),
    (3, 30.54, 30.0, 13),
    (4, 36.81, 39.0, 18),
    (5, 40.21, 49.0, 23),
    (6, 48.98, 59.0, 27),
    (7, 48.10, 69.0, 32),
    (8, 51.14, 79.0, 36),
    (9, 53.47, 89.0, 41),
    (10, 56.55, 99.0, 46),
    (11, 55.76, 109.0, 50),
    (12, 58.09, 119.0, 55),
    (13, 68.33, 129.0, 59),
    (14, 64.49, 139.0, 64),
    (15, 67.30, 149.0, 69),
];

/// IBM DeepFlash 150, VDA 1700, sfs2014-20160912-00016.
const DEEPFLASH_VDA: [Row; 10] = [
    (170, 1.6, 1700.0, 784),
    (340, 1.8, 3401.0, 1568),
    (510, 1.9, 5102.0, 2355),
    (680, 2.3, 6803.0, 3134),
    (850, 2.7, 8503.0, 3917),
    (1020, 2.7, 10204.0, 4713),
    (1190, 2.8, 11904.0, 5491),
    (1360, 3.2, 13605.0, 6281),
    (1530, 3.9, 15306.0, 7065),
    (1700, 30.0, 16980.0, 7821),
];

/// Cisco UCS S3260 with MapR-XD, VDA 2070, sfs2014-20171107-00022.
const CISCO_VDA: [Row; 10] = [
    (207, 6.67, 2071.0, 958),
    (414, 6.99, 4142.0, 1905),
    (621, 8.24, 6213.0, 2871),
    (828, 9.39, 8284.0, 3820),
    (1035, 10.66, 10355.0, 4781),
    (1242, 12.40, 12426.0, 5736),
    (1449, 14.21, 14497.0, 6693),
    (1656, 16.18, 16568.0, 7648),
    (1863, 18.25, 18640.0, 8594),
    (2070, 34.11, 20668.0, 9538),
];

/// Quantum StorNext F1000, VDA 7450, as printed in its reference architecture.
const QUANTUM_VDA: [Row; 10] = [
    (745, 0.8, 7455.0, 3440),
    (1490, 0.8, 14910.0, 6870),
    (2235, 0.8, 22365.0, 10320),
    (2980, 0.8, 29819.0, 13758),
    (3725, 0.8, 37275.0, 17192),
    (4470, 0.8, 44730.0, 20643),
    (5215, 0.8, 52185.0, 24077),
    (5960, 0.9, 59640.0, 27539),
    (6705, 1.1, 67095.0, 30947),
    (7450, 1.7, 74550.0, 34391),
];

/// IBM Spectrum Scale with FlashSystem 900, software builds 240, sfs2014-20170130-00018.
const IBM_BUILDS: [Row; 10] = [
    (24, 0.030, 12001.0, 190),
    (48, 0.030, 24002.0, 381),
    (72, 0.030, 36004.0, 571),
    (96, 0.130, 48005.0, 762),
    (120, 0.310, 60006.0, 953),
    (144, 0.500, 72007.0, 1143),
    (168, 0.770, 84008.0, 1334),
    (192, 1.550, 96008.0, 1525),
    (216, 6.570, 108004.0, 1715),
    (240, 10.390, 114660.0, 1821),
];

/// Sangfor F8000, chip design 2500, storage2020-20250929-00140.
const SANGFOR_EDA: [Row; 10] = [
    (250, 0.135, 112_506.0, 1814),
    (500, 0.169, 225_012.0, 3631),
    (750, 0.197, 337_519.0, 5446),
    (1000, 0.198, 450_025.0, 7261),
    (1250, 0.263, 562_531.0, 9076),
    (1500, 0.303, 675_037.0, 10892),
    (1750, 0.404, 787_544.0, 12706),
    (2000, 0.536, 900_045.0, 14523),
    (2250, 0.866, 1_012_554.0, 16339),
    (2500, 2.478, 1_125_050.0, 18151),
];

fn curve(rows: &[Row]) -> Vec<CurvePoint> {
    let point = |row: &Row| CurvePoint { achieved_ops_per_s: row.2, mean_latency_ms: row.1 };
    rows.iter().map(point).collect()
}

fn loads(rows: &[Row]) -> Vec<f64> {
    rows.iter().map(|row| f64::from(row.0)).collect()
}

fn ort(rows: &[Row]) -> f64 {
    overall_response_time_ms(&curve(rows)).unwrap()
}

#[test]
fn published_overall_response_times_come_out() {
    // (curve, result of the formula, its precision, the published value, the precision of the points)
    let vectors: [(&[Row], f64, f64, f64, f64); 6] = [
        (&QUANTUM_VDA, 0.894, 5e-4, 0.90, 0.05),
        (&CISCO_VDA, 12.9375, 5e-3, 12.94, 0.01),
        (&ITM33_VDA, 48.88, 5e-3, 48.79, 0.10),
        (&DEEPFLASH_VDA, 4.10, 5e-3, 4.12, 0.05),
        (&IBM_BUILDS, 1.3235, 5e-5, 1.32, 0.005),
        (&SANGFOR_EDA, 0.4714, 5e-5, 0.47, 0.005),
    ];
    for (rows, formula_ms, digit_ms, published_ms, coarse_ms) in vectors {
        let found_ms = ort(rows);
        assert!((found_ms - formula_ms).abs() < digit_ms, "{found_ms} is not {formula_ms}");
        assert!((found_ms - published_ms).abs() < coarse_ms, "{found_ms} is not {published_ms}");
    }
}

#[test]
fn whole_op_rates_of_the_reference_are_rounded_and_streams_give_the_other_edge() {
    let by_streams =
        |row: &Row| CurvePoint { achieved_ops_per_s: f64::from(row.0) * 10.0, mean_latency_ms: row.1 };
    let points: Vec<CurvePoint> = ITM33_VDA.iter().map(by_streams).collect();
    let found_ms = overall_response_time_ms(&points).unwrap();
    assert!((found_ms - 48.77).abs() < 5e-3, "{found_ms}");
    assert!(found_ms < 48.79 && 48.79 < ort(&ITM33_VDA));
}

#[test]
fn the_other_formulas_do_not_fit() {
    // Area ÷ peak, as the rules word it, and the plain mean: the values in the table of the reference.
    let over_peak = |rows: &[Row]| {
        let (first, last) = (rows[0].2, rows[rows.len() - 1].2);
        ort(rows) * (last - first) / last
    };
    let mean = |rows: &[Row]| rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
    let others: [(&[Row], f64, f64); 6] = [
        (&QUANTUM_VDA, 0.805, 0.930),
        (&CISCO_VDA, 11.64, 13.71),
        (&ITM33_VDA, 45.6, 48.61),
        (&DEEPFLASH_VDA, 3.69, 5.29),
        (&IBM_BUILDS, 1.185, 2.03),
        (&SANGFOR_EDA, 0.424, 0.555),
    ];
    for (rows, over_peak_ms, mean_ms) in others {
        assert!((over_peak(rows) / over_peak_ms - 1.0).abs() < 2e-3, "{}", over_peak(rows));
        assert!((mean(rows) / mean_ms - 1.0).abs() < 2e-3, "{}", mean(rows));
    }
}

#[test]
fn throughput_columns_are_kib_per_s_over_1000() {
    // 10 op/s per stream of 462.65 KiB on average: 4.6265 per stream, in units of 1 024 000 bytes.
    for rows in [&QUANTUM_VDA[..], &CISCO_VDA, &DEEPFLASH_VDA] {
        for row in rows {
            let per_stream = f64::from(row.3) / f64::from(row.0);
            let asked_bytes_per_s = 4626.5 * 1024.0;
            let found = asked_bytes_per_s / 1_024_000.0;
            assert!((per_stream / found - 1.0).abs() < 0.006, "{per_stream}, not {found}");
        }
    }
}

#[test]
fn published_curves_are_evenly_spaced_and_the_first_step_counts() {
    for rows in [&ITM33_VDA[..], &DEEPFLASH_VDA, &CISCO_VDA, &QUANTUM_VDA, &IBM_BUILDS, &SANGFOR_EDA] {
        assert_eq!(uneven_steps(&loads(rows)).unwrap(), []);
    }
    // 1 to 10 with the last point at the edge: mean step 1.0, so 1.3 is even and 1.31 is not.
    let mut steps: Vec<f64> = (1..=10).map(f64::from).collect();
    steps[3] = 4.3;
    assert_eq!(uneven_steps(&steps).unwrap(), []);
    steps[3] = 4.31;
    let uneven = uneven_steps(&steps).unwrap();
    assert_eq!(uneven.iter().map(|step| step.index).collect::<Vec<_>>(), [3, 4]);
    // Starting at 5 of 14: the step from no load is five times the mean.
    let late_start: Vec<f64> = (5..=14).map(f64::from).collect();
    let uneven = uneven_steps(&late_start).unwrap();
    assert_eq!((uneven[0].index, uneven[0].step, uneven[0].nominal), (0, 5.0, 1.4));
}

#[test]
fn nine_points_are_too_few() {
    let nine: Vec<f64> = (1..=9).map(f64::from).collect();
    assert_eq!(uneven_steps(&nine), Err(CurveError::TooFewPoints { have: 9, need: 10 }));
}

#[test]
fn knees_are_found_at_their_visible_position() {
    let at = |rows: &[Row]| knee(&curve(rows)).unwrap().map(|knee| rows[knee.index].0);
    assert_eq!(at(&DEEPFLASH_VDA), Some(1530));
    assert_eq!(at(&CISCO_VDA), Some(1863));
    assert_eq!(at(&QUANTUM_VDA), Some(5960));
    assert_eq!(at(&IBM_BUILDS), Some(192));
    assert_eq!(at(&SANGFOR_EDA), Some(2000));
    // Rises steadily from the first point on: there is no knee.
    assert_eq!(at(&ITM33_VDA), None);
}

#[test]
fn a_flat_or_straight_or_falling_curve_has_no_knee() {
    let of = |latencies: &[f64]| {
        let points: Vec<CurvePoint> = (1..)
            .zip(latencies)
            .map(|(load, &mean_latency_ms)| CurvePoint {
                achieved_ops_per_s: f64::from(load),
                mean_latency_ms,
            })
            .collect();
        knee(&points).unwrap().map(|knee| knee.index)
    };
    assert_eq!(of(&[1.0; 10]), None);
    assert_eq!(of(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
    assert_eq!(of(&[5.0, 4.0, 3.0, 2.0]), None);
    // It bends, but only within the noise: 2 % in total.
    assert_eq!(of(&[1.0, 1.0, 1.0, 1.0, 1.02]), None);
    // A single fast point in the middle is not a knee.
    assert_eq!(of(&[2.0, 4.0, 6.0, 1.0, 10.0, 12.0]), None);
    assert_eq!(of(&[0.0, 0.0, 0.0, 9.0]), Some(2));
}

#[test]
fn impossible_curves_are_typed_errors() {
    let point = |achieved_ops_per_s, mean_latency_ms| CurvePoint { achieved_ops_per_s, mean_latency_ms };
    let ort = |points: &[CurvePoint]| overall_response_time_ms(points);
    assert_eq!(ort(&[]), Err(CurveError::TooFewPoints { have: 0, need: 2 }));
    assert_eq!(ort(&[point(1.0, 1.0)]), Err(CurveError::TooFewPoints { have: 1, need: 2 }));
    let nan = [point(1.0, 1.0), point(2.0, f64::NAN)];
    assert_eq!(ort(&nan), Err(CurveError::NotMeasured { index: 1 }));
    let back = [point(1.0, 1.0), point(3.0, 1.0), point(3.0, 2.0)];
    let error = ort(&back).unwrap_err();
    assert_eq!(error, CurveError::NotIncreasing { index: 2, before: 3.0, after: 3.0, unit: "op/s" });
    assert!(error.to_string().starts_with("load point 3 "), "{error}");
    let two = [point(1.0, 1.0), point(2.0, 1.0)];
    assert_eq!(knee(&two), Err(CurveError::TooFewPoints { have: 2, need: 3 }));
    let endless = [point(0.0, 1.0), point(f64::INFINITY, 1.0)];
    assert_eq!(ort(&endless), Err(CurveError::NotMeasured { index: 1 }));
}
