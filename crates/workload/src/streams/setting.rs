//! The settings of an actor: what each is called, and for whom it has an effect. This is the one table that
//! flags, plan files and the writer of `run.toml` go by.
//!
//! Not here: which values make sense ([`super::check`]).

use reelgauge_formats::catalogue;
use reelgauge_formats::format::ClipLayout;
use reelgauge_formats::own;

use super::{ActorKind, ActorPlan, StreamsError};
use crate::plan::MixPlan;
use crate::spelling::Spelling;

/// A setting of an actor: a field of [`ActorPlan`], or one of its [`MixPlan`] that has no effect there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// How many there are.
    Count,
    /// The media format, by its id.
    Format,
    /// A format of the user's own.
    OwnFormat,
    /// The user's own footage.
    Like,
    /// Another frame rate.
    Fps,
    /// What a transcoder writes.
    OutputFormat,
    /// How long a clip plays.
    Clip,
    /// What a stream holds in hand.
    Buffer,
    /// What becomes of frames that are too late.
    Policy,
    /// How many frames are asked for at once.
    ReadAhead,
    /// How often a recorder makes its frames durable.
    SyncEvery,
    /// Over a file that exists.
    Preallocated,
    /// Cameras of an editor.
    Cameras,
    /// Bytes that a copier moves at once.
    Block,
    /// Size of each file.
    FileSize,
    /// Files of each worker.
    Files,
    /// Transfers per second.
    OpsPerS,
    /// What they are held to.
    Criteria,
    /// The access profile of a mix.
    Mix,
    /// Its number of files.
    MixFiles,
    /// Whether its workers share one.
    MixSharedFile,
    /// Whether it visits every block once.
    MixNoRepeat,
    /// Whether it goes past the cache.
    MixDirect,
}

/// A row of the table.
struct Row {
    /// Its key in a plan file; behind a dot, the key in a table of its own.
    key: &'static str,
    /// Its flag, where a verb has one.
    flag: Option<&'static str>,
    /// The kinds of actors that it means something to.
    kinds: &'static [ActorKind],
}

const fn row(key: &'static str, flag: Option<&'static str>, kinds: &'static [ActorKind]) -> Row {
    Row { key, flag, kinds }
}

const ALL: &[ActorKind] = &ActorKind::ALL;
const MEDIA: &[ActorKind] =
    &[ActorKind::Player, ActorKind::Recorder, ActorKind::Editor, ActorKind::Transcoder];
const FRAMES: &[ActorKind] = &[ActorKind::Player, ActorKind::Recorder, ActorKind::Editor];
const FILES: &[ActorKind] = &[ActorKind::Copier, ActorKind::Camera, ActorKind::Companion, ActorKind::Mix];
const VDA: &[ActorKind] = &[ActorKind::Camera, ActorKind::Companion];

impl Setting {
    /// Every setting.
    pub const ALL: [Setting; 23] = [
        Setting::Count,
        Setting::Format,
        Setting::OwnFormat,
        Setting::Like,
        Setting::Fps,
        Setting::OutputFormat,
        Setting::Clip,
        Setting::Buffer,
        Setting::Policy,
        Setting::ReadAhead,
        Setting::SyncEvery,
        Setting::Preallocated,
        Setting::Cameras,
        Setting::Block,
        Setting::FileSize,
        Setting::Files,
        Setting::OpsPerS,
        Setting::Criteria,
        Setting::Mix,
        Setting::MixFiles,
        Setting::MixSharedFile,
        Setting::MixNoRepeat,
        Setting::MixDirect,
    ];

    const fn row(self) -> Row {
        match self {
            Setting::Count => row("count", Some("--count"), ALL),
            Setting::Format => row("format", Some("--format"), MEDIA),
            Setting::OwnFormat => row("own_format", Some("--frame-size or --mbit-per-s"), MEDIA),
            Setting::Like => row("like", Some("--like"), MEDIA),
            Setting::Fps => row("fps", Some("--fps"), MEDIA),
            Setting::OutputFormat => row("output_format", None, &[ActorKind::Transcoder]),
            Setting::Clip => row("clip", Some("--clip"), MEDIA),
            Setting::Buffer => row("buffer", Some("--buffer"), FRAMES),
            Setting::Policy => row("policy", Some("--policy"), FRAMES),
            Setting::ReadAhead => row("read_ahead", Some("--read-ahead"), &[ActorKind::Player]),
            Setting::SyncEvery => row("sync_every", Some("--sync-every"), &[ActorKind::Recorder]),
            Setting::Preallocated => row("preallocated", Some("--preallocated"), &[ActorKind::Recorder]),
            Setting::Cameras => row("cameras", Some("--cameras"), &[ActorKind::Editor]),
            Setting::Block => row("block", Some("--block"), &[ActorKind::Copier]),
            Setting::FileSize => row("file_size", Some("--file-size"), FILES),
            Setting::Files => row("files", Some("--files"), VDA),
            Setting::OpsPerS => row("ops_per_s", None, VDA),
            Setting::Criteria => row("criteria", Some("--criteria"), ALL),
            Setting::Mix => row("mix", None, &[ActorKind::Mix]),
            Setting::MixFiles => row("mix.files", None, &[]),
            Setting::MixSharedFile => row("mix.shared_file", None, &[]),
            Setting::MixNoRepeat => row("mix.no_repeat", None, &[]),
            Setting::MixDirect => row("mix.direct", None, &[]),
        }
    }

    /// What it is called there.
    pub const fn named(self, spelling: Spelling) -> &'static str {
        match (spelling, self.row().flag) {
            (Spelling::Flags, Some(flag)) => flag,
            _ => self.row().key,
        }
    }

    /// Whether kinds of this sort have it at all.
    pub fn belongs_to(self, kind: ActorKind) -> bool {
        self.row().kinds.contains(&kind)
    }

    /// Refuses it where it changes nothing.
    ///
    /// # Errors
    /// [`StreamsError::NoEffect`].
    pub fn check_effect(self, actor: &ActorPlan, spelling: Spelling) -> Result<(), StreamsError> {
        match self.idle(actor) {
            Some(why) => Err(StreamsError::NoEffect { field: self.named(spelling), why }),
            None => Ok(()),
        }
    }

    /// Why it changes nothing for this actor, if it does not.
    pub(super) fn idle(self, actor: &ActorPlan) -> Option<String> {
        let why = match self {
            Setting::MixFiles | Setting::MixSharedFile => "in an actor, which has a file of its own",
            Setting::MixNoRepeat => "in an actor, which goes on until the load point ends",
            Setting::MixDirect => "in an actor, because all of them are as direct as the plan",
            _ if !self.belongs_to(actor.kind) => return Some(format!("on {}", actor.kind.with_article())),
            Setting::Clip if actor.like.is_some() => "on footage of your own, which is played whole",
            Setting::Preallocated if is_sequence(actor) => "where every frame is a file, made anew each time",
            Setting::FileSize if actor.mix.is_some() => "beside a mix table, which has its own",
            _ => return None,
        };
        Some(why.to_owned())
    }

    /// Whether it differs from what it is when nobody says anything, which is all that a plan still shows.
    pub(super) fn is_set(self, actor: &ActorPlan) -> bool {
        let usual = ActorPlan::new(actor.kind);
        let in_mix = |is_set: fn(&MixPlan) -> bool| actor.mix.as_ref().is_some_and(is_set);
        match self {
            Setting::Count => actor.count != usual.count,
            Setting::Format => actor.format.is_some(),
            Setting::OwnFormat => actor.own_format.is_some(),
            Setting::Like => actor.like.is_some(),
            Setting::Fps => actor.fps.is_some(),
            Setting::OutputFormat => actor.output_format.is_some(),
            Setting::Clip => actor.clip != usual.clip,
            Setting::Buffer => actor.buffer != usual.buffer,
            Setting::Policy => actor.policy != usual.policy,
            Setting::ReadAhead => actor.read_ahead != usual.read_ahead,
            Setting::SyncEvery => actor.sync_every.is_some(),
            Setting::Preallocated => actor.preallocated,
            Setting::Cameras => actor.cameras != usual.cameras,
            Setting::Block => actor.block != usual.block,
            Setting::FileSize => actor.file_size != usual.file_size,
            // No flag sets it for the wrong kind, and a file is held to its keys.
            Setting::Files => false,
            Setting::OpsPerS => actor.ops_per_s.is_some(),
            Setting::Criteria => !actor.criteria.is_empty(),
            Setting::Mix => actor.mix.is_some(),
            Setting::MixFiles => in_mix(|mix| mix.files.is_some()),
            Setting::MixSharedFile => in_mix(|mix| mix.shared_file),
            Setting::MixNoRepeat => in_mix(|mix| mix.no_repeat),
            Setting::MixDirect => in_mix(|mix| !mix.direct),
        }
    }

    /// Whether a plan file says it of this actor.
    pub(super) fn is_in(self, actor: &toml::Table) -> bool {
        match self.row().key.split_once('.') {
            Some((table, key)) => {
                actor.get(table).and_then(toml::Value::as_table).is_some_and(|inner| inner.contains_key(key))
            }
            None => actor.contains_key(self.row().key),
        }
    }

    /// Takes it out of what is to be written of this actor.
    pub(super) fn leave_out(self, actor: &mut toml::Table) {
        match self.row().key.split_once('.') {
            Some((table, key)) => {
                if let Some(inner) = actor.get_mut(table).and_then(toml::Value::as_table_mut) {
                    inner.remove(key);
                }
            }
            None => {
                actor.remove(self.row().key);
            }
        }
    }
}

/// Whether every frame is known to be a file. Of the user's own footage it is not, before it is looked at.
fn is_sequence(actor: &ActorPlan) -> bool {
    let listed = actor.format.as_ref().and_then(|id| catalogue().find(id).ok());
    listed.is_some_and(|format| format.kind == ClipLayout::FramePerFile)
        || actor.own_format.as_ref().is_some_and(|format| format.files == own::FrameFiles::Frames)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_table_has_every_field_of_an_actor_and_no_other() {
        let mut everything = ActorPlan::new(ActorKind::Mix);
        everything.mix = Some(MixPlan { files: Some(1), ..MixPlan::default() });
        everything.format = Some("x".to_owned());
        everything.own_format = Some(toml::from_str("name = 'x'\nfps = 25\nmbit_per_s = 1").unwrap());
        everything.like = Some("x".into());
        everything.fps = Some("25".parse().unwrap());
        everything.output_format = Some("x".to_owned());
        everything.sync_every = Some(crate::units::Span::secs(1));
        everything.ops_per_s = Some(1.0);
        everything.criteria = "late=0".to_owned();
        let mut table = toml::Table::try_from(&everything).unwrap();
        for setting in Setting::ALL {
            assert!(setting.is_in(&table), "{setting:?} is no field");
        }
        // The tables inside last, after what lies in them.
        Setting::ALL.into_iter().rev().for_each(|setting| setting.leave_out(&mut table));
        assert_eq!(table.keys().collect::<Vec<_>>(), ["kind"]);
    }

    #[test]
    fn media_and_files_belong_to_whom_they_should() {
        for kind in ActorKind::ALL {
            assert_eq!(Setting::Format.belongs_to(kind), kind.has_media());
            assert_eq!(Setting::FileSize.belongs_to(kind), !kind.has_media());
            assert!(Setting::Count.belongs_to(kind) && !Setting::MixDirect.belongs_to(kind));
        }
    }

    #[test]
    fn what_is_left_out_was_idle_and_the_usual_is_not_set() {
        for kind in ActorKind::ALL {
            let usual = ActorPlan::new(kind);
            assert!(Setting::ALL.into_iter().all(|setting| !setting.is_set(&usual)), "{kind}");
        }
        let sequence = ActorPlan {
            format: Some("dpx-10-bit-rgb-uhd-24".to_owned()),
            ..ActorPlan::new(ActorKind::Recorder)
        };
        assert!(Setting::Preallocated.idle(&sequence).is_some());
        let movie = ActorPlan { format: Some("prores-422-hq-uhd-25".to_owned()), ..sequence };
        assert_eq!(Setting::Preallocated.idle(&movie), None);
    }
}
