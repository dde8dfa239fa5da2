/** The keyboard's shortcuts. Each works without a modifier, and not while something is typed. */
import { go } from "./router.svelte.ts";
import { routes } from "./routes.ts";

/** How long `g` waits for its second key. */
const SECOND_KEY_MS = 1500;

export interface ShortcutActions {
  /** `?` */
  readonly help: () => void;
}

/** Follows the keyboard. @returns A function that stops it. */
export function startShortcuts({ help }: ShortcutActions): () => void {
  let goneAt = -Infinity;

  function keydown(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    const page = routes.find(({ rail }) => rail?.key === event.key);
    if (event.timeStamp - goneAt < SECOND_KEY_MS && page !== undefined) {
      goneAt = -Infinity;
      event.preventDefault();
      go(page.path.replace(/\/:.*$/, ""));
      return;
    }
    if (event.key === "g") goneAt = event.timeStamp;
    if (event.key === "?") help();
    if (event.key === "/" && focusOn("[data-search]")) event.preventDefault();
    // Into the table; its own keys move from row to row.
    if ((event.key === "j" || event.key === "k") && focusOn("[data-rows] :is(a.open, tr[tabindex='0'])"))
      event.preventDefault();
  }

  addEventListener("keydown", keydown);
  return () => removeEventListener("keydown", keydown);
}

function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(`main ${selector}`);
  element?.focus();
  return element !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input, textarea, select, [contenteditable='true'], [role='dialog']") !== null
  );
}
