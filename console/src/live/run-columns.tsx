// The columns of the list of runs.

import type { ComponentChildren } from "preact";
import type { RunEntry } from "../data/live";
import type { RunNotes } from "../data/page";
import { amount } from "../figures/units";
import { Name } from "../parts/name";
import type { Column } from "../parts/table";
import { cut } from "../parts/text";
import { againOf } from "./again";
import { hashOf } from "./routes";
import { StateWord, startedAt } from "./run-words";

export function runColumns(
  chosen: readonly string[],
  choose: (id: string) => void,
  remove: (run: RunEntry) => void,
  fold: (run: RunEntry) => ComponentChildren,
): Column<RunEntry>[] {
  return [
    {
      title: "select",
      cell: (run) => (
        <input
          type="checkbox"
          checked={chosen.includes(run.id)}
          disabled={run.state === "running"}
          title={run.state === "running" ? "It can be compared when it has ended." : undefined}
          aria-label={`Compare ${run.id.slice(0, 100)}`}
          onChange={() => choose(run.id)}
        />
      ),
    },
    { title: "run", head: true, cell: (run) => <RunLink run={run} fold={fold(run)} />, sort: (run) => run.id },
    { title: "started, UTC", cell: (run) => <span class="nowrap">{startedAt(run.started_at).replace(" UTC", "")}</span>, sort: (run) => run.started_at || run.id },
    { title: "state", cell: (run) => <StateWord run={run} />, sort: (run) => run.state },
    { title: "answer", cell: (run) => <Answer run={run} /> },
    { title: "streams", number: true, cell: (run) => run.streams ?? "", sort: (run) => run.streams },
    { title: "storage", cell: (run) => <Storage run={run} />, sort: (run) => `${run.target} ${storageOf(run.notes)}` },
    { title: "on disk", number: true, cell: (run) => amount(run.bytes_on_disk), sort: (run) => run.bytes_on_disk },
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

export function Again({ run }: { run: RunEntry }) {
  const route = againOf(run);
  if (route === null) return null;
  return (
    <a class="button small" href={hashOf(route)} aria-label={`Run again: ${run.id.slice(0, 100)}`}>
      Run again
    </a>
  );
}

/** `fold`: what opens the runs of a suite. */
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
      <small class="faint">
        {run.suite !== null && "part of the suite: "}
        <bdi title={run.id}>{cut(ownName(run), 60)}</bdi>
      </small>
      {fold}
    </span>
  );
}

/** The suite's name stands above it. */
function ownName({ id, suite }: RunEntry): string {
  return suite === null ? id : id.slice(suite.length + 1);
}

function Answer({ run }: { run: RunEntry }) {
  return (
    <span class="run-answer">
      <Name text={run.sentence} length={140} empty="" />
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
      <Name text={run.target} length={36} />
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
