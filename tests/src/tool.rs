//! Running the small programs that beds are made with.

use std::process::{Command, Stdio};

/// Runs a command line (split at blanks, no quoting) and gives what it printed.
///
/// # Panics
/// If it cannot be started or fails; with everything that it said.
pub fn tool(line: &str) -> String {
    try_tool(line).unwrap_or_else(|why| panic!("{why}"))
}

/// [`tool`], but a failure is handed back.
///
/// # Errors
/// What was run, how it ended and everything that it said.
pub fn try_tool(line: &str) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    tool_with(&words)
}

/// [`try_tool`] for arguments that may contain blanks.
///
/// # Errors
/// What was run, how it ended and everything that it said.
pub fn tool_with(words: &[&str]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("no program")?;
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start '{program}': {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("'{}' ended with {}\n{stdout}{stderr}", words.join(" "), output.status))
}
