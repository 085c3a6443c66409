// The menu of a chart: save it as PNG, SVG or CSV, or show its table.

import type { ECharts } from "./echarts";
import { tableOf } from "./chart-table";
import type { ChartTable } from "./chart-table";
import { FONT } from "./look";
import { DARK, LIGHT } from "./palette";
import { csv, download } from "../parts/download";
import { Menu } from "../parts/menu";
import { cut, wrapped } from "../parts/text";
import { dark } from "../parts/theme";

interface Props {
  id: string;
  title: string;
  chart: ECharts | null;
  table: ChartTable | (() => ChartTable);
  svg: () => string;
  /** Printed below every saved picture: how the run differs from the paper. Empty if there is no difference. */
  conditions: string;
  /** Shows or hides the table below the chart. */
  showTable: () => void;
  tableIsShown: boolean;
}

export function ChartFiles({ id, title, chart, table, svg, conditions, showTable, tableIsShown }: Props) {
  const png = () => {
    if (chart !== null) savePng(chart, title, conditions, `${id}.png`);
  };
  const asSvg = () =>
    download(`${id}.svg`, new Blob([titledSvg(svg(), headline(title), conditions)], { type: "image/svg+xml" }));
  const asCsv = () => {
    const { columns, rows } = tableOf(table);
    download(`${id}.csv`, new Blob([csv(columns, rows)], { type: "text/csv" }));
  };
  return (
    <div class="chart-files">
      <Menu
        name="Save"
        label={`Save: ${title}`}
        items={[
          { name: tableIsShown ? "Hide table" : "Show table", act: showTable },
          { name: "CSV data", label: `CSV data: ${title}`, act: asCsv },
          { name: "PNG image", label: `PNG image: ${title}`, act: png },
          { name: "SVG drawing", label: `SVG drawing: ${title}`, act: asSvg },
        ]}
      />
    </div>
  );
}

/** Chart title and run, so that a saved picture still identifies both. */
function headline(title: string): string {
  return cut(`${title} · ${document.title}`, 120);
}

/** Height of the space above the chart for the headline, in CSS pixels. */
const HEAD_PX = 34;
/** Height of a line below the chart, in CSS pixels. */
const LINE_PX = 17;
/** Space on both sides of texts, in CSS pixels. */
const SIDE_PX = 8;
/** The largest mean width of a letter in the lines below, in CSS pixels. */
const LETTER_PX = 6.5;

/** The lines below a chart of this width. */
function lines(conditions: string, width: number): string[] {
  return conditions === "" ? [] : wrapped(cut(conditions, 4_000), Math.floor((width - 2 * SIDE_PX) / LETTER_PX));
}

/** Height of the lines below, with a margin. */
const footPx = (below: readonly string[]) => (below.length === 0 ? 0 : below.length * LINE_PX + SIDE_PX);

function savePng(chart: ECharts, title: string, conditions: string, name: string): void {
  const look = dark.peek() ? DARK : LIGHT;
  const fineness = 2;
  const plot = chart.renderToCanvas({ pixelRatio: fineness, backgroundColor: look.ground });
  const below = lines(conditions, plot.width / fineness);
  const canvas = document.createElement("canvas");
  canvas.width = plot.width;
  canvas.height = plot.height + (HEAD_PX + footPx(below)) * fineness;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.fillStyle = look.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = look.ink;
  const write = (text: string, y: number) =>
    context.fillText(text, SIDE_PX * fineness, y * fineness, canvas.width - 2 * SIDE_PX * fineness);
  context.font = `600 ${13 * fineness}px ${FONT}`;
  write(headline(title), 21);
  context.drawImage(plot, 0, HEAD_PX * fineness);
  context.font = `${12 * fineness}px ${FONT}`;
  below.forEach((line, at) => write(line, HEAD_PX + plot.height / fineness + 13 + at * LINE_PX));
  canvas.toBlob((blob) => {
    if (blob !== null) download(name, blob);
  }, "image/png");
}

/** The chart's SVG with a headline above it and the conditions below it. */
export function titledSvg(svg: string, title: string, conditions = ""): string {
  const size = /^<svg width="([\d.]+)" height="([\d.]+)"/.exec(svg);
  if (size === null) return svg;
  const below = lines(conditions, Number(size[1]));
  const plotEnd = Number(size[2]) + HEAD_PX;
  const [width, height] = [Number(size[1]), plotEnd + footPx(below)];
  const text = (words: string, y: number, look: string) =>
    `<text x="${SIDE_PX}" y="${y}" font-family="${FONT}" ${look} fill="${LIGHT.ink}">${safe(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${LIGHT.ground}"/>`,
    text(title, 21, 'font-size="13" font-weight="600"'),
    svg.replace("<svg ", `<svg y="${HEAD_PX}" `),
    ...below.map((line, at) => text(line, plotEnd + 13 + at * LINE_PX, 'font-size="12"')),
    "</svg>",
  ].join("\n");
}

const safe = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
