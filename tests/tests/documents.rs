//! The documents promise nothing that the binary does not do: every command line in them is one that it
//! accepts, and help describes every flag.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use reelgauge_tests::binary;

/// Documents with command lines for users.
const DOCUMENTS: [&str; 2] = ["README.md", "CONTRIBUTING.md"];

/// Command lines of the binary in the code blocks of a document, with their line numbers.
fn commands(text: &str) -> Vec<(usize, String)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            continue;
        }
        let command = line.trim_start().trim_start_matches("$ ").trim_start_matches("sudo ");
        if inside && command.starts_with("reelgauge ") {
            found.push((at + 1, command.to_owned()));
        }
    }
    found
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
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        for (line, command) in commands(&text) {
            let (verb, flags) = verb_and_flags(&command);
            if verb.starts_with("--") {
                continue;
            }
            let help = help
                .entry(verb.clone())
                .or_insert_with(|| binary::run([verb.as_str(), "--help"]).expect_code(0).stdout);
            for flag in flags {
                let known = help.split([' ', '\n', ',', '=']).any(|word| word == flag);
                assert!(known, "{document}:{line}: '{verb}' has no {flag}: {command}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 3, "only {checked} commands were found");
}

#[test]
fn commands_are_found_and_taken_apart() {
    let text = "reelgauge outside\n```\n$ reelgauge mix /mnt --workers 4 --out=a # --comment\nls\n```\n";
    let found = commands(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, 3);
    let (verb, flags) = verb_and_flags(&found[0].1);
    assert_eq!((verb.as_str(), flags), ("mix", vec!["--workers".to_owned(), "--out".to_owned()]));
}

#[test]
fn every_verb_and_flag_is_explained() {
    let help = binary::run(["--help"]).expect_code(0).stdout;
    let verbs = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let verbs: Vec<&str> = verbs
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.contains(&"mix") && verbs.contains(&"report") && verbs.contains(&"clean"));
    for verb in verbs {
        let help = binary::run([verb, "--help"]).expect_code(0).stdout;
        // What is indented further belongs to another program's command line in an explanation.
        let flags =
            help.lines().filter(|line| line.trim_start().starts_with('-') && !line.starts_with("       "));
        for flag in flags {
            // Short explanations stand on the flag's line, long ones below it.
            let explained = flag.split("  ").filter(|part| !part.trim().is_empty()).count() > 1
                || help
                    .split(flag)
                    .nth(1)
                    .is_some_and(|rest| rest.trim_start_matches('\n').starts_with("    "));
            assert!(explained, "{verb}: {flag}");
        }
    }
}
