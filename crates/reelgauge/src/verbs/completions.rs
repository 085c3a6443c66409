//! `reelgauge completions`: completions for a shell, from the same definitions as the help.

use std::io::Write;

use anyhow::Result;

use crate::cli::CompletionsArgs;
use crate::cli::command_line::command;

/// Prints the completions of a shell. Returns the exit status.
pub fn completions(args: &CompletionsArgs) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "reelgauge", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(0)
}
