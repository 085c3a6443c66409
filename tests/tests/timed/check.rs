//! `reelgauge check`: a quick check without options, on one screen, in at most a minute and a half.

use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::too_wide;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::{at, count, number, summary, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;

/// A minute and a half, with a reserve for a busy host.
const AT_MOST: Duration = Duration::from_secs(115);

/// Everyday formats that it tests.
const FORMATS: usize = 5;

/// A terminal has this many lines, a wide one this many columns.
const SCREEN: (usize, usize) = (50, 100);

#[test]
fn second_check_of_a_directory_reuses_the_test_files() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let check = Verb::on("check", &target);
    let outcome = check.run_plain().expect_code(0);
    assert!(outcome.took < AT_MOST, "{:?}\n{}", outcome.took, outcome.said());
    let (screen, summary) = (&outcome.stdout, summary(&check.run_dir()));
    let facts = at(&summary, "check");

    let file_system = tool(&format!("findmnt -n -o FSTYPE --target {}", target.display()));
    assert!(text(facts, "mount").contains(file_system.trim()), "{facts:#}");
    for rate in ["sequential_read_mb_per_s", "sequential_write_mb_per_s", "random_read_mb_per_s"] {
        assert!(number(facts, rate) > 0.1, "{facts:#}");
    }
    let formats = at(facts, "formats").as_array().unwrap();
    assert_eq!(formats.len(), FORMATS, "{facts:#}");
    for format in formats {
        let name = text(format, "name");
        assert!(screen.contains(name), "'{name}' is not shown\n{screen}");
        assert!(number(format, "needed_mb_per_s_each") > 0.0);
        // A disk that sustains not even one stream reports the cause.
        for work in ["play", "record"] {
            let found = at(format, work);
            assert!(count(found, "streams") > 0 || !text(found, "limited_by").is_empty(), "{format:#}");
        }
    }
    // Load points have the names of formats, not their ids.
    let labels: Vec<&str> =
        at(&summary, "load_points").as_array().unwrap().iter().map(|point| text(point, "label")).collect();
    for format in formats {
        let of_it = labels.iter().filter(|label| label.contains(text(format, "name"))).count();
        assert!(of_it > 0 && !labels.iter().any(|label| label.contains(text(format, "id"))), "{labels:?}");
    }
    // The first line has the main number, and the recorded streams.
    let first = screen.lines().next().unwrap();
    assert!(first.contains(" × "), "{first}");
    // The table follows: formats down, actors across, each with a mark and a number.
    let is_head = |line: &str| ["play", "record", "MB/s"].iter().all(|column| line.contains(column));
    let table: Vec<&str> = screen.lines().skip_while(|line| !is_head(line)).take(1 + FORMATS).collect();
    assert_eq!(table.len(), 1 + FORMATS, "{screen}");
    // Only counts of trials that were too short have no mark, and they say so.
    let is_marked =
        |line: &&str| ['✓', '✗'].iter().any(|mark| line.contains(*mark)) || line.contains(" for ");
    assert!(table[1..].iter().all(is_marked), "{screen}");
    // Long lines are wrapped. If other programs used the disk during the run, the hint is to check
    // again.
    let flowing = outcome.words();
    let step = match text(&summary, "statement.next_step") {
        "find_max" => "reelgauge streams",
        "follow_rule" => text(facts, "hint.sentence"),
        "measure_alone" => "Repeat",
        "free_this_machine" | "make_room" => "",
        other => panic!("a first look's next step is '{other}'\n{screen}"),
    };
    assert!(flowing.split_once("Next: ").is_some_and(|(_, next)| next.contains(step)), "{screen}");
    let looked = number(facts, "looked_s");
    assert!((1.0..=outcome.took.as_secs_f64()).contains(&looked), "looked for {looked} s");
    assert!(screen.contains(" s"), "it says how long it looked\n{screen}");
    let (lines, wide) = (screen.lines().count(), too_wide(screen, SCREEN.1));
    assert!(lines <= SCREEN.0 && wide.is_empty(), "{lines} lines, too wide: {wide:?}\n{screen}");
    // Only the area remains.
    let entries: Vec<_> =
        std::fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(entries.iter().all(|name| name == "reelgauge-area"), "{entries:?}");
    a_second_look_writes_no_test_files(&target);
}

#[track_caller]
fn a_second_look_writes_no_test_files(target: &Path) {
    let data_sets = || -> Vec<_> {
        let sets = std::fs::read_dir(target.join("reelgauge-area/data")).unwrap().map(Result::unwrap);
        sets.map(|set| (set.file_name(), std::fs::read_dir(set.path()).unwrap().count())).collect()
    };
    let first = data_sets();
    assert_eq!(first.len(), 1, "{first:?}");
    let second = Verb::on("check", target);
    let mut running = second.start();
    second.until_measuring(&mut running);
    running.signal(Signal::INT);
    let second = running.wait(AT_MOST).expect_code(130).json();
    assert_eq!(at(&second, "data_set.reused"), true);
    // A stopped check cannot know its result, so the only next step is to run it again.
    assert_eq!(text(&second, "statement.next_step"), "run_again");
    assert!(second.pointer("/check/hint").is_none(), "{second:#}");
    assert_eq!(data_sets(), first);
}
