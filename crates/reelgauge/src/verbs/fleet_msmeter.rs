//! `reelgauge fleet msmeter`: workers of the original Media Storage Meter, driven by one of its scripts.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_msmeter::command_script::{Command, Script};
use reelgauge_msmeter::connections::Guests;
use reelgauge_msmeter::session::{Happening, MeterError, MeterRequest, carry_out};
use reelgauge_report::text::{plain, shell_word};
use reelgauge_report::{Detail, Tables, units};
use reelgauge_results::page::REPORT_FILE;
use reelgauge_runner::exit_code::{BROKE_OFF, INTERRUPTED, USAGE};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::session::make_out;
use reelgauge_runner::session::report_file::leave_report;

use crate::cli::FleetMsmeterArgs;
use crate::screen;

/// The largest script to read: its lines are no longer than a screen is wide.
const SCRIPT_BYTES_MAX: u64 = 4 << 20;
/// The number of addresses, each with a reason, whose refusals are counted.
const REFUSED_KEPT: usize = 1024;
/// A worker that is silent for this long is reported; large operations of slow storage take seconds.
const SILENT_S: f64 = 5.0;

/// Drives the workers. Returns the exit status.
pub fn msmeter(args: &FleetMsmeterArgs) -> Result<u8> {
    let text = read(&args.script)?;
    let script = Script::read(&text, &args.root).with_context(|| shell_word(&args.script))?;
    let is_of_others = !args.listen.ip().is_loopback();
    ensure!(
        !is_of_others || !args.peer.is_empty(),
        "--listen {} is reachable from other hosts, and the protocol has no password; allow each worker \
         with --peer ADDR",
        args.listen
    );
    if args.dry_run {
        std::io::stdout().write_all(screen::output_fitted(&dry(&script)).as_bytes())?;
        return Ok(0);
    }
    warn(&script);
    let name = args.script.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let request = MeterRequest {
        script,
        script_text: text,
        script_name: name,
        roots: args.root.clone(),
        listen: args.listen,
        guests: Guests(args.peer.clone()),
        wait: args.wait.duration(),
        out: args.out.clone(),
    };
    drive(&request, args)
}

fn drive(request: &MeterRequest, args: &FleetMsmeterArgs) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    make_out(&request.out)?;
    let mut refused = Refused::default();
    let mut tell = |happening: &Happening| {
        let line = match happening {
            Happening::Refused { peer, why } => refused.words(peer.ip(), why),
            _ => words(happening, args.json),
        };
        line.iter().for_each(|line| say(line));
    };
    let end = match carry_out(request, &mut tell, &|| interrupt.asked()) {
        Ok(end) => end,
        Err(error) => {
            let code = match error {
                MeterError::EndedBefore => INTERRUPTED,
                // Workers had connected, and their results cannot be stored.
                MeterError::Kept { .. } | MeterError::RunDir(_) => BROKE_OFF,
                _ => USAGE,
            };
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    // It can be made again at any time, so a failure is only reported.
    if let Err(error) = leave_report(&end.dir, &end.summary, &interrupt) {
        say(&format!("there is no {REPORT_FILE}: {error}"));
    }
    let text = match args.json {
        true => end.summary.to_json()?,
        false => screen::of(&end.summary, Tables::Last, Detail::Normal),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(exit_code(&end.summary))
}

fn exit_code(summary: &Summary) -> u8 {
    match summary.outcome {
        Outcome::Interrupted => INTERRUPTED,
        Outcome::Complete if summary.msmeter.as_ref().is_some_and(|facts| facts.is_whole()) => 0,
        _ => BROKE_OFF,
    }
}

fn read(path: &Path) -> Result<String> {
    let open = || format!("cannot read the script {}", shell_word(path));
    ensure!(!path.is_dir(), "{} is a folder; name a script", shell_word(path));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).with_context(open)?;
    file.take(SCRIPT_BYTES_MAX + 1).read_to_end(&mut bytes).with_context(open)?;
    if bytes.len() as u64 > SCRIPT_BYTES_MAX {
        bail!("{} is not a script: it is larger than 4 MiB", shell_word(path));
    }
    // Remarks may be in any code page; commands are ASCII.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The actions of the script.
fn dry(script: &Script) -> String {
    let starts = script.commands.iter().filter(|command| matches!(command, Command::Start(_))).count();
    let tests = script.commands.iter().filter(|command| matches!(command, Command::Results(_))).count();
    let mut lines = vec![format!(
        "{}, {}, {}; the script's waits add up to {}.",
        units::counted(script.workers() as u64, "worker"),
        units::counted(tests.max(1) as u64, "test"),
        units::counted(starts as u64, "start"),
        units::moment(script.takes().as_secs_f64())
    )];
    lines.extend(warnings(script));
    lines.push("Nothing was sent; no workers were contacted.".to_owned());
    lines.join("\n")
}

fn warn(script: &Script) {
    warnings(script).iter().for_each(|line| say(line));
}

fn warnings(script: &Script) -> Vec<String> {
    let mut lines = Vec::new();
    let folders: Vec<String> = script.written_folders().iter().map(|folder| plain(folder)).collect();
    if !folders.is_empty() {
        lines.push(format!(
            "Workers overwrite every file named test000, test001, ... in: {}",
            folders.join(", ")
        ));
    }
    let silent: Vec<String> = script.silent_workers().iter().map(usize::to_string).collect();
    if !silent.is_empty() {
        lines.push(format!(
            "Not measured, because the script turns off their reports ('-v-'): {}",
            silent.join(", ")
        ));
    }
    lines
}

/// The refused clients, and how often each was refused for the same reason.
#[derive(Default)]
struct Refused(HashMap<(IpAddr, &'static str), u64>);

impl Refused {
    /// The message: the first time, and then less often the more there were.
    fn words(&mut self, ip: IpAddr, why: &'static str) -> Option<String> {
        if self.0.len() >= REFUSED_KEPT && !self.0.contains_key(&(ip, why)) {
            return None;
        }
        let times = self.0.entry((ip, why)).or_default();
        *times += 1;
        match *times {
            1 => Some(format!("Rejected {ip}: {why}.")),
            times if times.ilog10() > (times - 1).ilog10() => {
                Some(format!("Rejected {ip} ({} so far): {why}.", units::counted(times, "time")))
            }
            _ => None,
        }
    }
}

/// The messages during a run. With `--json` only those that need the user's attention.
fn words(happening: &Happening, is_quiet: bool) -> Option<String> {
    let line = match happening {
        Happening::Listening { address, wanted } => format!(
            "Waiting at {address} for {}: meter -rm {}",
            units::counted(*wanted as u64, "worker"),
            address.ip()
        ),
        Happening::Joined { worker, peer } => format!("Worker {worker} connected from {}.", peer.ip()),
        // Individually they could fill the screen.
        Happening::Refused { .. } => return None,
        Happening::Gone { worker, why } => format!("Lost worker {worker}: {}.", plain(why)),
        Happening::Test { name } => format!("Test {}.", plain(name)),
        Happening::Second { .. } if is_quiet => return None,
        Happening::Second { at_s, of_s, records, bytes_in_second, quietest } => {
            let mib = *bytes_in_second as f64 / f64::from(1 << 20);
            let silent = quietest.filter(|(_, seconds)| *seconds >= SILENT_S).map(|(worker, seconds)| {
                format!("; worker {worker} has reported nothing for {}", units::moment(seconds))
            });
            // Messages take time, too.
            let of = if at_s <= of_s { format!(" of {}", units::moment(*of_s)) } else { String::new() };
            format!(
                "{}{of}: {}, {} MiB in this second{}",
                units::moment(*at_s),
                units::counted(*records, "record"),
                units::fixed(mib, 1),
                silent.unwrap_or_default()
            )
        }
    };
    Some(line)
}

/// Goes to standard error, next to the output. If that is closed, the message is lost.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(line));
}
