//! A run of a fleet from its first order to its last file: conducts it ([`Conduct`]) and, once it is
//! over, fetches its measurements ([`Fetch`]). Pure: the caller sends, keeps and writes.

use std::collections::BTreeMap;

use super::conduct::{Conduct, Member, Told};
use super::fetch::{Fetch, FetchRefusal, Keep};
use crate::protocol::{Answer, FileThere, PIECE_BYTES, Phase};

/// An action of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Send an agent this order.
    Tell(Told),
    /// Make an empty file.
    Create { agent: String, file: String },
    Write {
        agent: String,
        file: String,
        offset: u64,
        bytes: Vec<u8>,
        /// If set, the file is complete and must have this digest: check it, and call
        /// [`FleetRun::checked`].
        check: Option<String>,
    },
}

/// The files on the controller's disk, and its free space.
pub struct LocalFiles<'a> {
    /// Whether a file of the agent is here, whole.
    pub is_here: &'a dyn Fn(&FileThere) -> bool,
    /// The bytes that may be written.
    pub free_bytes: &'a dyn Fn() -> u64,
}

#[derive(Clone, Debug)]
pub struct FleetRun {
    pub conduct: Conduct,
    fetches: BTreeMap<String, Fetch>,
    piece_bytes: u32,
}

impl FleetRun {
    /// A run that begins or is resumed.
    pub fn new(conduct: Conduct) -> FleetRun {
        FleetRun { conduct, fetches: BTreeMap::new(), piece_bytes: PIECE_BYTES }
    }

    /// The run with pieces of this size.
    #[must_use]
    pub fn in_pieces(self, piece_bytes: u32) -> FleetRun {
        FleetRun { piece_bytes, ..self }
    }

    /// Takes an agent's answer. `local`: the files of this agent on the controller's disk.
    pub fn answer(&mut self, now_ns: i64, agent: &str, answer: Answer, local: &LocalFiles<'_>) -> Vec<Act> {
        let is_ours = |run: &String| *run == self.conduct.run;
        match answer {
            Answer::Beat(beat) => {
                if !beat.runs.iter().any(|state| is_ours(&state.run))
                    && let Some(fetch) = self.fetches.get_mut(agent)
                {
                    fetch.agent_forgot();
                }
                self.conduct.beat(now_ns, agent, *beat).into_iter().map(Act::Tell).collect()
            }
            Answer::Closed { why } => {
                self.conduct.closed(now_ns, agent, why);
                Vec::new()
            }
            Answer::Live { run, live } if is_ours(&run) => {
                self.conduct.live(agent, *live);
                Vec::new()
            }
            Answer::Files { run, files } if is_ours(&run) => {
                let Some(fetch) = self.fetches.get_mut(agent) else { return Vec::new() };
                let create = |file| Act::Create { agent: agent.to_owned(), file };
                fetch.files(files, (local.free_bytes)(), local.is_here).into_iter().map(create).collect()
            }
            Answer::NoFiles { run, why } if is_ours(&run) => {
                if let Some(fetch) = self.fetches.get_mut(agent) {
                    fetch.no_files(why);
                }
                Vec::new()
            }
            Answer::Piece { run, file, offset, bytes } if is_ours(&run) => {
                let Some(fetch) = self.fetches.get_mut(agent) else { return Vec::new() };
                let agent = agent.to_owned();
                match fetch.piece(now_ns, &file, offset, bytes.len()) {
                    Keep::Nothing => Vec::new(),
                    Keep::Write { file, offset } => {
                        vec![Act::Write { agent, file, offset, bytes, check: None }]
                    }
                    Keep::Complete { file, offset, sha256 } => {
                        vec![Act::Write { agent, file, offset, bytes, check: Some(sha256) }]
                    }
                }
            }
            Answer::Live { .. } | Answer::Files { .. } | Answer::NoFiles { .. } | Answer::Piece { .. } => {
                Vec::new()
            }
        }
    }

    /// Takes the result of a digest: whether the complete file equals the agent's.
    pub fn checked(&mut self, agent: &str, file: &str, is_right: bool) {
        if let Some(fetch) = self.fetches.get_mut(agent) {
            fetch.checked(file, is_right);
        }
    }

    /// Advances the run to `now_ns`. Call it several times a second, and after pieces arrive.
    pub fn tick(&mut self, now_ns: i64, listens: bool) -> Vec<Act> {
        let mut told = self.conduct.tick(now_ns, listens);
        if self.conduct.is_over() {
            told.extend(self.fetch(now_ns));
        }
        told.into_iter().map(Act::Tell).collect()
    }

    /// Whether every file that agents still have is on this disk, and the agents know that.
    pub fn is_done(&self) -> bool {
        let is_done = |member: &Member| match member.state {
            None => member.is_learnt(),
            Some(_) => self
                .fetches
                .get(&member.part.agent)
                .is_some_and(|fetch| fetch.is_confirmed() || fetch.refused().is_some()),
        };
        self.conduct.is_over() && self.conduct.members.iter().all(is_done)
    }

    /// Agents whose files are refused, and why. The files stay on the agents.
    pub fn refused(&self) -> impl Iterator<Item = (&str, &FetchRefusal)> {
        self.fetches.iter().filter_map(|(agent, fetch)| Some((agent.as_str(), fetch.refused()?)))
    }

    /// The bytes that are here, and the total as far as it is known.
    pub fn fetched_bytes(&self) -> (u64, u64) {
        let known = self.fetches.values().filter_map(Fetch::progress);
        known.fold((0, 0), |(done, all), (d, a)| (done + d, all + a))
    }

    fn fetch(&mut self, now_ns: i64) -> Vec<Told> {
        let run = &self.conduct.run;
        let mut told = Vec::new();
        for member in &mut self.conduct.members {
            if !member.state.as_ref().is_some_and(|state| Phase::is_over(&state.phase)) {
                continue;
            }
            let agent = &member.part.agent;
            let fetch = self.fetches.entry(agent.clone()).or_insert_with(|| match member.is_fetched {
                true => Fetch::whole(run),
                false => Fetch::in_pieces(run, self.piece_bytes),
            });
            // The state is kept on disk before the agent is informed.
            let was_fetched = std::mem::replace(&mut member.is_fetched, fetch.is_whole());
            if was_fetched || !member.is_fetched {
                told.extend(fetch.tick(now_ns).into_iter().map(|order| (agent.clone(), order)));
            }
        }
        told
    }
}
