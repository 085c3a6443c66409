//! A process that ends a nats-server when a pipe ends.
//!
//! nats-server does not notice that its parent process has ended. The keeper does, because its standard
//! input ends then: it asks the server to end, and kills it if necessary.

use std::ffi::OsStr;
use std::io::{self, BufRead, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The line that makes the server reload its configuration.
pub const RELOAD: &str = "reload";
/// The interval between two checks of the server.
const BEAT: Duration = Duration::from_millis(100);
/// How long the server may take to shut down.
const PATIENCE: Duration = Duration::from_secs(8);

/// Runs `program -c configuration` until standard input ends or the server does. Returns the exit
/// status: 0 if the pipe ended first.
///
/// # Errors
/// If the program cannot be started.
pub fn keep(program: &OsStr, configuration: &OsStr) -> io::Result<u8> {
    ignore_interrupts()?;
    let mut server = Command::new(program)
        .arg("-c")
        .arg(configuration)
        .stdin(Stdio::null())
        // Its output goes to its log file or, without one, to this process's standard error.
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

/// Ctrl-C in a terminal reaches all of its processes; the one that it is meant for closes the pipe.
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

/// Asks the server to end, and kills it if it does not.
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

/// Sends the server a signal. It is a child that was not waited for yet, so its process number cannot
/// belong to another process.
#[cfg(unix)]
fn signal(server: &Child, _word: &str, name: &str) {
    use rustix::process::{Pid, Signal, kill_process};

    let signal = if name == "HUP" { Signal::HUP } else { Signal::TERM };
    let pid = i32::try_from(server.id()).ok().and_then(Pid::from_raw);
    let _ = pid.map(|pid| kill_process(pid, signal));
}

/// Windows has no signals. `nats-server --signal` reaches only a server that runs as a service.
#[cfg(not(unix))]
fn signal(server: &Child, word: &str, _name: &str) {
    let _ = Command::new("nats-server").arg("--signal").arg(format!("{word}={}", server.id())).status();
}
