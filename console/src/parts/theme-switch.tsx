// The switch between the system's setting, light and dark.

import { chooseTheme, theme } from "./theme";
import type { Theme } from "./theme";

const NAMES: Record<Theme, string> = { system: "System", light: "Light", dark: "Dark" };

export function ThemeSwitch() {
  return (
    <label class="theme-switch">
      <span class="sr-only">Colours</span>
      <select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
        {(Object.keys(NAMES) as Theme[]).map((name) => (
          <option value={name} selected={theme.value === name}>
            {NAMES[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
