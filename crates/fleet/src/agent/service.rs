//! An agent as a Windows service: it reports to the service manager that it runs, ends when the manager
//! demands it, as at Ctrl-C, and reports its exit status. A service has no console, so its messages go
//! into a file. On other systems, service managers start programs unchanged.
//!
//! Not here: creating the service ([`crate::install`]).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use reelgauge_runner::interrupt::Interrupt;

/// The log file of a service, next to its join file.
pub const LOG_FILE: &str = "agent.log";

/// Why an agent cannot run as a service.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// This is not Windows.
    #[error(
        "--service is only for the service manager of Windows: systemd and launchd start 'reelgauge agent' \
         without it"
    )]
    NotHere,
    /// It was not started by the service manager, or the manager does not respond.
    #[error(
        "the Windows service manager did not start this process ({0}). Omit --service to run the agent here"
    )]
    NotStarted(String),
    /// The manager did not accept a report.
    #[error("cannot report the agent's state to the Windows service manager: {0}")]
    ReportRefused(String),
}

/// Runs as a service until the manager ends it. `lived` receives the interrupt, and returns the exit
/// status.
///
/// # Errors
/// If the process was not started by a service manager.
pub fn run(lived: impl FnOnce(&Interrupt) -> u8 + Send + 'static) -> Result<u8, ServiceError> {
    #[cfg(windows)]
    return manager::run(Box::new(lived));
    #[cfg(not(windows))]
    {
        drop(lived);
        Err(ServiceError::NotHere)
    }
}

/// The log file of a service: one line for each message, with its time.
#[derive(Debug)]
pub struct ServiceLog(File);

impl ServiceLog {
    /// Opens the file in this folder for appending, or creates it.
    ///
    /// # Errors
    /// If the system cannot open it.
    pub fn open(folder: &Path) -> io::Result<ServiceLog> {
        OpenOptions::new().append(true).create(true).open(folder.join(LOG_FILE)).map(ServiceLog)
    }

    /// Writes one message.
    pub fn write_report(&mut self, said: &str) {
        let time = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        // A full disk must not end an agent.
        let _ = writeln!(self.0, "{time} {}", said.replace('\n', "\n  "));
    }
}

#[cfg(windows)]
mod manager {
    //! The conversation with the service manager, through the crate that calls it.

    use std::ffi::OsString;
    use std::sync::{Arc, Mutex, OnceLock, PoisonError};
    use std::time::Duration;

    use reelgauge_runner::interrupt::{Interrupt, StoppedBy};
    use windows_service::service::{
        ServiceControl, ServiceControlAccept, ServiceExitCode, ServiceState, ServiceStatus, ServiceType,
    };
    use windows_service::service_control_handler::{
        ServiceControlHandlerResult, ServiceStatusHandle, register,
    };
    use windows_service::{define_windows_service, service_dispatcher};

    use super::ServiceError;

    /// A process with one service in it: the manager ignores this name.
    const NAME: &str = "reelgauge-agent";
    /// The time that the manager is asked to wait for the end.
    const ENDS_WITHIN: Duration = Duration::from_secs(30);

    /// The work of a service.
    type Lived = Box<dyn FnOnce(&Interrupt) -> u8 + Send>;

    /// The manager calls our function without arguments, so these statics hold its task and its result.
    static LIVED: Mutex<Option<Lived>> = Mutex::new(None);
    static ENDED: OnceLock<u8> = OnceLock::new();
    static NOT_TOLD: OnceLock<windows_service::Error> = OnceLock::new();

    define_windows_service!(entry, begun);

    pub fn run(lived: Lived) -> Result<u8, ServiceError> {
        *LIVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(lived);
        service_dispatcher::start(NAME, entry).map_err(|error| ServiceError::NotStarted(said(&error)))?;
        match (ENDED.get(), NOT_TOLD.get()) {
            (Some(code), None) => Ok(*code),
            (_, Some(error)) => Err(ServiceError::ReportRefused(said(error))),
            (None, None) => {
                Err(ServiceError::NotStarted("the service was stopped before it started".to_owned()))
            }
        }
    }

    fn begun(_arguments: Vec<OsString>) {
        if let Err(error) = live() {
            let _ = NOT_TOLD.set(error);
        }
    }

    fn live() -> windows_service::Result<()> {
        let interrupt = Interrupt::default();
        let told = interrupt.clone();
        let manager: Arc<OnceLock<ServiceStatusHandle>> = Arc::default();
        let answering = Arc::clone(&manager);
        let status = register(NAME, move |control| match control {
            ServiceControl::Stop | ServiceControl::Shutdown => {
                // This must be reported before the closure returns: once a service ends, the manager
                // sends it nothing more, and the closure is dropped.
                if let Some(manager) = answering.get() {
                    let _ = manager.set_service_status(ending());
                }
                told.ask(StoppedBy::User);
                ServiceControlHandlerResult::NoError
            }
            ServiceControl::Interrogate => ServiceControlHandlerResult::NoError,
            _ => ServiceControlHandlerResult::NotImplemented,
        })?;
        let status = *manager.get_or_init(|| status);
        status.set_service_status(running())?;
        let lived = LIVED.lock().unwrap_or_else(PoisonError::into_inner).take();
        let code = lived.map_or(0, |lived| lived(&interrupt));
        // The thread that waits for the dispatcher continues as soon as the manager has this.
        let _ = ENDED.set(code);
        status.set_service_status(stopped(code))
    }

    fn running() -> ServiceStatus {
        ServiceStatus {
            service_type: ServiceType::OWN_PROCESS,
            current_state: ServiceState::Running,
            controls_accepted: ServiceControlAccept::STOP | ServiceControlAccept::SHUTDOWN,
            exit_code: ServiceExitCode::NO_ERROR,
            checkpoint: 0,
            wait_hint: Duration::ZERO,
            process_id: None,
        }
    }

    fn ending() -> ServiceStatus {
        ServiceStatus {
            current_state: ServiceState::StopPending,
            controls_accepted: ServiceControlAccept::empty(),
            wait_hint: ENDS_WITHIN,
            ..running()
        }
    }

    fn stopped(code: u8) -> ServiceStatus {
        let exit_code = match code {
            0 => ServiceExitCode::NO_ERROR,
            code => ServiceExitCode::ServiceSpecific(code.into()),
        };
        ServiceStatus {
            current_state: ServiceState::Stopped,
            controls_accepted: ServiceControlAccept::empty(),
            exit_code,
            ..running()
        }
    }

    /// The crate's own messages omit the error of the system.
    fn said(error: &windows_service::Error) -> String {
        match error {
            windows_service::Error::Winapi(system) => system.to_string(),
            other => other.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn log_lines_are_appended_with_their_time() {
        let folder = tempfile::tempdir().unwrap();
        ServiceLog::open(folder.path()).unwrap().write_report("It is there.");
        ServiceLog::open(folder.path()).unwrap().write_report("It ended:\nno root.");
        let kept = std::fs::read_to_string(folder.path().join(LOG_FILE)).unwrap();
        let lines: Vec<&str> = kept.lines().collect();
        let [first, second, third] = lines.as_slice() else { panic!("{kept}") };
        for (line, said) in [(first, "It is there."), (second, "It ended:")] {
            let (time, rest) = line.split_once(' ').unwrap();
            assert!(time.parse::<Timestamp>().is_ok() && rest == said, "{line}");
        }
        assert_eq!(*third, "  no root.");
    }

    #[cfg(not(windows))]
    #[test]
    fn service_is_refused_on_other_systems() {
        let ended = run(|_| panic!("it was begun"));
        assert!(matches!(ended, Err(ServiceError::NotHere)));
    }
}
