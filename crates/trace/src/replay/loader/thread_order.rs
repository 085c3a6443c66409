//! Keeps the order of sequential threads and processes: one that began after another had ended waits for
//! it.
//!
//! Shared files do not show this dependency: a script that copies two files, one after the other, runs
//! two programs that have no file in common. At recorded times they do not overlap. At maximum speed
//! they would, although the application never ran them concurrently.
//!
//! Not here: dependencies of single operations while their threads overlap ([`super::dependencies`]).

use crate::replay::lanes::Lanes;
use crate::replay::packed::{Marks, NO_OP, PackedTrace};

/// Limit of the final operations that the start of a thread waits for. If more threads ended at about
/// the same time, it waits for those that ended last.
const AWAITED_MOST: usize = 256;

/// A thread. Of a process only its threads are known.
struct Span<'l> {
    begun_ns: u64,
    ended_ns: u64,
    lanes: &'l [u16],
}

/// The end of a lane.
#[derive(Clone, Copy)]
struct End {
    op: u32,
    done_ns: u64,
}

/// Makes the first operations of each thread wait for the last operations of threads that had ended
/// before.
pub(super) fn keep(lanes: &Lanes, packed: &mut PackedTrace) {
    let ended_ns = |lanes_of: &[u16]| lanes_of.iter().map(|&lane| lanes.last_of(lane).1).max();
    let mut by_begin: Vec<Span<'_>> = lanes
        .threads()
        .map(|(begun_ns, of)| Span { begun_ns, ended_ns: ended_ns(of).unwrap_or(begun_ns), lanes: of })
        .collect();
    by_begin.sort_by_key(|span| span.begun_ns);
    let mut by_end: Vec<&Span<'_>> = by_begin.iter().collect();
    by_end.sort_by_key(|span| span.ended_ns);
    let mut by_end = by_end.into_iter().peekable();
    // The ends to wait for. An earlier end is implied if a thread began after it and has ended as well.
    let mut ends: Vec<End> = Vec::new();
    let mut last_begun_ns = 0;
    let mut more: Vec<(u32, Vec<u32>)> = Vec::new();
    for span in &by_begin {
        while let Some(ended) = by_end.next_if(|ended| ended.ended_ns <= span.begun_ns) {
            last_begun_ns = last_begun_ns.max(ended.begun_ns);
            ends.extend(ended.lanes.iter().map(|&lane| {
                let (op, done_ns) = lanes.last_of(lane);
                End { op, done_ns }
            }));
            ends.retain(|end| end.done_ns >= last_begun_ns);
            if ends.len() > AWAITED_MOST {
                ends.sort_by_key(|end| end.done_ns);
                ends.drain(..ends.len() - AWAITED_MOST);
            }
        }
        for &lane in span.lanes {
            let first = packed.first_of(usize::from(lane));
            // At equal times the order of the trace decides: no operation waits for a later one.
            let awaited: Vec<u32> = ends.iter().map(|end| end.op).filter(|&op| op < first).collect();
            if first != NO_OP && !awaited.is_empty() {
                more.push((first, awaited));
            }
        }
    }
    more.sort_by_key(|(first, _)| *first);
    add(packed, more);
}

/// Adds dependencies to operations. `more` is ascending.
fn add(packed: &mut PackedTrace, more: Vec<(u32, Vec<u32>)>) {
    if more.is_empty() {
        return;
    }
    let (waits, awaited) = (std::mem::take(&mut packed.waits), std::mem::take(&mut packed.awaited));
    let list = |at: usize| {
        let to = waits.get(at + 1).map_or(awaited.len(), |next| next.1 as usize);
        &awaited[waits[at].1 as usize..to]
    };
    let mut more = more.into_iter().peekable();
    let mut at = 0;
    loop {
        let known = waits.get(at).map(|wait| wait.0);
        let added = more.peek().map(|(op, _)| *op);
        let Some(op) = known.into_iter().chain(added).min() else { return };
        let from = packed.awaited.len();
        packed.waits.push((op, from as u32));
        if known == Some(op) {
            packed.awaited.extend_from_slice(list(at));
            at += 1;
        }
        if let Some((_, added)) = more.next_if(|(first, _)| *first == op) {
            for other in added {
                if !packed.awaited[from..].contains(&other) {
                    packed.awaited.push(other);
                }
            }
            packed.ops[op as usize].marks.set_if(Marks::WAITS, true);
        }
    }
}
