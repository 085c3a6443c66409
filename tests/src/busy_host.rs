//! A host whose cores are busy with other work.

use std::process::{Child, Command, Stdio};

/// Busy processes for each core.
const EACH: usize = 4;
/// Each process ends after this much CPU time, in case the test is killed.
const LIMIT_S: u32 = 60;

/// Busy loops. Killed on drop.
#[derive(Debug)]
pub struct Busy(Vec<Child>);

impl Busy {
    /// Several busy loops per core with this niceness: 0 competes with the binary, 19 yields to it.
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
