//! `reelgauge fleet install`: agents on other hosts, over ssh.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::install::Reach;
use reelgauge_fleet::install::step::{AgentStart, By, InstallRequest, InstallStep, RemoteSystem};
use reelgauge_fleet::install::steps::{install as steps, uninstall};
use reelgauge_report::text::plain;

use crate::cli::FleetInstallArgs;
use crate::screen;

/// Installs or removes agents, one host after the other. Returns the exit status.
pub fn install(args: &FleetInstallArgs) -> Result<u8> {
    let site = FleetSite::open(&args.fleet)?;
    let program = match &args.program {
        Some(program) => program.clone(),
        None => std::env::current_exe().context("cannot find the Reelgauge program file")?,
    };
    let machines = args.hosts.iter().map(|host| machine(host, args)).collect::<Result<Vec<_>>>()?;
    let mut code = 0;
    for (agent, reach) in machines {
        if let Err(error) = on_machine(args, &site, &program, &agent, &reach) {
            // The other hosts are not affected.
            code = screen::complain(&error);
        }
    }
    Ok(code)
}

/// The agent and the host of a word: `NAME=USER@HOST`, or a host whose name is the agent's, too.
fn machine(word: &str, args: &FleetInstallArgs) -> Result<(AgentName, Reach)> {
    let (name, host) = match word.split_once('=') {
        Some((name, host)) => (name.to_owned(), host),
        None => {
            let host = word.rsplit('@').next().unwrap_or(word);
            (host.split('.').next().unwrap_or(host).to_lowercase(), word)
        }
    };
    let agent = name.parse::<AgentName>().with_context(|| format!("'{}'", plain(word)))?;
    Ok((agent, Reach::new(host, args.ssh_config.clone())?))
}

fn on_machine(
    args: &FleetInstallArgs,
    site: &FleetSite,
    program: &Path,
    agent: &AgentName,
    reach: &Reach,
) -> Result<()> {
    if !args.uninstall && !site.join_path(agent).is_file() {
        let known = site.register().agents.iter().any(|member| member.name == *agent);
        let what = if known { "its join file was moved" } else { "it is not an agent of this fleet" };
        anyhow::bail!(
            "{agent} has no join file: {what}. Create one with 'reelgauge fleet add {agent}' (if there was \
             one, run 'fleet revoke' first), or name another agent with NAME=HOST"
        );
    }
    let system = reach.system()?;
    if system == RemoteSystem::Windows && args.program.is_none() && !args.uninstall && !cfg!(windows) {
        anyhow::bail!("{} runs Windows; name a program for it with --program reelgauge.exe", reach.host);
    }
    let steps = wanted(args, site, program, agent, system)?;
    let mut out = std::io::stdout();
    writeln!(out, "{agent} on {}:", reach.host)?;
    for step in &steps {
        if args.dry_run {
            out.write_all(shown(step, reach).as_bytes())?;
        } else {
            reach.perform(step)?;
            writeln!(out, "  done: {}", step.what)?;
        }
    }
    Ok(())
}

/// A step's action: the line of a shell, a script as PowerShell receives it, or a path for scp.
fn shown(step: &InstallStep, reach: &Reach) -> String {
    let command = match step.by {
        By::Shell => step.command.clone(),
        By::PowerShell => format!("powershell.exe with\n{}", step.command.trim_end()),
        By::Scp => format!("scp to {}:{}", reach.host, step.command),
    };
    // Not wrapped to the screen: it is the exact command.
    let lines: String = command.lines().map(|line| format!("    {line}\n")).collect();
    screen::output_fitted(&format!("  would be {}:", step.what)) + &lines
}

fn wanted(
    args: &FleetInstallArgs,
    site: &FleetSite,
    program: &Path,
    agent: &AgentName,
    system: RemoteSystem,
) -> Result<Vec<InstallStep>> {
    if args.uninstall {
        return Ok(uninstall(system, agent));
    }
    let mut flags: Vec<String> =
        args.root.iter().flat_map(|root| ["--root".to_owned(), root.clone()]).collect();
    flags.extend(args.owner.flags());
    Ok(steps(
        system,
        &InstallRequest {
            agent: agent.clone(),
            join: site.join_path(agent),
            program: program.to_owned(),
            flags,
            start: if args.no_service { AgentStart::Once } else { AgentStart::Service },
        },
    )?)
}
