// Names of files in a page's detail.

import type { Detail } from "../data/page";

/** The file's name; its number if it has no name; empty if there is no file. */
export function fileName(names: Detail["file_names"], file: number): string {
  if (file < 0) return "";
  return names[file] ?? `file ${file}`;
}
