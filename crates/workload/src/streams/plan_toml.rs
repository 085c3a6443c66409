//! Plans of actors as TOML, and the reader for plans of any kind.

use super::validation::of_actor;
use super::{StreamsError, StreamsPlan};
use crate::plan::{Plan, PlanError, check_version};
use crate::replay::ReplayPlan;
use crate::spelling::Spelling;

/// A plan of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyPlan {
    /// An access profile.
    Mix(Plan),
    /// Actors.
    Streams(StreamsPlan),
    /// A trace.
    Replay(ReplayPlan),
}

impl AnyPlan {
    /// Reads a plan and checks it. A plan with `[[actor]]` tables is one of streams.
    ///
    /// # Errors
    /// [`PlanError`] if the text is newer than this program, or is not a valid plan.
    pub fn from_toml(text: &str) -> Result<AnyPlan, PlanError> {
        check_version(text)?;
        let table: toml::Table = text.parse()?;
        if table.contains_key("replay") {
            // Other keys are refused as unknown.
            return ReplayPlan::from_toml(text).map(AnyPlan::Replay);
        }
        if table.contains_key(crate::watch::TABLE) {
            return Err(PlanError::Watch);
        }
        match (table.contains_key("actor"), table.contains_key("mix")) {
            (true, false) => StreamsPlan::from_toml(text).map(AnyPlan::Streams),
            (false, true) => Plan::from_toml(text).map(AnyPlan::Mix),
            (true, true) => Err(PlanError::Both),
            (false, false) => Err(PlanError::Nothing),
        }
    }
}

impl StreamsPlan {
    /// Reads a plan of actors from TOML and checks it. A setting without effect is refused by its key,
    /// even if it equals the default.
    ///
    /// # Errors
    /// As [`AnyPlan::from_toml`].
    pub fn from_toml(text: &str) -> Result<StreamsPlan, PlanError> {
        check_version(text)?;
        let plan: StreamsPlan = toml::from_str(text)?;
        plan.check_keys(&text.parse::<toml::Table>()?)?;
        plan.check_spelled(Spelling::File)?;
        Ok(plan)
    }

    /// The plan as TOML, without settings that have no effect, for [`StreamsPlan::from_toml`].
    ///
    /// # Errors
    /// If a path is not Unicode, which TOML does not support.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        let mut table = toml::Table::try_from(self)?;
        if self.find_max.is_some() {
            table.remove("scale");
        }
        Ok(toml::to_string_pretty(&table)?)
    }

    /// Fails for keys without effect. In the plan itself a default cannot be distinguished from an
    /// omitted key.
    fn check_keys(&self, table: &toml::Table) -> Result<(), PlanError> {
        if self.find_max.is_some() && table.contains_key("scale") {
            return Err(StreamsError::ScaleAndSearch.into());
        }
        let actors = table.get("actor").and_then(toml::Value::as_array);
        let tables = actors.into_iter().flatten().filter_map(toml::Value::as_table);
        for (index, (given, actor)) in tables.zip(&self.actors).enumerate() {
            let checked = actor.check_given(given, Spelling::File);
            checked.map_err(|problem| of_actor(problem.into(), index, actor.kind(), Spelling::File))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::pace::{Policy, ReadAhead};
    use crate::player::PlayerPlan;
    use crate::range::Ramp;
    use crate::recorder::RecorderPlan;
    use crate::scenario::scenarios;
    use crate::streams::{ActorPlan, Buffer, FindMaxPlan, Footage, Frames};
    use crate::units::Span;

    #[test]
    fn unknown_keys_are_refused() {
        let with = |line: &str| format!("{line}\n[[actor]]\nkind = \"copier\"\n");
        assert!(matches!(AnyPlan::from_toml(&with("")), Ok(AnyPlan::Streams(_))));
        let wrong = AnyPlan::from_toml(&with("colour = 1")).unwrap_err().to_string();
        assert!(wrong.contains("colour"), "{wrong}");
        assert_eq!(AnyPlan::from_toml(&with("plan_version = 99")), Err(PlanError::Newer(99)));
        assert!(AnyPlan::from_toml("[[actor]]\nkind = \"dreamer\"\n").is_err());
        assert!(AnyPlan::from_toml("no toml at all").is_err());
    }

    #[test]
    fn plan_without_actors_is_refused() {
        let mut printed = Vec::<String>::new();
        for text in ["", "plan_version = 1", "[[actors]]\nkind = 'copier'"] {
            let said = AnyPlan::from_toml(text).unwrap_err().to_string();
            printed.push(said.to_string());
            // The example in the error message is itself a valid plan.
            let (_, example) = said.split_once("Add at least").unwrap();
            assert!(matches!(AnyPlan::from_toml(example), Ok(AnyPlan::Streams(_))), "{example}");
        }
        let both = AnyPlan::from_toml("[[actor]]\nkind = 'copier'\n[mix]\nwrites = 50");
        assert_eq!(both, Err(PlanError::Both));
        assert_eq!(AnyPlan::from_toml("plan_version = 2"), Err(PlanError::Newer(2)));
        insta::assert_snapshot!(printed.join("\n"));
    }

    /// An actor of each kind with all its settings, and the keys that are written for it.
    const FULL: [(&str, &str); 9] = [
        (
            "kind = 'player'\nformat = 'prores-422-hq-uhd-25'\nfps = 24\nclip = '2s'\nread_ahead = 'closed'",
            "kind count format fps clip buffer policy read_ahead",
        ),
        (
            "kind = 'recorder'\nformat = 'prores-422-hq-uhd-25'\nsync_every = '1s'\npreallocated = false",
            "kind count format clip buffer policy sync_every preallocated",
        ),
        (
            "kind = 'recorder'\nformat = 'dpx-10-bit-rgb-uhd-24'\nbuffer = '1s'",
            "kind count format clip buffer policy",
        ),
        (
            "kind = 'editor'\ncameras = 4\nlike = '/footage/a.mov'\npolicy = 'drop'\ncriteria = 'late=2'",
            "kind count like buffer policy cameras criteria",
        ),
        (
            "kind = 'transcoder'\nown_format = { name = 'x', mbit_per_s = 220.5, fps = 25 }\noutput_format = \
             'prores-422-proxy-hd-25'",
            "kind count own_format output_format clip",
        ),
        ("kind = 'copier'\nblock = '1MiB'\nfile_size = '1GiB'", "kind count block file_size"),
        ("kind = 'camera'\nfiles = 11\nops_per_s = 9.0", "kind count file_size files ops_per_s"),
        ("kind = 'companion'\nfile_size = '1GiB'", "kind count file_size files"),
        (
            "kind = 'mix'\nmix = { profile = 'x', max_length = '8MiB', blocks = '1MiB', writes = 50, random = 0, \
             max_delay = '0s', file_size = '16MiB', sync = 'none' }",
            "kind count mix",
        ),
    ];

    /// Like `run`: reads a plan, sets a target, writes it, and reads it again. Returns the written
    /// actors.
    fn written_and_read_back(text: &str) -> Vec<toml::Table> {
        let mut plan = StreamsPlan::from_toml(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        plan.target = PathBuf::from("/mnt/nas");
        let written = plan.to_toml().unwrap();
        assert_eq!(StreamsPlan::from_toml(&written).as_ref(), Ok(&plan), "{written}");
        let table: toml::Table = written.parse().unwrap();
        let actors = table["actor"].as_array().unwrap().iter();
        actors.map(|actor| actor.as_table().unwrap().clone()).collect()
    }

    #[test]
    fn plan_is_written_without_ineffective_settings() {
        for (actor, keys) in FULL {
            let written = written_and_read_back(&format!("[[actor]]\n{actor}\n"));
            let mut written: Vec<&str> = written[0].keys().map(String::as_str).collect();
            let mut keys: Vec<&str> = keys.split(' ').collect();
            assert_eq!(written.first(), Some(&"kind"));
            written.sort_unstable();
            keys.sort_unstable();
            assert_eq!(written, keys, "{actor}");
        }
        let mix = written_and_read_back(&format!("[[actor]]\n{}\n", FULL[8].0)).remove(0);
        assert!(!mix["mix"].as_table().unwrap().contains_key("direct"), "{mix:?}");
        let search = StreamsPlan::from_toml("find_max = {}\n[[actor]]\nkind = 'copier'").unwrap();
        assert!(!search.to_toml().unwrap().contains("scale"));
    }

    #[test]
    fn every_scenario_is_written_and_read_back() {
        for scenario in scenarios() {
            let plan = scenario.plan().unwrap();
            for (written, actor) in written_and_read_back(scenario.text).iter().zip(&plan.actors) {
                assert_eq!(actor.check_given(written, Spelling::File), Ok(()), "{}", scenario.name);
            }
        }
    }

    #[test]
    fn ineffective_key_is_refused_even_with_its_default() {
        let mix = FULL[8].0;
        let mix_with = |line: &str| mix.replace("sync = 'none'", &format!("sync = 'none', {line}"));
        let cases = [
            ("kind = 'copier'\nbuffer = '1s'".to_owned(), "buffer has no effect on a copier"),
            ("kind = 'copier'\nfiles = 11".to_owned(), "files has no effect on a copier"),
            ("kind = 'camera'\npolicy = 'drop'".to_owned(), "policy has no effect on a camera"),
            ("kind = 'mix'\nformat = 'x'".to_owned(), "format has no effect on a mix"),
            (format!("{}\npreallocated = false", FULL[0].0), "preallocated has no effect on a player"),
            (format!("{}\ncameras = 4", FULL[1].0), "cameras has no effect on a recorder"),
            (
                format!("{}\npreallocated = false", FULL[2].0),
                "preallocated has no effect with one file per frame",
            ),
            (format!("{}\nread_ahead = 'closed'", FULL[3].0), "read_ahead has no effect on an editor"),
            (format!("{}\nclip = '10s'", FULL[3].0), "clip has no effect with your own files"),
            (format!("{}\nbuffer = '1s'", FULL[4].0), "buffer has no effect on a transcoder"),
            (format!("{mix}\nfile_size = '1GiB'"), "file_size has no effect in an actor with a mix table"),
            (mix_with("direct = true"), "mix.direct has no effect in an actor"),
            (mix_with("files = 1"), "mix.files has no effect in an actor"),
            (mix_with("shared_file = false"), "mix.shared_file has no effect in an actor"),
            (mix_with("no_repeat = false"), "mix.no_repeat has no effect in an actor"),
        ];
        for (actor, said) in cases {
            let text = format!("[[actor]]\nkind = 'copier'\n\n[[actor]]\n{actor}\n");
            let error = StreamsPlan::from_toml(&text).unwrap_err().to_string();
            assert!(error.starts_with("actor 2 (") && error.contains(said), "{text}{error}");
        }
        let search = "scale = '1'\nfind_max = {}\n[[actor]]\nkind = 'copier'";
        assert_eq!(StreamsPlan::from_toml(search), Err(StreamsError::ScaleAndSearch.into()));
    }

    #[test]
    fn plan_error_names_actor_and_key() {
        let format = "format = 'prores-422-hq-uhd-25'";
        let cases = [
            (format!("kind = 'player'\n{format}\nbuffer = '0s'"), "actor 2 (player): buffer is 0: "),
            (format!("kind = 'player'\n{format}\ncount = 0"), "actor 2 (player): count = 0 leaves no player"),
            (
                format!("kind = 'recorder'\n{format}\nsync_every = '0s'"),
                "actor 2 (recorder): sync_every is 0",
            ),
            (
                format!("kind = 'editor'\n{format}\ncameras = 65"),
                "actor 2 (editor): cameras must be at most 64",
            ),
            ("kind = 'editor'".to_owned(), "actor 2 (editor): an editor needs a format"),
            (
                "kind = 'editor'".to_owned(),
                "Add format = \"ID\" ('reelgauge formats WORDS' finds one) or like = \"FILE\"",
            ),
            (
                "kind = 'copier'\nblock = '100B'".to_owned(),
                "actor 2 (copier): a block of 100B is outside 512B to 64MiB. Choose block",
            ),
            ("kind = 'copier'\nfile_size = '4KiB'".to_owned(), "Use a larger file_size or smaller block"),
            (
                "kind = 'camera'\nfile_size = '4KiB'".to_owned(),
                "actor 2 (camera): file_size 4KiB is less than",
            ),
            (
                "kind = 'camera'\nops_per_s = 1e6".to_owned(),
                "actor 2 (camera): ops_per_s is not a rate from 0.001 to 100000",
            ),
            (
                "kind = 'mix'\nfile_size = '64KiB'".to_owned(),
                "actor 2 (mix): a block of 1MiB is larger than the file of 64KiB",
            ),
            (
                FULL[8].0.replace("'none'", "'block'").replace("50", "0"),
                "actor 2 (mix): sync has no effect when nothing is written. Omit it, or set writes",
            ),
        ];
        for (actor, said) in cases {
            let text = format!("[[actor]]\nkind = 'copier'\n\n[[actor]]\n{actor}\n");
            let error = StreamsPlan::from_toml(&text).unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains("--"), "{text}{error}");
        }
        for (line, said) in [
            ("duration = '0s'", "like duration = \"30s\""),
            ("hang_after = '0s'", "hang_after is 0"),
            ("find_max = { time_max = '0s' }", "time_max = \"0s\" leaves no time"),
        ] {
            let error = StreamsPlan::from_toml(&format!("{line}\n[[actor]]\nkind = 'copier'")).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }

    fn actor() -> impl Strategy<Value = ActorPlan> {
        let buffer = prop_oneof![
            (1_u32..500).prop_map(Buffer::Frames),
            (1_u64..5000).prop_map(|ms| Buffer::Time(Span(ms * 1_000_000))),
        ];
        (1_u32..9, buffer, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
            |(count, buffer, stall, open, records)| {
                let footage = Footage::listed("prores-422-hq-uhd-25");
                let policy = if stall { Policy::Stall } else { Policy::Drop };
                let frames = Frames { buffer, policy, ..Frames::default() };
                let read_ahead = if open { ReadAhead::Open } else { ReadAhead::Closed };
                let sync_every = Some(Span::secs(2));
                let actor: ActorPlan = match records {
                    true => RecorderPlan { footage, frames, sync_every, preallocated: open }.into(),
                    false => PlayerPlan { footage, frames, read_ahead }.into(),
                };
                let criteria = if stall { "late=2".to_owned() } else { String::new() };
                ActorPlan { count, criteria, ..actor }
            },
        )
    }

    proptest! {
        #[test]
        fn plan_round_trips_through_toml(
            actors in prop::collection::vec(actor(), 1..4), seed in 0..1_u64 << 53, searches in any::<bool>(),
        ) {
            let plan = StreamsPlan {
                actors,
                seed,
                target: PathBuf::from("/mnt/nas"),
                scale: if searches { Ramp(vec![1]) } else { Ramp(vec![1, 3, 9]) },
                find_max: searches.then(FindMaxPlan::default),
                ..StreamsPlan::default()
            };
            let text = plan.to_toml().unwrap();
            prop_assert_eq!(StreamsPlan::from_toml(&text).unwrap(), plan);
        }
    }
}
