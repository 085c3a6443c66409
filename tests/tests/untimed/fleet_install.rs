//! Agents installed on another host over ssh, and removed from it: a real sshd, with a separate home
//! directory. For Windows, a script behind a real sshd imitates its shells: it prints their answers,
//! records the requests and handles files as the scripts demand. That tests the order, the files and the
//! failures, not the behaviour of a real Windows.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::daemon::Daemon;
use reelgauge_tests::fleet::{Fleet, SOON};
use reelgauge_tests::needs::Need;
use reelgauge_tests::powershell;
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;

/// A host that ssh reaches. Remaining processes there are ended on drop.
struct Machine {
    sshd: Daemon,
    scratch: Scratch,
}

impl Machine {
    fn start() -> Machine {
        Machine::start_with(|_| String::new())
    }

    /// With more lines of the server's configuration, which may depend on the host's folder.
    fn start_with(more: impl Fn(&Path) -> String) -> Machine {
        let scratch = Scratch::new();
        let at = scratch.path().display().to_string();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        for key in ["host", "user"] {
            tool_with(&["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", &format!("{at}/{key}")])
                .unwrap();
        }
        std::fs::copy(scratch.path().join("user.pub"), scratch.path().join("authorized")).unwrap();
        let home = scratch.dir("home").display().to_string();
        std::fs::write(
            scratch.path().join("sshd_config"),
            format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile \
                 {at}/authorized\n\
                 StrictModes no\nPidFile none\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n\
                 SetEnv HOME={home}\n{}",
                more(scratch.path())
            ),
        )
        .unwrap();
        std::fs::write(
            scratch.path().join("ssh_config"),
            format!(
                "Host *\n  HostName 127.0.0.1\n  Port {port}\n  User root\n  IdentityFile {at}/user\n  \
                 IdentitiesOnly \
                 yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
            ),
        )
        .unwrap();
        std::fs::create_dir_all("/run/sshd").unwrap();
        let mut sshd = Command::new("/usr/sbin/sshd");
        sshd.args(["-D", "-e", "-f"]).arg(scratch.path().join("sshd_config"));
        let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        let sshd = Daemon::start(&mut sshd, &scratch.path().join("sshd.log"), listens);
        Machine { sshd, scratch }
    }

    fn folder(&self) -> PathBuf {
        self.scratch.path().join("home/.reelgauge-agent")
    }

    fn install(&self, fleet: &Path, words: &[&str]) -> Outcome {
        let config = self.scratch.path().join("ssh_config").display().to_string();
        let dir = fleet.display().to_string();
        let words = ["fleet", "install"].iter().chain(words).copied();
        binary::run(words.chain(["--fleet", &dir, "--ssh-config", &config]))
    }

    fn agent_pid(&self) -> Option<String> {
        let pid = std::fs::read_to_string(self.folder().join("a/agent.pid")).ok()?;
        Some(pid.trim().to_owned()).filter(|pid| is_agent(pid))
    }
}

fn is_agent(pid: &str) -> bool {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).contains("reelgauge\0agent")
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(pid) = self.agent_pid() {
            let _ = tool_with(&["kill", "-KILL", &pid]);
        }
        self.sshd.kill();
    }
}

/// Waits until this holds.
#[track_caller]
fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < SOON, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn an_agent_is_installed_appears_and_is_removed_without_a_trace() {
    require!(Need::NatsServer, Need::Root, Need::Tool("sshd"), Need::Tool("ssh"), Need::Tool("ssh-keygen"));
    let fleet = Fleet::start(&["a"]);
    let machine = Machine::start();
    let root = fleet.root("it's a nas").display().to_string();
    let limits = ["--max-space", "1GiB", "--max-network", "0B", "--max-duration", "90s", "--read-only"];
    let words = [&["a=somewhere", "--root", &root, "--no-service"][..], &limits].concat();
    let dry = machine.install(&fleet.dir(), &[words.as_slice(), &["--dry-run"]].concat()).expect_code(0);
    assert!(dry.words().contains("copying"), "{}", dry.stdout);
    assert!(!machine.folder().exists(), "a dry run does nothing");
    let done = machine.install(&fleet.dir(), &words).expect_code(0);
    assert!(done.words().contains("done: starting"), "{}", done.stdout);
    let own = machine.folder().join("a");
    assert_eq!(
        (mode(&own), mode(&own.join("join.toml")), mode(&own.join("reelgauge"))),
        (0o700, 0o600, 0o700)
    );
    soon("the agent appears", || fleet.ask(&["ls", "--json"]).code == Some(0));
    let present = &fleet.ask(&["ls", "--json", "--wait", "10s"]).expect_code(0).json()[0]["present"][0];
    assert_eq!(present["roots"][0]["path"], root.as_str());
    let limits = &present["limits"];
    assert_eq!((&limits["space_bytes"], &limits["network_bytes_per_s"]), (&(1 << 30).into(), &0.into()));
    assert_eq!((&limits["duration_ns"], &limits["read_only"]), (&90_000_000_000_u64.into(), &true.into()));
    let pid = machine.agent_pid().expect("it runs");
    machine.install(&fleet.dir(), &["a=somewhere", "--uninstall"]).expect_code(0);
    soon("the agent ends", || !is_agent(&pid));
    assert!(!own.exists(), "nothing is left");
    // One host that is not in the fleet, and one that does not exist.
    let unknown = machine.install(&fleet.dir(), &["edit-07", "--root", &root]).expect_code(2);
    assert!(unknown.stderr.contains("edit-07"), "{}", unknown.stderr);
    let option = machine.install(&fleet.dir(), &["a=-oProxyCommand=x", "--root", &root]).expect_code(2);
    assert!(option.stderr.contains("NAME=USER@HOST"), "{}", option.stderr);
}

/// The answers of cmd.exe and PowerShell to `echo %OS% $env:OS`, for printf.
const SHELLS: [(&str, &str); 2] =
    [("cmd.exe", "Windows_NT $env:OS\\r\\n"), ("PowerShell", "%%OS%%\\r\\nWindows_NT\\r\\n")];

/// The imitation of Windows. `$asked` has a file for each script, as PowerShell would read it.
const STAND_IN: &str = r#"#!/bin/sh
cd "$HOME" || exit 9
asked=../asked
number=$(ls "$asked" | grep -c ps1)
case "$SSH_ORIGINAL_COMMAND" in
uname*) echo "'uname' is not recognized as an internal or external command" >&2; exit 1 ;;
echo*) printf 'ANSWER'; exit 0 ;;
*sftp-server) exec "$SSH_ORIGINAL_COMMAND" ;;
scp*) exec $SSH_ORIGINAL_COMMAND ;;
powershell.exe*) ;;
*) echo "unknown: $SSH_ORIGINAL_COMMAND" >&2; exit 9 ;;
esac
script=$(printf %s "${SSH_ORIGINAL_COMMAND##* }" | base64 -d | iconv -f UTF-16LE -t UTF-8)
printf '%s\n' "$script" > "$asked/$(printf %02d "$number").ps1"
cat >> "$asked/read"
refused=$(cat ../refused 2> /dev/null)
own=.reelgauge-agent/a
case "$script" in
*"${refused:-nothing is refused}"*) echo "Access is denied." >&2; exit 1 ;;
*CreateDirectory*) mkdir -p "$own"; : > "$own/join.new.toml" ;;
*--version*) [ -s "$own/reelgauge.new.exe" ] || exit 1 ;;
*'[IO.File]::Move'*) mv "$own/reelgauge.new.exe" "$own/reelgauge.exe"; mv "$own/join.new.toml" "$own/join.toml" ;;
*'Delete($folder'*) rm -r "$own"; rmdir .reelgauge-agent ;;
esac
"#;

/// A host that reports to be Windows with this shell.
fn windows(answer: &str) -> Machine {
    Machine::start_with(|at| {
        let script = at.join("windows.sh");
        std::fs::write(&script, STAND_IN.replace("ANSWER", answer)).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir(at.join("asked")).unwrap();
        format!("Subsystem sftp /usr/lib/openssh/sftp-server\nForceCommand {}\n", script.display())
    })
}

/// The scripts that ran there, in order.
fn scripts(machine: &Machine) -> Vec<String> {
    let entries = std::fs::read_dir(machine.scratch.path().join("asked")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ps1"));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn on_windows_a_service_is_made_by_scripts_and_removed() {
    require!(Need::Root, Need::Tool("sshd"), Need::Tool("ssh"), Need::Tool("scp"), Need::Tool("ssh-keygen"));
    for (shell, answer) in SHELLS {
        let machine = windows(answer);
        let site = machine.scratch.path().join("fleet");
        let at = site.display().to_string();
        binary::run(["fleet", "init", &at, "--agents", "a"]).expect_code(0);
        let program = machine.scratch.path().join("it's \"the\" [program]: 1.exe");
        std::fs::write(&program, "MZ of a program\r\n\u{1a}\0").unwrap();
        let program = program.display().to_string();
        let words = ["a=edit", "--program", &program, "--root", "D:\\it's a nas\\", "--read-only"];
        let none = machine.install(&site, &["a=edit", "--root", "D:\\media"]).expect_code(2);
        assert!(none.stderr.contains("--program reelgauge.exe"), "{shell}: {}", none.stderr);
        let dry = machine.install(&site, &[&words[..], &["--dry-run"]].concat()).expect_code(0).stdout;
        assert_eq!(scripts(&machine), [""; 0], "a dry run does nothing");
        machine.install(&site, &words).expect_code(0);
        let done = scripts(&machine);
        for (script, part) in done.iter().zip([
            "/inheritance:r",
            "'--version'",
            "Stop-Service",
            "New-Service",
            "sc.exe failure ",
            "Start-Service",
        ]) {
            assert!(script.contains(part), "{shell}: {part}: {script}");
            let lines = script.lines().map(|line| format!("    {line}\n"));
            assert!(dry.contains(&lines.collect::<String>()), "{shell}: is shown before: {script}\n{dry}");
        }
        assert_eq!(done.len(), 6, "{done:#?}");
        let flags = r#"$flags = ' "--root" "D:\it''s a nas\\" "--read-only"'"#;
        assert!(done[3].contains(flags), "{}", done[3]);
        // Files go where the scripts expect them, and no script contains the secret.
        let own = machine.folder().join("a");
        let copied = |from: &Path, to: &str| {
            assert_eq!(std::fs::read(from).unwrap(), std::fs::read(own.join(to)).unwrap(), "{shell}: {to}");
        };
        copied(Path::new(&program), "reelgauge.exe");
        copied(&site.join("join/a.toml"), "join.toml");
        let secret = std::fs::read_to_string(site.join("join/a.toml")).unwrap();
        let key = secret.lines().find_map(|line| line.strip_prefix("key = ")).unwrap().trim_matches('"');
        assert!(!done.concat().contains(key) && !dry.contains(key));
        assert_eq!(std::fs::read(machine.scratch.path().join("asked/read")).unwrap(), b"");
        machine.install(&site, &["a=edit", "--uninstall"]).expect_code(0);
        assert!(!machine.folder().exists(), "{shell}: no files are left");
        let removing = scripts(&machine).split_off(6);
        assert!(removing[0].contains("sc.exe delete") && removing.len() == 2, "{removing:#?}");
        match powershell::is_here() {
            true => scripts(&machine).iter().for_each(|script| powershell::parse(script)),
            false => {
                eprintln!("skipped: no PowerShell here parses the scripts; that they came as they were did")
            }
        }
    }
}

#[test]
fn a_refusal_by_windows_is_reported_and_ends_the_installation() {
    require!(Need::Root, Need::Tool("sshd"), Need::Tool("ssh"), Need::Tool("scp"), Need::Tool("ssh-keygen"));
    let machine = windows(SHELLS[0].1);
    let site = machine.scratch.path().join("fleet");
    binary::run(["fleet", "init", &site.display().to_string(), "--agents", "a"]).expect_code(0);
    let program = machine.scratch.path().join("reelgauge.exe");
    std::fs::write(&program, "a program").unwrap();
    let words = ["a=edit", "--program", program.to_str().unwrap(), "--root", "D:\\media"];
    let once = machine.install(&site, &[&words[..], &["--no-service"]].concat()).expect_code(2);
    assert!(once.stderr.contains("--no-service "), "{}", once.stderr);
    let variable = machine.install(&site, &[&words[..], &["--root", "D:\\%TEMP%"]].concat()).expect_code(2);
    assert!(variable.stderr.contains("%TEMP%"), "{}", variable.stderr);
    assert_eq!(scripts(&machine), [""; 0]);
    std::fs::write(machine.scratch.path().join("refused"), "Stop-Service").unwrap();
    let refused = machine.install(&site, &words).expect_code(2);
    assert!(refused.words().contains("done: copying"), "{}", refused.stdout);
    for part in ["failed: Access is denied.", "--uninstall"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert_eq!(scripts(&machine).len(), 3, "nothing is made behind it");
    assert!(!machine.folder().join("a/join.toml").exists());
}
