//! The catalogue of actors, and a plan's settings for actors of one kind. A new kind needs one line
//! here, and a file with its settings, its needs and its script.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::de::value::MapDeserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::actor::{Actor, ActorFacts, Outline};
use super::setting::{self, Settings};
use super::{Footage, StreamsError};
use crate::media::Media;
use crate::plan::PlanError;
use crate::spelling::Spelling;

/// Declares the enum of all actors, each with its module and its settings there.
macro_rules! catalogue {
    ($($Kind:ident($module:ident::$Plan:ident),)*) => {
        /// The work of actors in a plan.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum ActorWork {
            $(
                #[doc = concat!("See [`crate::", stringify!($module), "`].")]
                $Kind(crate::$module::$Plan),
            )*
        }

        const KINDS: &[ActorKind] = &[$(ActorKind(&crate::$module::FACTS)),*];
        const WORDS: &[&str] = &[$(crate::$module::FACTS.word),*];

        impl ActorWork {
            fn actor(&self) -> &dyn Actor {
                match self { $(ActorWork::$Kind(plan) => plan,)* }
            }

            fn kind(&self) -> ActorKind {
                match self { $(ActorWork::$Kind(_) => ActorKind(&crate::$module::FACTS),)* }
            }

            fn footage_mut(&mut self) -> Option<&mut Footage> {
                match self { $(ActorWork::$Kind(settings) => settings.footage_mut(),)* }
            }

            fn keys(&self) -> Vec<&'static str> {
                let mut keys = Vec::new();
                match self { $(ActorWork::$Kind(_) => crate::$module::$Plan::list(&mut keys),)* }
                keys
            }

            fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, plan: &mut A) -> Result<bool, A::Error> {
                match self { $(ActorWork::$Kind(settings) => settings.take(key, plan),)* }
            }

            #[cfg(feature = "flags")]
            fn flags(&self) -> Vec<super::flags::Flag> {
                match self { $(ActorWork::$Kind(settings) => settings.flags(),)* }
            }
        }

        impl ActorKind {
            /// An actor of this kind with default settings.
            fn usual(self) -> ActorWork {
                $(if self.0 == &crate::$module::FACTS {
                    return ActorWork::$Kind(crate::$module::$Plan::default());
                })*
                unreachable!("{} is not in the catalogue", self.word)
            }
        }

        $(impl From<crate::$module::$Plan> for ActorPlan {
            fn from(plan: crate::$module::$Plan) -> ActorPlan {
                ActorPlan { count: 1, work: ActorWork::$Kind(plan), criteria: String::new() }
            }
        })*
    };
}

catalogue! {
    Player(player::PlayerPlan),
    Recorder(recorder::RecorderPlan),
    Editor(editor::EditorPlan),
    Transcoder(transcoder::TranscoderPlan),
    Copier(copier::CopierPlan),
    Camera(camera::CameraPlan),
    Companion(companion::CompanionPlan),
    Mix(mix_actor::MixActorPlan),
}

/// A kind of actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActorKind(&'static ActorFacts);

/// Some workers of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ActorPlan {
    /// Their number per unit of scale.
    pub count: u32,
    pub work: ActorWork,
    /// Criteria in addition to the defaults of their kind: `late=0,p99=40ms`. The runner parses them.
    pub criteria: String,
}

/// The error of an unknown kind of actor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not an actor. Use one of {}", WORDS.join(", "))]
pub struct ActorKindError {
    text: String,
}

/// The key of every setting of any actor, in the order of all plans. It keeps the order of the settings
/// of each actor.
static KEYS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let mut all = vec!["criteria"];
    for own in KINDS.iter().map(|kind| kind.usual().keys()) {
        for (at, key) in own.iter().enumerate().filter(|(_, key)| !all.contains(key)).collect::<Vec<_>>() {
            let next = own[at..].iter().find_map(|next| all.iter().position(|known| known == next));
            all.insert(next.unwrap_or(all.len() - 1), *key);
        }
    }
    ["kind", "count"].into_iter().chain(all).collect()
});

impl ActorKind {
    pub const ALL: &'static [ActorKind] = KINDS;

    /// The flags of its settings.
    #[cfg(feature = "flags")]
    pub(super) fn flags(self) -> Vec<super::flags::Flag> {
        self.usual().flags()
    }

    /// Whether it plays, records or reads footage.
    pub fn has_media(self) -> bool {
        self.usual().actor().outline(None).footage.is_some()
    }
}

impl Deref for ActorKind {
    type Target = ActorFacts;

    fn deref(&self) -> &ActorFacts {
        self.0
    }
}

impl fmt::Display for ActorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word)
    }
}

impl FromStr for ActorKind {
    type Err = ActorKindError;

    fn from_str(text: &str) -> Result<ActorKind, ActorKindError> {
        let kind = KINDS.iter().find(|kind| kind.word == text.trim());
        kind.copied().ok_or_else(|| ActorKindError { text: text.to_owned() })
    }
}

impl Serialize for ActorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word)
    }
}

impl<'de> Deserialize<'de> for ActorKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ActorKind, D::Error> {
        let word = String::deserialize(deserializer)?;
        let kind = KINDS.iter().find(|kind| kind.word == word);
        kind.copied().ok_or_else(|| D::Error::unknown_variant(&word, WORDS))
    }
}

impl ActorPlan {
    /// One worker of this kind with default settings.
    pub fn new(kind: ActorKind) -> ActorPlan {
        ActorPlan { count: 1, work: kind.usual(), criteria: String::new() }
    }

    /// The keys of all settings.
    pub fn keys() -> &'static [&'static str] {
        &KEYS
    }

    /// An actor with these settings, by their keys in a plan. A setting without effect is refused, even
    /// if it equals the default.
    ///
    /// # Errors
    /// If a setting is invalid, or has no effect.
    pub fn from_settings(given: toml::Table, spelling: Spelling) -> Result<ActorPlan, PlanError> {
        let actor: ActorPlan = given.clone().try_into()?;
        actor.check_given(&given, spelling)?;
        Ok(actor)
    }

    /// Its settings, whatever its kind.
    pub fn actor(&self) -> &dyn Actor {
        self.work.actor()
    }

    pub fn kind(&self) -> ActorKind {
        self.work.kind()
    }

    /// Its description ([`Actor::outline`]).
    pub fn outline(&self, media: Option<&Media>) -> Outline<'_> {
        self.actor().outline(media)
    }

    /// The footage that it plays, records or reads.
    pub fn footage(&self) -> Option<&Footage> {
        self.outline(None).footage.map(|(footage, _)| footage)
    }

    /// Its footage, mutable.
    pub fn footage_mut(&mut self) -> Option<&mut Footage> {
        self.work.footage_mut()
    }

    /// Whether a clock paces its requests, so that its rate is limited.
    pub fn is_paced(&self) -> bool {
        let outline = self.outline(None);
        outline.frames.is_some() || outline.ops_per_s.is_some()
    }

    /// Fails for settings without effect: a given setting belongs to another kind, or is idle with the
    /// others.
    pub(super) fn check_given(&self, given: &toml::Table, spelling: Spelling) -> Result<(), StreamsError> {
        let own = [self.work.keys(), vec!["kind", "count", "criteria"]].concat();
        let why = format!("on {}", self.kind().with_article());
        let foreign = KEYS.iter().filter(|key| !own.contains(key)).map(|key| (*key, why.as_str()));
        match foreign.chain(self.outline(None).idle).find(|(key, _)| setting::has(given, key)) {
            Some((key, why)) => {
                Err(StreamsError::NoEffect { field: spelling.name(key), why: why.to_owned() })
            }
            None => Ok(()),
        }
    }

    /// Reads the value of this key.
    fn take<'de, A: MapAccess<'de>>(&mut self, key: &str, plan: &mut A) -> Result<(), A::Error> {
        match key {
            "count" => self.count = plan.next_value()?,
            "criteria" => self.criteria = plan.next_value()?,
            key => {
                if !self.work.take(key, plan)? {
                    // The key belongs to another kind, and is refused later.
                    plan.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    /// The actor as in a plan: all settings that have an effect.
    fn table(&self) -> Result<toml::Table, toml::ser::Error> {
        let (kind, criteria) = (self.kind(), self.criteria.as_str());
        let mut table =
            toml::Table::try_from(Written { kind, count: self.count, work: &self.work, criteria })?;
        self.outline(None).idle.into_iter().for_each(|(key, _)| setting::remove(&mut table, key));
        Ok(table)
    }
}

/// An actor with its keys in the order of a plan.
#[derive(Serialize)]
struct Written<'a> {
    kind: ActorKind,
    count: u32,
    #[serde(flatten)]
    work: &'a ActorWork,
    #[serde(skip_serializing_if = "str::is_empty")]
    criteria: &'a str,
}

impl Serialize for ActorPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.table().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ActorPlan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ActorPlan, D::Error> {
        deserializer.deserialize_struct("ActorPlan", &[], PlanVisitor)
    }
}

/// The key of a setting.
struct Key(&'static str);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        let text = String::deserialize(deserializer)?;
        let key = KEYS.iter().find(|key| **key == text);
        key.map(|key| Key(key)).ok_or_else(|| D::Error::unknown_field(&text, &KEYS))
    }
}

/// Reads an actor. Keys before its kind are kept until the kind is known.
struct PlanVisitor;

impl<'de> Visitor<'de> for PlanVisitor {
    type Value = ActorPlan;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("struct ActorPlan")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut plan: A) -> Result<ActorPlan, A::Error> {
        let mut early: Vec<(&str, toml::Value)> = Vec::new();
        let mut actor: Option<ActorPlan> = None;
        while let Some(Key(key)) = plan.next_key()? {
            match &mut actor {
                None if key == "kind" => actor = Some(ActorPlan::new(plan.next_value()?)),
                None => early.push((key, plan.next_value()?)),
                Some(actor) => actor.take(key, &mut plan)?,
            }
        }
        let mut actor = actor.ok_or_else(|| A::Error::missing_field("kind"))?;
        let mut early = MapDeserializer::<_, toml::de::Error>::new(early.into_iter());
        while let Some(key) = early.next_key::<String>().map_err(A::Error::custom)? {
            actor.take(&key, &mut early).map_err(A::Error::custom)?;
        }
        Ok(actor)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn settings_of_all_actors_have_one_order() {
        assert_eq!(
            ActorPlan::keys().join(" "),
            "kind count format own_format like fps output_format clip buffer policy read_ahead sync_every \
             preallocated cameras block file_size files ops_per_s mix criteria"
        );
        for kind in ActorKind::ALL {
            let own = kind.usual().keys();
            let at: Vec<_> = own.iter().map(|own| KEYS.iter().position(|known| known == own)).collect();
            assert!(at.is_sorted() && at.iter().all(Option::is_some), "{kind}: {own:?}");
        }
    }

    #[test]
    fn media_and_files_belong_to_the_actors_that_use_them() {
        for kind in ActorKind::ALL {
            let has = |key: &str| kind.usual().keys().contains(&key);
            assert_eq!((has("format"), has("file_size")), (kind.has_media(), !kind.has_media()), "{kind}");
            assert_eq!(kind.word.parse().as_ref(), Ok(kind));
        }
        assert!("dreamer".parse::<ActorKind>().is_err());
    }

    #[test]
    fn settings_may_precede_the_kind() {
        let read = |text: &str| toml::from_str::<ActorPlan>(text);
        let first = read("kind = 'editor'\nlike = 'a.mov'\ncameras = 2\ncount = 3").unwrap();
        assert_eq!(read("count = 3\ncameras = 2\nlike = 'a.mov'\nkind = 'editor'").unwrap(), first);
        let wrong = read("cameras = 'two'\nkind = 'editor'").unwrap_err().to_string();
        assert!(wrong.contains("invalid type: string \"two\""), "{wrong}");
    }
}
