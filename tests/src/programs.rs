//! Runs the small programs that beds are made with.

use std::process::{Command, Stdio};

/// Runs a command line (split at blanks, no quoting) and returns its output.
///
/// # Panics
/// If it cannot be started or fails. The message has all its output.
pub fn tool(line: &str) -> String {
    try_tool(line).unwrap_or_else(|why| panic!("{why}"))
}

/// [`tool`], but a failure is returned.
///
/// # Errors
/// The command, how it ended and all its output.
pub fn try_tool(line: &str) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    tool_with(&words)
}

/// [`try_tool`] for arguments that may contain blanks.
///
/// # Errors
/// The command, how it ended and all its output.
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
