/** The built page in Chromium, from a folder of a web server that knows nothing of it. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

import { startChromium } from "../../hamkit/test-system/chromium.js";
import { serveFiles, type StaticServer } from "../../hamkit/test-system/static-server.js";

const packages = fileURLToPath(new URL("../../", import.meta.url));

export interface RadioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors and complaints of the browser. Requests of a page that is left may fail. */
  readonly faults: readonly string[];
  /** Addresses of all requests. */
  readonly requests: readonly string[];
}

export interface Site {
  readonly url: string;
  readonly server: StaticServer;
  /** Opens the page, as on a device that has not been there before. */
  open(options?: BrowserContextOptions & { readonly fragment?: string }): Promise<RadioPage>;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  if (!existsSync(`${packages}radio-page/dist/index.html`))
    throw new Error("The page is not built: npm run build");
  const server = await serveFiles(packages);
  const browser: Browser = await startChromium();
  const url = `${server.url}/radio-page/dist/`;
  return {
    url,
    server,
    async open({ fragment = "", ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        colorScheme: "light",
        ...options,
      });
      const page = await context.newPage();
      const requests: string[] = [];
      context.on("request", (request) => requests.push(request.url()));
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (entry) => {
        if (["error", "warning"].includes(entry.type())) faults.push(entry.text());
      });
      await page.goto(url + fragment);
      return { page, context, faults, requests };
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Closes the page. @throws It complained, asked another server for something, or this one for what it doesn't have. */
export async function closeQuietly(
  { url, server }: Site,
  { context, faults, requests }: RadioPage,
): Promise<void> {
  await context.close();
  const elsewhere = requests.filter((request) => !request.startsWith(url) && !request.startsWith("blob:"));
  const complaints = [...faults, ...server.missing, ...elsewhere];
  if (complaints.length > 0) throw new Error(`The page complains: ${complaints.join("; ")}`);
}

/** The value of a fact on the card. */
export function fact(page: Page, name: string): Promise<string | null> {
  const row = page.getByRole("article", { name: "Result" }).locator("dl > div");
  return row
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .textContent();
}

/** Looks up a text, as a user does. */
export async function lookUpText(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Call, locator, frequency" }).fill(text);
  await page.getByRole("button", { name: "Look up" }).click();
}

/** A log in ADIF. */
export function adif(...qsos: readonly Readonly<Record<string, string>>[]): string {
  const text = qsos.map((fields) =>
    Object.entries(fields)
      .map(([name, value]) => `<${name}:${Buffer.byteLength(value)}>${value}`)
      .join(""),
  );
  return `Test <EOH>\n${text.join("<EOR>\n")}<EOR>\n`;
}

export async function openLogText(page: Page, name: string, text: string): Promise<void> {
  await page
    .getByLabel("Log file")
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.getByRole("heading", { name }).waitFor();
}

/** Opens what a phone has behind a button: time, own locator, pictures, colors. */
export async function openMore(page: Page): Promise<void> {
  const more = page.locator("details.more");
  if ((await more.count()) > 0 && !(await more.evaluate((menu) => (menu as HTMLDetailsElement).open)))
    await more.locator("summary").click();
}

/** Switches a layer of the map on. */
export async function switchLayer(page: Page, name: string): Promise<void> {
  const menu = page.locator("details.menu").filter({ hasText: "Layers" });
  if (!(await menu.evaluate((element) => (element as HTMLDetailsElement).open)))
    await menu.locator("summary").click();
  await page.getByLabel(name, { exact: true }).check();
}

/** The calls in the table of a log. */
export function callsInTable(page: Page): Promise<string[]> {
  return page.getByRole("cell").getByRole("button").allTextContents();
}
