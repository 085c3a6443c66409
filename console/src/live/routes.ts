// The console's addresses: the part after the # selects the page. Pure.

export type Route =
  | { page: "runs" }
  /** `against`: an earlier run, with which this one is compared when it has ended. */
  | { page: "run"; id: string; against: string }
  /** `set`: values to fill in. */
  | { page: "start"; verb: string; set: Record<string, string> }
  | { page: "compare"; ids: string[] }
  | { page: "traces" }
  | { page: "trace"; name: string }
  | { page: "licences" }
  | { page: "unknown"; hash: string };

/** Null for an anchor within the page (`#streams`), which does not change the page. */
export function routeOf(hash: string): Route | null {
  if (hash === "" || hash === "#") return { page: "runs" };
  if (!hash.startsWith("#/")) return null;
  const [path = "", query = ""] = hash.slice(2).split("?", 2);
  const parts = path.split("/").filter((part) => part !== "");
  const [page, rest] = [parts[0] ?? "", decoded(parts.slice(1).join("/"))];
  const asked = new URLSearchParams(query);
  if (parts.length === 0) return { page: "runs" };
  if (rest === null) return { page: "unknown", hash };
  if (page === "runs") return rest === "" ? { page: "runs" } : { page: "run", id: rest, against: asked.get("against") ?? "" };
  if (page === "start") return { page: "start", verb: rest, set: Object.fromEntries(asked) };
  if (page === "traces") return rest === "" ? { page: "traces" } : { page: "trace", name: rest };
  if (page === "compare" && rest === "") return { page: "compare", ids: asked.getAll("run") };
  if (page === "licences" && rest === "") return { page: "licences" };
  return { page: "unknown", hash };
}

/** The token in the link that the console prints (`#token=…`); null for every other address. */
export function tokenOf(hash: string): string | null {
  const token = hash.startsWith(TOKEN) ? hash.slice(TOKEN.length) : "";
  return token === "" ? null : token;
}

const TOKEN = "#token=";

/** The address of a page. */
export function hashOf(route: Exclude<Route, { page: "unknown" }>): string {
  switch (route.page) {
    case "runs":
      return "#/";
    case "run":
      return `#/runs/${encodeURIComponent(route.id)}${queryOf(route.against === "" ? {} : { against: route.against })}`;
    case "start":
      return `#/start${route.verb === "" ? "" : `/${encodeURIComponent(route.verb)}`}${queryOf(route.set)}`;
    case "compare":
      return `#/compare?${new URLSearchParams(route.ids.map((id) => ["run", id]))}`;
    case "traces":
      return "#/traces";
    case "trace":
      return `#/traces/${encodeURIComponent(route.name)}`;
    case "licences":
      return "#/licences";
  }
}

function queryOf(set: Record<string, string>): string {
  const query = new URLSearchParams(set).toString();
  return query === "" ? "" : `?${query}`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
