//! The order of the states.
//!
//! Storage changes while it is measured: caches fill, and other load comes and goes. Two states in the
//! order A B, B A, A B, … are affected equally by a steady drift. More than two states are also reversed
//! in every second round. After every two rounds the order starts with the next state, so that no state
//! always follows the same other one.

/// The states of a round, in the order in which they are measured.
pub(super) fn of_round(round: u32, state_count: usize) -> Vec<usize> {
    let mut states: Vec<usize> = (0..state_count).collect();
    if state_count > 2 {
        states.rotate_left(round as usize / 2 % state_count);
    }
    if !round.is_multiple_of(2) {
        states.reverse();
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_states_take_turns_at_being_first() {
        assert_eq!([of_round(0, 2), of_round(1, 2), of_round(2, 2)], [[0, 1], [1, 0], [0, 1]]);
    }

    #[test]
    fn every_round_has_each_state_once_in_changing_order() {
        let firsts: Vec<usize> = (0..8).map(|round| of_round(round, 4)[0]).collect();
        for state in 0..4 {
            assert!(firsts.contains(&state), "{state} is never first: {firsts:?}");
        }
        for round in 0..8 {
            let mut states = of_round(round, 4);
            states.sort_unstable();
            assert_eq!(states, [0, 1, 2, 3]);
        }
    }
}
