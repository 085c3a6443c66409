// Opens folded parts of the page, for links into them and for paper.

/** Opens a part and everything around it, and scrolls to it. Returns false if it does not exist. */
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

/** Opens all folded parts while the page is printed. Returns a function that ends this. */
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
