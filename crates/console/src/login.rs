//! Admitted browsers: each has a separate secret in its cookie.
//!
//! The token itself is never in a cookie, because cookies are written to disk and sent to every port of
//! a host. Sessions are in memory: they end with the console.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::token::Token;

/// The largest number of sessions. Beyond it, the least recently used one ends.
const SESSIONS_MAX: usize = 256;

/// The admitted browsers.
#[derive(Debug, Default)]
pub struct Sessions {
    known: Mutex<Known>,
}

/// The least recently used first.
#[derive(Debug, Default)]
struct Known {
    sessions: VecDeque<Login>,
    begun: u64,
}

#[derive(Debug)]
struct Login {
    number: u64,
    secret: Token,
}

impl Sessions {
    /// Begins a session; returns its secret.
    ///
    /// # Errors
    /// If the system returns no random numbers.
    pub fn begin(&self) -> Result<Token, getrandom::Error> {
        let secret = Token::draw()?;
        let mut known = self.known();
        known.begun += 1;
        let number = known.begun;
        known.sessions.push_back(Login { number, secret: secret.clone() });
        if known.sessions.len() > SESSIONS_MAX {
            known.sessions.pop_front();
        }
        Ok(secret)
    }

    /// The number of the session with this secret. Every secret is compared, each in the same time.
    pub fn number_of(&self, shown: &str) -> Option<u64> {
        let mut known = self.known();
        let found = known.sessions.iter().enumerate().fold(None, |found, (at, session)| {
            let is_it = session.secret.is(shown);
            found.or(is_it.then_some(at))
        });
        let session = known.sessions.remove(found?)?;
        let number = session.number;
        known.sessions.push_back(session);
        Some(number)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        // Changes are atomic, so a panic of a holder leaves no broken state.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_browser_has_its_own_and_made_up_ones_are_none() {
        let sessions = Sessions::default();
        let (one, other) = (sessions.begin().unwrap(), sessions.begin().unwrap());
        assert_eq!(sessions.number_of(one.reveal()), Some(1));
        assert_eq!(sessions.number_of(other.reveal()), Some(2));
        let made_up = Token::draw().unwrap();
        assert_eq!((sessions.number_of(made_up.reveal()), sessions.number_of("")), (None, None));
    }

    #[test]
    fn the_least_recently_used_session_ends_first() {
        let sessions = Sessions::default();
        let (used, idle) = (sessions.begin().unwrap(), sessions.begin().unwrap());
        for _ in 2..SESSIONS_MAX {
            sessions.begin().unwrap();
        }
        assert!(sessions.number_of(used.reveal()).is_some());
        sessions.begin().unwrap();
        assert_eq!((sessions.number_of(used.reveal()), sessions.number_of(idle.reveal())), (Some(1), None));
        assert_eq!(sessions.known().sessions.len(), SESSIONS_MAX);
    }
}
