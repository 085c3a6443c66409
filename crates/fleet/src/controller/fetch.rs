//! Fetches the files of a run from an agent, piece by piece: pure. The caller keeps the pieces on disk.
//!
//! A lost piece is requested again, a duplicate changes nothing, and a file is whole when its digest
//! matches the agent's. Files that are already here are not fetched again. The agent's statements are
//! checked before they are used: a list of files that cannot be true, or that has no room here, is
//! refused as a whole.
//!
//! Not here: how much is in flight at once, and when a piece is lost ([`window`]).

pub mod window;

use std::collections::{BTreeMap, BTreeSet};

use self::window::FetchWindow;
use crate::agent::run_store::is_file_name;
use crate::protocol::{FileThere, Order, PIECE_BYTES};

/// A list of files that has not arrived is requested again after this time, then after twice that, and
/// so on: an agent reads every byte of a run before it has the list.
const LIST_AGAIN_NS: i64 = 2_000_000_000;
/// The interval is doubled at most this often.
const LIST_DOUBLINGS: u32 = 4;
/// A piece is lost when this many pieces arrived that were requested later: an agent answers in the
/// order of the requests.
const OVERTAKEN: u64 = 3;
/// If this fetch was not polled for this long, it could not take arrivals, so no piece counts as lost.
const LOOKS_EVERY_NS: i64 = 500_000_000;
/// A file whose digest was wrong this often is refused.
const WRONG_MOST: u8 = 3;
/// After this many failures to read its files, an agent is not asked again.
const UNREAD_MOST: u8 = 3;
/// At most this many characters of an agent's reason are kept.
const REASON_CHARS: usize = 200;
/// The longest list of files that an agent may send.
const FILES_MOST: usize = 65_536;
/// The page of an agent's own part: it is useless after the merge.
const NOT_FETCHED: [&str; 1] = ["report.html"];

/// Why nothing more is fetched from an agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchRefusal {
    /// More bytes than this host has room for.
    #[error("it lists {stated_bytes} bytes of files, but only {free_bytes} bytes are free here")]
    NoRoom {
        /// The total that it states.
        stated_bytes: u128,
        /// The bytes that may be written here.
        free_bytes: u64,
    },
    /// More files than a run can have.
    #[error("it lists {0} files, but a run has at most {FILES_MOST}")]
    TooMany(usize),
    /// A name that no file of a run can have, or that conflicts with another file's name.
    #[error("it lists a file that is not part of a run: {0:?}")]
    Name(String),
    /// The agent cannot read them.
    #[error("the agent cannot read the run's files: {0}")]
    Unread(String),
    /// Its bytes do not have the digest that it states.
    #[error("the bytes of {0:?} do not match the digest that it reported")]
    Digest(String),
}

/// What to do with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Ignore it: it was not requested, or is already here.
    Nothing,
    /// Write these bytes there.
    Write { file: String, offset: u64 },
    /// Write these bytes, which complete the file: check its digest.
    Complete { file: String, offset: u64, sha256: String },
}

#[derive(Clone, Debug)]
pub struct Fetch {
    run: String,
    piece_bytes: u32,
    files: Option<BTreeMap<String, LocalFile>>,
    /// When and how often the list was requested, or the agent was informed that every file is here.
    asked_ns: Option<(i64, u32)>,
    /// Pieces in flight, by file and offset.
    asked: BTreeMap<(String, u64), RequestedPiece>,
    /// The number of pieces that were requested.
    number: u64,
    /// The time of the last request or arrival.
    last_activity_ns: i64,
    /// The time of the last poll.
    last_poll_ns: Option<i64>,
    window: FetchWindow,
    refused: Option<FetchRefusal>,
    /// How often the agent could not read its files.
    unread: u8,
    is_kept: bool,
}

/// A piece in flight.
#[derive(Clone, Copy, Debug)]
struct RequestedPiece {
    len: u32,
    at_ns: i64,
    number: u64,
    /// Whether it was not requested before.
    is_first: bool,
}

#[derive(Clone, Debug)]
struct LocalFile {
    there: FileThere,
    /// The offset from which nothing has been requested.
    next: u64,
    /// Lost pieces to request again: offset and length.
    lost: BTreeMap<u64, u32>,
    here_bytes: u64,
    is_whole: bool,
    /// How often its digest was wrong.
    wrong: u8,
}

impl LocalFile {
    fn new(there: FileThere, is_whole: bool) -> LocalFile {
        let at = if is_whole { there.len } else { 0 };
        LocalFile { there, next: at, lost: BTreeMap::new(), here_bytes: at, is_whole, wrong: 0 }
    }

    /// The next piece to request, and whether it is requested for the first time.
    fn next(&mut self, piece_bytes: u32) -> Option<(u64, u32, bool)> {
        if let Some((offset, len)) = self.lost.pop_first() {
            return Some((offset, len, false));
        }
        let offset = self.next;
        let len = u32::try_from(self.there.len - offset).unwrap_or(u32::MAX).min(piece_bytes);
        self.next += u64::from(len);
        (len > 0).then_some((offset, len, true))
    }
}

impl Fetch {
    pub fn new(run: &str) -> Fetch {
        Fetch::in_pieces(run, PIECE_BYTES)
    }

    /// A fetch with pieces of this size.
    pub fn in_pieces(run: &str, piece_bytes: u32) -> Fetch {
        Fetch {
            run: run.to_owned(),
            piece_bytes: piece_bytes.clamp(4, PIECE_BYTES),
            files: None,
            asked_ns: None,
            asked: BTreeMap::new(),
            number: 0,
            last_activity_ns: 0,
            last_poll_ns: None,
            window: FetchWindow::default(),
            refused: None,
            unread: 0,
            is_kept: false,
        }
    }

    /// A fetch whose files are all on disk; the agent may not know that yet.
    pub fn whole(run: &str) -> Fetch {
        Fetch { files: Some(BTreeMap::new()), ..Fetch::new(run) }
    }

    /// The agent could not read its files. It is asked again, but only a few times.
    pub fn no_files(&mut self, why: String) {
        if self.files.is_some() || self.refused.is_some() {
            return;
        }
        self.unread += 1;
        if self.unread >= UNREAD_MOST {
            self.refused = Some(FetchRefusal::Unread(why.chars().take(REASON_CHARS).collect()));
        }
    }

    /// Takes the agent's list of files. `free_bytes`: the free space here. `is_here`: whether a file is
    /// complete here. Empty files are complete at once: create them.
    pub fn files(
        &mut self,
        mut files: Vec<FileThere>,
        free_bytes: u64,
        is_here: impl Fn(&FileThere) -> bool,
    ) -> Vec<String> {
        if self.files.is_some() || self.refused.is_some() {
            return Vec::new();
        }
        files.retain(|there| !NOT_FETCHED.contains(&there.name.as_str()));
        self.asked_ns = None;
        if let Err(refusal) = expect_plausible(&files) {
            self.refused = Some(refusal);
            return Vec::new();
        }
        let here = |there: FileThere| {
            let is_whole = there.len == 0 || is_here(&there);
            (there.name.clone(), LocalFile::new(there, is_whole))
        };
        let files: BTreeMap<String, LocalFile> = files.into_iter().map(here).collect();
        let missing = files.values().filter(|here| !here.is_whole);
        let stated_bytes: u128 = missing.map(|here| u128::from(here.there.len)).sum();
        if stated_bytes > u128::from(free_bytes) {
            self.refused = Some(FetchRefusal::NoRoom { stated_bytes, free_bytes });
            return Vec::new();
        }
        let empty = files.values().filter(|here| here.there.len == 0).map(|here| here.there.name.clone());
        let empty = empty.collect();
        self.files = Some(files);
        empty
    }

    /// Takes a piece; returns what to do with it.
    pub fn piece(&mut self, now_ns: i64, file: &str, offset: u64, len: usize) -> Keep {
        let key = (file.to_owned(), offset);
        let Some(here) = self.files.as_mut().and_then(|files| files.get_mut(file)) else {
            return Keep::Nothing;
        };
        let asked = self.asked.remove(&key);
        let awaited = asked.map(|asked| asked.len).or_else(|| here.lost.get(&offset).copied());
        let Some(awaited) = awaited else { return Keep::Nothing };
        if awaited as usize != len {
            here.lost.insert(offset, awaited);
            return Keep::Nothing;
        }
        here.lost.remove(&offset);
        here.here_bytes += u64::from(awaited);
        let is_complete = here.here_bytes == here.there.len;
        let sha256 = here.there.sha256.clone();
        self.last_activity_ns = now_ns;
        if let Some(asked) = asked {
            // Transfer times of small files say nothing about whole pieces.
            if asked.is_first && asked.len >= self.piece_bytes / 4 {
                self.window.came(now_ns - asked.at_ns);
            }
            self.mark_lost(|other| other.number + OVERTAKEN < asked.number);
        }
        let file = file.to_owned();
        match is_complete {
            true => Keep::Complete { file, offset, sha256 },
            false => Keep::Write { file, offset },
        }
    }

    /// Takes the result of the digest: the file is complete, or must be fetched again.
    pub fn checked(&mut self, file: &str, is_right: bool) {
        let Some(here) = self.files.as_mut().and_then(|files| files.get_mut(file)) else { return };
        let wrong = here.wrong + u8::from(!is_right);
        *here = LocalFile { wrong, ..LocalFile::new(here.there.clone(), is_right) };
        if wrong >= WRONG_MOST {
            self.refused = Some(FetchRefusal::Digest(file.to_owned()));
        }
    }

    /// Whether every file is here, whole.
    pub fn is_whole(&self) -> bool {
        self.files.as_ref().is_some_and(|files| files.values().all(|here| here.is_whole))
    }

    /// Why nothing more is fetched from this agent; `None` if fetching continues.
    pub fn refused(&self) -> Option<&FetchRefusal> {
        self.refused.as_ref()
    }

    /// Records that the agent deleted this run, because it knows that every file is here.
    pub fn agent_forgot(&mut self) {
        self.is_kept |= self.is_whole();
    }

    /// Whether the agent knows that every file is here.
    pub fn is_confirmed(&self) -> bool {
        self.is_kept
    }

    /// The bytes that are here, and the total; `None` before that is known.
    pub fn progress(&self) -> Option<(u64, u64)> {
        let files = self.files.as_ref()?.values();
        let of = |here: &LocalFile| (here.here_bytes, here.there.len);
        Some(files.map(of).fold((0, 0), |(done, all), (d, a)| (done + d, all + a)))
    }

    /// The next requests. Call it several times a second, and after each piece.
    pub fn tick(&mut self, now_ns: i64) -> Vec<Order> {
        self.look(now_ns);
        if self.refused.is_some() {
            return Vec::new();
        }
        let run = self.run.clone();
        if self.files.is_none() {
            return self.list_is_due(now_ns).then_some(Order::Files { run }).into_iter().collect();
        }
        if self.is_whole() {
            let is_told = self.is_kept || !self.list_is_due(now_ns);
            return (!is_told).then_some(Order::Kept { run }).into_iter().collect();
        }
        if !self.asked.is_empty() && now_ns - self.last_activity_ns >= self.window.timeout_ns() {
            self.mark_lost(|_| true);
            self.window.timed_out();
        }
        self.ask(now_ns)
    }

    /// Does not count the time in which the controller hung: pieces that arrived then are taken later.
    fn look(&mut self, now_ns: i64) {
        let away_ns = self.last_poll_ns.map_or(0, |looked_ns| now_ns - looked_ns);
        self.last_poll_ns = Some(now_ns);
        if away_ns > LOOKS_EVERY_NS {
            self.last_activity_ns = self.last_activity_ns.saturating_add(away_ns).min(now_ns);
        }
    }

    /// Requests as many pieces as may be in flight.
    fn ask(&mut self, now_ns: i64) -> Vec<Order> {
        let piece_bytes = match self.window.takes_whole_pieces() {
            true => self.piece_bytes,
            false => self.piece_bytes / 4,
        };
        let mut orders = Vec::new();
        for (file, here) in self.files.iter_mut().flatten().filter(|(_, here)| !here.is_whole) {
            while self.asked.len() < self.window.pieces() {
                let Some((offset, len, is_first)) = here.next(piece_bytes) else { break };
                self.number += 1;
                let asked = RequestedPiece { len, at_ns: now_ns, number: self.number, is_first };
                self.asked.insert((file.clone(), offset), asked);
                orders.push(Order::Piece { run: self.run.clone(), file: file.clone(), offset, len });
            }
        }
        if !orders.is_empty() {
            self.last_activity_ns = now_ns;
        }
        orders
    }

    /// Marks lost pieces in flight, so that they are requested again.
    fn mark_lost(&mut self, is_lost: impl Fn(&RequestedPiece) -> bool) {
        let Some(files) = &mut self.files else { return };
        self.asked.retain(|(file, offset), asked| {
            if !is_lost(asked) {
                return true;
            }
            if let Some(here) = files.get_mut(file) {
                here.lost.insert(*offset, asked.len);
            }
            false
        });
    }

    fn list_is_due(&mut self, now_ns: i64) -> bool {
        let (is_due, times) = match self.asked_ns {
            None => (true, 0),
            Some((asked_ns, times)) => {
                (now_ns - asked_ns >= LIST_AGAIN_NS << times.min(LIST_DOUBLINGS), times + 1)
            }
        };
        if is_due {
            self.asked_ns = Some((now_ns, times));
        }
        is_due
    }
}

/// Whether an agent's list can be that of a run, regardless of the files here.
fn expect_plausible(files: &[FileThere]) -> Result<(), FetchRefusal> {
    if files.len() > FILES_MOST {
        return Err(FetchRefusal::TooMany(files.len()));
    }
    let mut names = BTreeSet::new();
    for there in files {
        let is_part = there.name.ends_with(".part");
        if !is_file_name(&there.name) || is_part || !names.insert(there.name.as_str()) {
            return Err(FetchRefusal::Name(there.name.clone()));
        }
    }
    // A file whose name is also the folder of another file.
    let folder = |name: &str| name.rmatch_indices('/').any(|(at, _)| names.contains(&name[..at]));
    match names.iter().find(|name| folder(name)) {
        Some(name) => Err(FetchRefusal::Name((*name).to_owned())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: i64 = 1_000_000_000;

    fn there(name: &str, len: u64) -> FileThere {
        FileThere { name: name.to_owned(), len, sha256: "d".to_owned() }
    }

    fn fetch(files: &[FileThere]) -> Fetch {
        let mut fetch = Fetch::in_pieces("r", 64);
        assert_eq!(fetch.tick(0), [Order::Files { run: "r".to_owned() }]);
        fetch.files(files.to_vec(), u64::MAX, |_| false);
        fetch
    }

    fn pieces(orders: &[Order]) -> Vec<(u64, u32)> {
        let piece = |order: &Order| match order {
            Order::Piece { offset, len, .. } => (*offset, *len),
            other => panic!("{other:?}"),
        };
        orders.iter().map(piece).collect()
    }

    /// Fetches one file over a link with this rate that loses one of every `loses_each` pieces. Returns
    /// the time it took, and how many bytes were sent.
    fn over_a_link(len: u64, bytes_per_s: i64, loses_each: usize) -> (i64, u64) {
        let mut fetch = Fetch::new("r");
        fetch.tick(0);
        fetch.files(vec![there("ops", len)], u64::MAX, |_| false);
        let (mut now_ns, mut link_free_ns, mut sent, mut count) = (0, 0, 0, 0);
        let mut on_their_way: std::collections::VecDeque<(i64, u64, u32)> = Default::default();
        while !fetch.is_whole() {
            for (offset, piece_len) in pieces(&fetch.tick(now_ns)) {
                link_free_ns = now_ns.max(link_free_ns) + i64::from(piece_len) * S / bytes_per_s;
                sent += u64::from(piece_len);
                count += 1;
                if loses_each == 0 || count % loses_each != 0 {
                    on_their_way.push_back((link_free_ns, offset, piece_len));
                }
            }
            let next_ns = on_their_way.front().map_or(i64::MAX, |(at_ns, ..)| *at_ns);
            now_ns = next_ns.min(now_ns + S / 10);
            while let Some((_, offset, piece_len)) = on_their_way.pop_front_if(|(at_ns, ..)| *at_ns <= now_ns)
            {
                if matches!(fetch.piece(now_ns, "ops", offset, piece_len as usize), Keep::Complete { .. }) {
                    fetch.checked("ops", true);
                }
            }
            assert!(now_ns < 10_000 * S);
        }
        (now_ns, sent)
    }

    #[test]
    fn slow_link_sends_every_byte_once_at_full_rate() {
        for bits_per_s in [1_000_000, 4_000_000, 6_000_000, 10_000_000, 1_000_000_000] {
            let (took_ns, sent) = over_a_link(9_560_000, bits_per_s / 8, 0);
            let ideal_ns = 9_560_000 * 8 * S / bits_per_s;
            assert_eq!(sent, 9_560_000, "{bits_per_s}");
            assert!(took_ns <= ideal_ns + ideal_ns / 50 + S / 5, "{bits_per_s}: {took_ns} of {ideal_ns}");
        }
    }

    /// A slow link has no queue yet while the small files of a run are fetched over it.
    #[test]
    fn small_files_do_not_widen_the_window_for_large_ones() {
        let mut fetch = Fetch::new("r");
        fetch.tick(0);
        let mut files: Vec<FileThere> = (0..30).map(|number| there(&format!("a{number:02}"), 900)).collect();
        files.push(there("ops", 9_560_000));
        fetch.files(files, u64::MAX, |_| false);
        let mut now_ns = 0;
        loop {
            let orders = fetch.tick(now_ns);
            now_ns += S / 100;
            let mut of_ops = Vec::new();
            for order in orders {
                let Order::Piece { file, offset, len, .. } = order else { panic!("{order:?}") };
                if file == "ops" {
                    of_ops.push((offset, len));
                } else if matches!(fetch.piece(now_ns, &file, offset, len as usize), Keep::Complete { .. }) {
                    fetch.checked(&file, true);
                }
            }
            if let [(_, len), ..] = of_ops[..] {
                assert_eq!((of_ops.len(), len), (2, PIECE_BYTES / 4), "{of_ops:?}");
                return;
            }
        }
    }

    /// Pieces of all agents queue on the same link; none is lost.
    #[test]
    fn twenty_agents_on_one_link_send_every_byte_once() {
        for bits_per_s in [10_000_000, 50_000_000] {
            let (mut fetches, mut link_free_ns, mut sent) = (Vec::new(), 0, 0);
            for _ in 0..20 {
                let mut fetch = Fetch::new("r");
                fetch.tick(0);
                fetch.files(vec![there("ops", 4_000_000)], u64::MAX, |_| false);
                fetches.push(fetch);
            }
            let mut under_way: std::collections::VecDeque<(i64, usize, u64, u32)> = Default::default();
            let mut now_ns = 0;
            while !fetches.iter().all(Fetch::is_whole) {
                for (agent, fetch) in fetches.iter_mut().enumerate().filter(|(_, fetch)| !fetch.is_whole()) {
                    for (offset, len) in pieces(&fetch.tick(now_ns)) {
                        link_free_ns = now_ns.max(link_free_ns) + i64::from(len) * 8 * S / bits_per_s;
                        sent += u64::from(len);
                        under_way.push_back((link_free_ns, agent, offset, len));
                    }
                }
                now_ns = under_way.front().map_or(i64::MAX, |piece| piece.0).min(now_ns + S / 10);
                while let Some((_, agent, offset, len)) = under_way.pop_front_if(|piece| piece.0 <= now_ns) {
                    let kept = fetches[agent].piece(now_ns, "ops", offset, len as usize);
                    if matches!(kept, Keep::Complete { .. }) {
                        fetches[agent].checked("ops", true);
                    }
                }
                assert!(now_ns < 1_000 * S);
            }
            let ideal_ns = 80_000_000 * 8 * S / bits_per_s;
            assert_eq!(sent, 80_000_000, "{bits_per_s}");
            assert!(now_ns <= ideal_ns * 105 / 100, "{bits_per_s}: {now_ns} of {ideal_ns}");
        }
    }

    #[test]
    fn lost_piece_is_requested_again_before_its_timeout() {
        let (took_ns, sent) = over_a_link(9_560_000, 1_250_000, 20);
        let ideal_ns = 9_560_000 * S / 1_250_000;
        assert!(sent < 9_560_000 * 11 / 10, "{sent}");
        assert!(took_ns < ideal_ns * 12 / 10 + 2 * S, "{took_ns} of {ideal_ns}");
    }

    #[test]
    fn late_piece_counts_after_it_was_requested_again() {
        let mut fetch = fetch(&[there("f", 32)]);
        assert_eq!(pieces(&fetch.tick(0)), [(0, 16), (16, 16)]);
        assert!((1..50).all(|tenth| fetch.tick(tenth * S / 10).is_empty()));
        assert_eq!(pieces(&fetch.tick(5 * S)), [(0, 16), (16, 16)]);
        assert_eq!(fetch.piece(6 * S, "f", 0, 16), Keep::Write { file: "f".to_owned(), offset: 0 });
        assert_eq!(fetch.piece(6 * S, "f", 0, 16), Keep::Nothing, "it came twice");
        let complete = fetch.piece(6 * S, "f", 16, 16);
        assert_eq!(complete, Keep::Complete { file: "f".to_owned(), offset: 16, sha256: "d".to_owned() });
        assert_eq!(fetch.progress(), Some((32, 32)));
    }

    /// A busy disk keeps a controller from polling for seconds while pieces arrive.
    #[test]
    fn no_piece_is_lost_while_the_controller_hangs() {
        let mut fetch = fetch(&[there("f", 32)]);
        assert_eq!(pieces(&fetch.tick(0)), [(0, 16), (16, 16)]);
        assert!(fetch.tick(20 * S).is_empty(), "they wait to be taken");
        assert_eq!(fetch.piece(20 * S, "f", 0, 16), Keep::Write { file: "f".to_owned(), offset: 0 });
        assert!((201..220).all(|tenth| fetch.tick(tenth * S / 10).is_empty()));
        assert_eq!(pieces(&fetch.tick(22 * S)), [], "as long as before without a piece");
        assert_eq!(pieces(&fetch.tick(60 * S)), [], "it stood still again");
        assert!((601..1000).any(|tenth| !fetch.tick(tenth * S / 10).is_empty()), "a lost piece is asked for");
    }

    #[test]
    fn piece_of_wrong_length_is_discarded_and_requested_again() {
        let mut fetch = fetch(&[there("f", 16)]);
        fetch.tick(0);
        for len in [0, 15, 17, 1 << 20] {
            assert_eq!(fetch.piece(0, "f", 0, len), Keep::Nothing);
            assert_eq!(pieces(&fetch.tick(0)), [(0, 16)]);
        }
        assert_eq!(fetch.piece(0, "f", 8, 16), Keep::Nothing);
        assert_eq!(fetch.piece(0, "other", 0, 16), Keep::Nothing);
    }

    #[test]
    fn a_list_that_cannot_be_true_is_refused_before_anything_is_allocated() {
        let refused = |files: Vec<FileThere>| {
            let mut fetch = Fetch::new("r");
            fetch.tick(0);
            assert!(fetch.files(files, 1_000_000, |_| false).is_empty());
            assert!(fetch.tick(100 * S).is_empty(), "nothing more is asked of it");
            fetch.refused().cloned()
        };
        for len in [900_000_000_000_000_000, u64::MAX, 1_000_001] {
            let why = refused(vec![there("f", len)]);
            assert!(matches!(why, Some(FetchRefusal::NoRoom { .. })), "{len}: {why:?}");
        }
        let both = vec![there("a", u64::MAX), there("b", u64::MAX)];
        assert!(matches!(refused(both), Some(FetchRefusal::NoRoom { .. })));
        let many = (0..=FILES_MOST).map(|number| there(&number.to_string(), 0)).collect();
        assert_eq!(refused(many), Some(FetchRefusal::TooMany(FILES_MOST + 1)));
        for name in ["", "../x", "/x", "a/../b", "a.part", "a\\b", "c:x"] {
            assert_eq!(refused(vec![there(name, 1)]), Some(FetchRefusal::Name(name.to_owned())));
        }
        assert!(matches!(refused(vec![there("a", 1), there("a", 1)]), Some(FetchRefusal::Name(_))));
        assert!(matches!(refused(vec![there("a", 1), there("a/b", 1)]), Some(FetchRefusal::Name(_))));
    }

    #[test]
    fn unreadable_files_are_requested_three_times() {
        let mut fetch = Fetch::new("r");
        for time in 1..=UNREAD_MOST {
            assert_eq!(fetch.refused(), None);
            assert!(!fetch.tick(i64::from(time) * 100 * S).is_empty(), "it is asked again");
            fetch.no_files("input/output error".to_owned());
        }
        assert_eq!(fetch.refused(), Some(&FetchRefusal::Unread("input/output error".to_owned())));
        assert!(fetch.tick(1_000 * S).is_empty());
        // A list that was accepted is not checked again.
        let mut fetch = Fetch::new("r");
        fetch.files(vec![there("f", 8)], 1_000_000, |_| false);
        (0..UNREAD_MOST).for_each(|_| fetch.no_files("late".to_owned()));
        assert_eq!(fetch.refused(), None);
    }

    #[test]
    fn files_with_a_wrong_hash_are_fetched_at_most_three_times() {
        let mut fetch = fetch(&[there("f", 8)]);
        for _ in 0..WRONG_MOST {
            assert_eq!(pieces(&fetch.tick(0)), [(0, 8)]);
            assert!(matches!(fetch.piece(0, "f", 0, 8), Keep::Complete { .. }));
            fetch.checked("f", false);
        }
        assert_eq!(fetch.refused(), Some(&FetchRefusal::Digest("f".to_owned())));
        assert!(fetch.tick(0).is_empty());
    }

    #[test]
    fn the_page_of_an_agents_own_part_is_not_fetched() {
        let mut fetch = fetch(&[there("report.html", 1_000_000), there("run.toml", 4)]);
        assert_eq!(pieces(&fetch.tick(0)), [(0, 4)]);
        assert_eq!(fetch.progress(), Some((0, 4)));
    }

    #[test]
    fn list_is_requested_at_growing_intervals() {
        let mut fetch = Fetch::new("r");
        let asked = (0..60).filter(|second| !fetch.tick(second * S).is_empty());
        assert_eq!(asked.collect::<Vec<_>>(), [0, 2, 6, 14, 30]);
    }
}
