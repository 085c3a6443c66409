//! `reelgauge man`: the manual page, from the same definitions as the help.

use std::io::Write;

use anyhow::{Context, Result};
use clap_mangen::Man;

use crate::cli::ManArgs;
use crate::cli::command_line::command;

/// Prints the main page, or writes a page for every verb. Returns the exit status.
pub fn man(args: &ManArgs) -> Result<u8> {
    let Some(dir) = &args.out else {
        let mut text = Vec::new();
        Man::new(command()).render(&mut text)?;
        std::io::stdout().write_all(&text)?;
        return Ok(0);
    };
    let failed = || format!("cannot write manual pages into {}", dir.display());
    std::fs::create_dir_all(dir).with_context(failed)?;
    clap_mangen::generate_to(command(), dir).with_context(failed)?;
    Ok(0)
}
