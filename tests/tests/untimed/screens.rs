//! Screens in terminals of 60, 80 and 140 columns: no line is wider, no word is broken, no sentence is
//! cut, and a count of one is singular. On real runs, small ones.

use std::path::Path;

use reelgauge_tests::binary::{self, flowing};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::only_in;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::terminal::{Seen, seen};

const WIDTHS: [u32; 3] = [60, 80, 140];

/// Nouns that are counted on screens.
const COUNTED: [&str; 12] = [
    "streams",
    "frames",
    "files",
    "operations",
    "workers",
    "runs",
    "players",
    "recorders",
    "seconds",
    "reads",
    "writes",
    "points",
];

/// The faulty lines of a screen of this width, each with its fault.
fn faults(lines: &[String], columns: u32) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // A path, a name or a command that does not fit is whole and too long, rather than broken.
        let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let is_command = line.trim_start().trim_start_matches(['(', '\'']).starts_with("reelgauge ");
        let is_one_word = is_command || longest + indent + 9 > columns as usize;
        if line.chars().count() > columns as usize && !is_one_word {
            faults.push(format!("wider than {columns}: {line}"));
        }
        if line.ends_with('…') {
            faults.push(format!("cut: {line}"));
        }
        // A word that did not fit begins the next line.
        let wrapped = lines.get(at + 1).and_then(|next| next.split_whitespace().next());
        let wrapped =
            wrapped.filter(|word| line.chars().count() + 1 + word.chars().count() > columns as usize);
        let words: Vec<&str> = line.split(' ').chain(wrapped).filter(|word| *word != "load").collect();
        for (at, pair) in words.windows(2).enumerate() {
            let noun = pair[1].trim_end_matches(|c: char| !c.is_alphabetic());
            // 6 ± 1 are streams.
            let is_margin = at > 0 && words[at - 1] == "±";
            if pair[0].trim_start_matches('(') == "1" && !is_margin && COUNTED.contains(&noun) {
                faults.push(format!("plural of one: {line}"));
            }
        }
    }
    faults
}

/// The rows of a display that fills each of its lines with blanks, which tmux joins into one line. If a
/// word continues in the next row, the line stays whole, and too wide.
fn rows(lines: &[String], columns: u32) -> Vec<String> {
    let split = |line: &String| {
        let chars: Vec<char> = line.chars().collect();
        let is_broken = chars.windows(2).skip(columns as usize - 1).step_by(columns as usize);
        match is_broken.clone().any(|pair| pair.iter().all(|c| *c != ' ')) {
            true => vec![line.clone()],
            false => chars.chunks(columns as usize).map(|row| row.iter().collect()).collect(),
        }
    };
    lines.iter().flat_map(split).collect()
}

#[track_caller]
fn holds(seen: &Seen, columns: u32, words: &[&str]) {
    let found = [faults(&seen.lines, columns), faults(&rows(&seen.meanwhile, columns), columns)].concat();
    assert!(found.is_empty(), "{words:?} at {columns} columns:\n{}\n---\n{}", found.join("\n"), seen.text());
}

/// Runs a command at every width and returns the faulty lines. The exit code has to be this one.
#[track_caller]
fn at_every_width(dir: &Path, words: &[&str], code: i32) -> Vec<String> {
    let look = |columns: u32| {
        let seen = seen(columns, dir, words);
        holds(&seen, columns, words);
        assert_eq!(seen.code, code, "{words:?}\n{}", seen.text());
        seen.text()
    };
    WIDTHS.map(look).to_vec()
}

#[test]
fn faults_of_screens_are_found() {
    let found = |line: &str| faults(&[line.to_owned()], 20).len();
    assert_eq!(faults(&["the curve has 1 load".to_owned(), "points too few".to_owned()], 20).len(), 1);
    assert_eq!(faults(&["valid  1".to_owned(), "streams  valid".to_owned()], 20).len(), 0);
    assert_eq!(faults(&["a format  6 ± 1".to_owned(), "streams in one line".to_owned()], 20).len(), 0);
    assert_eq!(found("a line of twenty char"), 1);
    assert_eq!(found("a line that fits"), 0);
    assert_eq!(found("/a/path/that/has/no/room/at/all"), 0);
    assert_eq!(found("cut off he…"), 1);
    let shown = |line: &str| rows(&[line.to_owned()], 8).len();
    assert_eq!((shown("all of it"), shown("padded  rows"), shown("all brokenword")), (1, 2, 1));
    assert_eq!((found("all 1 streams,"), found("all 11 streams"), found("1 stream")), (1, 0, 0));
}

#[test]
fn every_help_fits_its_terminal() {
    require!(Need::Tool("tmux"));
    let scratch = Scratch::new();
    let first = at_every_width(scratch.path(), &["--help"], 0);
    assert!(first[1].lines().count() <= 24, "{}", first[1]);
    for verb in binary::verbs() {
        let short = at_every_width(scratch.path(), &[&verb, "-h"], 0);
        at_every_width(scratch.path(), &[&verb, "--help"], 0);
        insta::assert_snapshot!(format!("help_{verb}"), short[1]);
    }
    let alone = at_every_width(scratch.path(), &[], 2);
    assert!(alone[1].contains("reelgauge check PATH"), "{}", alone[1]);
    for (columns, text) in WIDTHS.iter().zip(&alone) {
        insta::assert_snapshot!(format!("alone_{columns}"), text);
    }
}

/// Replaces the random part of an area's name with zeros, at the same length.
fn without_random(text: &str) -> String {
    let Some((before, behind)) = text.split_once("reelgauge-area.new-") else { return text.to_owned() };
    let (random, behind) = behind.split_at(36);
    let zeros: String = random.chars().map(|c| if c == '-' { '-' } else { '0' }).collect();
    format!("{before}reelgauge-area.new-{zeros}{behind}")
}

#[test]
fn wrong_usage_has_a_remedy() {
    require!(Need::Tool("tmux"));
    let scratch = Scratch::new();
    let mut answered = Vec::new();
    for (words, said) in [
        (&["mix", ".", "--runtime", "60"] as &[&str], "Use --duration 60s"),
        (&["streams", ".", "-t", "4"], "Use --count 4"),
        (&["mix", ".", "--file-size", "-1G"], "--file-size "),
        (&["mix", ".", "--duration", "99999999h"], "5124095h"),
        (&["mix", ".", "--policy", "drop"], "streams"),
        (&["mix", ".", "--ramp", "1..3", "--duration", "9s"], "--step 60s"),
        (&["mix", "/no/such/place"], "/no/such/place"),
        (&["mix", "/proc"], "the storage"),
        (&["report", "."], "'reelgauge list'"),
        (&["report"], "Start here"),
        (&["ops"], "reelgauge check PATH"),
        (&["compare"], "two runs"),
        (&["check", ".", "--storage", "nas1"], "is not KEY=VALUE"),
        (&["mix", ".", "--file-size", "10"], "64KiB, 10MiB or 1.5G"),
    ] {
        let texts = at_every_width(scratch.path(), words, 2);
        for text in &texts {
            let flowing = flowing(text);
            assert!(flowing.to_lowercase().contains(&said.to_lowercase()), "{words:?}: {text}");
        }
        answered.push(format!("$ reelgauge {}\n{}", words.join(" "), texts[1]));
    }
    insta::assert_snapshot!("wrong_usage", without_random(&answered.join("\n\n")));
}

#[test]
fn lists_fit_and_are_json_too() {
    require!(Need::Tool("tmux"));
    let scratch = Scratch::new();
    at_every_width(scratch.path(), &["list"], 0);
    at_every_width(scratch.path(), &["clean", "."], 0);
    for verb in ["formats", "scenarios", "traces"] {
        at_every_width(scratch.path(), &[verb], 0);
    }
    let found = at_every_width(scratch.path(), &["formats", "prores", "hq", "uhd"], 0);
    insta::assert_snapshot!("formats", found[1]);
    for verb in ["list", "formats", "scenarios", "traces"] {
        let list = binary::run([verb, "--json"]).expect_code(0).json();
        assert!(list.is_array(), "{verb}: {list}");
    }
    at_every_width(scratch.path(), &["traces", "PhotoAlbum-synth"], 0);
    at_every_width(scratch.path(), &["report", "PhotoAlbum-synth"], 0);
}

/// A working directory with an empty target.
fn with_target() -> Scratch {
    let scratch = Scratch::new();
    scratch.dir("target");
    scratch
}

#[test]
fn screens_of_runs_fit_live_and_afterwards() {
    require!(Need::Tool("tmux"));
    let scratch = with_target();
    let dir = scratch.path();
    let said =
        ["--storage", "make=Acme,model=FS2,raid=6", "--tag", "before", "--warmup", "0s", "--duration", "2s"];
    let streams =
        [&["streams", "target", "--format", SMALL.id, "--count", "1", "--buffered"], &said[..]].concat();
    let mix = [
        &["mix", "target", "--file-size", "16M", "--workers", "1", "--buffered", "--max-delay", "10ms"],
        &said[..],
    ]
    .concat();
    for columns in WIDTHS {
        for words in [&streams, &mix] {
            let seen = seen(columns, dir, words);
            holds(&seen, columns, words);
            assert_eq!(seen.code, 0, "{}", seen.text());
            assert!(seen.text().contains("Acme FS2, raid 6"), "{}", seen.text());
        }
    }
    let runs = dir.join("reelgauge-runs");
    let list = binary::run(["list", runs.to_str().unwrap(), "--json"]).expect_code(0).json();
    assert_eq!(list.as_array().unwrap().len(), 6, "{list:#}");
    for words in [&["list"] as &[&str], &["report"], &["compare"], &["compare", "--all"], &["ops"]] {
        for text in at_every_width(dir, words, 0) {
            assert!(!text.trim().is_empty(), "{words:?}");
        }
    }
    let latest = at_every_width(dir, &["report"], 0);
    assert!(latest[2].contains("reelgauge-runs/"), "{}", latest[2]);
}

/// Runs a verb in the narrowest terminal, where most faults occur, and its report at every width.
/// Returns those reports.
#[track_caller]
fn runs_and_is_reported(dir: &Path, words: &[&str]) -> Vec<String> {
    let seen = seen(WIDTHS[0], dir, words);
    holds(&seen, WIDTHS[0], words);
    // Whether the criteria were met, and whether a proof completed, depends on the host and not on the
    // screen.
    let is_disturbed = seen.code == 3 && seen.text().contains("disturbed");
    assert!(seen.code <= 1 || is_disturbed, "{words:?}: {}", seen.text());
    let reports = at_every_width(dir, &["report"], 0);
    assert!(reports.iter().all(|text| text.contains("the latest ")), "{words:?}: {reports:#?}");
    reports
}

#[test]
fn screens_of_every_kind_of_run_fit() {
    require!(Need::Tool("tmux"));
    let scratch = with_target();
    let dir = scratch.path();
    let short = ["--warmup", "0s", "--duration", "1s"];
    let curve = [&["vda", "target", "--points", "1..2", "--file-size", "4M", "--files", "2"], &short[..]];
    let search = ["streams", "target", "--format", SMALL.id, "--find-max", "--buffered", "--time-max", "20s"];
    runs_and_is_reported(dir, &curve.concat());
    runs_and_is_reported(dir, &[&search, &short[..]].concat());
    runs_and_is_reported(dir, &["replay", "proxy-ingest", "target"]);
    std::fs::create_dir(dir.join("other")).unwrap();
    let proof = ["prove", "--targets", "target,other", "--", "mix", "{}", "--file-size", "4M"];
    runs_and_is_reported(dir, &[&proof, &short[..]].concat());
    std::fs::write(dir.join("one.mov"), [7; 100_000]).unwrap();
    for words in [&["list"] as &[&str], &["extents", "one.mov"], &["clean", "target"]] {
        at_every_width(dir, words, 0);
    }
}

#[test]
fn screens_of_a_quick_check_and_a_suite_fit() {
    require!(Need::Tool("tmux"));
    let scratch = with_target();
    let dir = scratch.path();
    // At the rate of one stream of the lightest format it ends sooner, and names the limit of the
    // option.
    for text in runs_and_is_reported(dir, &["check", "target", "--max-rate", "16MB"]) {
        let flowing = flowing(&text);
        assert!(flowing.contains("Limit: --max-rate"), "{text}");
        let next = flowing.split_once("Next: ").map_or("", |(_, next)| next);
        assert!(next.contains("--max-rate"), "{text}");
    }
    runs_and_is_reported(dir, &["run", "naspt", "--target", "target", "--batch", "1", "--tag", "one"]);
    for text in at_every_width(dir, &["list"], 0) {
        assert_eq!(
            (text.matches("geometric mean").count(), text.matches("Tags: one").count()),
            (1, 1),
            "{text}"
        );
    }
    for text in at_every_width(dir, &["report"], 0) {
        let flowing = flowing(&text);
        assert!(flowing.contains("suite") && flowing.contains("of 12 workloads"), "{text}");
    }
    let suite = std::fs::read_dir(dir.join("reelgauge-runs")).unwrap().map(|entry| entry.unwrap().path());
    let suite = suite.into_iter().find(|path| path.join("suite.json").exists()).unwrap();
    let suite = suite.to_str().unwrap();
    let copied =
        std::process::Command::new("cp").args(["-r", suite, "another-suite"]).current_dir(dir).status();
    assert!(copied.unwrap().success());
    for text in at_every_width(dir, &["compare", suite, "another-suite"], 0) {
        assert!(text.contains("1.00 times"), "{text}");
    }
    for text in at_every_width(dir, &["compare", suite, suite], 2) {
        assert!(flowing(&text).contains("twice"), "{text}");
    }
    at_every_width(dir, &["compare", suite, "reelgauge-runs"], 2);
    at_every_width(dir, &["ops", "--top", "3"], 0);
}

#[test]
fn traces_are_recorded_and_imported() {
    require!(Need::Tool("tmux"), Need::Fuse);
    let scratch = Scratch::new();
    let dir = scratch.path();
    scratch.dir("files");
    for columns in WIDTHS {
        let out = format!("traces-{columns}");
        let words = ["record", "files", "--out", &out, "--", "sh", "-c", "echo a > files/b; cat files/b"];
        let seen = seen(columns, dir, &words);
        holds(&seen, columns, &words);
        assert_eq!(seen.code, 0, "{}", seen.text());
    }
    let lines = [
        r#"7 1000.001000 openat(AT_FDCWD, "/media/a.mov", O_RDONLY) = 3</media/a.mov> <0.000020>"#,
        r#"7 1000.101000 read(3</media/a.mov>, ""..., 65536) = 65536 <0.000100>"#,
        "7 1000.201000 close(3</media/a.mov>) = 0 <0.000005>",
    ];
    std::fs::write(dir.join("one.strace"), lines.join("\n")).unwrap();
    for columns in WIDTHS {
        let name = format!("seen-{columns}");
        let words = ["import", "one.strace", "--name", &name, "--out", "imported"];
        let seen = seen(columns, dir, &words);
        holds(&seen, columns, &words);
        assert_eq!(seen.code, 0, "{}", seen.text());
        at_every_width(dir, &["report", &format!("imported/{name}")], 0);
    }
    at_every_width(dir, &["ops", "imported/seen-60"], 0);
}

/// Verbs that improve storage or serve many hosts: they measure nothing themselves.
#[test]
fn screens_of_verbs_without_load_fit() {
    require!(Need::Tool("tmux"));
    let scratch = with_target();
    let dir = scratch.path();
    runs_and_is_reported(dir, &["watch", "--duration", "2s"]);
    // The test host's disk may be nearly full.
    let told = binary::run(["doctor", &dir.join("target").display().to_string(), "--json"]);
    let mut found = told.json()["findings"].as_array().unwrap().clone().into_iter();
    let code = i32::from(found.any(|one| one["severity"] == "high" || one["severity"] == "critical"));
    for text in at_every_width(dir, &["doctor", "target"], code) {
        assert!(text.contains("Documented: "), "{text}");
    }
    let with_all = at_every_width(dir, &["doctor", "target", "--all"], code);
    assert!(with_all[1].lines().count() > 50, "{}", with_all[1]);
    // Files for other programs, with lines of up to 78 characters: no terminal changes them.
    for kind in ["smb", "nfs", "zfs", "client-linux", "client-macos", "client-windows", "truenas"] {
        let of = ["tune", "--for", kind, "--server-link", "10Gbit", "--clients", "4"];
        let [wide, wider] = [80, 140].map(|columns| seen(columns, dir, &of));
        assert_eq!((wide.code, &wide.lines), (0, &wider.lines), "{}", wide.text());
        let comments: Vec<String> = wide.lines.iter().filter(|line| line.starts_with('#')).cloned().collect();
        assert!(!comments.is_empty() || kind == "truenas", "{}", wide.text());
        assert_eq!(faults(&comments, 80), Vec::<String>::new(), "{kind}");
    }
}

#[test]
fn screens_of_a_fleet_fit() {
    require!(Need::Tool("tmux"));
    let scratch = Scratch::new();
    let dir = scratch.path();
    at_every_width(dir, &["fleet"], 2);
    at_every_width(dir, &["agent"], 2);
    let looking = ["ls", "ping", "doctor", "preflight"];
    let doing = ["init", "up", "add", "revoke", "install", "prepare", "run", "merge", "stop", "logs"];
    for sub in looking.into_iter().chain(doing) {
        at_every_width(dir, &["fleet", sub, "-h"], 0);
        at_every_width(dir, &["fleet", sub, "--help"], 0);
    }
    for columns in WIDTHS {
        let fleet = format!("fleet-{columns}");
        for words in [
            &["fleet", "init", &fleet, "--agents", "edit-01", "--listen", "127.0.0.1:4299"] as &[&str],
            &["fleet", "add", "edit-02", "--fleet", &fleet],
            &["fleet", "revoke", "edit-02", "--fleet", &fleet],
        ] {
            let seen = seen(columns, dir, words);
            holds(&seen, columns, words);
            assert_eq!(seen.code, 0, "{words:?}\n{}", seen.text());
        }
    }
    // No server listens there.
    at_every_width(dir, &["fleet", "ls", "--fleet", "fleet-80"], 2);
    at_every_width(
        dir,
        &["fleet", "install", "edit-01.invalid", "--fleet", "fleet-80", "--root", "/mnt/nas"],
        2,
    );
    // Two runs, as of two hosts, are merged.
    let run_of = |machine: &str| {
        let [target, out] = [machine.to_owned(), format!("of-{machine}")].map(|name| scratch.dir(&name));
        let short =
            ["--file-size", "4M", "--workers", "1", "--buffered", "--warmup", "0s", "--duration", "1s"];
        let places = ["mix", target.to_str().unwrap(), "--out", out.to_str().unwrap()];
        binary::run([&places[..], &short[..]].concat()).expect_code(0);
        format!("{machine}={}", only_in(&out).display())
    };
    let [one, two] = ["edit-01", "edit-02"].map(run_of);
    for columns in WIDTHS {
        let whole = format!("whole-{columns}");
        let words = ["fleet", "merge", &one, &two, "--out", &whole, "--clocks-within", "1ms"];
        let seen = seen(columns, dir, &words);
        holds(&seen, columns, &words);
        assert_eq!(seen.code, 0, "{}", seen.text());
        for text in at_every_width(dir, &["report", &whole], 0) {
            assert!(text.contains("edit-01") && text.contains("edit-02"), "{text}");
        }
    }
}

#[test]
fn traces_are_exported() {
    require!(Need::Tool("tmux"));
    let scratch = Scratch::new();
    let dir = scratch.path();
    at_every_width(dir, &["export", "no-such-trace"], 2);
    at_every_width(dir, &["completions"], 2);
    for columns in WIDTHS {
        let out = format!("{columns}.fio");
        let words = ["export", "PhotoAlbum-synth", "--format", "fio2", "--out", &out];
        let seen = seen(columns, dir, &words);
        holds(&seen, columns, &words);
        assert_eq!(seen.code, 0, "{}", seen.text());
    }
}

/// The paper's load against a threshold: exit status, verdict and a sentence with the figure.
#[test]
fn a_mix_is_held_to_its_criteria() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = |criteria: &str| Mix::flat_out_on(&target).with(&["--buffered", "--criteria", criteria]);
    let met = mix("p99=60s,errors=0").run_plain();
    assert_eq!(met.code, Some(0), "{met:?}");
    assert!(met.words().contains("MET: p99=60s,errors=0."), "{}", met.stdout);
    let slow = mix("throughput=900GB/s").without("--duration").with(&["--duration", "3s"]).run_plain();
    assert_eq!(slow.code, Some(1), "{slow:?}");
    assert!(slow.words().contains("NOT MET (throughput=900GB/s)"), "{}", slow.stdout);
    let refused = mix("late=0").run();
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("criterion 'late'"), "{}", refused.stderr);
}
