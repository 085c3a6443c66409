// The list of runs: search, sort, filter, select runs to compare, delete.

import { useMemo, useState } from "preact/hooks";
import { api } from "../data/api";
import type { Info, RunEntry } from "../data/live";
import { amount, counted } from "../figures/units";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { Table } from "../parts/table";
import { ConsoleBar } from "./bar";
import { compareChoice } from "./compare-choice";
import { Confirm } from "./confirm";
import { saidAt } from "./form-request";
import { hashOf } from "./routes";
import { runColumns } from "./run-columns";
import { EVERY_RUN, type RunFilter, STATES, tagsOf } from "./run-search";
import { type ListedRun, type Opened, SUITE, countText, listedRuns, membersText, toggled } from "./suite-rows";
import { useData, useEvery } from "./use-data";

const LOOK_MS = 5_000;

/** The search and the selection, kept for the return from a run's page. */
let kept: { filter: RunFilter; chosen: readonly string[] } = { filter: EVERY_RUN, chosen: [] };

export function RunsPage() {
  const info = useData(api.info, "info");
  const runs = useData(api.runs, "runs");
  useEvery(LOOK_MS, runs.again);
  const [filter, setFilter] = useState(kept.filter);
  const [chosen, setChosen] = useState(kept.chosen);
  kept = { filter, chosen };
  const [doomed, setDoomed] = useState<RunEntry | null>(null);
  const list = runs.data;
  const [opened, setOpened] = useState<Opened>({});
  const shown = useMemo(() => (list === null ? [] : listedRuns(list, filter, opened)), [list, filter, opened]);
  const rows = useMemo(() => new Map(shown.map((row) => [row.run.id, row])), [shown]);
  const there = chosen.filter((id) => list?.some((run) => run.id === id) === true);
  const choose = (id: string) =>
    setChosen(there.includes(id) ? there.filter((other) => other !== id) : [...there, id]);
  const fold = (run: RunEntry) => <Fold row={rows.get(run.id)} toggle={(row) => setOpened(toggled(opened, row))} />;
  const columns = useMemo(() => runColumns(there, choose, setDoomed, fold, runs.again), [there.join("\n"), rows]);
  // Matches of a search are shown even in suites that the user has closed.
  const search = (next: RunFilter) => {
    setFilter(next);
    setOpened({});
  };
  return (
    <>
      <Shell
        title={info.data === null ? "Runs" : `Runs on ${info.data.host}`}
        kind="Console"
        sections={[]}
        back={<ConsoleBar here="runs" />}
      >
        <h1>Runs</h1>
        <Where info={info.data} />
        {runs.error !== null && <p class="bad" role="alert">{runs.error}</p>}
        {list === null && runs.error === null && <Missing>Loading …</Missing>}
        {list !== null && list.length === 0 && <FirstRun root={info.data?.roots[0] ?? null} />}
        {list !== null && list.length > 0 && (
          <>
            <Filters runs={list} filter={filter} setFilter={search} />
            <Choice ids={oldestFirst(list, there)} runs={list} clear={() => setChosen([])} />
            <div class="runs-table">
              <Table
                caption="Runs"
                quiet
                columns={columns}
                rows={shown.map((row) => row.run)}
                under={(run) => rows.get(run.id)?.under ?? []}
                most={100}
                rowClass={(run) => `${there.includes(run.id) ? "chosen" : ""} ${run.suite === null ? "" : "member"}`.trim()}
                empty="No run matches."
              />
            </div>
          </>
        )}
      </Shell>
      {doomed !== null && <Delete run={doomed} close={() => setDoomed(null)} done={runs.again} />}
    </>
  );
}

function Where({ info }: { info: Info | null }) {
  if (info === null) return null;
  return (
    <p class="intro">
      In <bdi>{info.runs_dir}</bdi> on <bdi>{info.host}</bdi>, reelgauge {info.version}. All times are in UTC.{" "}
      <a href={hashOf({ page: "licences" })}>Licences</a>
    </p>
  );
}

/** Shown while there are no runs: a button that checks the first storage. */
function FirstRun({ root }: { root: string | null }) {
  const [state, setState] = useState<{ waits: boolean; error: string | null }>({ waits: false, error: null });
  const look = { verb: "check", values: { path: root ?? "" }, name: "" };
  const ahead = useData((stop) => (root === null ? Promise.resolve(null) : api.ahead(look, stop)), root ?? "");
  const start = async () => {
    setState({ waits: true, error: null });
    try {
      const answer = await api.start(look);
      if (answer.id !== null) window.location.hash = hashOf({ page: "run", id: answer.id, against: "" });
      setState({ waits: false, error: answer.id === null ? saidAt(answer.error) : null });
    } catch (fault) {
      setState({ waits: false, error: fault instanceof Error ? fault.message : String(fault) });
    }
  };
  return (
    <section class="card first-run">
      <h2>No measurements yet</h2>
      <p>
        A quick check measures how many streams of common formats {root === null ? "a storage" : <bdi>{root}</bdi>} sustains,
        and what limits it. {ahead.data?.takes ?? ""} It writes only to its own folder.
      </p>
      {state.error !== null && <p class="bad" role="alert">{state.error}</p>}
      <p>
        <button type="button" class="primary big" disabled={root === null || state.waits} onClick={() => void start()}>
          {state.waits ? "Starting …" : "Measure now"}
        </button>
      </p>
      <p>
        <a href={hashOf({ page: "start", verb: "", set: {} })}>Other measurements</a>
      </p>
    </section>
  );
}

interface FiltersProps {
  runs: readonly RunEntry[];
  filter: RunFilter;
  setFilter: (filter: RunFilter) => void;
}

function Filters({ runs, filter, setFilter }: FiltersProps) {
  const tags = tagsOf(runs);
  return (
    <div class="list-filter" role="search" aria-label="Runs">
      <label>
        Search
        <input
          type="search"
          value={filter.words}
          placeholder="words in any field"
          onInput={(event) => setFilter({ ...filter, words: event.currentTarget.value })}
        />
      </label>
      <label>
        State
        <select value={filter.state} onChange={(event) => setFilter({ ...filter, state: event.currentTarget.value })}>
          <option value="">all states</option>
          {Object.entries(STATES).map(([state, words]) => (
            <option value={state}>{words}</option>
          ))}
        </select>
      </label>
      {tags.length > 0 && (
        <label>
          Tag
          <select value={filter.tag} onChange={(event) => setFilter({ ...filter, tag: event.currentTarget.value })}>
            <option value="">all tags</option>
            {tags.map((tag) => (
              <option value={tag}>{tag.slice(0, 60)}</option>
            ))}
          </select>
        </label>
      )}
      <span class="count" role="status">
        {countText(runs, filter)}
      </span>
    </div>
  );
}

/** The chosen runs, oldest first, whatever the order of selection: later runs are compared with the oldest. */
function oldestFirst(list: readonly RunEntry[], ids: readonly string[]): string[] {
  const begun = new Map(list.map((run) => [run.id, run.started_at]));
  return [...ids].sort((one, two) => (begun.get(one) ?? "").localeCompare(begun.get(two) ?? ""));
}

interface ChoiceProps {
  ids: readonly string[];
  runs: readonly RunEntry[];
  clear: () => void;
}

/** Actions for the selected runs. */
function Choice({ ids, runs, clear }: ChoiceProps) {
  if (ids.length === 0) return <p class="choice faint">Choose 2 to 8 runs or suites to compare.</p>;
  const choice = compareChoice(ids, runs);
  const what = ids.every((id) => runs.some((run) => run.id === id && run.verb === SUITE)) ? "suite" : "run";
  return (
    <p class="choice">
      {counted(ids.length, what)} chosen.{" "}
      {"refused" in choice ? (
        <span>{choice.refused}</span>
      ) : (
        <a class="button" href={hashOf({ page: "compare", ids: [...ids] })}>
          Compare {counted(ids.length, what)}
        </a>
      )}{" "}
      <button type="button" class="small" onClick={clear}>
        Clear
      </button>
    </p>
  );
}

/** Opens and closes the runs of a suite. */
function Fold({ row, toggle }: { row: ListedRun | undefined; toggle: (row: ListedRun) => void }) {
  if (row === undefined || row.members.length === 0) return null;
  return (
    <button type="button" class="small" aria-expanded={row.under.length > 0} onClick={() => toggle(row)}>
      {membersText(row)}
    </button>
  );
}

export function Delete({ run, close, done }: { run: RunEntry; close: () => void; done: () => void }) {
  const act = async () => {
    await api.remove(run.id);
    done();
  };
  return (
    <Confirm title="Delete this run?" yes="Delete" act={act} close={close}>
      <p>
        <bdi>{run.id}</bdi>
      </p>
      <p>
        Its directory ({amount(run.bytes_on_disk)}: figures, log, report) is deleted permanently. Test files on the measured
        storage stay; 'reelgauge clean' removes them.
      </p>
    </Confirm>
  );
}
