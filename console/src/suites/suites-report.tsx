// Suites: one, or several side by side. Bars per workload, the table of all medians, and the means of each group.
// What came of them is the Rust side's; nothing is computed here.

import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Page, SuitesPage } from "../data/page";
import { fixed, mbPerS } from "../figures/units";
import { Name } from "../parts/name";
import { Section } from "../parts/section";
import { Shell } from "../parts/shell";
import { type Column, Table } from "../parts/table";
import { madeBy } from "../run/when";
import { type BarChoice, barsOf, nameOf, usualBars } from "./bar-choice";
import { SuiteBars } from "./suite-bars";

const SECTIONS = [
  { id: "answer", title: "Answer" },
  { id: "bars", title: "Workloads" },
  { id: "means", title: "Means" },
  { id: "suites", title: "Suites" },
];

export function SuitesReport({ page, suites, back }: { page: Page; suites: SuitesPage; back?: ComponentChildren }) {
  const many = suites.suites.length;
  return (
    <Shell
      title={suites.suites.map(({ label }) => label).join(" · ")}
      kind={many === 1 ? "Suite" : "Comparison"}
      sections={SECTIONS}
      madeBy={madeBy(page)}
      back={back}
    >
      <section id="answer" class="section answer" aria-labelledby="answer-title">
        <h1 class="sr-only">{many === 1 ? "Suite" : `Comparison of ${many} suites`}</h1>
        <h2 class="sr-only" id="answer-title" tabIndex={-1}>
          Answer
        </h2>
        {suites.sentences.map((sentence, at) => (
          <p class={at === 0 ? "headline" : ""} dir="auto">
            {sentence}
          </p>
        ))}
        {suites.cautions.length > 0 && (
          <ul class="warnings">
            {suites.cautions.map((caution) => (
              <li dir="auto">{caution}</li>
            ))}
          </ul>
        )}
      </section>
      <Workloads suites={suites} />
      <Means suites={suites} />
      <Section id="suites" title={many === 1 ? "Suite" : "Suites"}>
        <Table caption="Suites" quiet columns={suiteColumns(suites)} rows={suites.suites} />
      </Section>
    </Shell>
  );
}

function Workloads({ suites }: { suites: SuitesPage }) {
  const [choice, setChoice] = useState<BarChoice>(() => usualBars(suites));
  const series = useMemo(() => barsOf(suites, choice), [suites, choice]);
  const workloads = useMemo(() => suites.rows.map(({ workload }) => workload), [suites]);
  const many = suites.suites.length;
  const title =
    choice === null ? `Median of ${many === 1 ? "all passes" : "each suite"}` : `Each pass${many === 1 ? "" : ` of ${nameOf(suites.suites, choice)}`}`;
  return (
    <Section id="bars" title="Workloads" about="The median of the passes of each workload. Bytes read and written, per second of the whole pass.">
      <label class="pick">
        Bars{" "}
        <select value={String(choice)} onChange={({ currentTarget: { value } }) => setChoice(value === "null" ? null : Number(value))}>
          <option value="null" selected={choice === null}>
            medians
          </option>
          {suites.suites.map((_, at) => (
            <option value={String(at)} selected={choice === at}>
              {many === 1 ? "passes" : `passes of ${nameOf(suites.suites, at)}`}
            </option>
          ))}
        </select>
      </label>
      <SuiteBars workloads={workloads} series={series} title={title} paper={choice === null ? "Figures 6, 7 and 14" : "Figure 9"} />
      <Table caption="Workloads" columns={workloadColumns(suites)} rows={suites.rows} most={100} />
    </Section>
  );
}

type Row = SuitesPage["rows"][number];

function workloadColumns({ suites, rows }: SuitesPage): Column<Row>[] {
  const each = (of: (at: number) => Column<Row>, from = 0) => suites.slice(from).map((_, at) => of(at + from));
  const hasDoubts = rows.some((row) => row.doubts.some((doubt) => doubt !== "-"));
  const name = (at: number) => nameOf(suites, at);
  return [
    { title: "workload", head: true, cell: (row) => row.workload, sort: (row) => row.workload },
    { title: "group", cell: (row) => row.group, sort: (row) => row.group },
    ...each((at) => ({
      title: suites.length === 1 ? "median, MB/s" : `${name(at)}, MB/s`,
      number: true,
      cell: (row) => shown(row.bytes_per_s[at], mbPerS),
      sort: (row) => row.bytes_per_s[at] ?? null,
    })),
    ...each(
      (at) => ({
        title: `${name(at)}, times 1`,
        number: true,
        cell: (row) => shown(row.times_first[at], times),
        sort: (row) => row.times_first[at] ?? null,
      }),
      1,
    ),
    ...(suites.length === 1
      ? [{ title: "passes, MB/s", cell: (row: Row) => (row.passes_bytes_per_s[0] ?? []).map((pass) => shown(pass, mbPerS)).join(", ") }]
      : []),
    ...(hasDoubts ? [{ title: "doubts", cell: (row: Row) => doubtsOf(row) }] : []),
  ];
}

/** `client cache`, or with the numbers of the suites: `1: client cache; 3: memory`. */
function doubtsOf({ doubts }: Row): string {
  const numbered = doubts.flatMap((doubt, at) => (doubt === "-" ? [] : [doubts.length === 1 ? doubt : `${at + 1}: ${doubt}`]));
  return numbered.length === 0 ? "–" : numbered.join("; ");
}

type Mean = SuitesPage["means"][number];

function Means({ suites }: { suites: SuitesPage }) {
  const many = suites.suites.length;
  const about =
    many === 1
      ? "The geometric mean is the same whichever is averaged first, workloads or suites. The paper prints arithmetic means of multiples."
      : "Of the multiples of suite 1, over the workloads that both have. The paper’s Table 2 prints arithmetic means, with which a storage can beat another and be beaten by it at once; the geometric mean has no such fault.";
  const rate = (title: string, of: (mean: Mean) => number | null): Column<Mean> => ({ title, number: true, cell: (mean) => shown(of(mean), mbPerS) });
  const ratio = (title: string, of: (mean: Mean) => number | null): Column<Mean> => ({ title, number: true, cell: (mean) => shown(of(mean), times) });
  const columns: Column<Mean>[] = [
    { title: "mean over", head: true, cell: (mean) => mean.over },
    ...suites.suites.flatMap((_, at) => {
      const name = many === 1 ? "" : `${nameOf(suites.suites, at)}, `;
      return [
        rate(`${name}geometric, MB/s`, (mean) => mean.geometric_bytes_per_s[at] ?? null),
        rate(`${name}arithmetic, MB/s`, (mean) => mean.arithmetic_bytes_per_s[at] ?? null),
      ];
    }),
    ...suites.suites.slice(1).flatMap((_, before) => {
      const at = before + 1;
      const name = nameOf(suites.suites, at);
      return [
        ratio(`${name}, geometric, times 1`, (mean) => mean.geometric_times_first[at] ?? null),
        ratio(`${name}, arithmetic, times 1`, (mean) => mean.arithmetic_times_first[at] ?? null),
        { title: `${name}, compared`, number: true, cell: (mean: Mean) => String(mean.compared[at] ?? 0) },
      ];
    }),
  ];
  return (
    <Section id="means" title="Means" about={about}>
      <Table caption="Means" quiet columns={columns} rows={suites.means} />
    </Section>
  );
}

function suiteColumns({ suites }: SuitesPage): Column<SuitesPage["suites"][number]>[] {
  return [
    { title: "suite", head: true, cell: ({ id }, at) => `${suites.length === 1 ? "" : `${at + 1}: `}${id}` },
    { title: "target", cell: ({ target }) => <Name text={target} length={60} /> },
    { title: "storage", cell: ({ storage }) => <Name text={storage ?? ""} length={60} empty="–" /> },
    { title: "tags", cell: ({ tags }) => <Name text={tags.join(", ")} length={60} empty="–" /> },
    { title: "passes", number: true, cell: ({ passes }) => String(passes) },
    { title: "pace", cell: ({ pace }) => pace },
    { title: "mean", cell: ({ sentence }) => sentence },
  ];
}

function times(value: number): string {
  return fixed(value, 2);
}

/** A dash for what was not measured. */
function shown(value: number | null | undefined, words: (value: number) => string): string {
  return value === null || value === undefined ? "–" : words(value);
}
