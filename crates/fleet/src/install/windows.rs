//! The steps of an installation on Windows: scripts for PowerShell, files by scp, and a service with its
//! own account. Pure.
//!
//! A script is passed as one word of letters and digits, so that no login shell can expand anything in
//! it. Files are copied by scp, because a PowerShell that is the login shell may consume the input meant
//! for its child process.
//!
//! The scripts were parsed with a grammar of PowerShell. Their order, files and failures were tested with
//! a server that simulates Windows. They have not yet run on a real Windows.

use std::fmt::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::InstallError;
use super::service::quoting;
use super::step::{AgentStart, By, Input, InstallRequest, InstallStep, service};
use crate::fleet_site::agent_name::AgentName;

/// The longest command that cmd.exe accepts, less the prefix of its ssh server.
const COMMAND_MAX: usize = 8_000;

/// Ends the script if a Windows program fails, with its output.
const NATIVE: &str = r#"
function Native($program) {
  $said = & $program @args
  if ($LASTEXITCODE -ne 0) { throw "$program printed: $said" }
}"#;

/// A process that has just ended may still hold its files.
const AGAIN: &str = r"
function Again($what) {
  for ($try = 1; ; $try++) {
    try { & $what; return } catch { if ($try -ge 50) { throw } }
    Start-Sleep -Milliseconds 200
  }
}";

const STOP: &str = r"
  $known = Get-Service -Name $service -ErrorAction SilentlyContinue
  if ($known -and $known.Status -ne 'Stopped') {
    Stop-Service -Name $service -Force
    $known.WaitForStatus('Stopped', '00:01:00')
  }";

/// Accessible only to the installing user, the system and administrators. Each file has these rights
/// before it has content.
const FOLDER: &str = r#"
  $me = [Security.Principal.WindowsIdentity]::GetCurrent()
  $administrator = [Security.Principal.WindowsBuiltInRole]::Administrator
  if (-not ([Security.Principal.WindowsPrincipal]$me).IsInRole($administrator)) {
    throw 'only an administrator can create a service there, and this user is not one'
  }
  [void][IO.Directory]::CreateDirectory($folder)
  Native icacls.exe $folder /inheritance:r /grant:r "*$($me.User.Value):(OI)(CI)F" /grant:r '*S-1-5-18:(OI)(CI)F' /grant:r '*S-1-5-32-544:(OI)(CI)F'
  [IO.File]::WriteAllText("$folder\join.new.toml", '')"#;

const TRY: &str = r#"
  Native "$folder\reelgauge.new.exe" '--version'"#;

/// A running program can't be replaced. scp changes a file's rights, so they are reset.
const REPLACE: &str = r#"
  foreach ($name in @('reelgauge', 'exe'), @('join', 'toml')) {
    $to = "$folder\$($name[0]).$($name[1])"
    Again { [IO.File]::Delete($to) }
    [IO.File]::Move("$folder\$($name[0]).new.$($name[1])", $to)
    Native icacls.exe $to /reset
  }"#;

/// Follows the line that sets `$flags`.
const SERVICE: &str = r#"
  $line = '"' + $folder + '\reelgauge.exe" agent --service --join "' + $folder + '\join.toml"' + $flags
  if (Get-Service -Name $service -ErrorAction SilentlyContinue) {
    $found = Get-CimInstance Win32_Service -Filter "Name='$service'"
    $changed = Invoke-CimMethod -InputObject $found -MethodName Change -Arguments @{ PathName = $line }
    if ($changed.ReturnValue -ne 0) { throw "the service can't be changed: code $($changed.ReturnValue)" }
  } else {
    [void](New-Service -Name $service -BinaryPathName $line -StartupType Automatic)
  }"#;

/// An account for this service alone, without a password and with the rights of an ordinary user. The
/// service is restarted if it ends unexpectedly.
const ACCOUNT: &str = r#"
  Native sc.exe config $service 'obj=' "NT SERVICE\$service"
  Native sc.exe failure $service 'reset=' '86400' 'actions=' 'restart/10000'
  Native sc.exe failureflag $service '1'
  Native icacls.exe $folder /grant:r "NT SERVICE\${service}:(OI)(CI)M""#;

const START: &str = r#"
  Start-Service -Name $service
  Start-Sleep -Seconds 2
  if ((Get-Service -Name $service).Status -ne 'Running') {
    throw "the service stopped: $(Get-Content -LiteralPath "$folder\agent.log" -Tail 1 -ErrorAction SilentlyContinue)"
  }"#;

const DELETE_SERVICE: &str = r"
  if ($known) { Native sc.exe delete $service }";

const DELETE_FOLDER: &str = r"
  Again { if ([IO.Directory]::Exists($folder)) { [IO.Directory]::Delete($folder, $true) } }
  $all = [IO.Path]::GetDirectoryName($folder)
  if ([IO.Directory]::Exists($all) -and [IO.Directory]::GetFileSystemEntries($all).Length -eq 0) {
    [IO.Directory]::Delete($all)
  }";

/// One script: the functions it uses, and its commands.
fn script(agent: &AgentName, uses: &[&str], does: &[&str]) -> String {
    format!(
        "$ErrorActionPreference = 'Stop'\n\
         $ProgressPreference = 'SilentlyContinue'\n\
         $service = '{}'\n\
         $folder = \"$env:USERPROFILE\\.reelgauge-agent\\{agent}\"{}\n\
         try {{{}\n\
         }} catch {{\n  [Console]::Error.WriteLine(\"$_\")\n  exit 1\n}}\n",
        service(agent),
        uses.concat(),
        does.concat()
    )
}

/// A step of an agent's installation by a script, without input.
fn by_script(agent: &AgentName, what: &str, uses: &[&str], does: &[&str]) -> InstallStep {
    let command = script(agent, uses, does);
    InstallStep { what: what.to_owned(), by: By::PowerShell, command, input: None }
}

/// The command that carries a script out. Standard input is not read, and errors are printed as text.
pub(super) fn command(script: &str) -> String {
    let bytes: Vec<u8> = script.encode_utf16().flat_map(u16::to_le_bytes).collect();
    format!(
        "powershell.exe -NoProfile -NonInteractive -InputFormat None -OutputFormat Text -EncodedCommand {}",
        BASE64_STANDARD.encode(bytes)
    )
}

/// The steps that install an agent; repeating them updates it.
pub(super) fn install(request: &InstallRequest) -> Result<Vec<InstallStep>, InstallError> {
    if request.start == AgentStart::Once {
        return Err(InstallError::OnceOnWindows);
    }
    let agent = &request.agent;
    let by_script = |what: &str, uses: &[&str], does: &[&str]| by_script(agent, what, uses, does);
    let copy = |what: &str, from: &std::path::Path, name: &str| InstallStep {
        what: format!("{what} {}", from.display()),
        by: By::Scp,
        command: format!(".reelgauge-agent/{agent}/{name}"),
        input: Some(Input::File(from.to_owned())),
    };
    let flags = format!("\n  $flags = {}", quoting::for_powershell(&flags(&request.flags)?));
    let service = by_script("creating the service", &[], &[&flags, SERVICE]);
    if command(&service.command).len() > COMMAND_MAX {
        return Err(InstallError::TooLong);
    }
    Ok(vec![
        by_script("creating its folder", &[NATIVE], &[FOLDER]),
        copy("copying", &request.program, "reelgauge.new.exe"),
        by_script("testing the program there", &[NATIVE], &[TRY]),
        copy("copying the secret", &request.join, "join.new.toml"),
        by_script("replacing a running agent", &[NATIVE, AGAIN], &[STOP, REPLACE]),
        service,
        by_script("setting the service's own account", &[NATIVE], &[ACCOUNT]),
        by_script("starting it, now and at boot", &[], &[START]),
    ])
}

/// The steps that remove an agent, whatever parts of it exist.
pub(super) fn uninstall(agent: &AgentName) -> Vec<InstallStep> {
    let step = |what: &str, uses: &[&str], does: &[&str]| by_script(agent, what, uses, does);
    vec![
        step("ending and removing its service", &[NATIVE], &[STOP, DELETE_SERVICE]),
        step("removing its folder, program and secret", &[AGAIN], &[DELETE_FOLDER]),
    ]
}

/// The flags as the end of the service's command line.
fn flags(flags: &[String]) -> Result<String, InstallError> {
    let mut line = String::new();
    for flag in flags {
        // The service manager expands %NAME%, and has no way to escape a %.
        if flag.matches('%').count() > 1 || flag.chars().any(char::is_control) {
            return Err(InstallError::NoWordForService(flag.clone()));
        }
        let _ = write!(line, " {}", quoting::for_windows(flag));
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn request(flags: &[&str]) -> InstallRequest {
        InstallRequest {
            agent: "edit-01".parse().unwrap(),
            join: "/site/join/edit-01.toml".into(),
            program: "/build/reelgauge.exe".into(),
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            start: AgentStart::Service,
        }
    }

    fn step_names(steps: &[InstallStep]) -> Vec<&str> {
        steps.iter().map(|step| step.what.as_str()).collect()
    }

    #[test]
    fn running_agent_is_stopped_only_after_all_files_are_copied() {
        let steps = install(&request(&["--root", "D:\\media"])).unwrap();
        let before = step_names(&steps).iter().position(|what| what.starts_with("replacing")).unwrap();
        let (there, renewed) = steps.split_at(before);
        let copied = |step: &&InstallStep| step.by == By::Scp && step.command.contains(".new.");
        assert_eq!(there.iter().filter(copied).count(), 2, "program and secret");
        assert!(there.iter().all(|step| !step.command.contains("Stop-Service")), "{there:#?}");
        assert_eq!(
            step_names(renewed)[1..],
            ["creating the service", "setting the service's own account", "starting it, now and at boot"]
        );
    }

    #[test]
    fn the_secret_is_on_no_command_line_and_closed_to_other_users() {
        let steps = install(&request(&["--root", "D:\\media"])).unwrap();
        let folder = &steps[0].command;
        // The folder has its rights before the file exists, and the file exists before it holds the
        // secret.
        let (rights, file) = (folder.find("/inheritance:r"), folder.find("join.new.toml"));
        assert!(rights.is_some() && rights < file, "{folder}");
        let secret = Input::File("/site/join/edit-01.toml".into());
        let copying: Vec<_> = steps.iter().filter(|step| step.input.as_ref() == Some(&secret)).collect();
        let [copying] = copying.as_slice() else { panic!("{copying:?}") };
        assert_eq!(
            (copying.by, copying.command.as_str()),
            (By::Scp, ".reelgauge-agent/edit-01/join.new.toml")
        );
    }

    #[test]
    fn the_owners_flags_reach_the_service_unchanged() {
        let odd = "D:\\it's a \"nas\" `$x` $(y) 50% \u{2019}Z\u{2018}\\";
        let steps = install(&request(&["--root", odd, "--read-only"])).unwrap();
        let service = steps.iter().find(|step| step.what == "creating the service").unwrap();
        let line = service.command.lines().find(|line| line.contains("$flags = ")).unwrap();
        assert_eq!(
            line.trim(),
            "$flags = ' \"--root\" \"D:\\it''s a \\\"nas\\\" `$x` $(y) 50% \
             \u{2019}\u{2019}Z\u{2018}\u{2018}\\\\\" \"--read-only\"'"
        );
    }

    #[test]
    fn flags_that_no_service_can_receive_are_refused_first() {
        for bad in ["D:\\%TEMP%", "D:\\a\nb"] {
            let refused = install(&request(&["--root", bad]));
            assert!(matches!(refused, Err(InstallError::NoWordForService(word)) if word == bad));
        }
        let many = vec!["D:\\a folder with a long name"; 200];
        assert!(matches!(install(&request(&many)), Err(InstallError::TooLong)));
        let once = InstallRequest { start: AgentStart::Once, ..request(&[]) };
        assert!(matches!(install(&once), Err(InstallError::OnceOnWindows)));
    }

    #[test]
    fn removal_covers_everything_installed() {
        let steps = uninstall(&"edit-01".parse().unwrap());
        let all: String = steps.iter().map(|step| step.command.as_str()).collect();
        for part in
            ["$service = 'reelgauge-agent-edit-01'", "sc.exe delete $service", "Delete($folder, $true)"]
        {
            assert!(all.contains(part), "{part}: {all}");
        }
        let (stopping, deleting) = (all.find("Stop-Service"), all.find("sc.exe delete"));
        assert!(stopping.is_some() && stopping < deleting, "{all}");
    }

    #[test]
    fn no_shell_expands_anything_in_a_command() {
        let steps = install(&request(&["--root", "D:\\$x `y` \"z\""])).unwrap();
        let removing = uninstall(&"edit-01".parse().unwrap());
        for step in steps.iter().chain(&removing).filter(|step| step.by == By::PowerShell) {
            let command = command(&step.command);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || " .-+/=".contains(c);
            assert!(command.chars().all(is_plain) && command.len() < COMMAND_MAX, "{command}");
            let word = command.rsplit(' ').next().unwrap();
            let units: Vec<u16> = BASE64_STANDARD
                .decode(word)
                .unwrap()
                .chunks(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                .collect();
            assert_eq!(String::from_utf16(&units).unwrap(), step.command);
        }
    }
}
