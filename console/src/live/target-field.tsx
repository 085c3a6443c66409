// The storage to measure: one of the directories that the console may use, and a folder in it.

interface Props {
  id: string;
  value: string;
  set: (path: string) => void;
  roots: readonly string[];
  describedBy: string;
  isFaulty: boolean;
}

export function TargetField({ id, value, set, roots, describedBy, isFaulty }: Props) {
  const { root, folder } = partsOf(value, roots);
  return (
    <div class="target-field">
      <select
        id={id}
        value={root}
        aria-describedby={describedBy}
        aria-invalid={isFaulty ? "true" : undefined}
        onChange={(event) => set(joined(event.currentTarget.value, folder))}
      >
        {roots.map((one) => (
          <option value={one} selected={one === root}>
            {one}
          </option>
        ))}
      </select>
      <label>
        <span class="faint">Subfolder (optional)</span>
        <input
          id={`${id}-folder`}
          type="text"
          value={folder}
          autocomplete="off"
          spellcheck={false}
          dir="auto"
          onInput={(event) => set(joined(root, event.currentTarget.value))}
        />
      </label>
    </div>
  );
}

/** The longest root that contains the path, and the rest of the path. */
export function partsOf(path: string, roots: readonly string[]): { root: string; folder: string } {
  const below = roots.filter((root) => path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`));
  const root = below.sort((one, two) => two.length - one.length)[0] ?? roots[0] ?? "";
  const folder = below.length === 0 ? "" : path.slice(root.length).replace(/^\/+/, "");
  return { root, folder };
}

export function joined(root: string, folder: string): string {
  const inner = folder.trim().replace(/^\/+/, "");
  if (inner === "") return root;
  return root.endsWith("/") ? `${root}${inner}` : `${root}/${inner}`;
}
