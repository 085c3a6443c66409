//! A machine whose cores are busy with other work.

use std::process::{Child, Command, Stdio};

/// Busy processes for each core.
const EACH: usize = 4;
/// They end by themselves after so much time of a core, should the test be killed.
const LIMIT_S: u32 = 60;

/// Processes that do nothing, as fast as they can. Killed on drop.
#[derive(Debug)]
pub struct Busy(Vec<Child>);

impl Busy {
    /// Several for every core, as nice as this: 0 for as good as anybody, 19 for those who stand back.
    ///
    /// # Panics
    /// If they can't be started.
    pub fn every_core(niceness: u8) -> Busy {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let start = |_| {
            let mut shell = Command::new("nice");
            shell.args([
                "-n",
                &niceness.to_string(),
                "sh",
                "-c",
                &format!("ulimit -t {LIMIT_S}; while :; do :; done"),
            ]);
            shell.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
        };
        Busy((0..cores * EACH).map(start).collect())
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for process in &mut self.0 {
            let _ = process.kill();
        }
        for process in &mut self.0 {
            let _ = process.wait();
        }
    }
}
