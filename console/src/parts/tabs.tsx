// A list of tabs as in the ARIA practices: arrow keys select a tab, and there is one panel.

import { useId, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

export interface Tab {
  id: string;
  title: string;
  view: () => ComponentChildren;
}

export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const [chosen, setChosen] = useState(tabs[0]?.id ?? "");
  const prefix = useId();
  const current = tabs.find((tab) => tab.id === chosen) ?? tabs[0];
  if (current === undefined) return null;
  const step = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(current) + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    setChosen(next.id);
    document.getElementById(`${prefix}${next.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={step}>
        {tabs.map((tab) => (
          <button
            type="button"
            role="tab"
            id={`${prefix}${tab.id}`}
            aria-selected={tab === current}
            aria-controls={`${prefix}panel`}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => setChosen(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${prefix}panel`} aria-labelledby={`${prefix}${current.id}`} key={current.id}>
        {current.view()}
      </div>
    </div>
  );
}
