//! Tests of plans that exceed the owner's limits.

#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

struct Scene {
    folder: tempfile::TempDir,
    roots: Roots,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for dir in ["nas/show", "nas-secret", "etc", "spool"] {
            fs::create_dir_all(top.join(dir)).unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(top.join("etc"), top.join("nas/way-out")).unwrap();
        let roots = Roots::new(&[top.join("nas")]).unwrap();
        Scene { folder, roots }
    }

    fn path(&self, path: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(path).display().to_string()
    }

    fn admit(&self, plan: &str, limits: &OwnerLimits) -> Result<AnyPlan, LimitError> {
        let plan = AnyPlan::from_toml(plan).unwrap();
        admit(plan, &self.roots, Some(Path::new(&self.path("spool"))), limits)
    }
}

fn players(target: &str, more: &str) -> String {
    format!(
        "plan_version = 1\ntarget = '{target}'\nwarmup = '1s'\nduration = '9s'\nscale = \
         '1'\n{more}\n[[actor]]\n\
         kind = 'player'\nformat = 'prores-422-hq-uhd-25'\nclip = '2s'\n"
    )
}

/// Clips of two seconds at 92.1 MB/s, and ten seconds of time.
const CLIP_BYTES: u64 = 185_000_000;

#[test]
fn a_plan_below_a_root_is_admitted_with_its_paths_resolved() {
    let scene = Scene::new();
    let plan = players(&scene.path("nas/./show"), "");
    let AnyPlan::Streams(plan) = scene.admit(&plan, &OwnerLimits::default()).unwrap() else {
        panic!("another kind")
    };
    assert_eq!(plan.target, Path::new(&scene.path("nas/show")));
}

#[cfg(unix)]
#[test]
fn plan_paths_outside_the_roots_are_refused() {
    let scene = Scene::new();
    let outside = |what: &str, plan: &str| match scene.admit(plan, &OwnerLimits::default()) {
        Err(LimitError::Path { what: found, .. }) => assert_eq!(found, what, "{plan}"),
        other => panic!("{plan}: {other:?}"),
    };
    for target in ["etc", "nas-secret", "nas/../etc", "nas/way-out", "nas/way-out/new"] {
        outside("target", &players(&scene.path(target), ""));
    }
    outside("target", &players("nas/show", ""));
    let inside = scene.path("nas/show");
    outside("read_from", &players(&inside, &format!("read_from = '{}'", scene.path("etc"))));
    let footage = format!(
        "plan_version = 1\ntarget = '{inside}'\n[[actor]]\nkind = 'player'\nlike = '{}'\n",
        scene.path("nas/way-out/a.mov")
    );
    outside("like", &footage);
    let replay = |trace: &str| {
        format!(
            "plan_version = 1\ntarget = '{inside}'\nseed = 1\n[replay]\ntrace = '{}'\n",
            scene.path(trace)
        )
    };
    for trace in ["etc/trace", "spool/../etc", "spool", "nas/way-out/trace"] {
        outside("trace", &replay(trace));
    }
    // A trace that the controller sent is inspected; this folder contains none.
    fs::create_dir(scene.path("spool/trace")).unwrap();
    let sent = scene.admit(&replay("spool/trace"), &OwnerLimits::default());
    assert!(matches!(sent, Err(LimitError::Plan(_))), "{sent:?}");
}

#[test]
fn a_plan_takes_no_more_than_is_allowed() {
    let scene = Scene::new();
    let plan = players(&scene.path("nas"), "");
    let bytes = |space_bytes| OwnerLimits { space_bytes: Some(space_bytes), ..OwnerLimits::default() };
    let time = |s: u64| OwnerLimits { duration_ns: Some(s * 1_000_000_000), ..OwnerLimits::default() };
    assert!(scene.admit(&plan, &bytes(2 * CLIP_BYTES)).is_ok());
    let error = scene.admit(&plan, &bytes(CLIP_BYTES / 2)).unwrap_err();
    assert!(error.to_string().contains("--max-space"), "{error}");
    assert!(scene.admit(&plan, &time(10)).is_ok());
    let error = scene.admit(&plan, &time(9)).unwrap_err();
    assert!(error.to_string().contains("--max-duration"), "{error}");
    let read_only = OwnerLimits { read_only: true, ..OwnerLimits::default() };
    assert!(matches!(scene.admit(&plan, &read_only), Err(LimitError::Writes)));
    assert!(fs::read_dir(scene.path("nas/show")).unwrap().next().is_none(), "nothing was made");
}

#[test]
fn watch_is_limited_to_the_roots_and_the_allowed_time() {
    let scene = Scene::new();
    let watch = |path: &str| {
        let mut plan = WatchPlan::default();
        plan.watch.path = Some(scene.path(path).into());
        plan
    };
    let time = OwnerLimits { duration_ns: Some(9_000_000_000), ..OwnerLimits::default() };
    let admitted = admit_watch(watch("nas/show"), &scene.roots, &time).unwrap();
    assert_eq!(admitted.watch.duration, Some(Span::secs(9)));
    let longer = OwnerLimits::default();
    assert_eq!(admit_watch(watch("nas"), &scene.roots, &longer).unwrap().watch.duration, None);
    for path in ["nas-secret", "nas/way-out", "etc", "nas/../etc"] {
        let refused = admit_watch(watch(path), &scene.roots, &longer);
        assert!(matches!(refused, Err(LimitError::Path { .. })), "{path}");
    }
}

#[test]
fn unknown_demands_fit_no_limit() {
    let limits =
        OwnerLimits { space_bytes: Some(u64::MAX), duration_ns: Some(u64::MAX), ..OwnerLimits::default() };
    let known = Forecast {
        time: TimeAhead::Planned { s: 1.0 },
        least_files_bytes: 0,
        most_files_bytes: 0,
        new_files_bytes: 0,
        load: LoadAhead::AtMost(0),
        memory_bytes: 0,
        max_bytes_per_s: None,
    };
    assert!(limits.check(&known).is_ok());
    let unbounded = Forecast { load: LoadAhead::Unbounded, ..known };
    assert!(matches!(limits.check(&unbounded), Err(LimitError::Space { needed: None, .. })));
    let longer = TimeAhead::Between { least_s: 1.0, most_s: 2.0, or_longer: true };
    for time in [TimeAhead::Unknown, longer] {
        let error = limits.check(&Forecast { time, ..known });
        assert!(matches!(error, Err(LimitError::Duration { needed: None, .. })), "{time:?}");
    }
    let shorter = TimeAhead::Between { least_s: 1.0, most_s: 2.0, or_longer: false };
    assert!(limits.check(&Forecast { time: shorter, ..known }).is_ok());
    assert!(OwnerLimits::default().check(&Forecast { time: TimeAhead::Unknown, ..unbounded }).is_ok());
    // Under a read-only limit, even writes without a known bound are refused.
    let read_only = OwnerLimits { read_only: true, ..OwnerLimits::default() };
    assert!(matches!(read_only.check(&unbounded), Err(LimitError::Writes)));
    assert!(read_only.check(&known).is_ok());
}
