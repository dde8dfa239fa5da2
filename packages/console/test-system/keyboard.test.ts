/** Every page by the keyboard alone, at 200 % zoom and with reduced motion. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ADMIN_PASSWORD } from "../../identity/test-system/service-process.js";
import { settled } from "./console-browser.js";
import { startRecordedCloud, type RecordedCloud } from "./recorded-cloud.js";

/** 1440x900 at 200 % is the layout of half the pixels. */
const ZOOMED = {
  viewport: { width: 720, height: 450 },
  deviceScaleFactor: 2,
  reducedMotion: "reduce",
} as const;

/** More than any page has. */
const MAX_STOPS = 500;

interface ShownRoute {
  readonly path: string;
  readonly title: string;
  readonly rail?: { readonly key: string };
}

// By its address: the types of components are those of another compiler.
const { routes } = (await import(new URL("../src/app/routes.ts", import.meta.url).href)) as {
  readonly routes: readonly ShownRoute[];
};

let cloud: RecordedCloud;
let page: Page;
let faults: readonly string[];
/** Ids by the names in the addresses below. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  cloud = await startRecordedCloud();
  ({ page, faults } = await cloud.signedIn(ZOOMED));
  ids["domain"] = cloud.domainId;
  for (const kind of ["user", "group", "role", "project"]) {
    const found = await cloud.ask<Record<string, { id: string }[]>>("GET", `/v3/${kind}s`);
    ids[kind] = found[`${kind}s`]?.[0]?.id ?? "";
  }
}, 120_000);
afterAll(() => cloud?.close());

async function open(path: string): Promise<void> {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
  await page.goto(`${cloud.service.url}/console${address}`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await settled(page);
}

const PAGES = [
  "/",
  "/providers",
  "/providers/new",
  "/providers/new?kind=openid&step=names",
  "/providers/new?kind=openid&step=settings",
  "/providers/new?kind=saml2&step=settings",
  "/providers/new?kind=saml2&step=mapping",
  "/providers/campus",
  "/service-providers",
  "/federation-document",
  "/guides?page=adfs",
  "/providers/campus/mapped/test-login",
  "/failed-logins",
  "/mappings",
  "/mappings/people",
  "/domains",
  "/users",
  "/groups",
  "/projects?domain={domain}",
  "/projects/{project}",
  "/roles",
  "/policy",
  "/limits?domain={domain}",
  "/limits?view=registered",
  "/limits?view=document",
  "/catalog",
  "/catalog/endpoints",
  "/catalog/regions",
  "/audit",
  "/account",
  "/account/password",
  "/account/one-time-codes",
  "/account/application-credentials",
  "/account/ec2-keys",
  "/nothing-here",
];

/** Panels and dialogs, which keep the focus. */
const LAYERS = [
  "/domains?new=1",
  "/domains?open={domain}",
  "/roles?open=system",
  "/users?new=1",
  "/users?open={user}",
  "/groups?open={group}",
  "/roles?open={role}",
  "/limits?domain={domain}&open={domain}",
  "/limits?view=registered&create=1",
  "/catalog/services?new=1",
  "/mappings/people?recording=1",
];

interface Stop {
  readonly html: string;
  readonly isMarked: boolean;
  readonly isInSight: boolean;
}

/** The element with the focus: whether it has an outline, and can be seen. `null` on the page itself. */
const STOP = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  (window.stops ??= new Set()).add(element);
  const boxes = [...element.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
  const isInSight = boxes.some(({ left, right, top, bottom }) => {
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2;
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest("label")?.control === element);
  });
  const outlines = [];
  for (let each = element; each !== null; each = each.parentElement) outlines.push(getComputedStyle(each));
  const isMarked = outlines.some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 1);
  return { html: element.outerHTML.slice(0, 160), isMarked, isInSight };
})()`;

/** What can be worked with, within the layer if one is open, and was not reached. Of a group of radio buttons, one is reached. */
const MISSED = `(() => {
  const root = document.querySelector("[role='dialog']") ?? document;
  const controls = "a[href], button, input, select, textarea, summary, [tabindex='0'], [contenteditable='true']";
  // Rows that were out of sight are drawn anew.
  const isReached = (element) => window.stops?.has(element) ||
    (element.matches("a.open") && [...window.stops].some(({ href }) => href === element.href)) ||
    (element.type === "radio" && [...window.stops].some(({ name }) => name !== "" && name === element.name));
  return [...root.querySelectorAll(controls)]
    .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }))
    .filter((element) => !isReached(element))
    .map((element) => element.outerHTML.slice(0, 160));
})()`;

/** Presses Tab until the focus is where it was before. @returns The stops that can't be seen, or that are outside the layer. */
async function tabThrough(layer?: string): Promise<unknown[]> {
  const seen = new Set<string>();
  const bad: unknown[] = [];
  for (let count = 0; count < MAX_STOPS; count++) {
    await page.keyboard.press("Tab");
    let stop = await page.evaluate<Stop | null>(STOP);
    // The editor is outlined some milliseconds after it got the focus, and a list scrolls in the next frames.
    for (let wait = 0; wait < 10 && stop !== null && !(stop.isMarked && stop.isInSight); wait++) {
      await page.waitForTimeout(100);
      stop = await page.evaluate<Stop | null>(STOP);
    }
    if (stop === null) {
      if (layer !== undefined) bad.push("the focus left the layer");
      break;
    }
    const isAround = await page.evaluate<boolean>(
      "window.first === document.activeElement || (window.first ??= document.activeElement, false)",
    );
    if (isAround && seen.size > 0) break;
    seen.add(stop.html);
    if (!stop.isMarked || !stop.isInSight) bad.push(stop);
    if (layer !== undefined && !(await page.evaluate(`document.activeElement.closest("${layer}") !== null`)))
      bad.push({ outside: stop.html });
  }
  return bad;
}

it("has every page of the console", () => {
  const missing = routes.filter(({ path }) => {
    const pattern = new RegExp(
      `^${path.replaceAll(/\/:\w+\?/g, "(/.*)?").replaceAll(/:\w+/g, "[^/]+")}(\\?.*)?$`,
    );
    return !PAGES.some((page_) => pattern.test(page_));
  });
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it.each(PAGES)(
  "reaches all of %s by Tab, each stop marked and in sight",
  async (path) => {
    await open(path);
    expect(await tabThrough()).toEqual([]);
    expect(await page.evaluate(MISSED)).toEqual([]);
  },
  60_000,
);

it.each(LAYERS)(
  "keeps the focus in the layer of %s until Escape",
  async (path) => {
    await open(path);
    await page.getByRole("dialog").waitFor();
    expect(await tabThrough("[role='dialog']")).toEqual([]);
    expect(await page.evaluate(MISSED)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  },
  60_000,
);

/** Keys after `g`, and the title of the page that they open. */
const RAIL = routes.flatMap(({ title, rail }) => (rail === undefined ? [] : [[rail.key, title] as const]));

/** Lists, and what Enter opens from their first row. */
const LISTS = [
  ["/providers", "page"],
  ["/mappings", "page"],
  ["/domains", "panel"],
  ["/users", "panel"],
  ["/groups", "panel"],
  ["/projects?domain={domain}", "page"],
  ["/roles", "panel"],
  ["/limits?domain={domain}", "panel"],
  ["/limits?view=registered", "panel"],
  ["/catalog", "panel"],
  ["/audit", "panel"],
] as const;

/** The index of the row that has the focus. */
const FOCUSED = "document.activeElement.closest('tr')?.dataset.index";

describe("the shortcuts", () => {
  it("open each page of the rail, with the focus on its title", async () => {
    await open("/account");
    for (const [key, title] of RAIL) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H1");
    }
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.waitFor();
    for (const [, title] of RAIL) expect(await help.getByText(title, { exact: true }).count()).toBe(1);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
  }, 60_000);

  it.each(["/users", "/groups", "/projects", "/roles", "/failed-logins", "/audit"])(
    "put the focus into the search of %s by /",
    async (path) => {
      await open(path);
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.type")).toBe("search");
    },
  );

  it.each(LISTS)(
    "go to the rows of %s by j and k, and Enter opens a %s",
    async (path, opens) => {
      await open(path);
      await page.locator("tr[data-index]").first().waitFor();
      await settled(page);
      await page.keyboard.press("j");
      expect(await page.evaluate(FOCUSED)).toBe("0");
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      expect(await page.evaluate(FOCUSED)).toBe("0");
      const before = page.url();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.href !== before);
      if (opens === "page") return;
      const panel = page.getByRole("dialog");
      await panel.waitFor();
      await settled(page);
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "detached" });
      expect(await page.evaluate(FOCUSED)).toBe("0");
    },
    60_000,
  );

  it("are letters like others while something is typed", async () => {
    await open("/users");
    await page.keyboard.press("/");
    await page.keyboard.type("gp?jk/");
    expect(await page.evaluate("document.activeElement.value")).toBe("gp?jk/");
    expect(await page.getByRole("heading", { level: 1, name: "Users" }).count()).toBe(1);
  });
});

describe("the frame", () => {
  it("is skipped by the first link, and its scope switcher works by keys", async () => {
    await open("/users");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.getByTitle("Change the scope").focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Change the scope" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.title")).toBe("Change the scope");
  });

  it("is a drawer on narrow screens, which Escape closes", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open("/users");
    const menu = page.getByRole("button", { name: "Menu" });
    await menu.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('#rail') !== null")).toBe(true);
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("aria-expanded")).toBe("false");
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Menu");
    await page.setViewportSize(ZOOMED.viewport);
  });

  it("is reached by signing in without a pointer, and nothing moves", async () => {
    const fresh = (await cloud.open(ZOOMED)).page;
    await fresh.goto(`${cloud.service.url}/console/users`);
    await fresh.getByRole("heading", { name: "Sign in" }).waitFor();
    // The name has the focus from the start.
    expect(await fresh.evaluate("document.activeElement.name || document.activeElement.autocomplete")).toBe(
      "username",
    );
    await fresh.keyboard.type("admin");
    await fresh.keyboard.press("Tab");
    await fresh.keyboard.type(ADMIN_PASSWORD);
    await fresh.keyboard.press("Enter");
    await fresh.getByRole("heading", { level: 1, name: "Users" }).waitFor();
    await fresh.getByRole("link", { name: "Create user" }).first().press("Enter");
    await fresh.getByRole("dialog").waitFor();
    expect(await fresh.evaluate("document.getAnimations().length")).toBe(0);
    await fresh.context().close();
    expect(faults).toEqual([]);
  });
});
