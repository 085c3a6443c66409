// The user's notes on a run and its storage: tags, make, model, firmware, a note.

import { useState } from "preact/hooks";
import { api } from "../data/api";
import type { RunNotes } from "../data/page";
import { DETAILS, TAGS_TITLE } from "./about-fields";
import { Dialog } from "./confirm";
import { tagsFrom } from "./run-search";

const NO_NOTES: RunNotes = {
  name: "",
  tags: [],
  note: "",
  storage_make: "",
  storage_model: "",
  storage_firmware: "",
  storage_other: {},
};

interface Props {
  id: string;
  notes: RunNotes | null;
  saved: (notes: RunNotes) => void;
  close: () => void;
}

export function NotesDialog({ id, notes, saved, close }: Props) {
  const before = notes ?? NO_NOTES;
  const [values, setValues] = useState(before);
  const [tags, setTags] = useState(before.tags.join(", "));
  const [error, setError] = useState<string | null>(null);
  const [waits, setWaits] = useState(false);
  const text = (field: "name" | "storage_make" | "storage_model" | "storage_firmware", title: string, example: string) => (
    <label>
      {title}
      <input
        type="text"
        value={values[field]}
        placeholder={example}
        dir="auto"
        onInput={(event) => setValues({ ...values, [field]: event.currentTarget.value })}
      />
    </label>
  );
  const save = async (event: Event) => {
    event.preventDefault();
    setWaits(true);
    const next = { ...values, tags: tagsFrom(tags) };
    try {
      await api.saveNotes(id, next);
      saved(next);
      close();
    } catch (fault) {
      setError(fault instanceof Error ? fault.message : String(fault));
      setWaits(false);
    }
  };
  return (
    <Dialog title="Notes and tags" close={close}>
      <form class="notes" onSubmit={(event) => void save(event)}>
        {error !== null && <p class="bad" role="alert">{error}</p>}
        {text("name", "Run name", "before the update")}
        {DETAILS.map(({ key, title, example }) => text(`storage_${key}`, title, example))}
        <label>
          {TAGS_TITLE}
          <input
            type="text"
            value={tags}
            placeholder="before, 10GbE"
            dir="auto"
            onInput={(event) => setTags(event.currentTarget.value)}
          />
        </label>
        <label>
          Note
          <textarea
            rows={5}
            dir="auto"
            value={values.note}
            onInput={(event) => setValues({ ...values, note: event.currentTarget.value })}
          />
        </label>
        <div class="dialog-buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={waits}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}
