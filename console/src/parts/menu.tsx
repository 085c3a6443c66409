// A button that opens a short list of other buttons: one stop for the Tab key instead of many. Escape or a click
// outside closes it.

import { useEffect, useId, useRef, useState } from "preact/hooks";

export interface MenuItem {
  name: string;
  /** The name for screen readers, if the shown name is not enough. */
  label?: string;
  act: () => void;
}

interface Props {
  /** The button's text. */
  name: string;
  /** The button's name for screen readers. */
  label: string;
  items: MenuItem[];
}

export function Menu({ name, label, items }: Props) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return undefined;
    const away = (event: Event) => {
      if (event.target instanceof Node && box.current?.contains(event.target) === false) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    document.addEventListener("focusin", away);
    return () => {
      document.removeEventListener("pointerdown", away);
      document.removeEventListener("focusin", away);
    };
  }, [open]);
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const choose = (item: MenuItem) => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
    item.act();
  };
  return (
    <div class="menu" ref={box} onKeyDown={key}>
      <button
        type="button"
        class="small"
        aria-label={label}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {name} <span aria-hidden="true">▾</span>
      </button>
      {open && (
        <ul id={id} class="menu-items">
          {items.map((item) => (
            <li>
              <button type="button" aria-label={item.label} onClick={() => choose(item)}>
                {item.name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
