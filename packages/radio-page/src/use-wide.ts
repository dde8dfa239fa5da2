import { useEffect, useState } from "preact/hooks";

/** Whether the window is wider than a phone: as in the style sheets. */
export function useWide(): boolean {
  const query = matchMedia("(width >= 900px)");
  const [isWide, setWide] = useState(query.matches);
  useEffect(() => {
    const read = () => setWide(query.matches);
    query.addEventListener("change", read);
    return () => query.removeEventListener("change", read);
  }, []);
  return isWide;
}
