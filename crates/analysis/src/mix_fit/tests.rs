//! Accesses that no mix makes are far from every mix, and too few visits give no result. `results` has
//! the tests with a mix's own log and script.
#![allow(clippy::unwrap_used)]

use reelgauge_record::test_records::op as made_up;
use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::*;

const MIB: u64 = 1 << 20;

/// Operations of one worker on a clock in microseconds.
#[derive(Default)]
struct Made {
    now_us: u64,
    ops: Vec<OpRecord>,
}

impl Made {
    fn op(&mut self, kind: OpKind, file: u32, offset: u64, len: u32) -> &mut OpRecord {
        let begun_ns = self.now_us * 1_000;
        self.now_us += 50;
        let op = made_up(kind).on_file(file).at_offset(offset).of_len(len).at_ns(begun_ns);
        self.ops.push(op.due_at_ns(begun_ns).done_at_ns(self.now_us * 1_000));
        self.ops.last_mut().unwrap()
    }

    fn wait_us(&mut self, us: u64) {
        self.now_us += us;
    }

    fn fit(&self, sizes: &[u64]) -> MixFit {
        let mut fitter = MixFitter::new(sizes.iter().copied());
        self.ops.iter().for_each(|op| fitter.add(op));
        fitter.fit()
    }
}

fn distance(fit: &MixFit, of: Part) -> f64 {
    fit.distances.iter().find(|one| one.of == of).unwrap().distance.unwrap()
}

#[test]
fn a_copy_of_one_file_is_like_no_mix() {
    let mut copy = Made::default();
    copy.op(OpKind::Open, 0, 0, 0);
    copy.op(OpKind::Open, 1, 0, 0);
    for block in 0..200 {
        copy.op(OpKind::Read, 0, block * 131_072, 131_072);
        copy.op(OpKind::Write, 1, block * 131_072, 131_072);
    }
    let fit = copy.fit(&[200 * 131_072, 0]);
    assert_eq!(fit.likeness, Likeness::NothingLikeIt, "{fit:#?}");
    assert!(distance(&fit, Part::Position) > 0.9 && distance(&fit, Part::Kind) > 0.4, "{fit:#?}");
}

#[test]
fn a_copy_of_a_folder_is_like_no_mix() {
    let mut copy = Made::default();
    for file in 0..100 {
        for (kind, file) in [(OpKind::Read, file), (OpKind::Write, file + 100)] {
            copy.op(OpKind::Open, file, 0, 0);
            for block in 0..4 {
                copy.op(kind, file, block * MIB, MIB as u32);
            }
            copy.op(OpKind::Close, file, 0, 0);
        }
    }
    let fit = copy.fit(&[4 * MIB; 200]);
    assert_eq!(fit.likeness, Likeness::NothingLikeIt, "{fit:#?}");
    assert!(distance(&fit, Part::Kind) > 0.4, "reads and writes take turns: {fit:#?}");
    let server_side = {
        let mut copy = Made::default();
        for file in 0..100 {
            copy.op(OpKind::Open, file, 0, 0);
            copy.op(OpKind::Write, file, 0, MIB as u32).flags = OpFlags::COPIED.with(OpFlags::WRITING);
            copy.op(OpKind::Read, file, 0, 4096);
            copy.op(OpKind::Close, file, 0, 0);
        }
        copy.fit(&[MIB; 100])
    };
    assert!(distance(&server_side, Part::Kind) > 0.15, "{server_side:#?}");
}

#[test]
fn operations_outside_visits_do_not_fit_a_mix() {
    let mut copy = Made::default();
    for file in 0..200 {
        copy.op(OpKind::Write, file, 0, MIB as u32).flags = OpFlags::COPIED.with(OpFlags::WRITING);
        copy.op(OpKind::Stat, file, 0, 0);
    }
    let fit = copy.fit(&[MIB; 200]);
    assert_eq!((fit.visits, fit.likeness, fit.mix.is_none()), (0, Likeness::NothingLikeIt, true), "{fit:#?}");
}

#[test]
fn paced_frames_with_metadata_are_like_no_mix() {
    let mut frames = Made::default();
    for frame in 0..200 {
        let begun_us = frames.now_us;
        frames.op(OpKind::Stat, frame, 0, 0);
        frames.op(OpKind::Open, frame, 0, 0);
        frames.op(OpKind::Stat, frame, 0, 0);
        for block in 0..12 {
            frames.op(OpKind::Read, frame, block * MIB, MIB as u32);
        }
        frames.op(OpKind::Close, frame, 0, 0);
        let spent_us = frames.now_us - begun_us;
        frames.wait_us(40_000 - spent_us);
    }
    let fit = frames.fit(&[12 * MIB; 200]);
    assert_eq!(fit.likeness, Likeness::NothingLikeIt, "{fit:#?}");
    assert!(distance(&fit, Part::Position) > 0.3, "each file once, in order: {fit:#?}");
}

#[test]
fn player_with_a_kept_file_does_not_fit_a_mix() {
    let mut player = Made::default();
    player.op(OpKind::Open, 0, 0, 0);
    for frame in 0..500 {
        player.op(OpKind::Read, 0, frame * MIB, MIB as u32);
        player.wait_us(39_950);
    }
    let fit = player.fit(&[600 * MIB]);
    assert_eq!((fit.visits, fit.likeness), (1, Likeness::NothingLikeIt), "{fit:#?}");
    assert!(distance(&fit, Part::Pause) > 0.9);
}

#[test]
fn few_or_no_operations_have_no_fit() {
    let nothing = Made::default().fit(&[]);
    assert_eq!((nothing.likeness, nothing.mix), (Likeness::TooFew, None));
    let mut few = Made::default();
    for start in [3, 1, 7] {
        few.op(OpKind::Open, 0, 0, 0);
        few.op(OpKind::Read, 0, start * MIB, MIB as u32);
        few.op(OpKind::Close, 0, 0, 0);
    }
    assert_eq!(few.fit(&[64 * MIB]).likeness, Likeness::TooFew);
}

#[test]
fn shares_have_an_uncertainty() {
    let half = Share::of(500, 1_000).unwrap();
    assert!(half.may_be(47.0) && half.may_be(53.0) && !half.may_be(60.0));
    let none = Share::of(0, 1_000).unwrap();
    assert!(none.may_be(0.0) && none.may_be(0.3) && !none.may_be(1.0));
    assert_eq!(Share::of(0, 0), None);
}
