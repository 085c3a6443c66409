//! The scripts that collect texts where Reelgauge cannot run: a POSIX shell script for a NAS or a Mac,
//! and one for PowerShell. Their lists are made from those for the local host
//! ([`super::required_texts`]).

use super::required_texts::{
    COMMANDS, CONTROLLER_COMMANDS, CPU_FILES, DISK_FILES, DISK_LISTING, FILES, INTERFACE_COMMANDS,
    INTERFACE_FILES, INTERFACE_LISTING, LISTINGS, MAC_COMMANDS, POWERSHELL, WRITING_COMMANDS, named,
};

const SHELL: &str = include_str!("collect_script/collect.sh");

/// The script for shells.
pub fn shell() -> String {
    let lines = |lines: &[&str]| lines.join("\n");
    let commands =
        |commands: &[&[&str]]| commands.iter().map(|words| named(words)).collect::<Vec<_>>().join("\n");
    let writing: Vec<&[&str]> = WRITING_COMMANDS.iter().map(|(words, _)| *words).collect();
    SHELL
        .replace("@FILES@", &lines(&[FILES, CPU_FILES].concat()).replace("CPU", "cpu0"))
        .replace("@LISTINGS@", &lines(&LISTINGS))
        .replace("@INTERFACE_FILES@", &lines(INTERFACE_FILES))
        .replace("@DISK_FILES@", &lines(DISK_FILES))
        .replace("@DISK_LISTING@", DISK_LISTING)
        .replace("@INTERFACE_LISTING@", INTERFACE_LISTING)
        .replace("@COMMANDS@", &commands(&[COMMANDS, writing.as_slice(), CONTROLLER_COMMANDS].concat()))
        .replace("@MAC_COMMANDS@", &commands(MAC_COMMANDS))
        .replace("@INTERFACE_COMMANDS@", &commands(INTERFACE_COMMANDS))
}

/// The script for PowerShell.
pub fn powershell() -> &'static str {
    POWERSHELL
}
