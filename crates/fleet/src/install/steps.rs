//! The steps that install or remove an agent on a host, in order. Pure.

use std::path::PathBuf;

use super::InstallError;
use super::service::{ServiceText, launchd_plist, quoting, systemd_unit};
use super::step::{AgentStart, By, Input, InstallRequest, InstallStep, RemoteSystem, service};
use super::windows;
use crate::fleet_site::agent_name::AgentName;

/// The folder of an agent, for a shell. Agents' names need no quoting.
fn folder(agent: &AgentName) -> String {
    format!("\"$HOME/.reelgauge-agent/{agent}\"")
}

/// The steps that install an agent; repeating them updates it.
///
/// # Errors
/// If the system does not support it.
pub fn install(system: RemoteSystem, request: &InstallRequest) -> Result<Vec<InstallStep>, InstallError> {
    match system {
        RemoteSystem::Linux => Ok(install_unix(Unix::Linux, request)),
        RemoteSystem::MacOs => Ok(install_unix(Unix::MacOs, request)),
        RemoteSystem::Windows => windows::install(request),
    }
}

/// The systems with similar shells and home directories.
#[derive(Clone, Copy)]
enum Unix {
    Linux,
    MacOs,
}

fn install_unix(system: Unix, request: &InstallRequest) -> Vec<InstallStep> {
    let folder = folder(&request.agent);
    let into = |what: &str, name: &str, mode: &str, input: PathBuf| InstallStep {
        what: format!("{what} {}", input.display()),
        by: By::Shell,
        // Replaced by a rename, so that a running agent keeps the program that it was started with.
        command: format!(
            "umask 077 && cat > {folder}/{name}.new && chmod {mode} {folder}/{name}.new && mv -f \
             {folder}/{name}.new \
             {folder}/{name}"
        ),
        input: Some(Input::File(input)),
    };
    let mut steps = vec![
        InstallStep::in_shell("creating its folder", format!("umask 077 && mkdir -p {folder}")),
        into("copying", "reelgauge", "700", request.program.clone()),
        InstallStep::in_shell("testing the program there", format!("{folder}/reelgauge --version")),
        into("copying the secret", "join.toml", "600", request.join.clone()),
    ];
    steps.extend(match request.start {
        AgentStart::Once => vec![start_once(request)],
        AgentStart::Service => start_service(system, request),
    });
    steps
}

fn start_service(system: Unix, request: &InstallRequest) -> Vec<InstallStep> {
    let text = ServiceText { agent: &request.agent, flags: &request.flags };
    let name = service(&request.agent);
    let (place, text, start) = match system {
        Unix::Linux => (
            "\"$HOME/.config/systemd/user\"",
            (format!("{name}.service"), systemd_unit(&text)),
            format!(
                "export XDG_RUNTIME_DIR=\"/run/user/$(id -u)\"; loginctl enable-linger && systemctl --user \
                 daemon-reload \
                 && systemctl --user enable {name} && systemctl --user restart {name}"
            ),
        ),
        Unix::MacOs => (
            "\"$HOME/Library/LaunchAgents\"",
            (format!("{name}.plist"), launchd_plist(&text)),
            format!(
                "launchctl bootout \"gui/$(id -u)/{name}\" 2>/dev/null; launchctl bootstrap \"gui/$(id -u)\" \
                 \"$HOME/Library/LaunchAgents/{name}.plist\""
            ),
        ),
    };
    vec![
        InstallStep {
            what: format!("writing the service {}", text.0),
            by: By::Shell,
            command: format!("mkdir -p {place} && cat > {place}/{}", text.0),
            input: Some(Input::Text(text.1)),
        },
        InstallStep::in_shell("starting it, now and at boot", start),
    ]
}

fn start_once(request: &InstallRequest) -> InstallStep {
    let folder = folder(&request.agent);
    let flags: String = request.flags.iter().map(|flag| format!(" {}", quoting::for_shell(flag))).collect();
    let stop = stop_once(&request.agent);
    InstallStep::in_shell(
        "starting it, until the next reboot",
        format!(
            "cd {folder} && {stop} nohup ./reelgauge agent --join join.toml{flags} >> agent.log 2>&1 < \
             /dev/null & \
             echo $! > {folder}/agent.pid"
        ),
    )
}

/// Ends the agent that was started before, if the process with that number is still the agent.
fn stop_once(agent: &AgentName) -> String {
    let folder = folder(agent);
    format!(
        "if [ -s {folder}/agent.pid ] && ps -p \"$(cat {folder}/agent.pid)\" -o args= 2>/dev/null | grep -q \
         'reelgauge \
         agent'; then kill \"$(cat {folder}/agent.pid)\"; sleep 1; fi;"
    )
}

/// The steps that remove an agent, however it was started, and whatever parts of it exist.
pub fn uninstall(system: RemoteSystem, agent: &AgentName) -> Vec<InstallStep> {
    let name = service(agent);
    let stop = match system {
        RemoteSystem::Linux => format!(
            "export XDG_RUNTIME_DIR=\"/run/user/$(id -u)\"; if [ -e \
             \"$HOME/.config/systemd/user/{name}.service\" ]; then \
             systemctl --user disable --now {name}; rm -f \"$HOME/.config/systemd/user/{name}.service\"; \
             systemctl --user \
             daemon-reload; fi; true"
        ),
        RemoteSystem::MacOs => format!(
            "launchctl bootout \"gui/$(id -u)/{name}\" 2>/dev/null; rm -f \
             \"$HOME/Library/LaunchAgents/{name}.plist\""
        ),
        RemoteSystem::Windows => return windows::uninstall(agent),
    };
    vec![
        InstallStep::in_shell("ending its service", stop),
        InstallStep::in_shell(
            "ending its process, if started without a service",
            format!("{} true", stop_once(agent)),
        ),
        InstallStep::in_shell(
            "removing its folder, program and secret",
            format!("rm -rf {} && {{ rmdir \"$HOME/.reelgauge-agent\" 2>/dev/null; true; }}", folder(agent)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn request(start: AgentStart) -> InstallRequest {
        InstallRequest {
            agent: "edit-01".parse().unwrap(),
            join: "/site/join/edit-01.toml".into(),
            program: "/usr/bin/reelgauge".into(),
            flags: vec!["--root".to_owned(), "/mnt/the nas's \"own\" $HOME".to_owned()],
            start,
        }
    }

    #[test]
    fn the_secret_goes_through_a_pipe_into_a_file_of_its_owner() {
        for system in [RemoteSystem::Linux, RemoteSystem::MacOs] {
            for start in [AgentStart::Service, AgentStart::Once] {
                let steps = install(system, &request(start)).unwrap();
                let secret = Input::File("/site/join/edit-01.toml".into());
                let copying: Vec<_> =
                    steps.iter().filter(|step| step.input.as_ref() == Some(&secret)).collect();
                assert_eq!(copying.len(), 1);
                assert!(copying[0].command.starts_with("umask 077 && cat > "), "{}", copying[0].command);
                assert!(copying[0].command.contains("chmod 600"));
            }
        }
    }

    #[test]
    fn removal_covers_everything_installed() {
        for system in [RemoteSystem::Linux, RemoteSystem::MacOs] {
            let steps = uninstall(system, &"edit-01".parse().unwrap());
            let all = steps.iter().map(|step| step.command.as_str()).collect::<Vec<_>>().join("\n");
            assert!(all.contains("rm -rf \"$HOME/.reelgauge-agent/edit-01\""), "{all}");
            let service = if system == RemoteSystem::Linux { "systemd/user" } else { "LaunchAgents" };
            let written = install(system, &request(AgentStart::Service)).unwrap();
            assert!(all.contains(service) && written.iter().any(|step| step.command.contains(service)));
        }
    }

    #[test]
    fn the_owners_limits_are_in_the_service() {
        for system in [RemoteSystem::Linux, RemoteSystem::MacOs] {
            let mut request = request(AgentStart::Service);
            request.flags.extend(["--max-network", "12MiB", "--read-only"].map(str::to_owned));
            let texts: Vec<String> = install(system, &request)
                .unwrap()
                .into_iter()
                .filter_map(|step| match step.input {
                    Some(Input::Text(text)) => Some(text),
                    _ => None,
                })
                .collect();
            let [text] = texts.as_slice() else { panic!("one service: {texts:?}") };
            for word in ["--max-network", "12MiB", "--read-only"] {
                assert!(text.contains(word), "{word}: {text}");
            }
        }
    }

    #[test]
    fn odd_roots_stay_one_word() {
        let once = install(RemoteSystem::Linux, &request(AgentStart::Once)).unwrap();
        let start = &once.last().unwrap().command;
        assert!(start.contains("'--root' '/mnt/the nas'\\''s \"own\" $HOME'"), "{start}");
    }
}
