//! The documents match the binary: it accepts every command line in them, help describes every flag, and
//! no link is dead.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use reelgauge_tests::binary;
use reelgauge_tests::scratch::Scratch;

/// Documents for users, from the root: those of the book too.
fn documents(root: &Path) -> Vec<String> {
    let book = std::fs::read_dir(root.join("docs")).unwrap();
    let book = book.map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap()));
    let mut documents: Vec<String> = book.filter(|path| path.ends_with(".md")).collect();
    documents.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(str::to_owned));
    documents.sort();
    documents
}

/// The internal link targets of a document, with line numbers.
fn links(text: &str) -> Vec<(usize, &str)> {
    text.lines()
        .enumerate()
        .flat_map(|(at, line)| {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            targets.map(move |target| (at + 1, target))
        })
        .filter(|(_, target)| !target.contains("://"))
        .collect()
}

/// The anchor of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

/// Command lines of the binary in the code blocks of a document, with their line numbers.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut inside = false;
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (at, line) in text.lines().enumerate() {
        if let (true, Some((_, command))) = (goes_on, found.last_mut()) {
            *command = format!("{} {}", command.trim_end_matches('\\').trim_end(), line.trim());
            goes_on = line.ends_with('\\');
            continue;
        }
        if line.trim_start().starts_with("```") {
            inside = !inside;
            continue;
        }
        let command = line.trim_start().trim_start_matches("$ ").trim_start_matches("sudo ");
        if inside && command.starts_with("reelgauge ") {
            goes_on = command.ends_with('\\');
            found.push((at + 1, command.to_owned()));
        }
    }
    found
}

/// A command line, and the command after its `--` if a proof measures it.
fn with_measured(command: &str) -> Vec<String> {
    match command.split_once(" -- ") {
        Some((proof, measured)) if command.starts_with("reelgauge prove ") => {
            vec![proof.to_owned(), format!("reelgauge {measured}")]
        }
        _ => vec![command.to_owned()],
    }
}

/// The verb and the flags of a command line, up to a comment.
fn verb_and_flags(command: &str) -> (String, Vec<String>) {
    let words = command.split_whitespace().skip(1).take_while(|word| !word.starts_with('#'));
    let words: Vec<&str> = words.collect();
    let verb = words.first().copied().unwrap_or_default().to_owned();
    let is_flag = |word: &&&str| word.starts_with("--") && word.len() > 2;
    let name = |word: &&str| word.split(['=', ',', '.', ')']).next().unwrap_or_default().to_owned();
    (verb, words.iter().filter(is_flag).map(name).collect())
}

#[test]
fn every_command_in_the_documents_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut help: BTreeMap<String, String> = BTreeMap::new();
    let mut checked = 0;
    for document in documents(root) {
        let text = std::fs::read_to_string(root.join(&document)).unwrap();
        let commands = commands(&text).into_iter();
        let each = commands.flat_map(|(line, command)| {
            with_measured(&command).into_iter().map(move |command| (line, command))
        });
        for (line, command) in each {
            let (verb, flags) = verb_and_flags(&command);
            if verb.starts_with("--") {
                continue;
            }
            // Subcommands of `fleet` have separate flags.
            let second = command.split_whitespace().nth(2).filter(|_| verb == "fleet");
            let verb = std::iter::once(verb.as_str()).chain(second).collect::<Vec<_>>().join(" ");
            let words = verb.split(' ').chain(["--help"]).collect::<Vec<_>>();
            let help = help.entry(verb.clone()).or_insert_with(|| binary::run(&words).expect_code(0).stdout);
            for flag in flags {
                let known = help.split([' ', '\n', ',', '=']).any(|word| word == flag);
                assert!(known, "{document}:{line}: '{verb}' has no {flag}: {command}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 3, "only {checked} commands were found");
}

/// As far as possible without a share: the binary accepts every word, and the target does not exist. The
/// setting that a proof changes is a file of this test.
#[test]
fn the_proofs_of_the_book_are_accepted_word_by_word() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let scratch = Scratch::new();
    let (gone, setting) = (scratch.path().join("gone"), scratch.path().join("setting"));
    std::fs::write(&setting, "128\n").unwrap();
    let replaced = [("/mnt/nas", &gone), ("/sys/class/bdi/0:53/read_ahead_kb", &setting)];
    let book = std::fs::read_to_string(root.join("docs/proving.md")).unwrap();
    let proofs: Vec<String> = commands(&book)
        .into_iter()
        .map(|(_, command)| {
            replaced.iter().fold(command, |command, (from, to)| command.replace(from, to.to_str().unwrap()))
        })
        .filter(|command| command.starts_with("reelgauge prove ") && command.contains("gone"))
        .collect();
    assert!(!proofs.is_empty());
    for proof in proofs {
        let printed = proof.replacen("reelgauge", "printf '%s\\n'", 1);
        let shell = Command::new("sh").args(["-c", &printed]).output().unwrap();
        let words = String::from_utf8(shell.stdout).unwrap();
        let outcome = binary::run(words.lines());
        assert!(outcome.said().contains("gone does "), "{proof}\n{}", outcome.said());
        assert_eq!(std::fs::read_to_string(&setting).unwrap(), "128\n");
    }
}

#[test]
fn commands_in_documents_are_found_and_split() {
    let text = "reelgauge outside\n```\n$ reelgauge mix /mnt --workers 4 --out=a # --comment\nls\n```\n";
    let found = commands(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, 3);
    let (verb, flags) = verb_and_flags(&found[0].1);
    assert_eq!((verb.as_str(), flags), ("mix", vec!["--workers".to_owned(), "--out".to_owned()]));
    let text = "```\nreelgauge prove \\\n  --change 'x' \\\n  -- mix /mnt --writes 0\n```\n";
    let found = commands(text);
    assert_eq!(found, [(2, "reelgauge prove --change 'x' -- mix /mnt --writes 0".to_owned())]);
    let parts = with_measured(&found[0].1);
    assert_eq!(parts, ["reelgauge prove --change 'x'", "reelgauge mix /mnt --writes 0"]);
}

/// The headings of a document that are verbs, each with the verbs of the commands below it.
fn headings_with_commands<'a>(text: &'a str, verbs: &[String]) -> Vec<(&'a str, Vec<String>)> {
    let sections = text.split("\n## ").skip(1);
    let sections = sections.map(|section| (section.lines().next().unwrap_or_default(), section));
    let of_verbs = sections.filter(|(heading, _)| verbs.iter().any(|verb| verb == heading));
    let below =
        |section: &str| commands(section).iter().map(|(_, command)| verb_and_flags(command).0).collect();
    of_verbs.map(|(heading, section)| (heading, below(section))).collect()
}

#[test]
fn every_verb_is_in_the_list_of_commands_in_the_order_of_help_with_an_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("docs/commands.md")).unwrap();
    let verbs = binary::verbs();
    let found = headings_with_commands(&text, &verbs);
    let headings: Vec<&str> = found.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(headings, verbs);
    for (verb, examples) in found {
        assert_eq!(examples, [verb], "the examples of {verb}");
    }
}

#[test]
fn headings_are_found_with_their_commands() {
    let text = "# All\n\n## mix\n```\nreelgauge mix /mnt\n```\n## Notes\n## run\nreelgauge run x\n";
    let verbs = ["mix", "run"].map(str::to_owned);
    let found = headings_with_commands(text, &verbs);
    assert_eq!(found, [("mix", vec!["mix".to_owned()]), ("run", Vec::new())]);
}

#[test]
fn every_verb_and_flag_is_explained() {
    for verb in binary::verbs() {
        let help = binary::run([verb.as_str(), "--help"]).expect_code(0).stdout;
        // Lines with deeper indentation belong to another program's command line in an explanation.
        let flags =
            help.lines().filter(|line| line.trim_start().starts_with('-') && !line.starts_with("       "));
        for flag in flags {
            // Short explanations are on the flag's line, long ones below it.
            let explained = flag.split("  ").filter(|part| !part.trim().is_empty()).count() > 1
                || help
                    .split(flag)
                    .nth(1)
                    .is_some_and(|rest| rest.trim_start_matches('\n').starts_with("    "));
            assert!(explained, "{verb}: {flag}");
        }
    }
}

#[test]
fn every_link_in_the_documents_leads_somewhere_and_the_book_is_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (documents, mut checked) = (documents(root), 0);
    for document in &documents {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let folder = Path::new(document).parent().unwrap();
        for (line, target) in links(&text) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { root.join(document) } else { root.join(folder).join(path) };
            assert!(path.exists(), "{document}:{line}: there is no {target}");
            if !heading.is_empty() {
                let there = std::fs::read_to_string(&path).unwrap();
                let mut headings = there.lines().filter(|line| line.starts_with('#'));
                assert!(headings.any(|line| anchor(line) == heading), "{document}:{line}: no {target}");
            }
            checked += 1;
        }
    }
    assert!(checked > 15, "{checked} links");
    let contents = std::fs::read_to_string(root.join("docs/SUMMARY.md")).unwrap();
    for document in documents.iter().filter_map(|path| path.strip_prefix("docs/")) {
        let is_listed = document == "SUMMARY.md" || contents.contains(&format!("]({document})"));
        assert!(is_listed, "docs/SUMMARY.md does not list {document}");
    }
}

/// `docs/doctor.md` states how many rules there are, and how many of them recognise something.
#[test]
fn the_number_of_rules_in_the_documents_is_that_of_the_catalogue() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let rules = std::fs::read_dir(root.join("catalogue/rules")).unwrap();
    let rules: Vec<String> =
        rules.map(|rule| std::fs::read_to_string(rule.unwrap().path()).unwrap()).collect();
    let exercised = rules.iter().filter(|rule| !rule.contains("documented_only")).count();
    let document = std::fs::read_to_string(root.join("docs/doctor.md")).unwrap();
    for count in [format!("{} rules", rules.len()), format!("{exercised} of the {} have", rules.len())] {
        assert!(document.contains(&count), "docs/doctor.md has no '{count}'");
    }
}
