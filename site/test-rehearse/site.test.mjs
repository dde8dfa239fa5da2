/** The built website in Chromium: each kind of page wide and narrow, light and dark, by axe; its weight, its search, and what runs on it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startChromium } from "../../packages/hamkit/test-system/chromium.ts";
import { serveFiles } from "../../packages/hamkit/test-system/static-server.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The theme's search button shows its keys too, which its label lacks. */
const AXE = `axe.run({ rules: { "label-content-name-mismatch": { enabled: false } } })`;
/** Where pictures are kept to be looked at, if wanted. */
const pictures = process.env.SITE_PICTURES;

let server;
let browser;
beforeAll(async () => {
  const { status, stderr } = spawnSync("npm", ["run", "--silent", "site"], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  server = await serveFiles(`${root}site/dist`);
  browser = await startChromium();
  if (pictures !== undefined) mkdirSync(pictures, { recursive: true });
}, 600_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function open(path, { width = 1440, colorScheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (entry) => entry.type() === "error" && faults.push(entry.text()));
  const bodies = [];
  page.on("response", (response) =>
    bodies.push(response.body().then((body) => ({ url: response.url(), body }))),
  );
  await page.goto(server.url + path, { waitUntil: "networkidle" });
  return { page, context, faults, bodies };
}

const PAGES = [
  "/",
  "/hamkit.html",
  "/playground.html",
  "/identity/",
  "/identity/api.html",
  "/identity/openid-connect.html",
  "/identity/configuration.html",
];

describe.each(PAGES)("%s", (path) => {
  it.each([
    [1440, "light"],
    [1440, "dark"],
    [390, "light"],
    [390, "dark"],
  ])("has no faults at %i in %s", async (width, colorScheme) => {
    const { page, context, faults } = await open(path, { width, colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(AXE);
    const findings = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
    );
    expect(findings).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(faults).toEqual([]);
    const name = path.replaceAll(/\W+/g, "-");
    if (pictures !== undefined)
      await page.screenshot({ path: `${pictures}/site${name}${colorScheme}-${width}.png` });
    await context.close();
  });
});

it("transfers less than 150 kB for the first page", async () => {
  const { context, bodies } = await open("/");
  const sizes = (await Promise.all(bodies)).map(({ url, body }) => {
    const isText = /\.(?:js|css|svg|json|html)$|\/$/.test(url);
    return isText ? gzipSync(body).length : body.length;
  });
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1000;
  expect(kilobytes).toBeLessThan(150);
  await context.close();
});

it.each([
  ["IDENTITY_TOKEN_LIFETIME", /Settings[^]*Token/],
  ["IDENTITY_PROVIDER_NETWORKS", /Settings[^]*Federation/],
  ["mapping gives no groups", /Why a login has no groups/],
  ["spot stream", /A stream of spots/],
  ["add a map to a page", /a map on a web page/],
  ["connect Keycloak", /Keycloak/],
  ["move keystone", /^\W*Moving a cloud from Keystone\s*$/],
  ["migrate a keystone", /^\W*Moving a cloud from Keystone\s*$/],
  ["move a cloud", /^\W*Moving a cloud from Keystone\s*$/],
  ["moving a cloud", /^\W*Moving a cloud from Keystone\s*$/],
])("finds the page of %s, without a server", async (words, expected) => {
  const { page, context } = await open("/");
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox").fill(words);
  await expect.poll(() => page.locator(".result").first().innerText(), { timeout: 10_000 }).toMatch(expected);
  await context.close();
});

it("runs the code of the products on the playground", async () => {
  const { page, context } = await open("/playground.html");
  await page.getByLabel("Callsign").fill("VE1CWJ/VP9");
  await page.locator("[data-for=call]", { hasText: "Bermuda" }).waitFor();
  await page.locator("[data-for=path]", { hasText: "6168.6 km" }).waitFor();
  await page.locator("[data-for=adif]", { hasText: "mode-that-is-a-submode" }).waitFor();
  await page.locator("[data-for=mapping]", { hasText: "no value is in the list" }).waitFor();
  await page
    .getByLabel("Attributes of a login")
    .fill('{"OIDC-preferred_username": "ada", "OIDC-groups": "cloud-admins"}');
  await page.locator("[data-for=mapping]", { hasText: '"admins"' }).waitFor();
  expect(await page.locator("[data-for=mapping]").innerText()).not.toContain("rejected");
  await context.close();
});

it("shows a route's body in the reference of the API", async () => {
  const { page, context } = await open("/identity/api.html");
  await page.getByLabel(/^Find by path/).fill("post /v3/users");
  await page.locator("summary", { hasText: "Creates a user" }).click();
  const body = page.locator(".operation[open] table", { hasText: "default_project_id" }).first();
  await body.waitFor();
  expect(await body.innerText()).toContain("required");
  await context.close();
});
