/** Changes that are not saved yet: the browser asks before they are lost by leaving the page. */

type Guard = () => boolean;
const guards = new Set<Guard>();
/** Guards of a page that the user leaves with its changes. It stays until the next one has been loaded, and is not asked about again. */
const givenUp = new Set<Guard>();

const holds = (hasChanges: Guard): boolean => !givenUp.has(hasChanges) && hasChanges();

/**
 * Has the browser ask before this page is left with changes, in a component: `$effect(() => guardUnsaved(() => form.isChanged))`.
 *
 * @returns A function that ends it.
 */
export function guardUnsaved(hasChanges: Guard): () => void {
  const unload = (event: BeforeUnloadEvent) => {
    if (holds(hasChanges)) event.preventDefault();
  };
  guards.add(hasChanges);
  addEventListener("beforeunload", unload);
  return () => {
    guards.delete(hasChanges);
    givenUp.delete(hasChanges);
    removeEventListener("beforeunload", unload);
  };
}

/** Whether the page may be left: it has no unsaved changes, or the user gives them up. */
export function mayLeavePage(): boolean {
  if (!Array.from(guards).some(holds)) return true;
  if (!confirm("Leave this page? Its changes are not saved, and are lost.")) return false;
  for (const guard of guards) givenUp.add(guard);
  return true;
}

/** The user has returned before the next page was there: the changes are kept. */
export function stayOnPage(): void {
  givenUp.clear();
}
