//! A session: waits for the workers, runs the script, and stores their reports.
//!
//! The protocol has no acknowledgements. So a started worker without reports is listed, a disconnected
//! worker is listed with its time, and a pause follows each message: a worker that receives two messages
//! at once treats them as one, or as none.
//!
//! At the end of a session, also after an error, workers are paused and disconnected. If this program is
//! killed, their connections break, which ends a running worker of the original. Not here: display text.

mod conduct;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reelgauge_analysis::Summary;
use reelgauge_analysis::facts::{MeterFacts, MeterWorker};
use reelgauge_record::run_dir::{RunDir, RunDirError, RunName};

use self::conduct::ScriptRun;
use crate::command_script::Script;
use crate::connections::{Event, Guests, Link, Workers, listen};
use crate::session_files::{MSMETER, SessionFiles};

/// Interval at which interrupts and the progress of the session are checked.
const LOOK_EVERY: Duration = Duration::from_millis(50);

#[derive(Clone, Debug)]
pub struct MeterRequest {
    pub script: Script,
    /// The same, as text.
    pub script_text: String,
    /// The name of the script.
    pub script_name: String,
    /// Folders that workers may use.
    pub roots: Vec<String>,
    /// The address that workers connect to.
    pub listen: SocketAddr,
    /// The other hosts that may connect.
    pub guests: Guests,
    /// Time limit for all workers to connect.
    pub wait: Duration,
    /// Folder for session directories.
    pub out: PathBuf,
}

/// Events during a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    Listening {
        address: SocketAddr,
        /// Number of required workers.
        wanted: usize,
    },
    Joined {
        worker: usize,
        peer: SocketAddr,
    },
    /// A connection was refused.
    Refused {
        peer: SocketAddr,
        why: &'static str,
    },
    /// A worker disconnected during the session.
    Gone {
        worker: usize,
        why: String,
    },
    /// A test of the script starts.
    Test {
        name: String,
    },
    /// A second has passed.
    Second {
        /// Seconds since the start of the script.
        at_s: f64,
        /// Sum of the script's waits, in seconds.
        of_s: f64,
        records: u64,
        /// Bytes transferred in the last second, as reported by the workers.
        bytes_in_second: u64,
        /// The running worker that has been silent for longest, and for how long.
        quietest: Option<(usize, f64)>,
    },
}

/// The reason why a session fails.
#[derive(Debug, thiserror::Error)]
pub enum MeterError {
    #[error("cannot listen at {address}: {source}. Choose another address or port with --listen")]
    Listen { address: SocketAddr, source: io::Error },
    /// Not all workers connected.
    #[error(
        "only {came} of {wanted} workers connected within {} s. Start each with: meter -rm \
         ADDRESS", waited.as_secs())]
    NotAllCame {
        came: usize,
        wanted: usize,
        /// How long the session waited.
        waited: Duration,
    },
    /// The user interrupted it while it waited for workers.
    #[error("interrupted before all workers had connected; nothing was measured")]
    EndedBefore,
    /// The directory can't be created or written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// Records can't be stored.
    #[error("cannot write reports of workers to {dir}: {source}. The workers were paused and disconnected")]
    Kept { dir: PathBuf, source: io::Error },
}

/// The result of a finished session.
#[derive(Debug)]
pub struct MeterEnd {
    /// The summary, as written to `summary.json`.
    pub summary: Summary,
    pub dir: PathBuf,
}

/// Runs a script. `asked` returns whether the user wants it to end.
///
/// # Errors
/// If no worker can connect, not all workers did, or their reports can't be stored.
pub fn carry_out(
    request: &MeterRequest,
    tell: &mut dyn FnMut(&Happening),
    asked: &dyn Fn() -> bool,
) -> Result<MeterEnd, MeterError> {
    let workers = listen(request.listen, request.guests.clone())
        .map_err(|source| MeterError::Listen { address: request.listen, source })?;
    let links = gather(&workers, request, tell, asked)?;
    let started = Timestamp::now();
    let name = RunName { start: started.into(), target: &request.script_name, what: MSMETER };
    let run_dir = RunDir::create(&request.out, name)?;
    let dir = run_dir.path().to_path_buf();
    let not_kept = |source| MeterError::Kept { dir: dir.clone(), source };
    let facts = begin(request, &links);
    let kept = SessionFiles::begin(run_dir, &facts, &started.to_string(), &request.script_text).map_err(
        |source| {
            // Nothing was measured, so the folder is removed.
            let _ = std::fs::remove_dir_all(&dir);
            not_kept(source)
        },
    )?;
    let mut session = ScriptRun::new(workers, links, facts, kept, tell, asked);
    let ended = session.run(&request.script);
    let summary = session.end(ended).map_err(not_kept)?;
    Ok(MeterEnd { summary, dir })
}

/// The facts at the start, when all workers are connected.
fn begin(request: &MeterRequest, links: &[Link]) -> MeterFacts {
    let silent = request.script.silent_workers();
    let worker = |(number, link): (usize, &Link)| MeterWorker {
        number,
        address: link.peer.ip().to_canonical().to_string(),
        records: 0,
        no_files: 0,
        is_told_silence: silent.contains(&number),
        gone_s: None,
        gone_why: None,
    };
    MeterFacts {
        script: request.script_name.clone(),
        script_takes_s: request.script.takes().as_secs_f64(),
        roots: request.roots.clone(),
        workers: links.iter().enumerate().map(worker).collect(),
        ..MeterFacts::default()
    }
}

/// Waits for the workers that the script needs. They are numbered in order of connection.
fn gather(
    workers: &Workers,
    request: &MeterRequest,
    tell: &mut dyn FnMut(&Happening),
    asked: &dyn Fn() -> bool,
) -> Result<Vec<Link>, MeterError> {
    let wanted = request.script.workers();
    tell(&Happening::Listening { address: workers.address, wanted });
    let (begun, mut links) = (Instant::now(), Vec::<Link>::new());
    while links.len() < wanted {
        if asked() {
            return Err(MeterError::EndedBefore);
        }
        if begun.elapsed() >= request.wait {
            return Err(MeterError::NotAllCame { came: links.len(), wanted, waited: request.wait });
        }
        match workers.events.recv_timeout(LOOK_EVERY) {
            Ok(Event::Joined(link)) => {
                tell(&Happening::Joined { worker: links.len(), peer: link.peer });
                links.push(link);
            }
            // As in the original, the next worker gets the free number.
            Ok(Event::Gone { key, why, .. }) => {
                if let Some(worker) = links.iter().position(|link| link.key == key) {
                    links.remove(worker);
                    tell(&Happening::Gone { worker, why });
                }
            }
            Ok(Event::Refused { peer, why }) => tell(&Happening::Refused { peer, why }),
            Ok(Event::Line { .. }) | Err(_) => {}
        }
    }
    Ok(links)
}
