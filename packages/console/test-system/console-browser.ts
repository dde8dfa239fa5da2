/** The console as people use it: the built service as a process, and Chromium at its address. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Browser, BrowserContextOptions, Page, Request } from "playwright-core";
import { expect } from "vitest";

import { startChromium } from "../../hamkit/test-system/chromium.js";
import {
  ADMIN_PASSWORD,
  runService,
  type ReachableService,
} from "../../identity/test-system/service-process.js";
import { sqliteDatabases } from "../../identity/test/databases.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };
const SMALL = { width: 1024, height: 768 };
/** The layout of the wide one at 200 %. */
const ZOOMED = { width: 720, height: 450 };

export interface ConsoleBrowser {
  readonly service: ReachableService;
  /** The path of the service's SQLite database. */
  readonly databaseFile: string;
  readonly browser: Browser;
  /** The API with a token of the administrator for the whole cloud. */
  readonly api: AdminApi;
  /** A page of a browser of its own: other cookies, other storage. */
  open(options?: BrowserContextOptions): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface ConsolePage {
  readonly page: Page;
  /** Uncaught errors, violations of the Content-Security-Policy and other complaints of the browser, so far. */
  readonly faults: readonly string[];
}

export interface ConsoleUser {
  readonly name: string;
  readonly password: string;
}

export type AdminApi = (method: string, path: string, body?: object) => Promise<Record<string, never>>;

/**
 * Starts both.
 *
 * @param env Settings of the service in addition to those that every test needs.
 * @param place `browser` is one that is running, and is left so.
 */
export async function startConsole(
  env: Readonly<Record<string, string>> = {},
  { browser: shared, ...place }: { readonly hostname?: "localhost"; readonly browser?: Browser } = {},
): Promise<ConsoleBrowser> {
  let databaseUrl = "";
  const databases = {
    ...sqliteDatabases,
    async create() {
      const database = await sqliteDatabases.create();
      databaseUrl = database.url;
      return database;
    },
  };
  const [service, browser] = await Promise.all([
    runService(databases, { IDENTITY_AUDIT_TRAIL_DAYS: "30", ...env }, place),
    shared ?? startChromium(),
  ]);
  return {
    service,
    databaseFile: databaseUrl.replace(/^sqlite:/, ""),
    browser,
    api: adminApi(service.url),

    async open(options = {}) {
      const context = await browser.newContext({ viewport: WIDE, ...options });
      context.on("page", watchRequests);
      const page = await context.newPage();
      return { page, faults: faultsOf(page) };
    },

    async close() {
      if (shared === undefined) await browser.close();
      await service.close();
    },
  };
}

/** Refused requests are told by the page; Chromium logs them, too. */
const REFUSED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/**
 * When text replaces several lines of the rule editor, Chromium itself gives the line that stays the background of the selection,
 * `background-color: rgb(230, 238, 252);`, unless the editor has drawn it anew before. The Content-Security-Policy blocks that, as it should.
 */
const STYLE_OF_CHROMIUM = "sha256-W71pJfdw3vXrl5pU0pD3SGgabY3umLma6uD3qbP+PPo=";

function faultsOf(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    if (isFault && !REFUSED.test(message.text()) && !message.text().includes(STYLE_OF_CHROMIUM))
      faults.push(message.text());
  });
  return faults;
}

/** Opens the console and signs in, as the administrator if no other user is named. */
export async function signIn(
  { page }: ConsolePage,
  url: string,
  { path = "/console", name = "admin", password = ADMIN_PASSWORD } = {},
): Promise<void> {
  await page.goto(url + path);
  await page.getByLabel("User name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page
    .getByRole("navigation", { name: "Pages" })
    .or(page.getByRole("button", { name: "Menu" }))
    .first()
    .waitFor();
}

/** Expects that axe finds nothing. */
export async function checkAxe(page: Page): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
}

/**
 * Axe and screenshots on wide and narrow screens, in light and dark, of a page on a wide screen, in light; and nothing is wider than the screen, at these widths, at that of a
 * small laptop, and at 200 % zoom of the wide one.
 */
export async function checkEveryLook(page: Page, name: string): Promise<void> {
  expect(await axeFindings(page)).toEqual([]);
  for (const size of [WIDE, SMALL, ZOOMED, NARROW]) {
    await page.setViewportSize(size);
    await settled(page);
    await screenshot(page, `${name}-light-${size.width}`);
    // The narrow page has the same texts and colors elsewhere. Its bar covers links that are scrolled below it.
    if (size === NARROW) {
      await page.evaluate("scrollTo(0, 0)");
      expect(await axeFindings(page, LAYOUT_RULES)).toEqual([]);
    }
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(`${name} at ${size.width}: ${width}`).toBe(`${name} at ${size.width}: ${size.width}`);
  }
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: "dark" });
  // The dark page has other colors, and nothing else.
  expect(await axeFindings(page, COLOR_RULES)).toEqual([]);
  for (const size of [WIDE, SMALL, ZOOMED, NARROW])
    await screenshot(page, `${name}-dark-${size.width}`, size);
  await page.setViewportSize(WIDE);
  await page.emulateMedia({ colorScheme: "light" });
}

/** Changes the scope of a session to the system, to which federation belongs. The scope switcher is tested elsewhere. */
export async function toSystem(page: Page): Promise<void> {
  await page.evaluate(`fetch("/console/api/session/scope", {
    method: "PUT",
    headers: { "X-Console": "1", "Content-Type": "application/json" },
    body: JSON.stringify({ scope: { system: { all: true } } }),
  })`);
}

/** Waits until a change of colors has been drawn: halfway through, light text stands on a light button. */
const FRAMES_DRAWN =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";
const TRANSITIONS_END = `${FRAMES_DRAWN}
  .then(() => document.getAnimations().filter((each) => each instanceof CSSTransition))
  .then((running) => Promise.allSettled(running.map((each) => each.finished)))
  .then(() => undefined)`;

/** Those of axe's rules that look at colors. */
const COLOR_RULES = ["color-contrast", "link-in-text-block"];
/** Those that look at places and sizes, or at what narrow pages have instead of something else. */
const LAYOUT_RULES = [
  "aria-hidden-focus",
  "button-name",
  "bypass",
  "link-name",
  "region",
  "scrollable-region-focusable",
  "target-size",
];

/** What axe finds by these rules, by all where there are none, once nothing is being loaded, and colors are as they stay. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  await settled(page);
  await page.evaluate(TRANSITIONS_END);
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axe);
  // To preload style sheets, for a rule that is off, axe adds inline ones, which the Content-Security-Policy blocks.
  return page.evaluate<
    string[]
  >(`axe.run(${JSON.stringify({ preload: false, runOnly: rules })}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + node.failureSummary)))`);
}

/** Requests of a page that have no response yet. */
const underWay = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on("request", (request) => requests.add(request));
  // Not the end of its body, which the page may leave unread.
  page.on("response", (response) => requests.delete(response.request()));
  page.on("requestfailed", (request) => requests.delete(request));
}

/**
 * Waits until the page shows its contents: no request is under way, and none follows from what came, and there is no skeleton. Playwright's
 * `networkidle` is no such condition: it is reached once for each document, after half a second.
 */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("load");
  const deadline = Date.now() + SETTLED_MS;
  // Twice: a response leads to the next request.
  while (!((await isQuiet(page)) && (await isQuiet(page))))
    if (Date.now() > deadline) {
      const urls = Array.from(underWay.get(page) ?? [], (request) => request.url());
      throw new Error(`the page does not settle: ${urls.join(", ") || "a skeleton stays"}`);
    }
}

const SETTLED_MS = 20_000;

async function isQuiet(page: Page): Promise<boolean> {
  await page.evaluate(FRAMES_DRAWN);
  return (underWay.get(page)?.size ?? 0) === 0 && (await page.locator(".skeleton").count()) === 0;
}

/** Cancels a dialog and waits until it is gone: until then, its buttons are beside those of the page. */
export async function cancelDialog(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** Saves a screenshot into the folder of `CONSOLE_SCREENSHOTS`, if it is set: for eyes. */
export async function screenshot(
  page: Page,
  name: string,
  size?: { readonly width: number; readonly height: number },
): Promise<void> {
  const folder = process.env["CONSOLE_SCREENSHOTS"];
  if (folder === undefined) return;
  if (size !== undefined) await page.setViewportSize(size);
  await settled(page);
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** Logs in at the first request. */
export function adminApi(url: string): AdminApi {
  let token: Promise<string> | undefined;
  return async (method, path, body) => {
    token ??= adminToken(url);
    const response = await fetch(url + path, {
      method,
      headers: { "x-auth-token": await token, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Record<string, never>;
  };
}

async function adminToken(url: string): Promise<string> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const login = await fetch(`${url}/v3/auth/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      auth: { identity: { methods: ["password"], password: { user } }, scope: { system: { all: true } } },
    }),
  });
  return login.headers.get("x-subject-token") ?? "";
}
