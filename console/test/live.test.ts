// The live console's decisions: addresses, events to state, forms to requests, which runs are listed.

import { describe, expect, it } from "vitest";
import type { Form, LiveEvent, LiveTick, RunEntry } from "../src/data/live";
import { detailsOf, storageText } from "../src/live/about-fields";
import { EARLIER, againOf } from "../src/live/again";
import { NAME, defaultsOf, filledIn, requestOf, saidAt } from "../src/live/form-request";
import { MAX_LATE, MAX_TICKS, NOTHING_YET, afterEvent, isWarmingUp, lateFrames, progressOf, silence, warmUpWords } from "../src/live/live-state";
import { type Route, hashOf, routeOf, tokenOf } from "../src/live/routes";
import { EVERY_RUN, runsShown, tagsFrom, tagsOf } from "../src/live/run-search";
import { stateOf } from "../src/live/run-words";
import { hostRows, missingHosts } from "../src/live/live-hosts";
import { rowName, rowsOf, stripCells } from "../src/live/strip-cells";
import { compareChoice } from "../src/live/compare-choice";
import { countText, listedRuns, membersText, toggled } from "../src/live/suite-rows";
import { joined, partsOf } from "../src/live/target-field";

describe("addresses", () => {
  const routes: Exclude<Route, { page: "unknown" }>[] = [
    { page: "runs" },
    { page: "run", id: "2026-11-22T002415Z-a b/ä?&#%", against: "" },
    { page: "run", id: "suite/run", against: "2026-10-22T002415Z-a?&#%" },
    { page: "start", verb: "", set: {} },
    { page: "start", verb: "streams", set: { "find-max": "true", path: "/mnt/a&b #%" } },
    { page: "compare", ids: ["one & two", "three"] },
    { page: "traces" },
    { page: "trace", name: "HDVideo_1Play-synth" },
    { page: "licences" },
  ];
  it.each(routes)("lead there and back: %o", (route) => {
    expect(routeOf(hashOf(route))).toEqual(route);
  });

  it("may hold the token, as it is, and then nothing else", () => {
    expect(tokenOf("#token=a+b/c=~%20")).toBe("a+b/c=~%20");
    for (const hash of ["", "#", "#/", "#token", "#token=", "#/token=a", "?token=a", "#tokens=a"]) expect(tokenOf(hash)).toBeNull();
  });

  it("are told from anchors and from nonsense", () => {
    expect(routeOf("")).toEqual({ page: "runs" });
    expect(routeOf("#streams")).toBeNull();
    expect(routeOf("#/nowhere")).toEqual({ page: "unknown", hash: "#/nowhere" });
    expect(routeOf("#/runs/%E0%A4%A")).toEqual({ page: "unknown", hash: "#/runs/%E0%A4%A" });
  });
});

const NO_HOSTS = { name: [], read_bytes_per_s: [], write_bytes_per_s: [], late_frames: [], no_answer_s: [], missing: [], left_out: 0 };

const tick = (at_s: number, late_frames: number | null, more: Partial<LiveTick> = {}): LiveTick => ({
  event: "live", at_s, label: "8 players", elapsed_s: at_s, warmup_s: 2, total_s: 60,
  read_bytes_per_s: 1e6, write_bytes_per_s: 0, late_frames, margin_ms: null, longest_in_flight_s: null, no_answer_s: null,
  incidents: late_frames === null ? null : 0, incident: null,
  streams: { stream: [], late_frames: [], margin_ms: [], buffer_ms: [], host: [] }, hosts: NO_HOSTS, ...more,
});

const after = (...events: LiveEvent[]) => events.reduce(afterEvent, NOTHING_YET);
const begin: LiveEvent = { event: "begin", at_s: 0, pid: 1, process: "", verb: "streams", label: "", target: "/mnt" };

describe("a running run", () => {
  it("begins anew with every begin, because a stream that was broken tells all again", () => {
    const state = after(begin, tick(1, 4), begin);
    expect(state.ticks).toEqual([]);
    expect(lateFrames(state)).toBeNull();
  });

  it("counts late frames over load points", () => {
    const state = after(begin, tick(1, 0), tick(2, 3), tick(3, 3), tick(4, 0, { label: "9 players", elapsed_s: 1 }), tick(5, 2, { label: "9 players", elapsed_s: 2 }));
    expect(lateFrames(state)).toBe(5);
    expect(state.late).toEqual([
      { at_s: 5, label: "9 players", frames: 2 },
      { at_s: 2, label: "8 players", frames: 3 },
    ]);
  });

  it("counts again from 0 where a load point of the same name follows", () => {
    const state = after(begin, tick(1, 2), tick(2, 2), tick(10, 1, { elapsed_s: 1 }));
    expect(lateFrames(state)).toBe(3);
    expect(state.late[0]).toEqual({ at_s: 10, label: "8 players", frames: 1 });
  });

  it("has no late frames where there are no frames", () => {
    expect(lateFrames(after(begin, tick(1, null)))).toBeNull();
  });

  it("says that it warms up, and no number of late frames before they are counted", () => {
    const warm = after(begin, tick(1.5, 0, { warmup_s: 5 }));
    expect([isWarmingUp(warm), lateFrames(warm)]).toEqual([true, null]);
    expect(warmUpWords(warm)).toContain("5.0 s");
    expect(warm.ticks[0]?.read_bytes_per_s).toBe(1e6);
    const measured = afterEvent(warm, tick(5, 0, { warmup_s: 5 }));
    expect([isWarmingUp(measured), lateFrames(measured)]).toEqual([false, 0]);
    // What was late in the load point before stays.
    const next = after(begin, tick(9, 3), tick(10, 0, { label: "9 players", elapsed_s: 1, warmup_s: 5 }));
    expect([isWarmingUp(next), lateFrames(next)]).toEqual([true, 3]);
  });

  it("knows how far it is, or that nobody knows", () => {
    expect(progressOf(after(begin, { event: "prepared", at_s: 0, done_bytes: 1, total_bytes: 4 }))).toBe(0.25);
    expect(progressOf(after(begin, { event: "prepared", at_s: 0, done_bytes: 0, total_bytes: 0 }))).toBeNull();
    expect(progressOf(after(begin, tick(30, 0)))).toBe(0.5);
    expect(progressOf(after(begin, tick(90, 0)))).toBe(1);
    expect(progressOf(after(begin, tick(30, 0, { total_s: null })))).toBeNull();
  });

  it("ends", () => {
    const end: LiveEvent = { event: "end", at_s: 4, outcome: "interrupted", reason: "stopped", late_frames: null, incidents: null };
    const state = after(begin, tick(3, 0), end);
    expect(state.end?.outcome).toBe("interrupted");
    expect(lateFrames(state)).toBe(0);
    expect(lateFrames(after(begin, tick(1, 0), end))).toBeNull();
  });

  it("ends with the late frames of the summary", () => {
    const end: LiveEvent = { event: "end", at_s: 2, outcome: "complete", reason: null, late_frames: 681, incidents: 1 };
    expect(lateFrames(after(begin, tick(1, 3), end))).toBe(681);
  });

  it("says how long nothing has been answered, and only then", () => {
    const silent = tick(8, 90, { longest_in_flight_s: 6.3, no_answer_s: 6.2 });
    expect(silence(after(begin, silent))).toBe(6.2);
    expect(silence(after(begin, silent, tick(9, 90, { longest_in_flight_s: 0.1 })))).toBeNull();
    const end: LiveEvent = { event: "end", at_s: 9, outcome: "broke_off", reason: "hung", late_frames: 90, incidents: 1 };
    expect(silence(after(begin, silent, end))).toBeNull();
  });

  it("holds no more than a screen needs", () => {
    let state = after(begin);
    for (let at = 1; at <= MAX_TICKS + 10; at += 1) state = afterEvent(state, tick(at, at));
    expect(state.ticks).toHaveLength(MAX_TICKS);
    expect(state.late).toHaveLength(MAX_LATE);
    expect(state.ticks.at(-1)?.at_s).toBe(MAX_TICKS + 10);
  });

  it("lives with events that it does not know", () => {
    const state = after(begin, tick(1, 0));
    expect(afterEvent(state, { event: "newer" } as unknown as LiveEvent)).toBe(state);
  });
});

describe("strips of streams", () => {
  const streams = (...each: [number, number, number | null][]) => ({
    stream: each.map(([number]) => number),
    late_frames: each.map(([, late]) => late),
    margin_ms: each.map(([, , margin]) => margin),
    buffer_ms: each.map(() => 1000),
    host: [] as string[],
  });
  const shown = (...events: LiveEvent[]) =>
    stripCells(after(begin, ...events).ticks).map((cell) => [cell.stream, places(cell.from_s), places(cell.to_s), cell.kind, cell.late_frames]);
  const places = (seconds: number) => Number(seconds.toFixed(6));

  it("go from tick to tick, by what is left of the buffer", () => {
    const first = tick(1, 0, { streams: streams([7, 0, 980], [3, 0, 500]) });
    const second = tick(2, 0, { streams: streams([3, 0, 499], [7, 0, 99]) });
    expect(shown(first, second)).toEqual([
      [7, 0, 1, "free", 0],
      [3, 0, 1, "free", 0],
      [3, 1, 1.999, "free", 0],
      [3, 1.999, 2, "some", 0],
      [7, 1, 1.599, "free", 0],
      [7, 1.599, 1.999, "some", 0],
      [7, 1.999, 2, "close", 0],
    ]);
    expect(rowsOf(stripCells(after(begin, first, second).ticks)).map(rowName)).toEqual(["3", "7"]);
  });

  it("are late while a frame is overdue, and where frames were late that have come since", () => {
    const ticks = [tick(1, 0, { streams: streams([0, 0, 900]) }), tick(2, 0, { streams: streams([0, 0, -1]) })];
    const come = [tick(3, 9, { streams: streams([0, 9, 900]) }), tick(4, 9, { streams: streams([0, 9, null]) })];
    expect(shown(...ticks, ...come)).toEqual([
      [0, 0, 1, "free", 0],
      // The frame that had not come at 1 s is needed at 1.9 s: not before that can one be late.
      [0, 1, 1.4, "free", 0],
      [0, 1.4, 1.8, "some", 0],
      [0, 1.8, 1.9, "close", 0],
      [0, 1.9, 2, "late", 0],
      [0, 2, 3, "late", 9],
    ]);
  });

  it("of many machines are each host's own, whatever their numbers", () => {
    const of = (lateOfA: number, lateOfB: number) => ({ ...streams([0, lateOfB, 900], [0, lateOfA, 100]), host: ["b", "a"] });
    const state = after(begin, tick(1, 0, { streams: of(0, 0) }), tick(2, 4, { streams: of(4, 0) }));
    const cells = stripCells(state.ticks);
    expect(rowsOf(cells).map(rowName)).toEqual(["a: 0", "b: 0"]);
    expect(cells.filter((cell) => cell.kind === "late").map((cell) => [rowName(cell), cell.late_frames])).toEqual([["a: 0", 4]]);
  });

  it("count anew with every load point", () => {
    const one = tick(1, 5, { streams: streams([0, 5, 900]) });
    const two = tick(10, 2, { label: "9 players", elapsed_s: 1, streams: streams([0, 2, 900]) });
    expect(shown(one, two).map((cell) => cell[4]).filter((late) => late !== 0)).toEqual([5, 2]);
  });
});

describe("hosts of a run", () => {
  const hosts = {
    name: ["edit-1", "edit-2", "edit-3", "edit-4"],
    read_bytes_per_s: [2e6, null, 0, null],
    write_bytes_per_s: [0, null, 0, null],
    late_frames: [0, 7, 1, null],
    no_answer_s: [null, null, 3.4, null],
    missing: [null, "it was not heard any more", null, null],
    left_out: 3,
  };

  it("say what each of them does, and never 0 for what was not told", () => {
    const rows = hostRows(hosts);
    expect(rows.map((row) => [row.name, row.read, row.written, row.late])).toEqual([
      ["edit-1", "2.00", "0", "0"],
      ["edit-2", "–", "–", "7"],
      ["edit-3", "0", "0", "1"],
      ["edit-4", "–", "–", "–"],
    ]);
    expect(rows.map((row) => row.isBad)).toEqual([false, true, true, false]);
    expect(rows[1]?.words).toContain(hosts.missing[1]);
    expect(rows[2]?.words).toContain("3.40 s");
    expect(rows[3]?.words).not.toBe(rows[0]?.words);
    expect([missingHosts(hosts), missingHosts(NO_HOSTS), missingHosts(undefined)]).toEqual([1, 0, 0]);
  });
});

describe("a start form", () => {
  const field = (name: string, more: object = {}) => ({
    name, title: name, help: "", unset: "", kind: "text" as const, choices: [], default: "", value_name: "", required: false, common: true, ...more,
  });
  const form: Form = {
    verb: "mix",
    about: "",
    fields: [
      field("path", { required: true }),
      field("direct", { kind: "switch" }),
      field("driver", { kind: "choice", choices: ["threads", "uring"], default: "threads" }),
      field("file-size", { default: "1GiB" }),
      field("file"),
    ],
  };

  it("sends only what was changed", () => {
    expect(requestOf(form, defaultsOf(form))).toEqual({ verb: "mix", values: {}, name: "" });
    const filled = { ...defaultsOf(form), path: " /mnt/nas 1 ", direct: "true", driver: "uring", "file-size": "1GiB" };
    expect(requestOf(form, filled)).toEqual({ verb: "mix", values: { path: "/mnt/nas 1", direct: "true", driver: "uring" }, name: "" });
  });

  it("sends a value that was emptied", () => {
    expect(requestOf(form, { ...defaultsOf(form), "file-size": "" }).values).toEqual({ "file-size": "" });
  });

  it("is filled in by its address, as far as it has such fields", () => {
    const values = filledIn(form, { path: "/mnt/nas", direct: "true", "no-such": "1" });
    expect(requestOf(form, { ...values, [NAME]: " Monday " })).toEqual({
      verb: "mix", values: { path: "/mnt/nas", direct: "true" }, name: "Monday",
    });
  });

  it("says an error without what a terminal needs", () => {
    expect(saidAt("error: invalid value 'soon' for '--duration <TIME>'\n\nFor more information, try '--help'.\n")).toBe(
      "invalid value 'soon' for '--duration <TIME>'",
    );
    expect(saidAt("reelgauge: no room\n")).toBe("no room");
  });

  it("takes a storage from the roots, and a folder in it", () => {
    const roots = ["/mnt", "/mnt/nas"];
    expect(partsOf("/mnt/nas/a b", roots)).toEqual({ root: "/mnt/nas", folder: "a b" });
    expect(partsOf("/mnt/nas2", roots)).toEqual({ root: "/mnt", folder: "nas2" });
    expect(partsOf("/elsewhere", roots)).toEqual({ root: "/mnt", folder: "" });
    expect([joined("/mnt", " /a "), joined("/mnt", ""), joined("/", "a")]).toEqual(["/mnt/a", "/mnt", "/a"]);
  });

  it("says of the storage what its boxes hold", () => {
    const text = storageText({ make: "Acme = Co", model: " ", firmware: "7.2" });
    expect(text).toBe("make=Acme = Co\nfirmware=7.2");
    expect(detailsOf(text)).toEqual({ make: "Acme = Co", firmware: "7.2" });
  });

  it("does a run again with its plan, and a first look anew", () => {
    const entry: RunEntry = {
      id: "2026-10", verb: "streams", label: "", target: "/mnt/nas", started_at: "", state: "complete", sentence: "", verdict: null, inconclusive: [], passed: null,
      streams: null, late_frames: null, bytes_per_s: null, hosts: 1, bytes_on_disk: 0, notes: null, suite: null, passes: null,
    };
    expect(againOf(entry)).toEqual({ page: "start", verb: "run", set: { plan: "2026-10", target: "/mnt/nas", [EARLIER]: "2026-10" } });
    expect(againOf({ ...entry, verb: "check" })).toEqual({ page: "start", verb: "check", set: { path: "/mnt/nas", [EARLIER]: "2026-10" } });
    const notes = { name: "", tags: ["before", "10GbE"], note: "", storage_make: "Acme", storage_model: "", storage_firmware: "7.2", storage_other: { raid: "6" } };
    const said = { storage: "make=Acme\nfirmware=7.2\nraid=6", tag: "before\n10GbE", [EARLIER]: "2026-10" };
    expect(againOf({ ...entry, verb: "suite", passes: 3, notes })?.set).toEqual({ plan: "naspt", target: "/mnt/nas", batch: "3", ...said });
    expect(againOf({ ...entry, verb: "suite" })?.set).toEqual({ plan: "naspt", target: "/mnt/nas", [EARLIER]: "2026-10" });
    expect(againOf({ ...entry, verb: "check", notes })?.set).toEqual({ path: "/mnt/nas", ...said });
    expect(againOf({ ...entry, state: "running" })).toBeNull();
    expect(againOf({ ...entry, hosts: 2 })).toBeNull();
  });
});

describe("the list of runs", () => {
  const run = (id: string, more: Partial<RunEntry> = {}): RunEntry => ({
    id, verb: "mix", label: "", target: "/mnt/nas1", started_at: "", state: "complete", sentence: "", verdict: null, inconclusive: [], passed: null,
    streams: null, late_frames: null, bytes_per_s: null, hosts: 1, bytes_on_disk: 0, notes: null, suite: null, passes: null, ...more,
  });
  const notes = { name: "", tags: ["before", "10GbE"], note: "Café upstairs", storage_make: "Acme", storage_model: "N8", storage_firmware: "1.2", storage_other: { raid: "Z2" } };
  const runs = [
    run("one", { notes }),
    run("two", { state: "broke_off", sentence: "31 streams of XAVC" }),
    run("three", { verdict: "not_met", passed: false, notes: { ...notes, tags: ["after"] } }),
  ];
  const ids = (words: string) => runsShown(runs, { ...EVERY_RUN, words }).map((entry) => entry.id);

  it("finds words in any field, all of them", () => {
    expect(ids("")).toEqual(["one", "two", "three"]);
    expect(ids("acme  BEFORE")).toEqual(["one"]);
    expect(ids("cafe")).toEqual(["one", "three"]);
    expect(ids("xavc")).toEqual(["two"]);
    expect(ids("raid z2 before")).toEqual(["one"]);
    expect(ids("broke off")).toEqual(["two"]);
    expect(ids("not met")).toEqual(["three"]);
    expect(ids("acme xavc")).toEqual([]);
  });

  it("is filtered by state and tag", () => {
    expect(runsShown(runs, { ...EVERY_RUN, state: "broke_off" }).map((entry) => entry.id)).toEqual(["two"]);
    expect(runsShown(runs, { ...EVERY_RUN, tag: "after" }).map((entry) => entry.id)).toEqual(["three"]);
    expect(tagsOf(runs)).toEqual(["10GbE", "after", "before"]);
  });

  it("takes tags as people type them", () => {
    expect(tagsFrom(" before, 10GbE ,,before,\nnew disk ")).toEqual(["before", "10GbE", "new disk"]);
  });

  it("says the state in a word and a sign", () => {
    expect(runs.map((entry) => stateOf(entry).word)).toEqual(["complete", "broke off", "criteria not met"]);
    expect([stateOf({ state: "damaged", verdict: null }).word, stateOf({ state: "other_version", verdict: null }).word]).toEqual(["damaged", "written by another version"]);
    const verdicts = ["met", "not_met", "inconclusive", "not_known", null] as const;
    expect(new Set(verdicts.map((verdict) => stateOf({ state: "complete", verdict }).sign)).size).toBe(5);
    expect(stateOf({ state: "complete", verdict: "inconclusive" })).toEqual({ sign: "?", word: "inconclusive", tone: "unsure" });
  });
});

describe("a suite in the list", () => {
  const run = (id: string, more: Partial<RunEntry> = {}): RunEntry => ({
    id, verb: "replay", label: "", target: "/mnt/nas1", started_at: "", state: "complete", sentence: "", verdict: null, inconclusive: [], passed: null,
    streams: null, late_frames: null, bytes_per_s: null, hosts: 1, bytes_on_disk: 0, notes: null, suite: null, passes: null, ...more,
  });
  // Newest first, as the server lists them.
  const runs = [
    run("mix"),
    run("naspt/2", { suite: "naspt", label: "PhotoAlbum" }),
    run("naspt/1", { suite: "naspt", label: "OfficeProductivity" }),
    run("naspt", { verb: "suite", passes: 5 }),
    run("other", { verb: "suite" }),
  ];
  const rows = (words: string, opened = {}) =>
    listedRuns(runs, { ...EVERY_RUN, words }, opened).map((row) => [row.run.id, row.under.map((member) => member.id), membersText(row)]);

  it("has its runs folded under it", () => {
    expect(rows("")).toEqual([["mix", [], "0 runs"], ["naspt", [], "2 runs"], ["other", [], "0 runs"]]);
    expect(rows("", { naspt: true })[1]).toEqual(["naspt", ["naspt/1", "naspt/2"], "2 runs"]);
    expect([countText(runs, EVERY_RUN), countText(runs, { ...EVERY_RUN, words: "photo" })]).toEqual(["3 runs", "1 of 3 runs"]);
  });

  it("shows the run that a search finds, and all of them or none on a click", () => {
    expect(rows("photoalbum")).toEqual([["naspt", ["naspt/2"], "1 of 2 runs"]]);
    // A search that finds the suite also finds all of its runs, whose names begin with it: it need not be opened.
    expect(rows("naspt")).toEqual([["naspt", [], "2 runs"]]);
    const [found] = listedRuns(runs, { ...EVERY_RUN, words: "photoalbum" }, {});
    const open = toggled({}, found!);
    expect(rows("photoalbum", open)[0]?.[1]).toEqual(["naspt/1", "naspt/2"]);
    const [all] = listedRuns(runs, { ...EVERY_RUN, words: "photoalbum" }, open);
    expect(rows("photoalbum", toggled(open, all!))[0]?.[1]).toEqual([]);
  });

  it("is compared with other suites, and refused with a run in words", () => {
    expect(compareChoice(["naspt", "other"], runs)).toEqual({ of: "suites" });
    expect(compareChoice(["mix", "naspt/1"], runs)).toEqual({ of: "runs" });
    expect(compareChoice(["mix", "naspt"], runs)).toHaveProperty("refused");
    expect(compareChoice(["naspt", "other", "third"], [...runs, run("third", { verb: "suite" })])).toEqual({ of: "suites" });
    expect(compareChoice(["naspt"], runs)).toHaveProperty("refused");
  });

  it("is folded like a proof, which has compared its runs and is not begun from here", () => {
    const proof = run("proof", { verb: "prove" });
    const all = [...runs, proof, run("proof/1", { suite: "proof" })];
    const row = listedRuns(all, EVERY_RUN, {}).find((listed) => listed.run.id === "proof");
    expect(row && [membersText(row), row.under]).toEqual(["1 run", []]);
    expect(countText(all, EVERY_RUN)).toBe("4 runs");
    const more = [...all, { ...proof, id: "suite" }, ...["suite/1", "suite/2"].map((id) => ({ ...proof, id, verb: "replay", suite: "suite" }))];
    expect(countText(more, EVERY_RUN)).toBe("6 runs in 5 rows");
    const ofSuites = [...all, run("proof/s", { verb: "suite", suite: "proof" }), run("proof/s/photo", { suite: "proof/s" })];
    const found = listedRuns(ofSuites, { ...EVERY_RUN, words: "photo" }, {}).find((listed) => listed.run.id === "proof");
    expect(found?.members.map((member) => member.id)).toEqual(["proof/s", "proof/1"]);
    expect(found?.under.map((member) => member.id)).toEqual(["proof/s/photo"]);
    expect(compareChoice(["proof", "mix"], all)).toEqual({ refused: expect.stringContaining("already") });
    expect(againOf(proof)).toBeNull();
  });
});
