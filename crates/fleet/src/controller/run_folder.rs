//! A run's folder on the controller: `conduct.json` with its state, and `agents/NAME/` with the run
//! directory of each agent. The name of an incomplete file ends in `.part`.
//!
//! Not here: when anything is kept or written.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use reelgauge_engine::space::space;

use super::conduct::Conduct;
use crate::agent::run_store::{digest, is_file_name, keep};
use crate::protocol::FileThere;

const CONDUCT_FILE: &str = "conduct.json";

#[derive(Clone, Debug)]
pub struct RunFolder {
    dir: PathBuf,
}

impl RunFolder {
    pub fn new(dir: &Path) -> RunFolder {
        RunFolder { dir: dir.to_path_buf() }
    }

    /// The run directory of an agent, while it is fetched.
    pub fn of_agent(&self, agent: &str) -> PathBuf {
        self.dir.join("agents").join(agent)
    }

    /// The last kept state of the run.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn resumed(&self, epoch: u64) -> io::Result<Conduct> {
        let text = fs::read_to_string(self.dir.join(CONDUCT_FILE))?;
        Ok(Conduct::resumed(&text, epoch)?)
    }

    /// Keeps the state of a run.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn keep(&self, conduct: &Conduct) -> io::Result<()> {
        self.keep_text(&conduct.saved())
    }

    /// Keeps the saved text of a run's state.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn keep_text(&self, saved: &str) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        keep(&self.dir.join(CONDUCT_FILE), saved.as_bytes())
    }

    /// The bytes that may be written here. A system that does not report its free space imposes no
    /// limit.
    pub(super) fn free_bytes(&self) -> u64 {
        match space(&self.dir) {
            Ok(Some(space)) => space.available_bytes,
            Ok(None) | Err(_) => u64::MAX,
        }
    }

    pub(super) fn is_here(&self, agent: &str, file: &FileThere) -> bool {
        let path = self.of_agent(agent).join(&file.name);
        is_file_name(&file.name) && digest(&path).is_ok_and(|found| found == (file.len, file.sha256.clone()))
    }

    pub(super) fn create(&self, agent: &str, file: &str) -> io::Result<()> {
        File::create(self.place(agent, file)?).map(drop)
    }

    pub(super) fn write(&self, agent: &str, file: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let part = part_of(&self.place(agent, file)?);
        let mut open = OpenOptions::new().write(true).create(true).truncate(false).open(part)?;
        open.seek(SeekFrom::Start(offset))?;
        open.write_all(bytes)
    }

    /// Whether a complete file has this digest; if so, it receives its final name.
    pub(super) fn check(&self, agent: &str, file: &str, sha256: &str) -> io::Result<bool> {
        let path = self.place(agent, file)?;
        let part = part_of(&path);
        let is_right = digest(&part)?.1 == sha256;
        if is_right {
            File::open(&part)?.sync_all()?;
            fs::rename(&part, &path)?;
        }
        Ok(is_right)
    }

    fn place(&self, agent: &str, file: &str) -> io::Result<PathBuf> {
        if !is_file_name(file) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{file:?} is not a file of a run"),
            ));
        }
        let path = self.of_agent(agent).join(file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
