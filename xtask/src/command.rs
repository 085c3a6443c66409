//! Runs other programs. Prints each command first, and its output if it fails.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};

/// The command as typed in a shell, without the environment.
fn typed(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs it with inherited output and without input. An exit status other than 0 is an error.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    println!("$ {}", typed(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start '{}'", command.get_program().to_string_lossy()))?;
    if !status.success() {
        bail!("'{}' ended with {status}", typed(command));
    }
    Ok(())
}

/// Runs it silently and returns its output. An exit status other than 0 is an error that shows all of
/// the output.
pub fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start '{}'", command.get_program().to_string_lossy()))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        bail!("'{}' ended with {}\n{stdout}{stderr}", typed(command), output.status);
    }
    Ok(stdout)
}

/// Runs it with inherited output, and passes every line of its standard output to `line` as well.
/// Returns whether its exit status was 0.
pub fn run_watching(command: &mut Command, mut line: impl FnMut(&str)) -> anyhow::Result<bool> {
    println!("$ {}", typed(command));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    if let Some(stdout) = child.stdout.take() {
        for text in BufReader::new(stdout).split(b'\n') {
            let text = text?;
            let text = String::from_utf8_lossy(&text);
            println!("{text}");
            line(&text);
        }
    }
    Ok(child.wait()?.success())
}

/// Runs it with inherited standard error. Returns the lines that it printed.
pub fn lines(command: &mut Command) -> anyhow::Result<Vec<String>> {
    println!("$ {}", typed(command));
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("'{}' ended with {}", typed(command), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// Whether a program of this name is on the PATH.
pub fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Whether this process is root, and can install packages and mount file systems.
pub fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|uid| uid.trim() == "0")
}

/// Whether this is a CI run, where a missing tool must not cause a skipped step.
pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !value.is_empty() && value != "false" && value != "0")
}
