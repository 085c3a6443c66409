// A media format, found by words: "prores uhd 25". The list shows the rate that a stream needs.

import { useEffect, useId, useState } from "preact/hooks";
import { api } from "../data/api";
import type { FormatEntry, FormatsFound } from "../data/live";
import { count, mbPerS } from "../figures/units";

/** The search starts after a pause in typing of this length. */
const TYPED_MS = 200;

interface Props {
  id: string;
  value: string;
  set: (id: string) => void;
  describedBy: string;
  isFaulty: boolean;
}

export function FormatField({ id, value, set, describedBy, isFaulty }: Props) {
  const list = useId();
  const [words, setWords] = useState("");
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const asked = open ? words : value === "" ? null : value;
  const { found, isOld } = useFormats(asked);
  const formats = found?.formats ?? [];
  const chosen = formats.find((format) => format.id === value) ?? null;
  const choose = (format: FormatEntry) => {
    set(format.id);
    setWords(`${format.name}, ${format.fps} fps`);
    setOpen(false);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt((before) => Math.max(0, Math.min(formats.length - 1, before + step)));
    } else if (event.key === "Enter" && open) {
      event.preventDefault();
      const format = formats[at];
      // The list shows matches for earlier words: do not choose from it.
      if (format !== undefined && !isOld) choose(format);
    } else if (event.key === "Escape") setOpen(false);
  };
  return (
    <div class="format-field">
      <input
        id={id}
        type="text"
        role="combobox"
        aria-expanded={open}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={open && formats[at] !== undefined ? `${list}-${at}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={isFaulty ? "true" : undefined}
        value={words === "" && !open && chosen !== null ? chosen.name : words}
        placeholder="for example prores uhd 25"
        autocomplete="off"
        spellcheck={false}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onInput={(event) => {
          setWords(event.currentTarget.value);
          setAt(0);
          setOpen(true);
          if (value !== "") set("");
        }}
        onKeyDown={key}
      />
      <ul id={list} role="listbox" aria-label="Formats" hidden={!open}>
        {open && formats.map((format, index) => (
          <li
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            // Runs before the field loses the focus, which closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(format);
            }}
          >
            <FormatWords format={format} />
          </li>
        ))}
      </ul>
      <p class="format-said" role="status">
        {open && found !== null && found.advice}
        {open && found !== null && found.count > formats.length && `${count(found.count)} formats match. Add words to narrow the list.`}
        {!open && chosen !== null && <FormatWords format={chosen} />}
      </p>
    </div>
  );
}

function FormatWords({ format }: { format: FormatEntry }) {
  return (
    <>
      {format.name}, {format.fps} fps{" "}
      <span class="faint">
        {format.varies ? "about " : ""}
        {mbPerS(format.bytes_per_s)} MB/s each
      </span>
    </>
  );
}

interface FormatsThere {
  found: FormatsFound | null;
  /** The matches are those of earlier words. */
  isOld: boolean;
}

function useFormats(words: string | null): FormatsThere {
  const [there, setThere] = useState<{ words: string; found: FormatsFound } | null>(null);
  useEffect(() => {
    if (words === null) return;
    const stop = new AbortController();
    // Words without a match are reported below the field, an unreachable server at the top of the page.
    const ask = () => api.formats(words, stop.signal).then((found) => setThere({ words, found }), () => undefined);
    const timer = window.setTimeout(() => void ask(), TYPED_MS);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [words]);
  return { found: there?.found ?? null, isOld: there?.words !== words };
}
