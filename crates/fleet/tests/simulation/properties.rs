//! Properties that must hold in every world.

use super::agent::Machine;
use super::world::{END_NS, MS, POINTS, RUN, SEARCH_CAP, SECOND, STEP_NS, World};
use reelgauge_fleet::controller::conduct::WhyStopped;
use reelgauge_fleet::protocol::{LATE_MOST, LEASE, START_AHEAD};
use reelgauge_fleet::search::share_of;

/// The number of worlds with an outage of each length in a plain test run.
const OUTAGES: u64 = 150;
/// The number of worlds in a plain test run.
const SEEDS: u64 = 1_500;

/// The requested worlds, or this number.
fn seeds(count: u64) -> std::ops::RangeInclusive<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match number("REELGAUGE_SEED") {
        Some(seed) => seed..=seed,
        None => 1..=number("REELGAUGE_SEEDS").unwrap_or(count),
    }
}

fn live_through(world: World) -> World {
    let mut world = world;
    let mut missed_ns = vec![None; world.agents.len()];
    while world.now_ns < END_NS && world.ended_ns.is_none_or(|ended_ns| world.now_ns < ended_ns + 10 * SECOND)
    {
        world.step();
        for (at, missed_ns) in missed_ns.iter_mut().enumerate() {
            no_load_without_a_lease(&world, at);
            who_is_missing_does_not_go_on(&world, at, missed_ns);
        }
    }
    assert!(world.ended_ns.is_some(), "the run comes to its end: {:#?}", world.desk.run);
    for machine in &world.agents {
        each_load_point_begins_once_and_in_time(&world, machine);
        nothing_measured_is_lost_or_doubled(&world, machine);
        who_was_missing_is_named(&world, machine);
        nothing_is_measured_in_a_pause(&world, machine);
        what_is_told_of_times_is_so(&world, machine);
    }
    what_was_found_is_so(&world);
    no_load_point_is_agreed_upon_while_a_pause_is_wanted(&world);
    who_stopped_everybody_is_named(&world);
    world
}

/// Load continues no longer than the lease after the last beat that the controller answered. If the
/// agent's process is frozen, work that it had just begun has the same time.
fn no_load_without_a_lease(world: &World, at: usize) {
    let machine = &world.agents[at];
    let Some(runner) = machine.runner.as_ref().filter(|runner| runner.is_loading()) else { return };
    let lease_ns = LEASE.as_nanos() as i64 + STEP_NS;
    let since_answer_ns = world.now_ns - world.answered_ns[at];
    let since_begin_ns = world.now_ns - runner.begun_ns;
    let is_frozen = !machine.is_awake(world.now_ns);
    assert!(
        since_answer_ns <= lease_ns || is_frozen && since_begin_ns <= lease_ns,
        "{} loads {since_answer_ns} ns after its last beat that was answered, {since_begin_ns} ns after its begin",
        machine.name
    );
}

/// No controller prolongs the load of an agent that is missing, even if it is heard again: its figures
/// are excluded, and its load would disturb the others.
fn who_is_missing_does_not_go_on(world: &World, at: usize, missed_ns: &mut Option<i64>) {
    let machine = &world.agents[at];
    let members = world.desk.run.iter().flat_map(|run| &run.conduct.members);
    let is_missing =
        members.into_iter().any(|member| member.part.agent == machine.name && member.missing.is_some());
    let since_ns = *missed_ns.get_or_insert(world.now_ns);
    if !is_missing {
        // A controller that no longer runs prolongs no load, either.
        *missed_ns = None;
        return;
    }
    let Some(runner) = machine.runner.as_ref().filter(|runner| runner.is_loading()) else { return };
    // A message in flight extends the load by one lease, and so does work that a frozen process had just
    // begun.
    let lease_ns = LEASE.as_nanos() as i64 + STEP_NS;
    let is_frozen = !machine.is_awake(world.now_ns) && world.now_ns - runner.begun_ns <= lease_ns;
    let going_on_ns = world.now_ns - since_ns;
    assert!(
        going_on_ns <= 2 * lease_ns || is_frozen,
        "{} goes on {going_on_ns} ns after it was found missing",
        machine.name
    );
}

fn each_load_point_begins_once_and_in_time(world: &World, machine: &Machine) {
    let truth = &machine.truth;
    assert!(truth.begun.len() <= 1, "{} began {:?}", machine.name, truth.begun);
    for (number, &(point, begun_ns)) in truth.started.iter().enumerate() {
        assert_eq!(usize::from(point), number, "{} began {:?}", machine.name, truth.started);
        // An agent that was out of reach when a start was postponed began at the earlier time.
        let agreed = world.agreed_ns[&point].iter();
        let agreed_ns = *agreed.min_by_key(|at_ns| (begun_ns - **at_ns).abs()).expect("it was agreed upon");
        // The clocks' offset is known to half a round trip at worst, and a round trip that counts is a
        // quick one.
        let clocks_ns = if world.is_calm { 21 * MS as i64 } else { 4_600 * MS as i64 };
        let late_ns = begun_ns - agreed_ns;
        let most_ns = LATE_MOST.as_nanos() as i64 + clocks_ns + STEP_NS;
        assert!(
            (-clocks_ns..=most_ns).contains(&late_ns),
            "{} began {point} {late_ns} ns late",
            machine.name
        );
    }
}

/// Whatever the wall clocks did and however long messages took, each start is within the reported
/// uncertainty of the reported time.
fn what_is_told_of_times_is_so(world: &World, machine: &Machine) {
    let run = world.desk.run.as_ref().expect("the controller came back");
    let member = run.conduct.members.iter().find(|member| member.part.agent == machine.name);
    let Some(state) = member.and_then(|member| member.state.as_ref()) else { return };
    for start in &state.times.starts {
        let Some(clock) = start.clock else { panic!("{}: nobody knows how well it began", machine.name) };
        let told_ns = start.begun_ns - clock.offset_ns;
        let truth = machine.truth.started.iter().find(|(point, _)| *point == start.point);
        let Some((_, begun_ns)) = truth else { panic!("{}: it did not begin {start:?}", machine.name) };
        let off_ns = told_ns - begun_ns;
        assert!(off_ns.abs() <= clock.uncertainty_ns + 2, "{}: off by {off_ns} ns, {start:?}", machine.name);
    }
}

fn nothing_measured_is_lost_or_doubled(world: &World, machine: &Machine) {
    let fetched = world.desk.files.get(&(machine.name.clone(), "log".to_owned()));
    let fetched = fetched.map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();
    let measured = String::from_utf8_lossy(&machine.truth.log);
    assert_eq!(fetched, measured, "what {} measured", machine.name);
    assert!(
        !machine.disk.contains_key(RUN) || measured.is_empty(),
        "{} keeps what was fetched",
        machine.name
    );
}

fn who_was_missing_is_named(world: &World, machine: &Machine) {
    let run = world.desk.run.as_ref().expect("the controller came back");
    let member = run.conduct.members.iter().find(|member| member.part.agent == machine.name);
    let member = member.expect("everybody has a part");
    let points = run.conduct.search.as_ref().map_or(usize::from(POINTS), |search| search.milestone().0);
    let did_all = machine.truth.is_complete && usize::from(machine.truth.complete) == points;
    if run.conduct.stopped.is_none() || member.missing.is_some() {
        assert_eq!(member.missing.is_none(), did_all, "{}: {member:#?} {:?}", machine.name, machine.truth);
    }
    if world.is_calm {
        assert!(did_all, "nothing went wrong, and {} was missing: {member:#?}", machine.name);
    }
}

/// The largest count of which every agent sustains its share. A search never claims more, whatever
/// failed, and finds it if no agent was missing.
fn what_was_found_is_so(world: &World) {
    let conduct = &world.desk.run.as_ref().expect("the controller came back").conduct;
    let Some(search) = &conduct.search else { return };
    let agents = world.agents.len();
    let holds = |count: &u32| {
        let carries =
            |(at, machine): (usize, &Machine)| share_of(*count, at, agents) <= machine.carries.unwrap_or(0);
        world.agents.iter().enumerate().all(carries)
    };
    let most = (0..=SEARCH_CAP).rev().find(holds).unwrap_or(0);
    let facts = search.facts(|_| true);
    let found = facts.as_ref().and_then(|facts| facts.streams).unwrap_or(0);
    assert!(found <= most, "{facts:#?} of {most}");
    let was_missing = conduct.members.iter().any(|member| member.missing.is_some());
    if conduct.stopped.is_none() && !was_missing {
        let facts = facts.expect("everybody went through it");
        assert_eq!((found, facts.complete || facts.stopped_by.is_some()), (most, true), "{facts:#?}");
    }
}

/// Searches occur in many of the worlds, including some in which agents die.
#[test]
fn worlds_search() {
    let searching = |calm: bool| {
        let worlds = (1..=300).map(World::new).filter(|world| world.is_calm == calm);
        worlds.filter(|world| world.agents[0].carries.is_some()).count()
    };
    assert!(searching(true) >= 10 && searching(false) >= 50);
}

/// An agent that takes part loads nothing while all wait.
fn nothing_is_measured_in_a_pause(world: &World, machine: &Machine) {
    let conduct = &world.desk.run.as_ref().expect("the controller came back").conduct;
    let member = conduct.members.iter().find(|member| member.part.agent == machine.name);
    if member.is_none_or(|member| member.missing.is_some()) {
        return;
    }
    for (from_ns, until_ns) in conduct.pauses.waited() {
        assert!(from_ns <= until_ns, "a pause of less than nothing: {:?}", conduct.pauses);
        for &(point, begun_ns) in &machine.truth.started {
            let is_before = begun_ns + machine.point_ns <= from_ns;
            assert!(
                is_before || begun_ns >= until_ns,
                "{} measured {point} from {begun_ns} on, paused from {from_ns} to {until_ns}",
                machine.name
            );
        }
    }
}

/// A command that arrives late or twice, or names a pause that is over, has no effect; and one that took
/// effect survives a restart of the controller.
fn no_load_point_is_agreed_upon_while_a_pause_is_wanted(world: &World) {
    let conduct = &world.desk.run.as_ref().expect("the controller came back").conduct;
    assert_eq!(
        conduct.pauses.count() as usize,
        world.wanted.len(),
        "{:?} {:?}",
        conduct.pauses,
        world.wanted
    );
    for &(asked_ns, until_ns) in &world.wanted {
        for (point, agreed) in &world.agreed_ns {
            // It may be postponed afterwards.
            let agreed_ns = agreed[0] - START_AHEAD.as_nanos() as i64;
            let is_paused = agreed_ns > asked_ns && until_ns.is_none_or(|until_ns| agreed_ns < until_ns);
            assert!(
                !is_paused,
                "{point} was agreed upon at {agreed_ns}, paused from {asked_ns} to {until_ns:?}"
            );
        }
    }
}

/// Pauses occur in many of the worlds, and in some of the calm ones all agents wait and complete the
/// run.
#[test]
fn worlds_have_pauses() {
    let paused = (1..=300).filter(|seed| {
        let mut world = World::new(*seed);
        while world.ended_ns.is_none() && world.now_ns < END_NS {
            world.step();
        }
        let waited = world.desk.run.as_ref().map_or(0, |run| run.conduct.pauses.waited().count());
        world.is_calm && waited > 0
    });
    assert!(paused.count() >= 10);
}

fn who_stopped_everybody_is_named(world: &World) {
    let run = world.desk.run.as_ref().expect("the controller came back");
    if let Some(WhyStopped::Missing { agent }) = &run.conduct.stopped {
        assert!(world.agents.iter().any(|machine| machine.name == *agent));
    }
}

/// With nothing but lost contact, no agent is missing, and all do all of their work.
#[test]
fn an_outage_that_owners_allow_costs_nothing() {
    let mut lost = Vec::new();
    for seed in seeds(OUTAGES) {
        for long_s in [4, 10] {
            let world = World::with_outage(seed, long_s * SECOND);
            let what = format!("REELGAUGE_SEED={seed} {long_s} s: {:?}", world.told_faults);
            let lived = std::panic::catch_unwind(|| live_through(world));
            if lived.is_err() {
                lost.push(what);
            }
        }
    }
    assert!(lost.is_empty(), "{} {lost:#?}", lost.len());
}

#[test]
fn simulated_fleets_hold_load_start_once_and_deliver_all_operations() {
    for seed in seeds(SEEDS) {
        let lived = std::panic::catch_unwind(|| live_through(World::new(seed)));
        if let Err(why) = lived {
            eprintln!("REELGAUGE_SEED={seed}: {:#?}", World::new(seed).told_faults);
            std::panic::resume_unwind(why);
        }
    }
}
