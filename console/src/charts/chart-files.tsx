// The menu of a chart: take it away as PNG, SVG or CSV, or read it as a table.

import type { ECharts } from "./echarts";
import { tableOf } from "./chart-table";
import type { ChartTable } from "./chart-table";
import { FONT } from "./look";
import { DARK, LIGHT } from "./palette";
import { csv, download } from "../parts/download";
import { Menu } from "../parts/menu";
import { cut } from "../parts/text";
import { dark } from "../parts/theme";

interface Props {
  id: string;
  title: string;
  chart: ECharts | null;
  table: ChartTable | (() => ChartTable);
  svg: () => string;
  /** Shows the table below the chart, or takes it away. */
  showTable: () => void;
  tableIsShown: boolean;
}

export function ChartFiles({ id, title, chart, table, svg, showTable, tableIsShown }: Props) {
  const png = () => {
    if (chart !== null) savePng(chart, title, `${id}.png`);
  };
  const asSvg = () =>
    download(`${id}.svg`, new Blob([titledSvg(svg(), headline(title))], { type: "image/svg+xml" }));
  const asCsv = () => {
    const { columns, rows } = tableOf(table);
    download(`${id}.csv`, new Blob([csv(columns, rows)], { type: "text/csv" }));
  };
  return (
    <div class="chart-files">
      <Menu
        name="Save"
        label={`Save or read: ${title}`}
        items={[
          { name: tableIsShown ? "Hide the table" : "Show as a table", act: showTable },
          { name: "CSV, the numbers", label: `CSV, the numbers of ${title}`, act: asCsv },
          { name: "PNG, a picture", label: `PNG, a picture of ${title}`, act: png },
          { name: "SVG, a drawing", label: `SVG, a drawing of ${title}`, act: asSvg },
        ]}
      />
    </div>
  );
}

/** What the chart is and of which run: a picture that was sent on has nothing else that says so. */
function headline(title: string): string {
  return cut(`${title} · ${document.title}`, 120);
}

/** Room above the chart for the headline, CSS pixels. */
const HEAD_PX = 34;

function savePng(chart: ECharts, title: string, name: string): void {
  const look = dark.peek() ? DARK : LIGHT;
  const fineness = 2;
  const plot = chart.renderToCanvas({ pixelRatio: fineness, backgroundColor: look.ground });
  const canvas = document.createElement("canvas");
  canvas.width = plot.width;
  canvas.height = plot.height + HEAD_PX * fineness;
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.fillStyle = look.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = look.ink;
  context.font = `600 ${13 * fineness}px ${FONT}`;
  context.fillText(headline(title), 8 * fineness, 21 * fineness, canvas.width - 16 * fineness);
  context.drawImage(plot, 0, HEAD_PX * fineness);
  canvas.toBlob((blob) => {
    if (blob !== null) download(name, blob);
  }, "image/png");
}

/** The chart's SVG below a headline. */
export function titledSvg(svg: string, title: string): string {
  const size = /^<svg width="([\d.]+)" height="([\d.]+)"/.exec(svg);
  if (size === null) return svg;
  const [width, height] = [Number(size[1]), Number(size[2]) + HEAD_PX];
  const safe = title.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${LIGHT.ground}"/>`,
    `<text x="8" y="21" font-family="${FONT}" font-size="13" font-weight="600" fill="${LIGHT.ink}">${safe}</text>`,
    svg.replace("<svg ", `<svg y="${HEAD_PX}" `),
    "</svg>",
  ].join("\n");
}
