/** Changes that are not saved yet: the browser asks before they are lost by leaving the page. */

type Guard = () => boolean;
const guards = new Set<Guard>();

/**
 * Has the browser ask before this page is left with changes, in a component: `$effect(() => guardUnsaved(() => form.isChanged))`.
 *
 * @returns A function that ends it.
 */
export function guardUnsaved(hasChanges: Guard): () => void {
  const unload = (event: BeforeUnloadEvent) => {
    if (hasChanges()) event.preventDefault();
  };
  guards.add(hasChanges);
  addEventListener("beforeunload", unload);
  return () => {
    guards.delete(hasChanges);
    removeEventListener("beforeunload", unload);
  };
}

/** Whether the page may be left: it has no unsaved changes, or the user gives them up. */
export function mayLeavePage(): boolean {
  return (
    !Array.from(guards).some((hasChanges) => hasChanges()) ||
    confirm("Leave this page? Its changes are not saved, and are lost.")
  );
}
