//! The paths of messages: each may be lost, duplicated or late, and a link may be cut for a while.

use std::collections::BTreeMap;

use reelgauge_workload::random::Dice;

use super::world::MS;
use reelgauge_fleet::controller::conduct::Told;
use reelgauge_fleet::controller::user_command::UserCommand;
use reelgauge_fleet::protocol::Answer;

/// Messages in flight.
#[derive(Clone, Debug)]
pub(super) enum Packet {
    Down(Told),
    Up(usize, Answer),
    /// To the controller, from the user who commands the fleet.
    Wish(UserCommand),
}

/// The quality of the network.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weather {
    pub(super) lost: u64,
    pub(super) doubled: u64,
    pub(super) late: u64,
}

#[derive(Debug, Default)]
pub(super) struct Network {
    on_its_way: BTreeMap<(i64, u64), Packet>,
    sent: u64,
}

impl Network {
    pub(super) fn send(&mut self, now_ns: i64, packet: &Packet, weather: Weather, dice: &mut Dice) {
        if dice.below(100) < weather.lost {
            return;
        }
        let copies = if dice.below(100) < weather.doubled { 2 } else { 1 };
        for _ in 0..copies {
            let is_late = dice.below(100) < weather.late;
            let delay_ns = if is_late { dice.below(9_000 * MS) } else { dice.below(20 * MS) } + MS / 5;
            self.sent += 1;
            self.on_its_way.insert((now_ns + delay_ns as i64, self.sent), packet.clone());
        }
    }

    /// The next message that arrives until then, and when.
    pub(super) fn next(&mut self, until_ns: i64) -> Option<(i64, Packet)> {
        let first = self.on_its_way.first_entry()?;
        let arrives_ns = first.key().0;
        (arrives_ns <= until_ns).then(|| (arrives_ns, first.remove()))
    }
}
