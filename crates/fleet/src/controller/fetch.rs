//! Fetching what a run left on an agent, piece by piece: pure. Whoever carries it out keeps the pieces on
//! disk.
//!
//! A piece that is lost is asked for again, one that comes twice or out of turn changes nothing, and a file
//! is whole when its digest is the agent's. What is here already is not fetched again.

use std::collections::{BTreeMap, BTreeSet};

use crate::protocol::{FileThere, Order, PIECE_BYTES};

/// An answer that has not come after so long is asked for again.
const AGAIN_NS: i64 = 2_000_000_000;
/// So many pieces are asked for at once.
const AT_ONCE: usize = 8;

/// What to do with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: it was not asked for, or is here already.
    Nothing,
    /// Put these bytes there.
    Write {
        /// The file.
        file: String,
        /// Where.
        offset: u64,
    },
    /// The same, and every byte of the file is here now: see whether its digest is right.
    Complete {
        /// The file.
        file: String,
        /// Where.
        offset: u64,
        /// What the digest is to be.
        sha256: String,
    },
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Fetch {
    run: String,
    piece_bytes: u32,
    files: Option<BTreeMap<String, FileHere>>,
    asked_ns: Option<i64>,
    /// Pieces that were asked for: file, offset, and when.
    asked: BTreeMap<(String, u64), i64>,
    is_kept: bool,
}

#[derive(Clone, Debug)]
struct FileHere {
    there: FileThere,
    /// Offsets of the pieces that are missing.
    missing: BTreeSet<u64>,
    is_whole: bool,
    piece_bytes: u32,
}

impl FileHere {
    fn new(there: FileThere, is_whole: bool, piece_bytes: u32) -> FileHere {
        let pieces = (0..there.len).step_by(piece_bytes as usize);
        let missing = if is_whole { BTreeSet::new() } else { pieces.collect() };
        FileHere { there, missing, is_whole, piece_bytes }
    }

    fn len_at(&self, offset: u64) -> u32 {
        (self.there.len - offset).min(u64::from(self.piece_bytes)) as u32
    }
}

impl Fetch {
    /// Of this run.
    pub fn new(run: &str) -> Fetch {
        Fetch::in_pieces(run, PIECE_BYTES)
    }

    /// In pieces of so many bytes.
    pub fn in_pieces(run: &str, piece_bytes: u32) -> Fetch {
        Fetch {
            run: run.to_owned(),
            piece_bytes: piece_bytes.clamp(1, PIECE_BYTES),
            files: None,
            asked_ns: None,
            asked: BTreeMap::new(),
            is_kept: false,
        }
    }

    /// Of a run of which everything is here already, which the agent may not know.
    pub fn whole(run: &str) -> Fetch {
        Fetch { files: Some(BTreeMap::new()), ..Fetch::new(run) }
    }

    /// The agent said which files there are. `is_here`: whether one is here, whole. Files without a byte are
    /// whole at once: make them.
    pub fn files(&mut self, files: Vec<FileThere>, is_here: impl Fn(&FileThere) -> bool) -> Vec<String> {
        if self.files.is_some() {
            return Vec::new();
        }
        let piece_bytes = self.piece_bytes;
        let empty = files.iter().filter(|there| there.len == 0).map(|there| there.name.clone()).collect();
        let here = |there: FileThere| {
            let is_whole = there.len == 0 || is_here(&there);
            (there.name.clone(), FileHere::new(there, is_whole, piece_bytes))
        };
        self.files = Some(files.into_iter().map(here).collect());
        empty
    }

    /// A piece came. What to do with it.
    pub fn piece(&mut self, file: &str, offset: u64, len: usize) -> Keep {
        self.asked.remove(&(file.to_owned(), offset));
        let Some(here) = self.files.as_mut().and_then(|files| files.get_mut(file)) else {
            return Keep::Nothing;
        };
        if !here.missing.contains(&offset) || here.len_at(offset) as usize != len {
            return Keep::Nothing;
        }
        here.missing.remove(&offset);
        let file = file.to_owned();
        match here.missing.is_empty() {
            true => Keep::Complete { file, offset, sha256: here.there.sha256.clone() },
            false => Keep::Write { file, offset },
        }
    }

    /// A file that is complete is the agent's, or must be fetched anew.
    pub fn checked(&mut self, file: &str, is_right: bool) {
        if let Some(here) = self.files.as_mut().and_then(|files| files.get_mut(file)) {
            *here = FileHere::new(here.there.clone(), is_right, self.piece_bytes);
        }
    }

    /// Whether every file is here, whole.
    pub fn is_whole(&self) -> bool {
        self.files.as_ref().is_some_and(|files| files.values().all(|here| here.is_whole))
    }

    /// The agent knows nothing of this run any more: it was told that everything is here.
    pub fn agent_forgot(&mut self) {
        self.is_kept |= self.is_whole();
    }

    /// Whether the agent knows that every file is here.
    pub fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Bytes that are here, and of how many; `None` before that is known.
    pub fn progress(&self) -> Option<(u64, u64)> {
        let files = self.files.as_ref()?.values();
        let of = |here: &FileHere| {
            let missing: u64 = here.missing.iter().map(|&offset| u64::from(here.len_at(offset))).sum();
            (here.there.len - missing, here.there.len)
        };
        Some(files.map(of).fold((0, 0), |(done, all), (d, a)| (done + d, all + a)))
    }

    /// What to ask for now. To be called several times a second, and after each piece.
    pub fn tick(&mut self, now_ns: i64) -> Vec<Order> {
        let run = self.run.clone();
        let Some(files) = &self.files else {
            return self.again(now_ns).then_some(Order::Files { run }).into_iter().collect();
        };
        if self.is_whole() {
            let is_told = self.is_kept || !self.again(now_ns);
            return (!is_told).then_some(Order::Kept { run }).into_iter().collect();
        }
        self.asked.retain(|_, asked_ns| now_ns - *asked_ns < AGAIN_NS);
        let room = AT_ONCE.saturating_sub(self.asked.len());
        let wanted = files.iter().flat_map(|(file, here)| {
            here.missing.iter().map(move |&offset| (file.clone(), offset, here.len_at(offset)))
        });
        let asked = &self.asked;
        let wanted = wanted.filter(|(file, offset, _)| !asked.contains_key(&(file.clone(), *offset)));
        let wanted: Vec<_> = wanted.take(room).collect();
        let order = |(file, offset, len): (String, u64, u32)| {
            self.asked.insert((file.clone(), offset), now_ns);
            Order::Piece { run: run.clone(), file, offset, len }
        };
        wanted.into_iter().map(order).collect()
    }

    fn again(&mut self, now_ns: i64) -> bool {
        let is_due = self.asked_ns.is_none_or(|asked_ns| now_ns - asked_ns >= AGAIN_NS);
        if is_due {
            self.asked_ns = Some(now_ns);
        }
        is_due
    }
}
