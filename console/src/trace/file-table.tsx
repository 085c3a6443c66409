// The files with the most bytes: a table that can be sorted and filtered by a pattern, with links to the map.

import { useMemo, useState } from "preact/hooks";
import type { Detail } from "../data/page";
import type { FileFigures } from "../data/trace";
import { columnDecimals, count, counted, fixed } from "../figures/units";
import { Name } from "../parts/name";
import { type Column, Table } from "../parts/table";
import { fileName } from "./file-names";
import { PATTERN_HELP, matcher } from "./glob";
import { selectionOf, toggled } from "./selection";
import "./trace.css";

interface FileRow {
  file: number;
  name: string;
  read_bytes: number;
  written_bytes: number;
  reads: number;
  writes: number;
  ops: number;
  sequential_percent: number | null;
  /** The share in the whole trace; null if the trace's report does not have the file. */
  whole_percent: number | null;
  mean_us: number | null;
  max_us: number | null;
  failed_ops: number;
}

/** Rows of the table. For its first files, a trace's report has further figures. */
function fileRows(detail: Detail, report: readonly FileFigures[]): FileRow[] {
  const { files } = detail;
  const more = new Map(report.map((file) => [file.file, file]));
  return files.file.map((file, at) => ({
    file,
    name: fileName(detail.file_names, file),
    read_bytes: files.read_bytes[at] ?? 0,
    written_bytes: files.written_bytes[at] ?? 0,
    reads: files.reads[at] ?? 0,
    writes: files.writes[at] ?? 0,
    ops: files.ops[at] ?? 0,
    sequential_percent: files.sequential_percent[at] ?? null,
    whole_percent: more.get(file)?.sequential_percent ?? null,
    mean_us: files.mean_service_us[at] ?? null,
    max_us: files.max_service_us[at] ?? null,
    failed_ops: files.failed_ops[at] ?? 0,
  }));
}

interface Props {
  detail: Detail;
  /** TraceReport.files, if there is a report. */
  report?: readonly FileFigures[];
}

const NONE: readonly FileFigures[] = [];

export function FileTable({ detail, report = NONE }: Props) {
  const [pattern, setPattern] = useState("");
  const rows = useMemo(() => fileRows(detail, report), [detail, report]);
  const shown = useMemo(() => {
    const matches = matcher(pattern);
    return rows.filter((row) => matches(row.name));
  }, [rows, pattern]);
  const columns = useColumns(detail, rows);
  return (
    <div class="files-table">
      <div class="list-filter">
        <label>
          File
          <input
            type="search"
            value={pattern}
            placeholder="*.mov"
            title={PATTERN_HELP}
            onInput={(event) => setPattern(event.currentTarget.value)}
          />
        </label>
        <span class="count" role="status">
          {shown.length === rows.length ? counted(rows.length, "file") : `${shown.length} of ${counted(rows.length, "file")}`}
        </span>
      </div>
      <Table
        caption="Files with the most bytes"
        quiet
        columns={columns}
        rows={shown}
        most={25}
        rowClass={(row) => (row.failed_ops > 0 ? "failed" : "")}
        empty={rows.length === 0 ? "No file was accessed." : `No file name matches ${pattern}.`}
      />
      {detail.files.left_out > 0 && (
        <p class="faint">Not listed: {counted(detail.files.left_out, "file")} with fewer bytes.</p>
      )}
    </div>
  );
}

function useColumns(detail: Detail, rows: readonly FileRow[]): Column<FileRow>[] {
  const chosen = selectionOf(detail).value;
  return useMemo(() => columnsOf(detail, rows), [detail, rows, chosen]);
}

/** A column of numbers with the same number of decimals. */
function numbers(
  rows: readonly FileRow[],
  title: string,
  value: (row: FileRow) => number | null,
  help?: string,
): Column<FileRow> {
  const decimals = columnDecimals(rows.map(value).filter((one) => one !== null));
  const cell = (row: FileRow) => {
    const one = value(row);
    return one === null ? "–" : fixed(one, decimals);
  };
  return { title, number: true, cell, sort: value, ...(help === undefined ? {} : { help }) };
}

function counts(title: string, value: (row: FileRow) => number): Column<FileRow> {
  return { title, number: true, cell: (row) => count(value(row)), sort: value };
}

function columnsOf(detail: Detail, rows: readonly FileRow[]): Column<FileRow>[] {
  const ofTrace = rows.some((row) => row.whole_percent !== null);
  const ms = (us: number | null) => (us === null ? null : us / 1e3);
  return [
    { title: "file", head: true, cell: (row) => <Name text={row.name} length={56} />, sort: (row) => row.name },
    { title: "map", cell: (row) => <OnMap detail={detail} row={row} /> },
    numbers(rows, "read, MB", (row) => row.read_bytes / 1e6),
    numbers(rows, "written, MB", (row) => row.written_bytes / 1e6),
    counts("reads", (row) => row.reads),
    counts("writes", (row) => row.writes),
    counts("all operations", (row) => row.ops),
    numbers(rows, "sequential, %", (row) => row.sequential_percent, "Accesses that start where the previous access to this file ended"),
    ...(ofTrace ? [wholeColumn(rows)] : []),
    numbers(rows, "mean, ms", (row) => ms(row.mean_us), "Service time of reads and writes"),
    numbers(rows, "max, ms", (row) => ms(row.max_us), "Service time of reads and writes"),
    counts("failed", (row) => row.failed_ops),
  ];
}

/** By NASPT's definition, in which interleaved streams count as random. */
function wholeColumn(rows: readonly FileRow[]): Column<FileRow> {
  return numbers(rows, "in whole trace, %", (row) => row.whole_percent, "Accesses that start where the previous access in the whole trace ended");
}

/** A button that shows the file on the map; empty for files without a map. */
function OnMap({ detail, row }: { detail: Detail; row: FileRow }) {
  const selection = selectionOf(detail);
  if (!detail.maps.some((map) => map.file === row.file)) return <span class="faint">–</span>;
  const on = selection.value.has(row.file);
  return (
    <input
      type="checkbox"
      checked={on}
      aria-label={`On the map: ${row.name.slice(0, 100)}`}
      onChange={() => (selection.value = toggled(selection.value, row.file))}
    />
  );
}
