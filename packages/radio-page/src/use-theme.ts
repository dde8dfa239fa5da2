import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { keep, readKept } from "./device.js";
import { isThemeChoice, themeOf, type ThemeChoice } from "./theme.js";

/** The choice of colors, kept on the device, and the colors that it means now. */
export function useTheme(locator: string | undefined, now: Date) {
  const [choice, setChoice] = useState<ThemeChoice>(() => {
    const kept = readKept("theme");
    return isThemeChoice(kept) ? kept : "auto";
  });
  const system = matchMedia("(prefers-color-scheme: dark)");
  const [isSystemDark, setSystemDark] = useState(system.matches);

  useEffect(() => {
    const read = () => setSystemDark(system.matches);
    system.addEventListener("change", read);
    return () => system.removeEventListener("change", read);
  }, []);

  const color = themeOf(choice, { isSystemDark, locator, now });
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = color;
  }, [color]);

  function choose(wanted: ThemeChoice): void {
    keep("theme", wanted);
    setChoice(wanted);
  }
  return { choice, color, choose };
}
