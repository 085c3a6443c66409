//! Places that clients share: a number for all together, and one for each, so that one client can't take
//! them all.
//!
//! Only counting, without waiting: a client without a place is refused at once. [`crate::fair_queue`]
//! adds the waiting.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::requester::Client;

/// The number of places, and their holders.
#[derive(Debug)]
pub struct Shares {
    each: usize,
    all: usize,
    taken: Mutex<Taken>,
}

/// The places taken. A client without any is not listed, so its size is bounded by the number of places.
#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<Client, usize>,
}

/// A place, released on drop.
#[derive(Debug)]
pub struct Share {
    of: Arc<Shares>,
    client: Client,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// This client has all that one client may have.
    Own(usize),
    /// All clients together have all places.
    All(usize),
}

impl Shares {
    /// This many places for each client, and this many for all of them.
    pub fn new(each: usize, all: usize) -> Arc<Shares> {
        Arc::new(Shares { each, all, taken: Mutex::default() })
    }

    /// Takes a place.
    ///
    /// # Errors
    /// If there is no free place for this client.
    pub fn take(self: &Arc<Shares>, client: Client) -> Result<Share, Full> {
        let mut taken = self.taken();
        if taken.by.get(&client).is_some_and(|own| *own >= self.each) {
            return Err(Full::Own(self.each));
        }
        if taken.all >= self.all {
            return Err(Full::All(self.all));
        }
        taken.all += 1;
        *taken.by.entry(client).or_default() += 1;
        Ok(Share { of: Arc::clone(self), client })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Changes are atomic, so a panic of a holder leaves no broken state.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.of.taken();
        taken.all -= 1;
        if let Some(own) = taken.by.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                taken.by.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn one_client_cant_take_them_all_and_all_get_no_more_than_there_are() {
        let shares = Shares::new(2, 3);
        let (one, other, third) = (Client::Session(1), Client::Session(2), Client::Session(3));
        let first = shares.take(one).unwrap();
        let _second = shares.take(one).unwrap();
        assert_eq!(shares.take(one).unwrap_err(), Full::Own(2));
        let _third = shares.take(other).unwrap();
        assert_eq!(shares.take(third).unwrap_err(), Full::All(3));
        drop(first);
        let _fourth = shares.take(third).unwrap();
        assert_eq!(shares.take(one).unwrap_err(), Full::All(3));
    }

    #[test]
    fn a_client_without_places_is_forgotten() {
        let shares = Shares::new(1, 1);
        for number in 0..1_000 {
            drop(shares.take(Client::Session(number)).unwrap());
        }
        let taken = shares.taken();
        assert!(taken.all == 0 && taken.by.is_empty());
    }
}
