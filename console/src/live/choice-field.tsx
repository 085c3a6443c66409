// A choice of one of a few items in a form, each with a one-line description.

import { Name } from "../parts/name";
import type { ChoiceEntry } from "../data/live";

/** A longer list unfolds. */
const CARDS_MAX = 8;

interface Props {
  id: string;
  title: string;
  choices: readonly ChoiceEntry[];
  value: string;
  set: (name: string) => void;
  describedBy: string;
}

export function ChoiceField({ id, title, choices, value, set, describedBy }: Props) {
  if (choices.length > CARDS_MAX) return <ChoiceList id={id} choices={choices} value={value} set={set} describedBy={describedBy} />;
  return (
    <div class="choice-cards" role="radiogroup" aria-label={title} aria-describedby={describedBy}>
      {choices.map((choice, at) => (
        <label>
          <input
            id={at === 0 ? id : undefined}
            type="radio"
            name={id}
            value={choice.name}
            checked={choice.name === value}
            onChange={() => set(choice.name)}
          />
          <span>
            <strong>{choice.name}</strong> {choice.about}
          </span>
        </label>
      ))}
    </div>
  );
}

function ChoiceList({ id, choices, value, set, describedBy }: Omit<Props, "title">) {
  const chosen = choices.find((choice) => choice.name === value);
  return (
    <div>
      <select id={id} aria-describedby={describedBy} value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">choose one</option>
        {choices.map((choice) => (
          <option value={choice.name} selected={choice.name === value}>
            {choice.name}
          </option>
        ))}
      </select>
      {chosen !== undefined && (
        <p class="faint">
          <Name text={chosen.about} length={200} />
        </p>
      )}
    </div>
  );
}
