/** A `details` element as a menu: a click elsewhere and Escape close it. */
import { useEffect, useRef } from "preact/hooks";

export function useOpenMenu(): { readonly current: HTMLDetailsElement | null } {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const listeners = new AbortController();
    const options = { signal: listeners.signal, capture: true };
    function closeOutside({ target }: Event): void {
      if (menu.current?.open === true && !menu.current.contains(target as Node)) menu.current.open = false;
    }
    function closeByKey(event: KeyboardEvent): void {
      if (event.key !== "Escape" || menu.current?.open !== true) return;
      event.stopPropagation();
      menu.current.open = false;
      menu.current.querySelector("summary")?.focus();
    }
    addEventListener("pointerdown", closeOutside, options);
    addEventListener("keydown", closeByKey, options);
    return () => listeners.abort();
  }, []);
  return menu;
}
