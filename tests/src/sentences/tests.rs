//! Screens that agree with their summaries, and screens that do not.

use std::path::Path;

use serde_json::json;

use super::*;

/// One completed load point, and one that was stopped before anything in it was finished.
fn stopped() -> Value {
    let streams = |frames: u64| json!({"total": {"streams": 2, "frames_judged": frames, "late_frames": 0}});
    let total = |ops: u64, rate: Option<f64>| {
        json!({"ops": ops, "failed_ops": 0, "bytes_per_s": rate,
        "response": {"data": ops_times(ops)}})
    };
    json!({
        "outcome": "interrupted",
        "load_points": [
            {"label": "1 player", "workers": 1, "stream_count": 1, "measured_s": 1.2, "ended_early": null,
             "total": total(28, Some(4_710_400.0)), "streams": streams(28),
             "verdict": {"passed": true, "failures": []}},
            {"label": "2 players", "workers": 2, "stream_count": 2, "measured_s": 0.01,
             "ended_early": "stopped by the user", "total": total(0, None), "streams": streams(0)},
        ],
    })
}

fn ops_times(ops: u64) -> Value {
    if ops == 0 { Value::Null } else { json!({"max_us": 1_234.0}) }
}

const TRUE: &str = "\
The run was interrupted: stopped by the user. What was measured until then follows.
1 stream of flat played without a late frame on /mnt/a.b. It moved 4.71 MB/s, and
no answer took longer than 1.23 ms.

                     measured            late
load point  streams         s  frames  frames  errors  criteria
1 player          1      1.20      28       0       0       met
2 players         2      0.01       -       -       -         -

Files: /mnt/9 MB/s
";

#[track_caller]
fn is_found(screen: &str, summary: &Value, what: &str) {
    let found = untrue(screen, summary);
    assert!(found.iter().any(|found| found.contains(what)), "'{what}' is not among {found:#?}");
}

#[test]
fn true_claims_are_accepted() {
    assert_eq!(untrue(TRUE, &stopped()), Vec::<String>::new());
}

#[test]
fn numbers_that_the_summary_does_not_have() {
    for (right, wrong) in
        [("4.71 MB/s", "4.72 MB/s"), ("4.71 MB/s", "0 MB/s"), ("1.23 ms", "1.24 ms"), ("1.23 ms", "0 µs")]
    {
        is_found(&TRUE.replace(right, wrong), &stopped(), wrong);
    }
    is_found(&TRUE.replace("1 stream of", "3 streams of"), &stopped(), "3 streams");
    // A line break may separate a number from its unit.
    is_found(&TRUE.replace("4.71 MB/s", "4.75\nMB/s"), &stopped(), "4.75 MB/s");
}

#[test]
fn verdicts_that_nothing_bears_out() {
    let mut nothing = stopped();
    nothing["load_points"].as_array_mut().unwrap().remove(0);
    let begin = "The run was interrupted.\n";
    for claim in [
        "2 streams played without a late frame.",
        "NOT MET: not even 1 stream on /mnt.",
        "NOT VALID with 2 streams: too slow.",
        "No operation failed.",
        "Every operation had its recorded result.",
        "Streams closest to being late",
        "Even a single stream of these formats had late frames.",
        "Replayed edit in 1 pass.",
    ] {
        let found = untrue(&format!("{begin}{claim}\n"), &nothing);
        assert!(found.len() > 1, "{claim}: {found:?}");
    }
    // An empty screen is not enough either.
    is_found(begin, &nothing, "nothing was measured");
    is_found("Nothing was measured on /mnt.\n", &nothing, "it was stopped");
    assert_eq!(untrue(&format!("{begin}Nothing was measured on /mnt.\n"), &nothing), Vec::<String>::new());
}

#[test]
fn searches_that_were_not_finished() {
    let mut search = stopped();
    search["search"] = json!({"streams": 4, "complete": false, "trials": [{"streams": 4, "passed": 1}]});
    for claim in ["/mnt sustains 4 players of flat.", "At least 4 players.", "4 passed every time."] {
        assert!(!untrue(&format!("The run was interrupted.\n{claim}\n"), &search).is_empty(), "{claim}");
    }
    let so_far = "The run was interrupted.\nUNKNOWN: 4 players passed before the search was stopped.\n";
    assert_eq!(untrue(so_far, &search), Vec::<String>::new());
}

#[test]
fn unmeasured_rows_have_no_figures() {
    let row = "2 players         2      0.01       -       -       -         -";
    is_found(&TRUE.replace(row, &row.replacen('-', "0", 1)), &stopped(), "not measured");
    is_found(&TRUE.replace("       met", "         -"), &stopped(), "criteria");
    let mut curve = stopped();
    curve["vda"] = json!({"points": [{"streams": 1, "valid": true}, {"streams": 2, "valid": false}]});
    let table = "The run was interrupted.\nUNKNOWN.\n\n\
                 \x20        asked for  achieved\n\
                 streams       op/s      op/s  valid\n\
                 1             10.0      10.0    yes\n\
                 2             20.0         -     NO\n";
    is_found(table, &curve, "neither valid nor not");
    assert_eq!(untrue(&table.replace("   NO\n", " unknown\n"), &curve), Vec::<String>::new());
}

#[test]
fn untried_formats_have_no_claim() {
    let mut look = stopped();
    let play = json!({"streams": 31, "at_least": false});
    look["check"] = json!({"formats": [{"name": "ProRes, 25 fps", "play": play, "record": null}]});
    let screen = |record: &str| {
        format!(
            "The run was interrupted.\nWithout a late frame: playing 31 × ProRes, 25 fps; recording was not \
             measured.\n\nformat            play    record\nProRes, 25 fps  31 ± 1  {record}\n"
        )
    };
    assert_eq!(untrue(&screen("not measured"), &look), Vec::<String>::new());
    let at_least = screen("not measured").replace("playing 31 × ProRes", "playing at least 31 × ProRes");
    is_found(&at_least, &look, "at least'");
    look["check"]["formats"][0]["play"]["at_least"] = true.into();
    let at_least = at_least.replace("31 ± 1", "at least 31");
    assert_eq!(untrue(&at_least, &look), Vec::<String>::new());
    look["check"]["formats"][0]["play"]["at_least"] = false.into();
    is_found(&screen("at least 0"), &look, "record of");
    is_found(&screen("0"), &look, "record of");
}

#[test]
fn tables_of_rates_and_screens_without_a_summary() {
    let head = "point,label,scope,ended_early,ops,bytes_per_s\n0,1 player,total,,28,4710400\n";
    let csv = format!("{head}1,\"2, players\",total,stopped by the user,0,\n");
    assert_eq!(untrue_in_csv(&csv, &stopped()), Vec::<String>::new());
    assert_eq!(untrue_in_csv(&csv.replace(",0,\n", ",0,0\n"), &stopped()).len(), 1);
    assert_eq!(untrue_in_csv(head, &stopped()).len(), 1);
    assert!(untrue_without_summary("preparing was interrupted after 31.5 MB").is_empty());
    assert_eq!(untrue_without_summary("2 workers moved 0 MB/s.").len(), 1);
}

#[test]
fn standstill_times_match_the_series() {
    let mut still = stopped();
    still["series"] =
        json!({"standstills": [{"began_s": 0.31, "lasted_s": 1.42}], "steps": [{"began_s": 7.0}]});
    let screen = |sentence: &str| TRUE.replace("\n\n  ", &format!("\n{sentence}\n\n  "));
    let told = screen("The storage did not respond for 1.4 s, starting at 0.3 s.");
    assert!(told != TRUE);
    assert_eq!(untrue(&told, &still), Vec::<String>::new());
    is_found(&screen("The storage did not respond for 7.0 s, starting at 0.3 s."), &still, "7.0 s");
    is_found(&screen("It took 1.42 s."), &still, "1.42 s");
}

/// The product's code in this folder: no tests, and literals without line breaks.
fn product(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true if name == "tests" => {}
            true => all.push_str(&product(&path)),
            false if name == "tests.rs" || name.starts_with("test_") => {}
            false => {
                let text = std::fs::read_to_string(path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
                let parts: Vec<&str> = code.split("\\\n").map(str::trim_start).collect();
                all.push_str(&parts.concat());
            }
        }
    }
    all
}

/// A claim whose words the product no longer uses finds nothing, whatever a screen states.
#[test]
fn every_claim_has_words_that_the_product_still_uses() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let product = product(&crates.join("report/src")) + &product(&crates.join("workload/src"));
    // Composed of several literals, or of a literal and a number.
    let composed = [
        ("ng at least", "at least"),
        ("at least 0", "at least"),
        ("with 0 streams passed so far", "passed so far"),
        ("No operation failed", "No operation"),
    ];
    for words in claims::words() {
        let part = composed.iter().find(|(whole, _)| *whole == words).map_or(words, |(_, part)| part);
        assert!(product.contains(part), "{part}: the product has other words now");
    }
}
