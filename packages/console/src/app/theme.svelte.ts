/** Light or dark: follows the system, unless it is set in this browser. */

export type Theme = "system" | "light" | "dark";

const KEY = "console.theme";
const THEMES: readonly Theme[] = ["system", "light", "dark"];

let current = $state<Theme>(stored());

export const theme = {
  get current(): Theme {
    return current;
  },
  /** Sets the theme, and keeps it for this browser. */
  set(next: Theme): void {
    current = next;
    show(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Storage may be switched off; then the choice lasts until the page is closed.
    }
  },
};

/** Shows the stored theme: before the first page is drawn. */
export function startTheme(): void {
  show(current);
}

function show(next: Theme): void {
  if (next === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
}

function stored(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? "system";
  } catch {
    return "system";
  }
}
