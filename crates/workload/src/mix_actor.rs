//! A mix among the actors of a plan: one client of the EBU access profile ([`crate::mix`]) on a separate
//! file. Direct I/O and the duration are those of the plan.

use crate::media::Media;
use crate::mix::{MixFile, MixScript};
use crate::plan::MixPlan;
use crate::profile::Profile;
use crate::streams::actor::{Actor, ActorFacts, ActorScript, Instance, InstanceNeeds, Outline};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::units::Size;

pub(crate) const FACTS: ActorFacts = ActorFacts {
    is_offered: false,
    ..ActorFacts::of("mix", "reads and writes randomly, like the EBU access profile")
};

settings! {
    /// Mixes among the actors of a plan.
    pub struct MixActorPlan {
        /// The size of its file, unless a profile sets it.
        file_size: Size = Size::mib(1024),
        /// The access profile; without it, `production-edit`.
        mix: Option<MixPlan> = None,
    }
}

impl MixActorPlan {
    /// Its profile, or the default if it names none.
    fn profile(&self) -> MixPlan {
        self.mix.clone().unwrap_or_else(|| {
            let usual = Profile::named("production-edit").map(|profile| profile.plan()).unwrap_or_default();
            MixPlan { file_size: self.file_size, ..usual }
        })
    }
}

impl Actor for MixActorPlan {
    /// Checks that the profile matches its file.
    fn check(&self, check: &Check) -> Checked {
        let profile = self.profile();
        profile.check_combination(check.spelling)?;
        profile.check_sizes(check.spelling)
    }

    fn outline(&self, _media: Option<&Media>) -> Outline<'_> {
        let profile = self.profile();
        let has_own_size = self.mix.is_some();
        let size = has_own_size.then_some(("file_size", "in an actor with a mix table, which has its own"));
        let of_profile = [
            ("mix.files", "in an actor, which has its own file"),
            ("mix.shared_file", "in an actor, which has its own file"),
            ("mix.no_repeat", "in an actor, which runs until the load point ends"),
            ("mix.direct", "in an actor, because the plan's own setting applies to all"),
        ];
        Outline {
            needs: InstanceNeeds::files(1, profile.file_size),
            written_bytes_per_s: (profile.writes.ppm() == 0).then_some(0.0),
            idle: size.into_iter().chain(of_profile).collect(),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let profile = MixPlan { direct: instance.direct, ..self.profile() };
        let file = MixFile { file: instance.prepared(), size_bytes: profile.file_size.bytes() };
        Some(Box::new(MixScript::new(instance.first_stream, instance.seed, profile.shape(), &[file])))
    }
}

impl ActorScript for MixScript {}
