// One suite, or several side by side: the answer, and bars for each workload. The Rust side writes the tables.

import { useMemo, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Page, SuitesPage } from "../data/page";
import { FiguresRoot, SectionView } from "../parts/blocks";
import { Shell } from "../parts/shell";
import { madeBy } from "../run/when";
import { type BarChoice, barsOf, nameOf, usualBars } from "./bar-choice";
import { SuiteBars } from "./suite-bars";

export function SuitesReport({ page, suites, back }: { page: Page; suites: SuitesPage; back?: ComponentChildren }) {
  const many = suites.suites.length;
  return (
    <Shell
      title={suites.suites.map(({ label }) => label).join(" · ")}
      kind={many === 1 ? "Suite" : "Comparison"}
      sections={[{ id: "answer", title: "Answer" }, ...page.sections.map(({ id, heading }) => ({ id, title: heading }))]}
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
      <FiguresRoot.Provider value={suites}>
        {page.sections.map((section) => <SectionView section={section} charts={{ bars: () => <Bars suites={suites} /> }} />)}
      </FiguresRoot.Provider>
    </Shell>
  );
}

function Bars({ suites }: { suites: SuitesPage }) {
  const [choice, setChoice] = useState<BarChoice>(() => usualBars(suites));
  const series = useMemo(() => barsOf(suites, choice), [suites, choice]);
  const workloads = useMemo(() => suites.rows.map(({ workload }) => workload), [suites]);
  const many = suites.suites.length;
  const title =
    choice === null ? `Median of ${many === 1 ? "all passes" : "each suite"}` : `Each pass${many === 1 ? "" : ` of ${nameOf(suites.suites, choice)}`}`;
  return (
    <>
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
    </>
  );
}
