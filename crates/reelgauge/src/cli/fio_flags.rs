//! Flags of fio and elbencho that users try here, and their names in Reelgauge.

use reelgauge_workload::units::{Size, Span};

/// A flag of another tool: its names, and the replacement for each verb. `*` is every other verb that
/// measures. Text in braces is replaced by the user's value, if that is of the same kind.
type Foreign = (&'static [&'static str], &'static [(&'static str, &'static str)]);

const FLAGS: &[Foreign] = &[
    (
        &["--runtime", "--timelimit", "--time", "--time_based"],
        &[("replay", "--pace, --batch"), ("*", "--duration {60s}")],
    ),
    (
        &["--ramp_time", "--ramp-time"],
        &[("mix", "--warmup {5s}"), ("streams", "--warmup {5s}"), ("vda", "--warmup {5s}")],
    ),
    (
        &["--bs", "--blocksize", "-b"],
        &[("mix", "--blocks {1MiB}"), ("streams", "--block {1MiB} (copiers only)")],
    ),
    (&["--block"], &[("mix", "--blocks {1MiB}")]),
    (&["--rw", "--readwrite"], &[("mix", "--profile seq-read or seq-write, --writes 50, --random 100")]),
    (&["--rwmixwrite", "--rwmixread", "--rwmixpct"], &[("mix", "--writes 30")]),
    (&["--rand", "--percentage_random"], &[("mix", "--random 100")]),
    (&["--read", "-r"], &[("mix", "--profile seq-read"), ("streams", "--actor player")]),
    (&["--write", "-w"], &[("mix", "--profile seq-write"), ("streams", "--actor recorder")]),
    (
        &["--numjobs", "--threads", "-t", "--clients"],
        &[
            ("mix", "--workers {8}"),
            ("streams", "--count {8}"),
            ("vda", "--streams {10}"),
            ("replay", "--copies {8}"),
        ],
    ),
    (&["--iodepth"], &[("mix", "--in-flight {8}"), ("streams", "--read-ahead open, --buffer 2s")]),
    (
        &["--size", "--filesize", "--filename_size", "-s"],
        &[("mix", "--file-size {1GiB}"), ("streams", "--clip 10s"), ("vda", "--file-size {1GiB}")],
    ),
    (&["--nrfiles", "-N"], &[("mix", "--files {8}"), ("vda", "--files {11}")]),
    (&["--ioengine"], &[("replay", "--driver uring"), ("*", "--driver uring")]),
    (&["--randseed"], &[("*", "--seed {1}")]),
    (&["--fsync", "--fdatasync"], &[("mix", "--sync transfer"), ("streams", "--sync-every 1s")]),
    (&["--output-format", "--jsonfile"], &[("*", "--json")]),
    (&["--output", "--resfile"], &[("*", "--out DIR")]),
    (&["--directory", "--filename", "-d"], &[("*", "the directory as the argument after the verb")]),
    (&["--name", "--label"], &[("*", "--tag NAME")]),
];

const MEASURING: [&str; 5] = ["check", "streams", "mix", "vda", "replay"];

/// The hint for a user who typed this flag, with this value, after this verb; `None` if the flag is
/// unknown.
pub fn hint(flag: &str, value: Option<&str>, verb: &str) -> Option<String> {
    let name = flag.split('=').next().unwrap_or(flag);
    let (_, by_verb) = FLAGS.iter().find(|(names, _)| names.contains(&name))?;
    let ours = by_verb.iter().find(|(of, _)| *of == verb);
    let any = || by_verb.iter().find(|(of, _)| *of == "*" && MEASURING.contains(&verb));
    match ours.or_else(any) {
        Some((_, here)) => {
            Some(format!("{name} is a flag of another tool, such as fio. Use {}", with(here, value)))
        }
        None => {
            let (verb, there) = by_verb.iter().find(|(of, _)| *of != "*")?;
            let there = with(there, value);
            Some(format!(
                "{name} is a flag of another tool, such as fio. The nearest here is 'reelgauge {verb}' with \
                 {there}"
            ))
        }
    }
}

/// The hint, with the user's value in place of the one in braces.
fn with(said: &str, value: Option<&str>) -> String {
    let parts = said.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (usual, behind))) = parts else { return said.to_owned() };
    let typed = value.and_then(|value| of_kind(usual, value));
    format!("{before}{}{behind}", typed.unwrap_or_else(|| usual.to_owned()))
}

/// The user's value in the form of the flag whose default is given; `None` if it is of another kind.
/// Numbers alone are seconds and bytes, as in fio.
fn of_kind(usual: &str, value: &str) -> Option<String> {
    let is_number = |text: &str| text.parse::<u64>().is_ok_and(|number| number > 0);
    if is_number(usual) {
        return is_number(value).then(|| value.to_owned());
    }
    let unit = if usual.parse::<Span>().is_ok() { "s" } else { "B" };
    let value = if is_number(value) { format!("{value}{unit}") } else { value.to_owned() };
    let fits = if unit == "s" { value.parse::<Span>().is_ok() } else { value.parse::<Size>().is_ok() };
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::cli::command_line::command;

    #[test]
    fn every_replacement_flag_exists() {
        let command = command();
        let flags_of = |verb: &str| -> Vec<String> {
            let verb = command.find_subcommand(verb).unwrap();
            verb.get_arguments().filter_map(|arg| arg.get_long()).map(|name| format!("--{name}")).collect()
        };
        for (names, by_verb) in FLAGS {
            for (verb, here) in *by_verb {
                // Every verb that measures has the flags of a `*` hint, but a check has no length.
                let verbs: Vec<&str> = if *verb == "*" { vec!["mix", "streams"] } else { vec![verb] };
                for verb in verbs {
                    let known = flags_of(verb);
                    let named = here.split([' ', ',', ':']).filter(|word| word.starts_with("--"));
                    named.for_each(|flag| {
                        assert!(known.iter().any(|one| one == flag), "{verb} has no {flag}")
                    });
                    let own = names.iter().find(|name| known.iter().any(|one| one == *name));
                    assert!(own.is_none(), "{verb} has {own:?} itself");
                }
            }
        }
    }

    #[test]
    fn flags_of_other_tools_are_translated() {
        let said = |flag, verb| hint(flag, None, verb).unwrap();
        assert_eq!(
            said("--runtime=60", "mix"),
            "--runtime is a flag of another tool, such as fio. Use --duration 60s"
        );
        assert!(said("--bs", "mix").ends_with("Use --blocks 1MiB"));
        assert!(said("-t", "streams").ends_with("--count 8"));
        assert!(said("--rw", "streams").contains("'reelgauge mix' with --profile seq-read"));
        assert_eq!(hint("--colour", None, "mix"), None);
        assert!(
            hint("--runtime", None, "formats")
                .is_some_and(|told| told.ends_with("'reelgauge replay' with --pace, --batch"))
        );
    }

    #[test]
    fn the_answer_has_the_value_that_was_typed() {
        let said = |flag, value, verb| hint(flag, Some(value), verb).unwrap();
        assert!(said("-t", "4", "streams").ends_with("Use --count 4"));
        assert!(said("--iodepth", "32", "mix").ends_with("Use --in-flight 32"));
        assert!(said("--runtime", "90", "mix").ends_with("--duration 90s"));
        assert!(said("--runtime", "2m", "mix").ends_with("--duration 2m"));
        assert!(said("--bs", "64k", "mix").ends_with("--blocks 64k"));
        assert!(said("--bs", "4096", "mix").ends_with("--blocks 4096B"));
        // A value that the flag cannot use is not repeated.
        assert!(said("-t", "many", "streams").ends_with("--count 8"));
        assert!(said("-t", "0", "streams").ends_with("--count 8"));
    }
}
