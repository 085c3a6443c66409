// Names of files in a page's detail.

import type { Detail } from "../data/page";

/** The file's name; its number where it has none; empty for no file. */
export function fileName(names: Detail["file_names"], file: number): string {
  if (file < 0) return "";
  return names[file] ?? `file ${file}`;
}
