//! Flags of the verbs that list things: runs, formats, scenarios.

use std::path::PathBuf;

use clap::Args;
use reelgauge_formats::FrameRate;
use reelgauge_record::run_dir::DEFAULT_PARENT;

/// Flags of `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Folder of runs; includes runs in folders directly below it
    #[arg(default_value = DEFAULT_PARENT)]
    pub dir: PathBuf,
    /// Number of runs to list, newest first; 0 lists all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `formats`.
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// Words that must all match, such as: prores uhd
    pub words: Vec<String>,
    /// Only this frame rate: 25, 23.976 or 24000/1001
    #[arg(long, value_name = "RATE")]
    pub fps: Option<FrameRate>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `scenarios`.
#[derive(Debug, Args)]
pub struct ScenariosArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Flags of `completions`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_COMPLETIONS)]
pub struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// Flags of `man`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_MAN)]
pub struct ManArgs {
    /// Write a page for each verb to this folder [default: the main page on standard output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

const AFTER_COMPLETIONS: &str = "\
Examples:
  reelgauge completions bash \\
          > ~/.local/share/bash-completion/completions/reelgauge
  # With ~/.zfunc in fpath
  reelgauge completions zsh > ~/.zfunc/_reelgauge
  reelgauge completions fish > ~/.config/fish/completions/reelgauge.fish
  reelgauge completions powershell >> $PROFILE";

const AFTER_MAN: &str = "\
Examples:
  reelgauge man | man -l -
  reelgauge man --out ~/.local/share/man/man1";
