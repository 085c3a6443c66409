// A procedure: its conclusion, and each step with its state and its run. Also shown while it is in progress.

import { useState } from "preact/hooks";
import { api } from "../data/api";
import type { ProcedureStepRow, ProcedureStepState, RunEntry } from "../data/live";
import { Name } from "../parts/name";
import { Missing } from "../parts/section";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { ConsoleBar } from "./bar";
import { MOST } from "./compare-choice";
import { Confirm, RESULTS_ARE_KEPT } from "./confirm";
import { hashOf } from "./routes";
import { StateWord, startedAt } from "./run-words";
import { Delete } from "./runs";
import { useData, useEvery } from "./use-data";

const LOOK_MS = 3_000;

interface Props {
  entry: RunEntry;
  /** Requests the list of runs again. */
  again: () => void;
}

export function ProcedureView({ entry, again }: Props) {
  const procedure = useData((stop) => api.procedure(entry.id, stop), entry.id);
  const [dialog, setDialog] = useState<"stop" | "delete" | null>(null);
  const [stopped, setStopped] = useState(false);
  const goesOn = entry.state === "running";
  useEvery(LOOK_MS, () => {
    if (!goesOn) return;
    again();
    procedure.again();
  });
  const steps = procedure.data?.steps ?? [];
  const done = steps.filter(({ run, state }) => run !== null && state === "done").map(({ run }) => run ?? "");
  const bar = (
    <ConsoleBar here="run">
      {done.length > 1 && (
        <a class="button small" href={hashOf({ page: "compare", ids: done.slice(-MOST) })}>
          {`Last ${done.slice(-MOST).length} runs`}
        </a>
      )}
      {!goesOn && (
        <button type="button" class="small" onClick={() => setDialog("delete")}>
          Delete
        </button>
      )}
    </ConsoleBar>
  );
  return (
    <Shell title={entry.label === "" ? entry.id : entry.label} kind="Procedure" sections={[]} back={bar}>
      <div class="running-head">
        <h1>
          Procedure <Name text={entry.label} empty="" />
        </h1>
        {goesOn && (
          <button type="button" class="danger" disabled={stopped} onClick={() => setDialog("stop")}>
            {stopped ? "Stopping …" : "Stop"}
          </button>
        )}
      </div>
      <p class="intro">
        On <Name text={entry.target} length={100} />, {startedAt(entry.started_at)}. <StateWord run={entry} />
      </p>
      {procedure.data === null && <Missing>{procedure.error ?? "Loading the procedure …"}</Missing>}
      {procedure.data !== null && <pre class="plan">{procedure.data.text}</pre>}
      <Table caption="Steps" columns={COLUMNS} rows={steps} most={200} />
      {dialog === "stop" && (
        <Confirm
          title="Stop this procedure?"
          yes="Stop"
          act={async () => {
            await api.stop(entry.id);
            setStopped(true);
          }}
          close={() => setDialog(null)}
        >
          <p>{RESULTS_ARE_KEPT}</p>
        </Confirm>
      )}
      {dialog === "delete" && <Delete run={entry} close={() => setDialog(null)} done={() => (window.location.hash = hashOf({ page: "runs" }))} />}
    </Shell>
  );
}

/** `broke off`. */
const stateWords = (state: ProcedureStepState) => state.replace("_", " ");

const COLUMNS: Column<ProcedureStepRow>[] = [
  { title: "step", number: true, cell: (_, index) => String(index + 1) },
  {
    title: "name",
    head: true,
    cell: ({ name, run }) => (run === null ? name : <a href={hashOf({ page: "run", id: run, against: "" })}>{name}</a>),
  },
  { title: "state", cell: ({ state, why }) => `${stateWords(state)}${why === null ? "" : `: ${why}`}` },
];
