// Two to eight runs side by side: what became better or worse, and with what confidence.

import type { ComponentChildren } from "preact";
import type { Comparison, Page, Sentence } from "../data/page";
import { counted } from "../figures/units";
import { madeBy } from "../run/when";
import { Shell } from "../parts/shell";
import type { Verdict } from "../parts/shell";
import { FiguresRoot, SectionView } from "../parts/blocks";
import { histogramKinds } from "./histograms-over";
import { Overlays } from "./overlays";
import { isLadder } from "./point-keys";
import { RunKey, ownName } from "./run-key";
import { Folded } from "../parts/section";
import "./compare.css";

/** Reference sections, below the charts. */
const FOLDED = ["differences", "settings"];

const titleOf = ({ id, heading }: Page["sections"][number]) => ({ id, title: heading });

export function CompareReport({ page, back }: { page: Page; back?: ComponentChildren }) {
  const { comparison, runs } = page;
  if (comparison === null) return null;
  const clients = runs.some(isLadder);
  const strips = runs.some((run) => (run.detail?.streams ?? []).length > 0);
  const histograms = histogramKinds(runs, []).length > 0;
  const curves = runs.some((run) => (run.detail?.percentiles.length ?? 0) > 0);
  const said = page.sections.filter(({ id }) => !FOLDED.includes(id));
  const folded = page.sections.filter(({ id }) => FOLDED.includes(id));
  const charts = { runs: () => <RunKey runs={comparison.runs} /> };
  const sections = [
    { id: "answer", title: "Answer" },
    ...said.map(titleOf),
    ...(strips ? [{ id: "streams-over-time", title: "Streams" }] : []),
    { id: "over-time", title: "Throughput" },
    ...(curves ? [{ id: "percentiles", title: "Response times" }] : []),
    ...(histograms ? [{ id: "histograms", title: "Histograms" }] : []),
    ...(clients ? [{ id: "clients", title: "Load points" }] : []),
    ...folded.map(titleOf),
  ];
  return (
    <Shell
      title={comparison.runs.map(ownName).join(" · ")}
      kind="Comparison"
      verdict={verdictOf(page)}
      sections={sections}
      madeBy={madeBy(page)}
      back={back}
    >
      <h1 class="sr-only">Comparison of {comparison.runs.length} runs</h1>
      <Answer comparison={comparison} />
      <FiguresRoot.Provider value={comparison}>
        {said.map((section) => <SectionView section={section} charts={charts} />)}
        <Overlays runs={runs} comparison={comparison} />
        <Folded>{folded.map((section) => <SectionView section={section} />)}</Folded>
      </FiguresRoot.Provider>
    </Shell>
  );
}

/** The verdict in the head of the page. */
function verdictOf({ verdict }: Page): Verdict | null {
  return verdict === null ? null : { word: verdict.text, tone: TONES[verdict.tone] };
}

const TONES: Record<Sentence["tone"], Verdict["tone"]> = { answer: "good", plain: "plain", inconclusive: "unsure", bad: "bad" };

/** The number of sentences and warnings that are not folded. The compared systems must be visible with them. */
const SAID = 2;
const WARNED = 1;

function Answer({ comparison }: { comparison: Comparison }) {
  const { headline, sentences, cautions } = comparison;
  const told = headline === null ? sentences : [{ tone: "answer" as const, text: headline }, ...sentences];
  const [first, ...others] = told;
  const warnings = cautions.map((caution) => <li dir="auto">{caution}</li>);
  const more = [...others.slice(SAID).map(sentenceOf), warnings.length > WARNED && <ul class="warnings">{warnings.slice(WARNED)}</ul>];
  const kept = Math.max(0, others.length - SAID) + Math.max(0, warnings.length - WARNED);
  return (
    <section id="answer" class="section answer" aria-labelledby="answer-title">
      <h2 class="sr-only" id="answer-title" tabIndex={-1}>
        Answer
      </h2>
      {first !== undefined && (
        <p class={`headline ${classOf(first)}`} dir="auto">
          {first.text}
        </p>
      )}
      {others.slice(0, SAID).map(sentenceOf)}
      {warnings.length > 0 && <ul class="warnings">{warnings.slice(0, WARNED)}</ul>}
      {kept > 0 && (
        <details>
          <summary>{counted(kept, "more note")}</summary>
          {more}
        </details>
      )}
    </section>
  );
}

function sentenceOf(sentence: Sentence) {
  return (
    <p class={classOf(sentence)} dir="auto">
      {sentence.text}
    </p>
  );
}

function classOf({ tone }: Sentence): string {
  return tone === "bad" ? "bad" : "";
}
