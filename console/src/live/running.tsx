// A run in progress: phase, progress, storage that does not respond, late frames (large), margins, throughput of the
// last second, and a button to stop it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { api } from "../data/api";
import type { RunEntry } from "../data/live";
import { amount, count, counted, duration, mbPerS, moment } from "../figures/units";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Shell, type Verdict } from "../parts/shell";
import { Confirm, RESULTS_ARE_KEPT } from "./confirm";
import { HostsNow } from "./hosts-now";
import { LiveChart } from "./live-chart";
import { type LiveState, incidentWords, isWarmingUp, lateFrames, progressOf, silence, warmUpWords } from "./live-state";
import { missingHosts } from "./live-hosts";
import { LiveCounters } from "./live-counters";
import { LiveStrips } from "./live-strips";
import { useEvery } from "./use-data";
import { useLive } from "./use-live";

/** A run writes an update every second. After this time without one, the page shows a warning. */
const NO_NEWS_S = 5;

/** While the storage does not respond, the displayed time is updated at this interval. */
const COUNT_MS = 100;
const BETWEEN_S = 1;

interface Props {
  entry: RunEntry;
  finish: () => void;
  back: ComponentChildren;
}

export function RunningRun({ entry, finish, back }: Props) {
  const { state, connected, heardAt } = useLive(entry.id, finish);
  const [asks, setAsks] = useState(false);
  const [stopped, setStopped] = useState(false);
  const stop = async () => {
    await api.stop(entry.id);
    setStopped(true);
  };
  const alarm = alarmOf(state);
  const verdict = alarm === "" ? RUNNING : { word: alarm, tone: "bad" as const };
  const what = entry.suite === null ? "run" : "suite";
  return (
    <Shell title={entry.id} kind="Running" verdict={verdict} alarm={alarm} sections={[]} back={back}>
      <div class="running-head">
        <h1>
          {entry.verb} {entry.label !== entry.verb && <Name text={entry.label} empty="" />}
        </h1>
        <button type="button" class="danger" disabled={stopped} onClick={() => setAsks(true)}>
          {stopped ? "Stopping …" : "Stop"}
        </button>
      </div>
      <p class="intro">
        On <Name text={entry.target} length={100} />. Closing this page does not stop the run.
      </p>
      {!connected && <p class="bad" role="status">No live figures: the console is not responding. Retrying …</p>}
      {connected && <NoNews state={state} heardAt={heardAt} />}
      <Progress state={state} />
      <Silence state={state} heardAt={heardAt} />
      <LateFrames state={state} />
      <Now state={state} />
      <HostsNow hosts={state.tick?.hosts} />
      <Section id="over-time" title="Over time">
        <LiveStrips state={state} />
        <LiveChart state={state} />
      </Section>
      <LiveCounters id={entry.id} />
      {asks && (
        <Confirm title={`Stop this ${what}?`} yes="Stop" act={stop} close={() => setAsks(false)}>
          <p>
            The {what} stops within seconds. {RESULTS_ARE_KEPT} The report marks it as interrupted.
          </p>
        </Confirm>
      )}
    </Shell>
  );
}

const RUNNING: Verdict = { word: "running", tone: "plain" };

/** The alarm in the page title; empty if there is none. */
function alarmOf(state: LiveState): string {
  if (silence(state) !== null) return "no answer";
  const late = lateFrames(state) ?? 0;
  return late === 0 ? "" : counted(late, "late frame");
}

function Progress({ state }: { state: LiveState }) {
  const share = progressOf(state);
  const { tick, prepared } = state;
  const words = prepared !== null ? `${amount(prepared.done_bytes)} of ${amount(prepared.total_bytes)}` : timeWords(state);
  return (
    <div class="card progress">
      <p>
        <strong>{phaseWords(state)}</strong>
        {tick !== null && tick.label !== "" && (
          <>
            {", "}
            <Name text={tick.label} />
          </>
        )}
        {isWarmingUp(state) && <span class="faint"> ({warmUpWords(state)})</span>}
        <span class="faint progress-time">{words}</span>
      </p>
      {share === null ? (
        <progress aria-label="Progress unknown" />
      ) : (
        <progress aria-label="Progress of this load point" value={share} max={1}>
          {Math.round(share * 100)} %
        </progress>
      )}
    </div>
  );
}

function phaseWords(state: LiveState): string {
  if (state.prepared !== null) return "Preparing test files";
  if (isWarmingUp(state)) return "Warming up";
  if (state.phase !== "") return state.phase.charAt(0).toUpperCase() + state.phase.slice(1);
  return state.tick === null ? "Starting" : "Measuring";
}

export function timeWords(state: LiveState): string {
  const { tick } = state;
  if (tick === null) return "";
  return tick.total_s === null ? moment(tick.elapsed_s) : `${moment(tick.elapsed_s)} of ${moment(tick.total_s)}`;
}

/** The age of the displayed figures, if updates are missing. */
function NoNews({ state, heardAt }: { state: LiveState; heardAt: { current: number } }) {
  const [age_s, setAge] = useState(0);
  useEvery(1_000, () => setAge((performance.now() - heardAt.current) / 1_000));
  if (state.tick === null || state.end !== null || age_s < NO_NEWS_S) return null;
  return (
    <p class="bad" role="status">
      No update from the run for {Math.floor(age_s)} s, so these figures are that old. If its run folder is on the
      measured storage, stalled storage also delays these figures: next time, start the console with --runs on another
      disk.
    </p>
  );
}

/** Shown while the storage does not respond. */
function Silence({ state, heardAt }: { state: LiveState; heardAt: { current: number } }) {
  const told_s = silence(state);
  const [, setTurn] = useState(0);
  useEvery(COUNT_MS, () => told_s !== null && setTurn((turn) => turn + 1));
  if (told_s === null) return null;
  const since_s = Math.max(0, (performance.now() - heardAt.current) / 1_000);
  // The run updates this time once a second. Between updates, the display continues for at most that long.
  const silent_s = told_s + Math.min(since_s, BETWEEN_S);
  return (
    <div class="late-now no-answer bad" role="status" aria-live="assertive">
      <span class="late-sign" aria-hidden="true">
        ✕
      </span>
      <span>
        no answer for <strong>{silent_s.toFixed(1)}</strong> s
      </span>
    </div>
  );
}

/** The most important figure, displayed large and without delay. */
function LateFrames({ state }: { state: LiveState }) {
  const late = lateFrames(state);
  if (late === null) return null;
  const missing = missingHosts(state.tick?.hosts);
  // It is unknown whether frames of silent hosts are late, so this is not displayed as good.
  const isGood = late === 0 && missing === 0;
  return (
    <div class={isGood ? "late-now good" : "late-now bad"} role="status" aria-live="assertive">
      <span class="late-sign" aria-hidden="true">
        {isGood ? "✓" : "✕"}
      </span>
      <span>
        <strong>{count(late)}</strong> late {late === 1 ? "frame" : "frames"}
      </span>
      {late > 0 && <span class="faint">{incidentWords(state)}</span>}
      {missing > 0 && <span class="faint">count incomplete: {counted(missing, "host")} missing</span>}
    </div>
  );
}

function Now({ state }: { state: LiveState }) {
  const { tick } = state;
  const read = tick?.read_bytes_per_s ?? 0;
  const write = tick?.write_bytes_per_s ?? 0;
  return (
    <dl class="tiles live-tiles">
      <Tile name="Read" value={tick === null ? "–" : mbPerS(read)} unit="MB/s" />
      <Tile name="Written" value={tick === null ? "–" : mbPerS(write)} unit="MB/s" />
      <Tile name="Total" value={tick === null ? "–" : mbPerS(read + write)} unit="MB/s" />
      <Tile name="Longest operation in flight" value={inFlight(tick)} unit="" />
      <Tile name="Elapsed" value={tick === null ? "–" : moment(tick.at_s)} unit="" />
    </dl>
  );
}

/** A dash if no operation is in flight. The run reports whole milliseconds. */
function inFlight(tick: LiveState["tick"]): string {
  const seconds = tick?.longest_in_flight_s ?? null;
  if (seconds === null) return "–";
  return seconds < 0.001 ? "under 1 ms" : duration(seconds * 1e6);
}

function Tile({ name, value, unit }: { name: string; value: string; unit: string }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd>
        {value} {unit !== "" && <span class="unit">{unit}</span>}
      </dd>
    </div>
  );
}
