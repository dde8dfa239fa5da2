import { useEffect, useRef } from "preact/hooks";

/** Calls a function at Escape, wherever the focus is; none if there is nothing to close. */
export function useEscape(onEscape: (() => void) | undefined): void {
  const latest = useRef(onEscape);
  latest.current = onEscape;
  useEffect(() => {
    const listeners = new AbortController();
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) latest.current?.();
    };
    addEventListener("keydown", press, { signal: listeners.signal });
    return () => listeners.abort();
  }, []);
}
