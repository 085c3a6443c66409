// Saves data as a file without a server, by a link to a blob.

/** Downloads the data as a file. */
export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName(name);
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A name that every file system accepts. */
export function fileName(name: string): string {
  const ending = /\.[a-z]{2,4}$/.exec(name)?.[0] ?? "";
  const before = name.slice(0, name.length - ending.length);
  const safe = before.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
  return `${safe.slice(0, 100) || "reelgauge"}${ending}`;
}

export type Cell = string | number | null;

/** Rows as CSV (RFC 4180). Text that a spreadsheet would interpret as a formula gets a leading apostrophe. */
export function csv(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [columns, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function csvCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
