//! `cargo xtask soak`: the fault tests again and again, and runs that are stopped at other moments in every
//! round, to find what happens rarely.

use std::time::Instant;

use anyhow::{Context, bail};

use crate::command;

/// Runs of each verb that are stopped in a round.
const INTERRUPTS: &str = "30";

/// Runs the fault tests `--rounds N` times (10 unless said otherwise); stops at the first failure.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let rounds = rounds(arguments)?;
    command::run(crate::cargo().args(["build", "--package", "reelgauge"]))?;
    let start = Instant::now();
    for round in 1..=rounds {
        let mut test = crate::cargo();
        test.args(["test", "--package", "reelgauge-tests"])
            .args(["--test", "faults_*", "--test", "interrupted_sentences"])
            .env("REELGAUGE_INTERRUPTS", INTERRUPTS)
            .env("REELGAUGE_INTERRUPTS_SEED", round.to_string())
            .env("REELGAUGE_BIN", crate::target_dir().join("debug/reelgauge"));
        let passed = command::run_watching(&mut test, |_| ())?;
        println!("soak: round {round} of {rounds}, {:.0} s", start.elapsed().as_secs_f64());
        if !passed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How often.
fn rounds(arguments: &[String]) -> anyhow::Result<u32> {
    match arguments {
        [] => Ok(10),
        [flag, number] if flag == "--rounds" => {
            number.parse().with_context(|| format!("--rounds needs a number, not '{number}'"))
        }
        _ => bail!("soak knows --rounds N, not '{}'", arguments.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_number_of_rounds_is_read() {
        let read = |arguments: &[&str]| rounds(&arguments.iter().map(|&a| a.to_owned()).collect::<Vec<_>>());
        assert_eq!(read(&[]).unwrap(), 10);
        assert_eq!(read(&["--rounds", "3"]).unwrap(), 3);
        assert!(read(&["--rounds", "many"]).is_err());
        assert!(read(&["3"]).is_err());
    }
}
