// A run in the console: the live view while it is in progress, then its report and its notes.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, api } from "../data/api";
import type { RunEntry } from "../data/live";
import type { Page, RunNotes } from "../data/page";
import { ReportPage } from "../report-page";
import { SourceContext } from "../trace/source";
import { ConsoleBar } from "./bar";
import { NotesDialog } from "./notes-editor";
import { hashOf } from "./routes";
import { Again } from "./run-columns";
import { RunningRun } from "./running";
import { Delete } from "./runs";
import { ProcedureView } from "./procedure";
import { ProofView } from "./proof";
import { SuiteView } from "./suite";
import { PROCEDURE, PROOF, SUITE } from "./suite-rows";
import { useData, useEvery } from "./use-data";
import { Waiting } from "./waiting";

const LOOK_MS = 5_000;

/** After its end, the run is compared with an earlier run if the address names one. */
export function RunView({ id, against }: { id: string; against: string }) {
  const runs = useData(api.runs, "runs");
  const [over, setOver] = useState(false);
  const entry = runs.data?.find((run) => run.id === id) ?? null;
  const isRunning = entry?.state === "running" && !over;
  const [dialog, setDialog] = useState<"notes" | "delete" | null>(null);
  const [notes, setNotes] = useState<RunNotes | null>(null);
  const saved = notes ?? entry?.notes ?? null;
  // A run that is killed cannot report its end.
  useEvery(LOOK_MS, () => isRunning && runs.again());
  const finish = () => {
    setOver(true);
    runs.again();
  };
  if (entry?.verb === SUITE) return <SuiteView entry={entry} runs={runs.data ?? []} against={against} again={runs.again} />;
  if (entry?.verb === PROOF) return <ProofView entry={entry} runs={runs.data ?? []} again={runs.again} />;
  if (entry?.verb === PROCEDURE) return <ProcedureView entry={entry} again={runs.again} />;
  const bar = (
    <ConsoleBar here="run">
      {entry !== null && (
        <>
          <button type="button" class="small" onClick={() => setDialog("notes")}>
            Notes and tags
          </button>
          {!isRunning && <Again run={entry} />}
          {!isRunning && against !== "" && against !== id && (
            <a class="button small" href={hashOf({ page: "compare", ids: [against, id] })}>
              Compare with the earlier run
            </a>
          )}
          {!isRunning && entry.suite === null && (
            <button type="button" class="small" onClick={() => setDialog("delete")}>
              Delete
            </button>
          )}
        </>
      )}
    </ConsoleBar>
  );
  const content = { id, entry, error: runs.error, isKnown: runs.data !== null, isRunning, notes, against, finish };
  return (
    <>
      <Content {...content} bar={bar} />
      {dialog === "notes" && entry !== null && <NotesDialog id={id} notes={saved} saved={setNotes} close={() => setDialog(null)} />}
      {dialog === "delete" && entry !== null && (
        <Delete run={entry} close={() => setDialog(null)} done={() => (window.location.hash = hashOf({ page: "runs" }))} />
      )}
    </>
  );
}

interface ContentProps {
  id: string;
  entry: RunEntry | null;
  error: string | null;
  /** Whether the list of runs has been loaded. */
  isKnown: boolean;
  isRunning: boolean;
  notes: RunNotes | null;
  against: string;
  finish: () => void;
  bar: ComponentChildren;
}

function Content({ id, entry, error, isKnown, isRunning, notes, against, finish, bar }: ContentProps) {
  const wasRunning = useRef(false);
  const isToCompare = isKnown && !isRunning && wasRunning.current && against !== "" && against !== id;
  wasRunning.current ||= isRunning;
  // A user who watched the repeated run to its end wants the comparison, not the run's page.
  useEffect(() => {
    if (isToCompare && entry?.state === "complete") window.location.hash = hashOf({ page: "compare", ids: [against, id] });
  }, [isToCompare, entry?.state]);
  if (!isKnown) return <Waiting title={id} what="the run" error={error} back={bar} />;
  if (entry === null) return <Waiting title={id} what="the run" error={UNKNOWN} back={bar} />;
  if (isRunning) return <RunningRun entry={entry} finish={finish} back={bar} />;
  return <FinishedRun id={id} notes={notes} bar={bar} />;
}

const UNKNOWN = "No such run in this console's folder. It may have been deleted.";

/** The report is written after the run has ended; until then the server responds with one of these errors. */
const AGAIN_MS = 1_000;
const NOT_YET = new Set([404, 409, 425, 503]);
const TURNS = 60;

function FinishedRun({ id, notes, bar }: { id: string; notes: RunNotes | null; bar: ComponentChildren }) {
  const { page, error } = useRunPage(id, notes);
  const source = useMemo(
    () => ({
      map: (query: URLSearchParams, stop: AbortSignal) => api.runMap(id, query, stop),
      ops: (query: URLSearchParams, stop: AbortSignal) => api.runOps(id, query, stop),
    }),
    [id],
  );
  if (page === null) return <Waiting title={id} what="the report" error={error} back={bar} />;
  return (
    <SourceContext.Provider value={source}>
      <ReportPage page={page} back={bar} />
    </SourceContext.Provider>
  );
}

/** The page is requested again if the notes change. */
function useRunPage(id: string, notes: RunNotes | null): { page: Page | null; error: string | null } {
  const [state, setState] = useState<{ page: Page | null; error: string | null }>({ page: null, error: null });
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const ask = (turn: number) => {
      api.runPage(id, stop.signal).then(
        (page) => setState({ page, error: null }),
        (fault: unknown) => {
          if (stop.signal.aborted) return;
          const waits = fault instanceof ApiError && (NOT_YET.has(fault.status) || fault.status === 0) && turn < TURNS;
          if (waits) timer = window.setTimeout(() => ask(turn + 1), AGAIN_MS);
          if (!waits || turn > 3) setState({ page: null, error: fault instanceof Error ? fault.message : String(fault) });
        },
      );
    };
    ask(0);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [id, notes]);
  return state;
}
