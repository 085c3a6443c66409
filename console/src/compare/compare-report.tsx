// Two to eight runs side by side: what became better and what worse, and how sure that is.

import type { ComponentChildren } from "preact";
import type { Comparison, Page } from "../data/page";
import { madeBy } from "../run/when";
import { Shell } from "../parts/shell";
import type { Verdict } from "../parts/shell";
import { Differences } from "./differences";
import { histogramKinds } from "./histograms-over";
import { isJudged } from "./judged";
import { Overlays } from "./overlays";
import { isLadder } from "./point-keys";
import { ownName } from "./run-key";
import { Settings } from "./settings";
import { States } from "./states";
import { Systems } from "./systems";
import { Folded } from "../parts/section";
import "./compare.css";

export function CompareReport({ page, back }: { page: Page; back?: ComponentChildren }) {
  const { comparison, runs } = page;
  if (comparison === null) return null;
  const clients = runs.some(isLadder);
  const strips = runs.some((run) => (run.detail?.streams ?? []).length > 0);
  const histograms = histogramKinds(runs, []).length > 0;
  const curves = runs.some((run) => (run.detail?.percentiles.length ?? 0) > 0);
  const sections = [
    { id: "answer", title: "Answer" },
    ...(page.states.length > 0 ? [{ id: "states", title: "States" }] : []),
    { id: "systems", title: "Systems" },
    ...(strips ? [{ id: "streams-over-time", title: "Streams" }] : []),
    { id: "over-time", title: "Throughput" },
    ...(curves ? [{ id: "percentiles", title: "Response times" }] : []),
    ...(histograms ? [{ id: "histograms", title: "Histograms" }] : []),
    ...(clients ? [{ id: "clients", title: "Load points" }] : []),
    { id: "differences", title: "Differences" },
    { id: "settings", title: "Settings" },
  ];
  return (
    <Shell
      title={comparison.runs.map(ownName).join(" · ")}
      kind="Comparison"
      verdict={verdictOf(comparison)}
      sections={sections}
      madeBy={madeBy(page)}
      back={back}
    >
      <h1 class="sr-only">Comparison of {comparison.runs.length} runs</h1>
      <Answer comparison={comparison} />
      <States states={page.states} />
      <Systems runs={runs} comparison={comparison} />
      <Overlays runs={runs} comparison={comparison} />
      <Folded>
        <Differences comparison={comparison} />
        <Settings runs={runs} comparison={comparison} />
      </Folded>
    </Shell>
  );
}

/** In the head: worse outweighs better. What the tool itself cost says nothing about the storage. */
function verdictOf(comparison: Comparison): Verdict {
  const others = comparison.runs.slice(1);
  if (others.every((run) => run.kinship === "itself")) return { word: "the same run", tone: "plain" };
  if (others.every((run) => run.kinship === "other_work")) return { word: "not comparable", tone: "plain" };
  if (others.every((run) => run.kinship === "other_work" || run.kinship === "other_plan")) {
    return { word: "different work", tone: "plain" };
  }
  const rows = comparison.rows.filter((row) => !row.figure.startsWith("self_cost."));
  const all = rows.flatMap((row) => row.judgement);
  const worse = all.includes("worse");
  const better = all.includes("better");
  if (worse && better) return { word: "better and worse", tone: "plain" };
  if (worse) return { word: "worse", tone: "bad" };
  if (better) return { word: "better", tone: "good" };
  const isKnown = rows.some((row) => row.judgement.some((_, at) => isJudged(row, at)));
  return isKnown ? { word: "no difference found", tone: "plain" } : { word: "can't be told", tone: "plain" };
}

/** Sentences and warnings that stand open; the systems are to be seen beside them. */
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
          <summary>{kept === 1 ? "1 more thing to know" : `${kept} more things to know`}</summary>
          {more}
        </details>
      )}
    </section>
  );
}

type Sentence = Comparison["sentences"][number];

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
