/** Debian's Chromium, driven from a test: without its own windows, which take as much of a processor as the pages. */
import { chromium, type Browser, type Page } from "playwright-core";

const ARGUMENTS = [
  "--no-sandbox", // for root, in a container
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ARGUMENTS });
}

/** Failures of a page: uncaught errors, console errors, failed requests. */
export function faultsOf(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("requestfailed", (request) => faults.push(`no answer from ${request.url()}`));
  return faults;
}
