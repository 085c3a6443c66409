//! `reelgauge mix`, as most tests want it: small, short, and with its results at hand.

use std::ops::Deref;
use std::path::Path;

use crate::verb::Verb;

/// A little data and a little time, enough for every kind of operation to happen many times. It waits
/// between transfers, 2 ms on average, which leaves the processors to concurrent tests.
const SMALL: &[&str] = &[
    "--files",
    "2",
    "--file-size",
    "16MiB",
    "--length",
    "256KiB",
    "--blocks",
    "4KiB..64KiB",
    "--workers",
    "2",
    "--warmup",
    "200ms",
    "--duration",
    "2s",
    PAUSES,
    "4ms",
];

/// The flag of the pauses between transfers.
const PAUSES: &str = "--max-delay";

/// A `mix` to be started. [`Verb`] has the operations on it.
#[derive(Debug)]
pub struct Mix(Verb);

impl Mix {
    /// A small mix on this directory.
    pub fn on(target: &Path) -> Mix {
        Mix(Verb::on("mix", target).with(SMALL))
    }

    /// The same without pauses, as fast as the target and the host allow.
    pub fn flat_out_on(target: &Path) -> Mix {
        Mix::on(target).without(PAUSES)
    }

    /// With these flags: `["--driver", "uring", "--verify"]`.
    #[must_use]
    pub fn with(self, words: &[&str]) -> Mix {
        Mix(self.0.with(words))
    }

    /// Calls the Windows program instead, under wine.
    #[must_use]
    pub fn on_windows(self) -> Mix {
        Mix(self.0.on_windows())
    }

    /// Without this flag.
    #[must_use]
    pub fn without(self, flag: &str) -> Mix {
        Mix(self.0.without(flag))
    }
}

impl From<Mix> for Verb {
    fn from(mix: Mix) -> Verb {
        mix.0
    }
}

impl Deref for Mix {
    type Target = Verb;

    fn deref(&self) -> &Verb {
        &self.0
    }
}
