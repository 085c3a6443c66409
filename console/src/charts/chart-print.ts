// Charts on paper: SVG, created for printing and removed afterwards.

/** Fills the box with the SVG while the page is printed. Returns a function that ends this. */
export function printed(box: () => HTMLElement | null, svg: () => string): () => void {
  const fill = () => {
    const element = box();
    if (element === null || element.hasChildNodes()) return;
    const root = new DOMParser().parseFromString(svg(), "image/svg+xml").documentElement;
    if (root.nodeName !== "svg") return;
    const [width, height] = [root.getAttribute("width"), root.getAttribute("height")];
    if (!root.hasAttribute("viewBox")) root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    root.removeAttribute("width");
    root.removeAttribute("height");
    element.append(document.importNode(root, true));
  };
  const empty = () => box()?.replaceChildren();
  const query = window.matchMedia("print");
  const change = (event: MediaQueryListEvent) => (event.matches ? fill() : empty());
  window.addEventListener("beforeprint", fill);
  window.addEventListener("afterprint", empty);
  query.addEventListener("change", change);
  // If printing has already started, no event follows.
  if (query.matches) fill();
  return () => {
    window.removeEventListener("beforeprint", fill);
    window.removeEventListener("afterprint", empty);
    query.removeEventListener("change", change);
  };
}
