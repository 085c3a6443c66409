// The files that the map shows, each with its colour.

import type { Look } from "../charts/palette";
import type { Detail } from "../data/page";
import { counted } from "../figures/units";
import { Name } from "../parts/name";
import { fileName } from "./file-names";
import { COLOURS, everyFile, only, selectionOf, toggled } from "./selection";

export function MapFiles({ detail, look }: { detail: Detail; look: Look }) {
  const selection = selectionOf(detail);
  const chosen = selection.value;
  const more = detail.files.file.length + detail.files.left_out - detail.maps.length;
  return (
    <fieldset class="map-files">
      <legend>
        Files on the map ({chosen.size} of {detail.maps.length})
        {chosen.size > COLOURS && ". Colours repeat; the file of the mark under the pointer is named below the map."}
      </legend>
      {chosen.size < detail.maps.length && (
        <button type="button" class="small" onClick={() => (selection.value = everyFile(detail))}>
          All files
        </button>
      )}
      <ul>
        {detail.maps.map((map) => {
          const colour = chosen.get(map.file);
          const name = fileName(detail.file_names, map.file);
          return (
            <li>
              <label>
                <input
                  type="checkbox"
                  checked={colour !== undefined}
                  onChange={() => (selection.value = toggled(chosen, map.file))}
                />
                <span
                  class="map-colour"
                  aria-hidden="true"
                  style={{ background: colour === undefined ? "transparent" : look.series[colour] }}
                />
                <Name text={name} length={44} />
              </label>
              <button
                type="button"
                class="link"
                aria-label={`Only ${name.slice(0, 100)}`}
                onClick={() => (selection.value = only(chosen, map.file))}
              >
                only
              </button>
            </li>
          );
        })}
      </ul>
      {more > 0 && <p class="faint">Not mapped: {counted(more, "other file")} with fewer accesses.</p>}
    </fieldset>
  );
}
