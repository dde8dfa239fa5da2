/** The console as people use it: the built service as a process, and Chromium at its address. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import type { Browser, BrowserContextOptions, Page } from "playwright-core";
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

/** Starts both. @param env Settings of the service in addition to those that every test needs. */
export async function startConsole(
  env: Readonly<Record<string, string>> = {},
  place: { readonly hostname?: "localhost" } = {},
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
  const service = await runService(databases, { IDENTITY_AUDIT_TRAIL_DAYS: "30", ...env }, place);
  const browser = await startChromium();
  return {
    service,
    databaseFile: databaseUrl.replace(/^sqlite:/, ""),
    browser,
    api: adminApi(service.url),

    async open(options = {}) {
      const context = await browser.newContext({ viewport: WIDE, ...options });
      const page = await context.newPage();
      return { page, faults: faultsOf(page) };
    },

    async close() {
      await browser.close();
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

/** Axe and screenshots on wide and narrow screens, in light and dark. */
export async function checkEveryLook(page: Page, name: string): Promise<void> {
  for (const size of [WIDE, NARROW])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await checkAxe(page);
      await screenshot(page, `${name}-${colorScheme}-${size.width}`);
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);
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
const TRANSITIONS_END = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => document.getAnimations().filter((each) => each instanceof CSSTransition))
  .then((running) => Promise.allSettled(running.map((each) => each.finished)))
  .then(() => undefined)`;

/** What axe finds, once nothing is being loaded, and colors are as they stay. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await settled(page);
  await page.evaluate(TRANSITIONS_END);
  await page.evaluate(axe);
  // To preload style sheets, for a rule that is off, axe adds inline ones, which the Content-Security-Policy blocks.
  return page.evaluate<string[]>(`axe.run({ preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ": " + node.html + " " + node.failureSummary)))`);
}

/** Waits until the page shows its contents: no skeleton, no request. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

/** Saves a screenshot into the folder of `CONSOLE_SCREENSHOTS`, if it is set: for eyes. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["CONSOLE_SCREENSHOTS"];
  if (folder === undefined) return;
  await settled(page);
  await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** Logs in at the first request. */
function adminApi(url: string): AdminApi {
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
