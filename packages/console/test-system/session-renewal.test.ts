/** A session that ends and is renewed at a provider, in another tab: the page stays with what was typed. */
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../identity/test/federation/openid/test-provider.js";
import {
  checkAxe,
  NARROW,
  screenshot,
  settled,
  startConsole,
  WIDE,
  type ConsoleBrowser,
} from "./console-browser.js";

const FEDERATION = "/v3/OS-FEDERATION";
const PROTOCOL = `${FEDERATION}/identity_providers/op/protocols/openid`;

let served: ConsoleBrowser;
let op: TestProvider;

beforeAll(async () => {
  served = await startConsole({
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
  });
  op = await startProvider(`${served.service.url}${PROTOCOL}/auth`);
  const put = (path: string, body: object) => served.api("PUT", path, body);
  const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { id: "{0}", name: "{0}" } }] }];
  const provider = { enabled: true, domain_id: "default", remote_ids: [op.issuer] };
  const settings = {
    type: "openid",
    issuer: op.issuer,
    client_id: CLIENT_ID,
    client_secret: CLIENT_SECRET,
  };
  await put(`${FEDERATION}/identity_providers/op`, { identity_provider: provider });
  await put(`${FEDERATION}/mappings/op`, { mapping: { rules } });
  await put(PROTOCOL, { protocol: { mapping_id: "op", settings } });
}, 120_000);
afterAll(async () => {
  await served?.close();
  await op?.close();
});

/** As another tab does it. */
const END_SESSION = `fetch("/console/api/session", { method: "DELETE", headers: { "X-Console": "1" } })`;

it("goes on where it is after a login at a provider, with what was typed, secrets too, and nothing in storage", async () => {
  const { page, faults } = await served.open();
  const at = (path: string) => `${served.service.url}/console${path}`;
  const logIn = async () => {
    await page.goto(at("/users?new=1"));
    await page.getByRole("link", { name: "op", exact: true }).click();
    await page.waitForURL(at("/users?new=1"));
    await settled(page);
  };
  // The first login makes the user, the second one has the role.
  await logIn();
  const { users } = (await served.api("GET", "/v3/users?name=kim")) as unknown as { users: { id: string }[] };
  const { roles } = (await served.api("GET", "/v3/roles?name=admin")) as unknown as {
    roles: { id: string }[];
  };
  await served.api("PUT", `/v3/system/users/${users[0]?.id}/roles/${roles[0]?.id}`);
  await page.evaluate(END_SESSION);
  await logIn();

  const form = page.getByRole("dialog", { name: "Create user" });
  await form.getByLabel("User name").fill("grete");
  await form.getByRole("textbox", { name: "Password" }).fill("typed-before");
  await page.evaluate(END_SESSION);
  await form.getByRole("button", { name: "Create user" }).click();
  const over = page.getByRole("dialog", { name: "Sign in" });
  await over.getByText("In another tab; this one then goes on where you are.").waitFor();
  await checkAxe(page);
  await screenshot(page, "sign-in-over");
  const opened = page.context().waitForEvent("page");
  await over.getByRole("link", { name: "op", exact: true }).click();
  const tab = await opened;
  await tab.getByRole("heading", { name: "You are back from the provider" }).waitFor();
  await checkAxe(tab);
  for (const [name, size] of [
    ["wide", WIDE],
    ["narrow", NARROW],
  ] as const) {
    await tab.setViewportSize(size);
    await screenshot(tab, `signed-in-${name}`);
  }
  // The request of the click goes on by itself.
  await page.getByRole("dialog", { name: "grete" }).getByText("enabled").waitFor();
  await over.waitFor({ state: "detached" });
  expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toMatch(
    /grete|typed-before/,
  );
  await tab.getByRole("link", { name: "Or open the overview here" }).click();
  await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  expect(faults).toEqual([]);
}, 120_000);
