/** Debian's Chromium without its own windows, which take as much of a processor as the pages. */
import { chromium, type Browser } from "playwright-core";

/** @param args Further arguments. */
export function launchChromium(...args: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--no-first-run", "--disable-background-networking", ...args],
  });
}
