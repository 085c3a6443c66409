// Sections of a page as the Rust side writes them (generated.ts, `SectionBlocks`): sentences, tables, and the places of
// charts. Texts are shown unchanged. A figure is looked up in the summary by its path, so that tables can be sorted by
// it and a test can compare it with the file.

import { createContext } from "preact";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { ChartTable } from "../charts/chart-table";
import type { Block, HopWords, PointBlocks, SectionBlocks, Table as TableBlock, Tile as TileBlock } from "../data/generated";
import type { RunPage } from "../data/page";
import { meaningOf } from "../figures/meaning";
import { chosenPoint } from "../view";
import { Copy } from "./copy";
import { Facts } from "./facts";
import { Tile, Tiles } from "./figure";
import { Explained } from "./glossary";
import { Name, Said } from "./name";
import { Section } from "./section";
import { Table } from "./table";
import { cut } from "./text";

/** The object in which paths of figures are looked up. */
export const FiguresRoot = createContext<unknown>(null);

/** Charts by their names in blocks. `point`: the load point; null outside the sections of load points. */
export type Charts = Record<string, (point: number | null) => ComponentChildren>;

/** The text of a cell that was not measured. */
const NOT_MEASURED = "-";

/** Longer cells and names are cut until the user opens them. */
const LONGEST_CELL = 320;
/** Cells up to this length need no wide column. */
const SHORT_CELL = 64;

export function SectionView({ section, charts = {} }: { section: SectionBlocks; charts?: Charts }) {
  const about = section.about === "" ? undefined : <Said text={section.about} />;
  return (
    <Section id={section.id} title={section.heading} about={about}>
      <Blocks blocks={section.blocks} charts={charts} />
    </Section>
  );
}

interface Props {
  blocks: readonly Block[];
  charts?: Charts;
  point?: number | null;
}

export function Blocks({ blocks, charts = {}, point = null }: Props) {
  return (
    <>
      {blocks.map((block) => (
        <One block={block} charts={charts} point={point} />
      ))}
    </>
  );
}

function One({ block, charts, point }: { block: Block; charts: Charts; point: number | null }) {
  switch (block.kind) {
    case "heading":
      return <h3>{block.of}</h3>;
    case "paragraph":
      return (
        <p class={block.of.tone === "bad" ? "bad" : ""} dir="auto">
          {block.of.tone === "answer" ? <strong><Said text={block.of.text} /></strong> : <Said text={block.of.text} />}
        </p>
      );
    case "warning":
      return (
        <p class="bad" dir="auto">
          Warning: <Said text={block.of} />
        </p>
      );
    case "rows":
      return <Facts name="Facts" rows={block.of.map(([name, text]) => [name, <Name text={text} length={LONGEST_CELL} />])} />;
    case "tiles":
      return <Tiles>{block.of.map((tile) => <TileView tile={tile} />)}</Tiles>;
    case "table":
      return <TableView table={block.of} />;
    case "page_chart":
      return <>{charts[block.of]?.(point)}</>;
    case "points":
      return <PointsView points={block.of} charts={charts} />;
    case "folded":
      return (
        <details>
          <summary>{block.of.heading}</summary>
          <div class="folded-content">
            <Blocks blocks={block.of.blocks} charts={charts} point={point} />
          </div>
        </details>
      );
    case "command":
      return <Copy text={block.of} label="command" />;
    case "text":
      return (
        <pre class="plan" dir="auto" tabIndex={0}>
          {block.of}
        </pre>
      );
    case "diagram":
      return <Path hops={block.of} />;
    case "missing":
      throw new Error(`A page has no block of kind ${block.kind}`);
  }
}

/** From this client to the disks. The part with the lowest capacity is marked. */
function Path({ hops }: { hops: readonly HopWords[] }) {
  return (
    <ol class="path" aria-label="Path from this client to the disks">
      {hops.map((hop) => (
        <li data-hop class={`hop ${hop.is_lowest ? "hop-lowest" : ""} ${hop.is_known ? "" : "hop-unknown"}`}>
          <strong>{hop.name}</strong>
          <span dir="auto">{hop.known}</span>
          {hop.carries !== "" && <span class="hop-carries">{hop.carries}</span>}
          {hop.is_lowest && <span class="hop-mark">lowest</span>}
        </li>
      ))}
    </ol>
  );
}

function TileView({ tile }: { tile: TileBlock }) {
  const name = tile.help === "" ? tile.name : <Explained says={tile.help}>{tile.name}</Explained>;
  const tone = tile.is_good === null ? {} : { tone: tile.is_good ? ("good" as const) : ("bad" as const) };
  return (
    <Tile name={name} {...tone}>
      <Told path={tile.path} text={tile.text} />
      {tile.more !== "" && <small>{tile.more}</small>}
    </Tile>
  );
}

/** A text with its figure. If the figure exists but is not shown, the help of the column gives the reason. */
export function Told({ path, text, help = "" }: { path: string; text: string; help?: string }) {
  const root = useContext(FiguresRoot);
  if (path === "") return <Name text={text} length={text.length > SHORT_CELL ? LONGEST_CELL : SHORT_CELL} empty="" />;
  const value = valueAt(root, path);
  if (text === NOT_MEASURED && value !== null && help !== "")
    return (
      <span class="faint not-carried" title={help}>
        {text}
        <span class="sr-only"> {help}</span>
      </span>
    );
  return (
    <span class={text === NOT_MEASURED ? "faint" : "figure"} title={meaningOf(path)} data-figure={path} data-value={String(value)}>
      {text}
    </span>
  );
}

/** The number at `load_points.0.total.ops`; null if it was not measured. */
export function valueAt(root: unknown, path: string): number | null {
  const at = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], root);
  return typeof at === "number" ? at : null;
}

/** Units: in a title, a comma separates them from the name (`p99, ms`). Other second lines belong to the name. */
const UNIT = /^(%|s|ms|µs|bytes|[KMGT]?i?B|[KMGT]?i?B\/s.*|op\/s|0 to 1)$/;

function titleOf(column: TableBlock["columns"][number]): string {
  const [name, unit] = column.header;
  if (name === "" || unit === "") return name + unit;
  return UNIT.test(unit) && !name.endsWith(":") ? `${name}, ${unit}` : `${name} ${unit}`;
}

/** The path of a cell's figure in the summary: below its row, or with its row in place of `*`. */
function pathOf({ path }: TableBlock["columns"][number], row = ""): string {
  if (path === "") return "";
  return path.includes("*") ? path.replace("*", row) : `${row}.${path}`;
}

export function blocksOf(run: RunPage, id: string): readonly Block[] {
  return run.sections.find((section) => section.id === id)?.blocks ?? [];
}

/** The first table of a section. */
export function tableOf(run: RunPage, id: string): TableBlock | undefined {
  return blocksOf(run, id).flatMap((block) => (block.kind === "table" ? [block.of] : []))[0];
}

/** The first table of a section as the data of a chart: figures as they are in the summary. */
export function chartTable(run: RunPage, id: string): ChartTable {
  const table = tableOf(run, id);
  const columns = table?.columns ?? [];
  const value = (column: TableBlock["columns"][number], row: number) =>
    column.cells[row] === NOT_MEASURED ? null
    : column.path === "" ? (column.cells[row] ?? "")
    : valueAt(run.summary, pathOf(column, table?.rows[row]));
  const rows = columns[0]?.cells ?? [];
  return { columns: columns.map(titleOf), rows: rows.map((_, row) => columns.map((column) => value(column, row))) };
}

export function TableView({ table, most }: { table: TableBlock; most?: number }) {
  const root = useContext(FiguresRoot);
  const height = Math.max(0, ...table.columns.map((column) => column.cells.length));
  const rows = Array.from({ length: height }, (_, row) => row);
  const columns = table.columns.map((column, at) => {
    const path = (row: number) => pathOf(column, table.rows[row]);
    return {
      title: titleOf(column),
      // The first column has the names of the rows.
      number: at > 0 && !column.is_words,
      head: at === 0,
      ...(column.help === "" ? {} : { help: column.help }),
      // Columns of numbers are sorted by the numbers. Without them they are not sortable.
      ...(column.path === "" && !column.is_words
        ? {}
        : { sort: (row: number) => (column.path === "" ? (column.cells[row] ?? "") : valueAt(root, path(row))) }),
      cell: (row: number) => <Told path={path(row)} text={column.cells[row] ?? ""} help={column.help} />,
    };
  });
  const bad = new Set(table.bad_rows);
  return <Table {...(most === undefined ? {} : { most })} caption={table.caption} rows={rows} columns={columns} rowClass={(row) => (bad.has(row) ? "bad" : "")} />;
}

/** The chosen load point applies to the whole page and is part of the link. By default the last one is shown. */
function PointsView({ points, charts }: { points: readonly PointBlocks[]; charts: Charts }) {
  const chosen = points.find(({ point }) => point === chosenPoint.value) ?? points[points.length - 1];
  if (chosen === undefined) return null;
  return (
    <>
      {points.length > 1 && (
        <label class="pick">
          Load point{" "}
          <select
            value={String(chosen.point)}
            onChange={(event) => (chosenPoint.value = Number(event.currentTarget.value))}
          >
            {[...points].sort((one, two) => one.point - two.point).map(({ point, label }) => (
              <option value={String(point)} selected={point === chosen.point}>
                {`${point + 1}: ${cut(label, 60)}`}
              </option>
            ))}
          </select>
        </label>
      )}
      <Blocks key={chosen.point} blocks={chosen.blocks} charts={charts} point={chosen.point} />
    </>
  );
}
