/** The page in a real browser, under the policy that it is sent with. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { addEndpointRoutes } from "../../../src/catalog/endpoint-routes.js";
import { addApiDocumentRoutes } from "../../../src/platform/api-document/api-document-routes.js";
import { createLinks } from "../../../src/platform/http/links.js";
import { PUBLIC_URL, testServer } from "../../../test/test-server.js";
import { launchChromium } from "../../headless-chromium.js";

const { server } = testServer();
let browser: Browser;
let url: string;

beforeAll(async () => {
  const links = createLinks(PUBLIC_URL);
  addApiDocumentRoutes(server, { links });
  // The routes are described, never called.
  addEndpointRoutes(server, { endpoints: {} as never, links, defaultPageSize: undefined });
  url = `${await server.listen({ host: "127.0.0.1", port: 0 })}/docs`;
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

async function openPage(options: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  // A browser asks every place for its icon.
  page.on("console", (message) => {
    if (!message.location().url.endsWith("/favicon.ico")) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}

it("shows an operation with what it takes, and breaks no rule of its policy", async () => {
  const { page, complaints } = await openPage({});
  await page.getByText("Creates an endpoint").click();
  const body = page.getByRole("table").filter({ visible: true }).first();
  expect(await body.getByRole("row", { name: "interface required" }).textContent()).toContain('"admin"');
  expect(await page.getByText("identity:create_endpoint").isVisible()).toBe(true);
  expect(complaints).toEqual([]);
});

it.each([
  ["light", "rgb(255, 255, 255)"],
  ["dark", "rgb(18, 22, 28)"],
] as const)("is %s where that is wanted", async (colorScheme, color) => {
  const { page } = await openPage({ colorScheme });
  expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe(color);
});

it("fits on a phone, with everything open", async () => {
  const { page } = await openPage({ viewport: { width: 320, height: 640 } });
  for (const summary of await page.locator("summary").all()) await summary.click();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
});
