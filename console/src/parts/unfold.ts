// Folded parts of the page open for a link that leads into them, and for paper.

/** Opens a part and everything that it lies in, and brings it into view. False where there is none. */
export function reveal(id: string): boolean {
  const element = document.getElementById(id);
  if (element === null) return false;
  const own = element.querySelector<HTMLDetailsElement>(":scope > details");
  if (own !== null) own.open = true;
  for (let outer = element.closest("details"); outer !== null; outer = outer.parentElement?.closest("details") ?? null)
    outer.open = true;
  element.scrollIntoView({ block: "start" });
  return true;
}

/** Opens what is folded while the page is printed. Returns what ends that. */
export function unfoldForPaper(): () => void {
  let opened: HTMLDetailsElement[] = [];
  const open = () => {
    if (opened.length > 0) return;
    opened = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const details of opened) details.open = true;
  };
  const close = () => {
    for (const details of opened) details.open = false;
    opened = [];
  };
  window.addEventListener("beforeprint", open);
  window.addEventListener("afterprint", close);
  return () => {
    window.removeEventListener("beforeprint", open);
    window.removeEventListener("afterprint", close);
  };
}
