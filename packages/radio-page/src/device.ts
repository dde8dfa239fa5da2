/** What the page keeps on the device. A browser may forbid that; the page then asks again. */

type Name = "locator" | "theme" | "projection" | "layers" | "beam" | "logs" | "panel" | "live";

export function readKept(name: Name): string | undefined {
  try {
    return localStorage.getItem(`radio.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a value; `undefined` deletes it. */
export function keep(name: Name, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`radio.${name}`);
    else localStorage.setItem(`radio.${name}`, value);
  } catch {
    // Nothing is kept.
  }
}
