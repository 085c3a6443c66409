//! An agent as a service of Windows: it tells the service manager that it runs, ends when the manager says so
//! as it does at Ctrl-C, and says with what exit code. There is no console then, so its words go into a file.
//! Service managers elsewhere start programs as they are.
//!
//! Not here: making the service ([`crate::install`]).

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use reelgauge_runner::interrupt::Interrupt;

/// The file that keeps a service's words, beside its join file.
pub const LOG_FILE: &str = "agent.log";

/// Why an agent is no service.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// This is not Windows.
    #[error(
        "--service is only for the service manager of Windows: systemd and launchd start 'reelgauge agent' \
         without it"
    )]
    NotHere,
    /// Somebody else started it, or the manager does not listen.
    #[error(
        "the Windows service manager did not start this process ({0}). Omit --service to run the agent here"
    )]
    NotStarted(String),
    /// The manager did not take what it was told.
    #[error("cannot report the agent's state to the Windows service manager: {0}")]
    NotTold(String),
}

/// Lives as a service until the manager says that it is to end. What it does is told when, and gives the exit
/// code.
///
/// # Errors
/// Where no service manager started this.
pub fn run(lived: impl FnOnce(&Interrupt) -> u8 + Send + 'static) -> Result<u8, ServiceError> {
    #[cfg(windows)]
    return manager::run(Box::new(lived));
    #[cfg(not(windows))]
    {
        drop(lived);
        Err(ServiceError::NotHere)
    }
}

/// The file that a service's words go into: a line each, with its time.
#[derive(Debug)]
pub struct ServiceLog(File);

impl ServiceLog {
    /// Goes on with the file in this folder, or makes it.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(folder: &Path) -> io::Result<ServiceLog> {
        OpenOptions::new().append(true).create(true).open(folder.join(LOG_FILE)).map(ServiceLog)
    }

    /// Keeps one thing that was said.
    pub fn keep(&mut self, said: &str) {
        let time = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
        // A full disk must not end an agent.
        let _ = writeln!(self.0, "{time} {}", said.replace('\n', "\n  "));
    }
}

#[cfg(windows)]
mod manager {
    //! What the service manager hears, by the crate that calls it.

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

    /// A process with one service in it: the manager does not look at this name.
    const NAME: &str = "reelgauge-agent";
    /// How long an agent may take to end what it does, as the manager is told.
    const ENDS_WITHIN: Duration = Duration::from_secs(30);

    /// What a service does.
    type Lived = Box<dyn FnOnce(&Interrupt) -> u8 + Send>;

    /// The manager calls a function without anything of ours: what it is to do, and what came of it.
    static LIVED: Mutex<Option<Lived>> = Mutex::new(None);
    static ENDED: OnceLock<u8> = OnceLock::new();
    static NOT_TOLD: OnceLock<windows_service::Error> = OnceLock::new();

    define_windows_service!(entry, begun);

    pub fn run(lived: Lived) -> Result<u8, ServiceError> {
        *LIVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(lived);
        service_dispatcher::start(NAME, entry).map_err(|error| ServiceError::NotStarted(said(&error)))?;
        match (ENDED.get(), NOT_TOLD.get()) {
            (Some(code), None) => Ok(*code),
            (_, Some(error)) => Err(ServiceError::NotTold(said(error))),
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
                // Said before this returns: to a service that ends the manager says nothing more, and this
                // closure is gone then.
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
        // Whoever waits for the dispatcher goes on as soon as the manager knows.
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

    /// The crate's own words leave out what the system said.
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
    fn words_are_kept_with_their_time_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        ServiceLog::open(folder.path()).unwrap().keep("It is there.");
        ServiceLog::open(folder.path()).unwrap().keep("It ended:\nno root.");
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
    fn elsewhere_nothing_is_begun() {
        let ended = run(|_| panic!("it was begun"));
        assert!(matches!(ended, Err(ServiceError::NotHere)));
    }
}
