//! What is done on a machine to install or remove an agent, in order. Pure.

use std::path::PathBuf;

use super::service::{ServiceText, launchd_plist, systemd_unit, words};
use crate::site::name::AgentName;

/// A machine's system, as far as installing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteSystem {
    /// Linux.
    Linux,
    /// macOS.
    MacOs,
}

/// One step: a command for the shell there, and what it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallStep {
    /// What it does, for people.
    pub what: String,
    /// The command.
    pub command: String,
    /// What it reads.
    pub input: Option<Input>,
}

/// What a step reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file of this machine.
    File(PathBuf),
    /// A text.
    Text(String),
}

/// How an agent is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentStart {
    /// By its user's service manager, now and whenever the machine starts.
    Service,
    /// Now, and not again: for machines without a service manager.
    Once,
}

/// What is to be installed.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    /// The agent.
    pub agent: AgentName,
    /// Its join file, on this machine.
    pub join: PathBuf,
    /// The program for that machine, on this one.
    pub program: PathBuf,
    /// Flags of `reelgauge agent` beside its join file.
    pub flags: Vec<String>,
    /// How it is started.
    pub start: AgentStart,
}

/// The folder of an agent, for a shell. Names of agents are words.
fn folder(agent: &AgentName) -> String {
    format!("\"$HOME/.reelgauge-agent/{agent}\"")
}

/// The name of its service.
fn service(agent: &AgentName) -> String {
    format!("reelgauge-agent-{agent}")
}

/// The steps that install an agent; doing them again brings it up to date.
pub fn install(system: RemoteSystem, request: &InstallRequest) -> Vec<InstallStep> {
    let folder = folder(&request.agent);
    let into = |what: &str, name: &str, mode: &str, input: PathBuf| InstallStep {
        what: format!("{what} {}", input.display()),
        // In place at once, so that an agent that runs keeps the program that it was started with.
        command: format!(
            "umask 077 && cat > {folder}/{name}.new && chmod {mode} {folder}/{name}.new && mv -f \
             {folder}/{name}.new \
             {folder}/{name}"
        ),
        input: Some(Input::File(input)),
    };
    let mut steps = vec![
        InstallStep {
            what: "making a folder of its own".to_owned(),
            command: format!("umask 077 && mkdir -p {folder}"),
            input: None,
        },
        into("copying", "reelgauge", "700", request.program.clone()),
        InstallStep {
            what: "trying the program there".to_owned(),
            command: format!("{folder}/reelgauge --version"),
            input: None,
        },
        into("copying the secret", "join.toml", "600", request.join.clone()),
    ];
    steps.extend(match request.start {
        AgentStart::Once => vec![start_once(request)],
        AgentStart::Service => start_service(system, request),
    });
    steps
}

fn start_service(system: RemoteSystem, request: &InstallRequest) -> Vec<InstallStep> {
    let text = ServiceText { agent: &request.agent, flags: &request.flags };
    let name = service(&request.agent);
    let (place, text, start) = match system {
        RemoteSystem::Linux => (
            "\"$HOME/.config/systemd/user\"",
            (format!("{name}.service"), systemd_unit(&text)),
            format!(
                "export XDG_RUNTIME_DIR=\"/run/user/$(id -u)\"; loginctl enable-linger && systemctl --user \
                 daemon-reload \
                 && systemctl --user enable {name} && systemctl --user restart {name}"
            ),
        ),
        RemoteSystem::MacOs => (
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
            command: format!("mkdir -p {place} && cat > {place}/{}", text.0),
            input: Some(Input::Text(text.1)),
        },
        InstallStep { what: "starting it, now and with the machine".to_owned(), command: start, input: None },
    ]
}

fn start_once(request: &InstallRequest) -> InstallStep {
    let folder = folder(&request.agent);
    let flags: String = request.flags.iter().map(|flag| format!(" {}", words::for_shell(flag))).collect();
    InstallStep {
        what: "starting it, until the machine is started anew".to_owned(),
        command: format!(
            "cd {folder} && {stop} nohup ./reelgauge agent --join join.toml{flags} >> agent.log 2>&1 < \
             /dev/null & \
             echo $! > {folder}/agent.pid",
            stop = stop_once(&request.agent)
        ),
        input: None,
    }
}

/// Ends the one that was started before, if that number is still its own.
fn stop_once(agent: &AgentName) -> String {
    let folder = folder(agent);
    format!(
        "if [ -s {folder}/agent.pid ] && ps -p \"$(cat {folder}/agent.pid)\" -o args= 2>/dev/null | grep -q \
         'reelgauge \
         agent'; then kill \"$(cat {folder}/agent.pid)\"; sleep 1; fi;"
    )
}

/// The steps that remove an agent, however it was started, and whatever of it is there.
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
    };
    vec![
        InstallStep { what: "ending its service".to_owned(), command: stop, input: None },
        InstallStep {
            what: "ending it, if it was started once".to_owned(),
            command: format!("{} true", stop_once(agent)),
            input: None,
        },
        InstallStep {
            what: "removing its folder, program and secret".to_owned(),
            command: format!(
                "rm -rf {} && {{ rmdir \"$HOME/.reelgauge-agent\" 2>/dev/null; true; }}",
                folder(agent)
            ),
            input: None,
        },
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
                let steps = install(system, &request(start));
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
    fn what_is_installed_is_removed() {
        for system in [RemoteSystem::Linux, RemoteSystem::MacOs] {
            let steps = uninstall(system, &"edit-01".parse().unwrap());
            let all = steps.iter().map(|step| step.command.as_str()).collect::<Vec<_>>().join("\n");
            assert!(all.contains("rm -rf \"$HOME/.reelgauge-agent/edit-01\""), "{all}");
            let service = if system == RemoteSystem::Linux { "systemd/user" } else { "LaunchAgents" };
            let written = install(system, &request(AgentStart::Service));
            assert!(all.contains(service) && written.iter().any(|step| step.command.contains(service)));
        }
    }

    #[test]
    fn what_an_owner_allows_stands_in_the_service() {
        for system in [RemoteSystem::Linux, RemoteSystem::MacOs] {
            let mut request = request(AgentStart::Service);
            request.flags.extend(["--max-network", "12MiB", "--read-only"].map(str::to_owned));
            let texts: Vec<String> = install(system, &request)
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
        let once = install(RemoteSystem::Linux, &request(AgentStart::Once));
        let start = &once.last().unwrap().command;
        assert!(start.contains("'--root' '/mnt/the nas'\\''s \"own\" $HOME'"), "{start}");
    }
}
