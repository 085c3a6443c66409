//! A process that holds a nats-server to the life of a pipe.
//!
//! nats-server does not notice that whoever started it is gone. The keeper does: its standard input ends
//! then, however that process ended, and the server is asked to end, and made to.

use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The line that has the configuration read anew.
pub const RELOAD: &str = "reload";
/// How often the server is looked after.
const BEAT: Duration = Duration::from_millis(100);
/// How long the server may take to end in order.
const PATIENCE: Duration = Duration::from_secs(8);

/// Runs `program -c configuration` until standard input ends or the server does. The exit code: 0 where the
/// pipe ended first.
///
/// # Errors
/// A program that can't be started.
pub fn keep(program: &OsStr, configuration: &OsStr) -> io::Result<u8> {
    ignore_interrupts()?;
    let mut server = Command::new(program)
        .arg("-c")
        .arg(configuration)
        .stdin(Stdio::null())
        // What it says goes to its log; where it has none, to where ours goes.
        .stdout(Stdio::null())
        .spawn()?;
    let mut out = io::stdout();
    let _ = writeln!(out, "started {}", server.id()).and_then(|()| out.flush());
    let lines = lines_of_input();
    loop {
        match lines.recv_timeout(BEAT) {
            Ok(line) if line.trim() == RELOAD => signal(&server, "reload", "HUP"),
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected) => {
                end(&mut server);
                return Ok(0);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if server.try_wait()?.is_some() {
            return Ok(1);
        }
    }
}

/// Ctrl-C in a terminal reaches all of its processes; the one that was meant closes the pipe.
fn ignore_interrupts() -> io::Result<()> {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, std::sync::Arc::default())?;
    }
    Ok(())
}

/// The lines of standard input; the channel ends with it.
fn lines_of_input() -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Asks the server to end, and makes it.
fn end(server: &mut Child) {
    signal(server, "quit", "TERM");
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if matches!(server.try_wait(), Ok(Some(_)) | Err(_)) {
            return;
        }
        std::thread::sleep(BEAT / 2);
    }
    let _ = server.kill();
    let _ = server.wait();
}

/// Tells the server something; it is a child that nobody has waited for yet, so the number is its own.
#[cfg(unix)]
fn signal(server: &Child, _word: &str, name: &str) {
    use rustix::process::{Pid, Signal, kill_process};

    let signal = if name == "HUP" { Signal::HUP } else { Signal::TERM };
    let pid = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| kill_process(pid, signal));
}

/// There are no signals; the program itself knows how to reach one that runs as a service, and nothing else.
#[cfg(not(unix))]
fn signal(server: &Child, word: &str, _name: &str) {
    let _ = Command::new("nats-server").arg("--signal").arg(format!("{word}={}", server.id())).status();
}
