//! An attacker who may write in the target swaps directories of the area for symbolic links, or files
//! for hard links, repeatedly during a run of root's. The links lead to a place where only root may
//! write, and everything there stays unchanged.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Outcome, Running};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{Need, are_met, is_soak};
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::tree::{Tree, tree};
use reelgauge_tests::verb::Verb;

const AREA: &str = "reelgauge-area";
/// A format of one file per frame, of a modest rate.
const FRAMES: &str = "cinemadng-12-bit-uncompressed-hd-24";
/// The least number of swaps during a verb.
fn swaps_at_least() -> u64 {
    if is_soak() { 1000 } else { 250 }
}

/// Limit for a verb that makes no progress at all.
const LONGEST: Duration = Duration::from_secs(150);

/// Swaps directories below the current one for links into a folder, or files for hard links to a
/// precious one in it, each for a moment and until it is stopped. Then prints how often it did.
const ATTACKER: &str = r#"
import os, random, signal, sys, time
what, victim, goes_on, swaps = sys.argv[1], sys.argv[2], True, 0
def end(*_):
    global goes_on
    goes_on = False
signal.signal(signal.SIGTERM, end)
def directories():
    found = [os.path.join(above, name) for above, names, _ in os.walk("reelgauge-area") for name in names]
    return ["reelgauge-area"] + [path for path in found if not path.endswith(".away")]
def files():
    found = [os.path.join(above, name) for above, _, names in os.walk("reelgauge-area") for name in names]
    return [path for path in found if not path.endswith((".away", "lock", "marker", ".toml", ".json"))]
def link(path):
    if what == "files":
        os.link(os.path.join(victim, "precious"), path)
    else:
        os.symlink(os.path.join(victim, path), path)
while goes_on:
    found = files() if what == "files" else directories()
    for path in random.choices(found or [None], k=30):
        if not goes_on or path is None:
            break
        try:
            os.rename(path, path + ".away")
        except OSError:
            continue
        try:
            link(path)
            swaps += 1
            # A link that goes as it is looked at is as bad as one that stays for a while.
            time.sleep(random.random() * (random.choice((0.0002, 0.005)) if what == "files" else 0.001))
            os.unlink(path)
        except OSError:
            pass
        try:
            os.rename(path + ".away", path)
        except OSError:
            pass
print(swaps)
"#;

/// An attacker in a target.
struct Attacker(Child);

impl Attacker {
    /// Without privileges.
    fn on(target: &Path, victim: &Path) -> Attacker {
        let mut somebody = Command::new("setpriv");
        somebody.args(["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c"]);
        Attacker::start(somebody.args([ATTACKER, "directories"]), target, victim)
    }

    /// With the right to link to everything, as users have on a server that others mount from, and on systems
    /// that don't restrict it.
    fn linking(target: &Path, victim: &Path) -> Attacker {
        let mut somebody = Command::new("/usr/bin/python3");
        Attacker::start(somebody.args(["-c", ATTACKER, "files"]), target, victim)
    }

    fn start(somebody: &mut Command, target: &Path, victim: &Path) -> Attacker {
        somebody.arg(victim).current_dir(target).stdin(Stdio::null()).stdout(Stdio::piped());
        Attacker(somebody.spawn().unwrap())
    }

    /// Stops it. Returns the number of swapped directories.
    fn end(self) -> u64 {
        tool(&format!("kill -TERM {}", self.0.id()));
        let said = self.0.wait_with_output().unwrap();
        String::from_utf8(said.stdout).unwrap().trim().parse().unwrap()
    }
}

/// A world-writable target, as shared storage often is.
fn shared(folder: &Path, name: &str) -> PathBuf {
    let target = folder.join(name);
    std::fs::create_dir(&target).unwrap();
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o777)).unwrap();
    target
}

/// Starts a verb whose directories are world-writable, too.
fn start(verb: &Verb) -> Running {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(binary::path());
    let mut words = verb.words();
    words.push("--shared-target".into());
    binary::start_by(shell, words)
}

/// A copy of the area's content during an undisturbed run, in a folder that only root may write.
fn precious(scratch: &Scratch, folder: &Path, verb: &dyn Fn(&Path) -> Verb) -> (PathBuf, Tree) {
    let calm = shared(folder, "calm");
    let undisturbed = verb(&calm);
    let mut running = start(&undisturbed);
    undisturbed.until_measuring(&mut running);
    std::thread::sleep(Duration::from_millis(300));
    let victim = scratch.dir("victim");
    std::fs::set_permissions(&victim, PermissionsExt::from_mode(0o700)).unwrap();
    // Files that are created or removed during the copy may be missing.
    let copy = format!("cp -r {} {} 2>/dev/null || true", calm.join(AREA).display(), victim.display());
    assert!(Command::new("sh").args(["-c", &copy]).status().unwrap().success());
    // Its exit status does not matter here.
    let outcome = running.wait(Duration::from_secs(60));
    assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.said());
    let before = tree(&victim, &[]);
    assert!(before.len() > 4, "{before:?}");
    (victim, before)
}

/// Runs a verb repeatedly, each time with an attacker in its target, until enough entries were swapped.
/// Calls `look` after each run.
fn besiege(
    folder: &Path,
    verb: &dyn Fn(&Path) -> Verb,
    attack: &dyn Fn(&Path) -> Attacker,
    look: &dyn Fn(&Outcome),
) {
    let (mut swaps, mut round, begun) = (0, 0, Instant::now());
    while swaps < swaps_at_least() && begun.elapsed() < LONGEST {
        round += 1;
        let target = shared(folder, &format!("round-{round}"));
        let attacked = verb(&target);
        let mut running = start(&attacked);
        running.until(Duration::from_secs(20), |_| target.join(AREA).exists()).unwrap();
        let attacker = attack(&target);
        let outcome = running.wait(Duration::from_secs(60));
        swaps += attacker.end();
        println!("{swaps} swaps, exit code {:?}", outcome.code);
        assert!(!outcome.stderr.contains("panicked"), "{}", outcome.said());
        look(&outcome);
        let _ = std::fs::remove_dir_all(&target);
    }
    assert!(swaps >= swaps_at_least(), "only {swaps} swaps");
}

/// Swaps directories for links to a place where only root may write.
fn attack(folder: &Path, verb: &dyn Fn(&Path) -> Verb) {
    let scratch = Scratch::new();
    let (victim, before) = precious(&scratch, folder, verb);
    besiege(folder, verb, &|target| Attacker::on(target, &victim), &|outcome| {
        let after = tree(&victim, &[]);
        assert!(after == before, "what only root may write was changed\n{}", outcome.said());
    });
}

/// Swaps files for hard links to a precious one.
fn link(verb: &dyn Fn(&Path) -> Verb) {
    let mount = TempMount::image(ImageKind::Ext4, 900);
    let victim = mount.path().join("victim");
    std::fs::create_dir(&victim).unwrap();
    std::fs::set_permissions(&victim, PermissionsExt::from_mode(0o700)).unwrap();
    let (precious, content) = (victim.join("precious"), vec![7; 8 << 20]);
    std::fs::write(&precious, &content).unwrap();
    besiege(mount.path(), verb, &|target| Attacker::linking(target, &victim), &|outcome| {
        assert!(!outcome.said().contains("dmesg"), "{}", outcome.said());
        // The attacker may change its link count.
        let is_whole = std::fs::read(&precious).unwrap() == content;
        assert!(is_whole, "what only root may write was changed\n{}", outcome.said());
    });
}

fn on_ext4(verb: &dyn Fn(&Path) -> Verb) {
    let mount = TempMount::image(ImageKind::Ext4, 900);
    attack(mount.path(), verb);
}

fn drivers(verb: &dyn Fn(&Path) -> Verb) {
    for driver in ["threads", "uring"] {
        println!("{driver}");
        on_ext4(&|target| verb(target).with(&["--driver", driver]));
    }
}

/// Through a mount, where the attacker may redirect every access in between.
fn on_sshfs(verb: &dyn Fn(&Path) -> Verb) {
    let sshfs = Sshfs::for_all(2000);
    attack(sshfs.path(), verb);
}

#[test]
fn a_mix_and_recorders_on_sshfs() {
    require!(Need::Root, Need::Tool("setpriv"), Need::SystemPython("os"));
    if !are_met(sshfs::NEEDS) {
        return;
    }
    on_sshfs(&|target: &Path| {
        let mix = Mix::on(target).with(&["--buffered", "--duration", "2s", "--files", "8"]);
        Verb::from(mix.with(&["--file-size", "1MiB"]))
    });
    on_sshfs(&|target: &Path| {
        let streams = Verb::on("streams", target).with(&["--actor", "recorder", "--format", SMALL.id]);
        streams.with(&["--count", "1", "--duration", "2s", "--warmup", "0s", "--clip", "1s", "--buffered"])
    });
}

#[test]
fn a_mix_that_verifies() {
    require!(Need::Root, Need::Tool("setpriv"), Need::SystemPython("os"));
    let mix = |target: &Path| {
        Verb::from(Mix::on(target).with(&["--buffered", "--duration", "1s", "--verify", "--files", "8"]))
    };
    drivers(&mix);
}

#[test]
fn recorders_of_movies_and_of_one_file_per_frame() {
    require!(Need::Root, Need::Tool("setpriv"), Need::SystemPython("os"));
    for format in [SMALL.id, FRAMES] {
        println!("{format}");
        drivers(&|target: &Path| {
            let streams = Verb::on("streams", target).with(&["--actor", "recorder", "--format", format]);
            streams.with(&["--count", "2", "--duration", "2s", "--warmup", "0s", "--clip", "1s"])
        });
    }
}

#[test]
fn files_swapped_for_hard_links_are_not_written_in() {
    require!(Need::Root, Need::SystemPython("os"));
    for driver in ["threads", "uring"] {
        println!("{driver}");
        let with = |verb: Verb| verb.with(&["--driver", driver]);
        link(&|target: &Path| {
            let mix = Mix::on(target).with(&["--buffered", "--duration", "1s", "--files", "8"]);
            with(Verb::from(mix.with(&["--file-size", "1MiB"])))
        });
        link(&|target: &Path| {
            let streams = Verb::on("streams", target).with(&["--actor", "recorder", "--format", FRAMES]);
            with(streams.with(&["--count", "2", "--duration", "2s", "--warmup", "0s", "--clip", "1s"]))
        });
    }
}

#[test]
fn vda() {
    require!(Need::Root, Need::Tool("setpriv"), Need::SystemPython("os"));
    drivers(&|target: &Path| {
        let vda = Verb::on("vda", target).with(&["--points", "1", "--file-size", "2MiB", "--files", "2"]);
        vda.with(&["--duration", "2s", "--warmup", "0s"])
    });
}

#[test]
fn a_replay_that_makes_and_removes_files() {
    require!(Need::Root, Need::Tool("setpriv"), Need::SystemPython("os"));
    let scratch = Scratch::new();
    let recorded = Verb::on("streams", scratch.dir("recorded"));
    let recorded = recorded.with(&["--actor", "recorder", "--format", FRAMES, "--count", "2"]);
    let recorded = recorded.with(&["--duration", "2s", "--warmup", "0s", "--clip", "1s"]);
    assert!(matches!(recorded.run().code, Some(0 | 1)));
    let trace = recorded.run_dir();
    drivers(&|target: &Path| Verb::on("replay", &trace).operand(target));
}
