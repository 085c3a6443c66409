//! The controller's host: its process, and its disk.

use std::collections::BTreeMap;

use reelgauge_runner::remote_control::sha256;

use super::agent::Machine;
use super::world::{PIECE_BYTES, RUN};
use reelgauge_fleet::controller::conduct::{AgentTask, Conduct, Milestone, OnLoss, Told};
use reelgauge_fleet::controller::fleet_run::{Act, FleetRun, LocalFiles};
use reelgauge_fleet::controller::user_command::UserCommand;
use reelgauge_fleet::protocol::{Answer, FileThere};
use reelgauge_fleet::search::FleetSearch;

#[derive(Debug)]
pub(super) struct Desk {
    pub(super) run: Option<FleetRun>,
    saved: String,
    milestone: Milestone,
    epoch: u64,
    /// What was fetched: agent and file.
    pub(super) files: BTreeMap<(String, String), Vec<u8>>,
    whole: BTreeMap<(String, String), String>,
}

impl Desk {
    pub(super) fn new(agents: &[Machine], on_loss: OnLoss, search: Option<FleetSearch>) -> Desk {
        let part = |machine: &Machine| {
            let plan_toml = format!("plan of {}", machine.name);
            let plan_sha256 = sha256(plan_toml.as_bytes());
            AgentTask { agent: machine.name.clone(), plan_sha256, plan_toml }
        };
        let parts = agents.iter().map(part).collect();
        let conduct = Conduct::new(RUN, on_loss, parts, 1).searching(search);
        Desk {
            saved: conduct.saved(),
            milestone: conduct.milestone(),
            run: Some(FleetRun::new(conduct).in_pieces(PIECE_BYTES)),
            epoch: 1,
            files: BTreeMap::new(),
            whole: BTreeMap::new(),
        }
    }

    pub(super) fn die(&mut self) {
        self.run = None;
    }

    pub(super) fn begin(&mut self) {
        self.epoch += 1;
        let conduct = Conduct::resumed(&self.saved, self.epoch).expect("what was saved is whole");
        self.run = Some(FleetRun::new(conduct).in_pieces(PIECE_BYTES));
    }

    pub(super) fn answer(&mut self, now_ns: i64, agent: &str, answer: Answer) -> Vec<Told> {
        let whole = &self.whole;
        let Some(run) = &mut self.run else { return Vec::new() };
        let is_here =
            |file: &FileThere| whole.get(&(agent.to_owned(), file.name.clone())) == Some(&file.sha256);
        let local = LocalFiles { is_here: &is_here, free_bytes: &|| u64::MAX };
        let acts = run.answer(now_ns, agent, answer, &local);
        self.carry_out(acts)
    }

    pub(super) fn wish(&mut self, now_ns: i64, wish: UserCommand) {
        let Some(run) = &mut self.run else { return };
        run.conduct.wish(now_ns, wish);
        self.keep();
    }

    pub(super) fn tick(&mut self, now_ns: i64, listens: bool) -> Vec<Told> {
        let Some(run) = &mut self.run else { return Vec::new() };
        let acts = run.tick(now_ns, listens);
        self.keep();
        self.carry_out(acts)
    }

    /// Keeps the state that must be on disk before anything is sent.
    fn keep(&mut self) {
        let Some(run) = &self.run else { return };
        if run.conduct.milestone() != self.milestone {
            self.milestone = run.conduct.milestone();
            self.saved = run.conduct.saved();
        }
    }

    fn carry_out(&mut self, acts: Vec<Act>) -> Vec<Told> {
        let mut told = Vec::new();
        for act in acts {
            match act {
                Act::Tell(order) => told.push(order),
                Act::Create { agent, file } => {
                    self.files.insert((agent, file), Vec::new());
                }
                Act::Write { agent, file, offset, bytes, check } => {
                    let key = (agent, file);
                    let here = self.files.entry(key.clone()).or_default();
                    let (from, to) = (offset as usize, offset as usize + bytes.len());
                    here.resize(here.len().max(to), 0);
                    here[from..to].copy_from_slice(&bytes);
                    if let (Some(sha), Some(run)) = (check, &mut self.run) {
                        let is_right = sha256(here) == sha;
                        run.checked(&key.0, &key.1, is_right);
                        if is_right {
                            self.whole.insert(key, sha);
                        }
                    }
                }
            }
        }
        told
    }
}
