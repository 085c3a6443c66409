//! PowerShell as a reader of scripts, where it is installed.

use crate::programs::tool_with;
use crate::scratch::Scratch;

/// Whether it is installed. Debian has no package of it.
pub fn is_here() -> bool {
    ["/usr/bin/pwsh", "/usr/local/bin/pwsh"].iter().any(|path| std::path::Path::new(path).exists())
}

/// Parses a script without running any of it.
///
/// # Panics
/// If the parser reports a mistake.
pub fn parse(text: &str) {
    let scratch = Scratch::new();
    let script = scratch.path().join("script.ps1");
    std::fs::write(&script, text).unwrap();
    let parse = format!(
        "$e = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('{}', [ref]$null, [ref]$e); \
         exit $e.Count",
        script.display()
    );
    tool_with(&["pwsh", "-NoProfile", "-Command", &parse]).unwrap();
}
