// The columns of the list of runs.

import type { ComponentChildren } from "preact";
import type { RunEntry } from "../data/live";
import type { RunNotes } from "../data/page";
import { count, mbPerS } from "../figures/units";
import { Name } from "../parts/name";
import type { Column } from "../parts/table";
import { cut } from "../parts/text";
import { againOf } from "./again";
import { hashOf } from "./routes";
import { RunningRow } from "./running-row";
import { StateWord, startedAt } from "./run-words";
import { holdsRuns } from "./suite-rows";

export function runColumns(
  chosen: readonly string[],
  choose: (id: string) => void,
  remove: (run: RunEntry) => void,
  fold: (run: RunEntry) => ComponentChildren,
  again: () => void,
): Column<RunEntry>[] {
  return [
    {
      title: "select",
      cell: (run) => (
        <input
          type="checkbox"
          checked={chosen.includes(run.id)}
          disabled={run.state === "running"}
          title={run.state === "running" ? "Wait until the run has finished to compare it." : undefined}
          aria-label={`Compare ${run.id.slice(0, 100)}`}
          onChange={() => choose(run.id)}
        />
      ),
    },
    { title: "run", head: true, cell: (run) => <RunLink run={run} fold={fold(run)} />, sort: (run) => run.id },
    { title: "started, UTC", cell: (run) => <span class="nowrap">{startedAt(run.started_at).replace(" UTC", "")}</span>, sort: (run) => run.started_at || run.id },
    { title: "state", cell: (run) => <StateWord run={run} />, sort: (run) => run.state },
    { title: "answer", cell: (run) => <Answer run={run} again={again} /> },
    figure("streams", (run) => run.streams, count),
    figure("late frames", (run) => run.late_frames, count),
    figure("MB/s", (run) => run.bytes_per_s, (rate) => mbPerS(rate)),
    { title: "storage", cell: (run) => <Storage run={run} />, sort: (run) => `${run.target} ${storageOf(run.notes)}` },
    {
      title: "actions",
      cell: (run) => (
        <span class="run-acts">
          <Again run={run} />
          {run.state !== "running" && run.suite === null && (
            <button type="button" class="small" aria-label={`Delete ${run.id.slice(0, 100)}`} onClick={() => remove(run)}>
              Delete
            </button>
          )}
        </span>
      ),
    },
  ];
}

/** A column for one number; empty for runs without it. */
function figure(title: string, of: (run: RunEntry) => number | null, text: (value: number) => string): Column<RunEntry> {
  const cell = (run: RunEntry) => {
    const value = of(run);
    return value === null ? "" : text(value);
  };
  return { title, number: true, cell, sort: of };
}

export function Again({ run }: { run: RunEntry }) {
  const route = againOf(run);
  if (route === null) return null;
  return (
    <a class="button small" href={hashOf(route)} aria-label={`Run again: ${run.id.slice(0, 100)}`}>
      Run again
    </a>
  );
}

/** `fold`: the button that opens the runs of a suite. */
function RunLink({ run, fold }: { run: RunEntry; fold: ComponentChildren }) {
  return (
    <span class="run-link">
      <a href={hashOf({ page: "run", id: run.id, against: "" })}>
        {run.verb}
        {run.label !== "" && run.label !== run.verb && (
          <>
            {" "}
            <bdi>{cut(run.label, 60)}</bdi>
          </>
        )}
      </a>
      {fold}
      <small class="faint run-id">
        {run.suite !== null && "part of the suite: "}
        <bdi title={run.id}>{cut(ownName(run), 60)}</bdi>
      </small>
    </span>
  );
}

/** The name without the suite's name, which is in the row above. */
function ownName({ id, suite }: RunEntry): string {
  return suite === null ? id : id.slice(suite.length + 1);
}

function Answer({ run, again }: { run: RunEntry; again: () => void }) {
  // A suite has no live events; its runs do.
  if (run.state === "running" && !holdsRuns(run)) return <RunningRow id={run.id} finish={again} />;
  return (
    <span class="run-answer" title={run.sentence}>
      {cut(run.sentence, 400)}
    </span>
  );
}

function storageOf(notes: RunNotes | null): string {
  if (notes === null) return "";
  const other = Object.entries(notes.storage_other).map(([key, value]) => `${key} ${value}`);
  return [notes.storage_make, notes.storage_model, notes.storage_firmware, ...other].filter((part) => part !== "").join(" ");
}

function Storage({ run }: { run: RunEntry }) {
  return (
    <span class="run-target">
      <bdi class="run-path" title={run.target.slice(0, 4000)}>
        {run.target === "" ? "–" : cut(run.target, 40)}
      </bdi>
      <small class="faint">
        <Name text={storageOf(run.notes)} length={50} empty="" />
      </small>
      <Tags tags={run.notes?.tags ?? []} />
    </span>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span class="tags">
      {tags.map((tag) => (
        <span class="tag">
          <bdi title={tag}>{cut(tag, 40)}</bdi>
        </span>
      ))}
    </span>
  );
}
