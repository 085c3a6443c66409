// A confirmation before an action that can't be undone. The dialog keeps the focus; Escape means no.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";

interface DialogProps {
  title: string;
  close: () => void;
  children: ComponentChildren;
}

/** A dialog that is open as long as it is mounted. */
export function Dialog({ title, close, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={box} class="dialog" aria-labelledby={id} onClose={close}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** The text of the dialog before a run, suite or procedure is stopped. */
export const RESULTS_ARE_KEPT = "Results so far are kept.";

interface ConfirmProps {
  title: string;
  /** What the action does. */
  children: ComponentChildren;
  /** The label of the button that confirms: `Delete`, `Stop`. */
  yes: string;
  act: () => Promise<void>;
  close: () => void;
}

export function Confirm({ title, children, yes, act, close }: ConfirmProps) {
  const [state, setState] = useState<{ waits: boolean; error: string | null }>({ waits: false, error: null });
  const doIt = async () => {
    setState({ waits: true, error: null });
    try {
      await act();
      close();
    } catch (fault) {
      setState({ waits: false, error: fault instanceof Error ? fault.message : String(fault) });
    }
  };
  return (
    <Dialog title={title} close={close}>
      <div class="dialog-text">{children}</div>
      {state.error !== null && (
        <p class="bad" role="alert">
          {state.error}
        </p>
      )}
      <div class="dialog-buttons">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={state.waits} onClick={() => void doIt()}>
          {state.waits ? "…" : yes}
        </button>
      </div>
    </Dialog>
  );
}
