// The table that a first look opens with: formats down, play and record across, and the line rate below. It answers in
// a second how many streams are carried.

import type { CheckCount, CheckFacts, CheckFormat } from "../data/summary";
import { columnText } from "../figures/column";
import { count, moment, number } from "../figures/units";
import { Figure } from "../parts/figure";
import { Name } from "../parts/name";
import { Table } from "../parts/table";

export function CheckTable({ facts }: { facts: CheckFacts }) {
  const rows = facts.formats.map((format, at) => ({ format, at }));
  const needs = columnText(facts.formats.map((format) => format.needed_mb_per_s_each));
  return (
    <div class="check">
      <Table
        caption="Formats"
        quiet
        rows={rows}
        empty="No format was measured."
        columns={[
          { title: "streams without a late frame", head: true, cell: ({ format }) => <Name text={format.name} /> },
          ...(["play", "record"] as const).map((work) => ({
            title: work,
            number: true,
            cell: ({ format, at }: Row) => <Count path={`check.formats.${at}.${work}`} found={format[work]} />,
          })),
          {
            title: "each needs, MB/s",
            number: true,
            cell: ({ format, at }) => (
              <Figure
                path={`check.formats.${at}.needed_mb_per_s_each`}
                value={format.needed_mb_per_s_each}
                text={needs}
              />
            ),
          },
          { title: "limited by", cell: ({ format }) => <Name text={limitedBy(format)} /> },
        ]}
      />
      <Client facts={facts} />
    </div>
  );
}

interface Row {
  format: CheckFormat;
  at: number;
}

/** A count with its error, as the terminal says it. */
export function counted(found: CheckCount | null): string {
  if (found == null) return "not measured";
  if (isNotKnown(found)) return "not known";
  const atLeast = found.at_least && isSustained(found) ? "at least " : "";
  return atLeast + count(found.streams) + errorOf(found) + forHowLong(found);
}

/** By how much a count may be off. A lower bound has no such error; runs of earlier versions gave it one. */
function errorOf(found: CheckCount): string {
  return found.at_least || !found.error_streams ? "" : ` ± ${count(found.error_streams)}`;
}

/** Whether so many streams can be relied on, and not only passed a short trial. */
export function isSustained(found: CheckCount): boolean {
  return found.basis === "held" || found.basis === "sustained_rate";
}

/** How long a count was held that was held for too short a time. */
function forHowLong(found: CheckCount): string {
  return isSustained(found) || found.held_s == null ? "" : ` for ${moment(found.held_s)}`;
}

/** At least none: that is always so. */
function isNotKnown(found: CheckCount): boolean {
  return found.at_least && found.streams === 0;
}

/** A tick where streams are sustained, a cross where none is; `at least` where there may be more. */
function Count({ path, found }: { path: string; found: CheckCount | null }) {
  if (found == null) return <span class="faint">not measured</span>;
  if (isNotKnown(found)) return <span class="faint">not known</span>;
  const carried = found.streams > 0;
  const sure = isSustained(found);
  const sign = carried ? (sure ? "✓" : "") : "✗";
  return (
    <span class={!carried ? "check-count bad" : sure ? "check-count good" : "check-count"}>
      <span class="check-sign" aria-hidden="true" data-sign={sign} />
      {found.at_least && sure ? <small>at least </small> : ""}
      <Figure path={`${path}.streams`} value={found.streams} text={count} />
      <small>
        {errorOf(found)}
        {carried && forHowLong(found)}
      </small>
    </span>
  );
}

export function limitedBy(format: CheckFormat): string {
  const [play, record] = [format.play?.limited_by ?? null, format.record?.limited_by ?? null];
  return play !== null && record !== null && play !== record ? `${play}; ${record}` : (play ?? record ?? "");
}

/** What the line carries, and what one client got of it. */
function Client({ facts }: { facts: CheckFacts }) {
  const told: [string, keyof CheckFacts & string, number | null | undefined, string][] = [
    ["Line rate", "line_rate_mb_per_s", facts.line_rate_mb_per_s, "MB/s"],
    ["One client reads", "sequential_read_mb_per_s", facts.sequential_read_mb_per_s, "MB/s"],
    ["writes", "sequential_write_mb_per_s", facts.sequential_write_mb_per_s, "MB/s"],
    ["reads 64 KiB at random", "random_read_mb_per_s", facts.random_read_mb_per_s, "MB/s"],
    ["99 of 100 within", "random_read_ms_p99", facts.random_read_ms_p99, "ms"],
  ];
  return (
    <dl class="check-client">
      {told.map(([name, field, value, unit]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            {value == null ? (
              <span class="faint">{field === "line_rate_mb_per_s" ? noLine(facts) : "not measured"}</span>
            ) : (
              <Figure path={`check.${field}`} value={value} text={number} unit={unit} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function noLine(facts: CheckFacts): string {
  return facts.link == null ? "not known" : `no network: ${facts.link}`;
}
