// Light or dark: the system's setting, unless the user chose. The choice is stored if the browser allows it.

import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "reelgauge-theme";

const systemDark = signal(false);

/** The user's choice. */
export const theme = signal<Theme>("system");

/** Whether the page is dark. */
export const dark = computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark"));

/** Applies the choice, or the system's setting, to the page. Call it once, before the first drawing. */
export function beginTheme(): void {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  systemDark.value = query.matches;
  query.addEventListener("change", (event) => (systemDark.value = event.matches));
  theme.value = remembered();
  effect(() => {
    document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
  });
}

export function chooseTheme(choice: Theme): void {
  theme.value = choice;
  try {
    window.localStorage.setItem(KEY, choice);
  } catch {
    // A page from a file may not be allowed to store data. Then the choice lasts as long as the page.
  }
}

function remembered(): Theme {
  try {
    const kept = window.localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}
