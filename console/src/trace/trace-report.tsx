// A trace's page: a summary of the application's accesses, their offsets in its files over time, and each operation.

import type { ComponentChildren } from "preact";
import type { Page, TracePage } from "../data/page";
import { Blocks, FiguresRoot, SectionView } from "../parts/blocks";
import { Said } from "../parts/name";
import { Section } from "../parts/section";
import { madeBy } from "../run/when";
import { Shell } from "../parts/shell";
import { FileTable } from "./file-table";
import { OPERATIONS_HELP, OpList } from "./op-list";
import { TraceTime } from "./trace-time";
import "./trace.css";

const PARTS = [
  { id: "answer", title: "Answer" },
  { id: "figures", title: "Figures" },
  { id: "time", title: "Over time" },
  { id: "period", title: "Period in view" },
  { id: "latency", title: "Service times" },
  { id: "sizes", title: "Transfer sizes" },
  { id: "files", title: "Files" },
  { id: "operations", title: "Operations" },
  { id: "about", title: "About this trace" },
];

export function TraceReportPage({ trace, page, back }: { trace: TracePage; page: Page; back?: ComponentChildren }) {
  const [answer, figures, about] = trace.sections;
  return (
    <Shell title={trace.id} kind="Trace" sections={PARTS} madeBy={madeBy(page)} back={back}>
      <FiguresRoot.Provider value={trace.report}>
        {answer !== undefined && (
          <section id="answer" class="answer" aria-label="Answer">
            <h1>
              <Said text={answer.heading} />
            </h1>
            <Blocks blocks={answer.blocks} />
          </section>
        )}
        {figures !== undefined && <SectionView section={figures} />}
        <TraceTime detail={trace.detail} />
        <Section id="files" title="Files" about="The files with the most bytes, and the operations on each.">
          <FileTable detail={trace.detail} report={trace.report.files} />
        </Section>
        <Section id="operations" title="Operations" about={OPERATIONS_HELP}>
          <OpList detail={trace.detail} />
        </Section>
        {about !== undefined && <SectionView section={about} />}
      </FiguresRoot.Provider>
    </Shell>
  );
}
