/** The mapping workbench and the limits, in Chromium, by label and role. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { cancelDialog, checkAxe, checkEveryLook, settled } from "./console-browser.js";
import { startRecordedCloud, type RecordedCloud } from "./recorded-cloud.js";

let cloud: RecordedCloud;
let page: Page;
let faults: readonly string[];
beforeAll(async () => {
  cloud = await startRecordedCloud();
  ({ page, faults } = await cloud.signedIn());
}, 120_000);
afterAll(() => cloud.close());

const open = (path: string) => page.goto(`${cloud.service.url}/console${path}`);
const outcome = () => page.getByRole("region", { name: "Outcome" });

async function openRecorded(user: string): Promise<void> {
  await open("/mappings/people");
  const logins = page.getByLabel("Recorded login");
  await logins.waitFor();
  const option = logins.locator("option", { hasText: user });
  await logins.selectOption(await option.getAttribute("value"));
  await outcome().getByText("accepted").waitFor();
}

describe("the list of mappings", () => {
  it("shows who uses a mapping, and leads to its workbench", async () => {
    await open("/mappings");
    const row = page.getByRole("row", { name: /people/ });
    await expect.poll(() => row.textContent()).toContain("campus / mapped");
    await checkAxe(page);
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: "people", level: 1 }).waitFor();
  });

  it("creates a mapping from a template", async () => {
    await open("/mappings");
    await page.getByRole("button", { name: "Create mapping" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create mapping" }).click();
    await dialog.getByText("expected an id").waitFor();
    await dialog.getByRole("textbox", { name: "Id" }).fill("from-template");
    await dialog.getByLabel(/SAML 2.0/).check();
    await checkAxe(page);
    await dialog.getByRole("button", { name: "Create mapping" }).click();
    await page.getByRole("heading", { name: "from-template", level: 1 }).waitFor();
    const { mapping } = await cloud.ask<{ mapping: { rules: object[] } }>(
      "GET",
      "/v3/OS-FEDERATION/mappings/from-template",
    );
    expect(mapping.rules).toEqual([
      { remote: [{ type: "NAME_ID" }], local: [{ user: { id: "{0}", name: "{0}" } }] },
    ]);
  });
});

describe("the workbench", () => {
  it("shows what a recorded login results in, and why", async () => {
    await openRecorded("ada");
    await expect.poll(() => outcome().textContent()).toContain("member, reader in project web through staff");
    const rule = page.getByRole("region", { name: "Rule 1" });
    expect(await rule.textContent()).toContain("values in the list: 1 of 1");
    expect(await outcome().textContent()).toContain("no one by these rules");
    await checkAxe(page);
  });

  it("makes conditions and placeholders by clicks, and shows who becomes admin before it is saved", async () => {
    await openRecorded("kim");
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByRole("button", { name: "Require ops in GROUPS" }).click();
    const rule = page.getByRole("region", { name: "Rule 2" });
    await rule.getByRole("button", { name: "Delete rule 2 condition 1" }).click();
    await page.getByRole("button", { name: "Insert placeholder of SUB" }).click();
    await expect.poll(() => rule.getByLabel("user name of rule 2 result 1").inputValue()).toBe("{0}");
    await rule.getByRole("button", { name: "Delete rule 2 result 1" }).click();
    await rule.getByLabel("Add to rule 2").selectOption({ label: "group" });
    await rule.getByLabel("group of rule 2 result 1").fill("root");
    await rule.getByLabel("domain of rule 2 result 1").fill("acme");
    await expect
      .poll(() => outcome().textContent(), { timeout: 15_000 })
      .toContain("users get group root, with admin in project web");
    expect(await outcome().textContent()).toContain('GROUPS contains one of "ops"');
    expect(await outcome().textContent()).toContain(
      "admin, manager, member, reader in project web through root",
    );

    await page.getByRole("button", { name: /^Replay 4 recorded logins/ }).click();
    const changes = page.getByRole("list", { name: "Changes" });
    await changes.getByText("2 gain admin in project web").waitFor();
    const logins = page.getByRole("table", { name: "Changed logins" });
    expect(await logins.getByRole("row").count()).toBe(3);
    await page.getByRole("button", { name: "Save mapping" }).click();
    const dialog = page.getByRole("dialog", { name: "Save mapping people" });
    await dialog.getByText("New ways to become admin: 1").waitFor();
    await dialog.getByText("2 gain admin in project web").first().waitFor();
    expect(await dialog.getByLabel("Difference of the rules").textContent()).toContain('"name": "root"');
    await checkAxe(page);
    await dialog.getByRole("button", { name: "Save mapping" }).click();
    await dialog.waitFor({ state: "hidden" });
    const { mapping } = await cloud.ask<{ mapping: { rules: object[] } }>(
      "GET",
      "/v3/OS-FEDERATION/mappings/people",
    );
    expect(mapping.rules[1]).toEqual({
      remote: [{ type: "GROUPS", any_one_of: ["ops"] }, { type: "SUB" }],
      local: [{ group: { name: "root", domain: { name: "acme" } } }],
    });
  });

  it("keeps cards and JSON the same, and reports faults with their place", async () => {
    await openRecorded("ada");
    const editor = page.getByRole("textbox", { name: "Rules as JSON" });
    await editor.fill('[{"remote": [{"type": "SUB"}], "local": [{"user": {"name": "{3}"}}]}]');
    await outcome().getByText("rules[0].local[0].user.name: {3}").waitFor();
    expect(await page.getByLabel("user name of rule 1 result 1").inputValue()).toBe("{3}");
    await page.getByLabel("user name of rule 1 result 1").fill("{0}");
    await outcome().getByText("accepted").waitFor();
    expect(await editor.textContent()).toContain('"name": "{0}"');
    await page.getByRole("button", { name: "Discard changes" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Save mapping" }).isDisabled()).toBe(true);
  });

  it("says before saving that the list of admins is incomplete, with new ones and without", async () => {
    const names = Array.from({ length: 1001 }, (_, number) => `group-${number}`); // 1000 are listed.
    const domain = { name: "acme" };
    const rules = [
      { remote: [{ type: "SUB" }], local: [{ group: { name: "staff", domain } }] },
      { remote: [{ type: "GROUPS", whitelist: names }], local: [{ groups: "{0}", domain }] },
    ];
    await cloud.ask("PUT", "/v3/OS-FEDERATION/mappings/many", { mapping: { rules } });
    await open("/mappings/many");
    const dialog = page.getByRole("dialog", { name: "Save mapping many" });
    for (const [group, shown] of [
      ["visitors", "None found, but the list is incomplete."],
      ["root", "The list is incomplete: the rules can give more than was compared."],
    ] as const) {
      await page.getByLabel("group of rule 1 result 1").fill(group);
      await page.getByRole("button", { name: "Save mapping" }).click();
      await expect.poll(() => dialog.getByText(shown).isVisible(), { timeout: 15_000 }).toBe(true);
      await cancelDialog(page);
    }
    await page.getByRole("button", { name: "Discard changes" }).click();
  });

  it("puts placeholders into the selected rule only, and keeps commas and replacements by search", async () => {
    await openRecorded("ada");
    const editor = page.getByRole("textbox", { name: "Rules as JSON" });
    const rule = (value: string) => ({
      remote: [{ type: "SUB", any_one_of: [value] }],
      local: [{ user: { name: "x" } }],
    });
    await editor.fill(JSON.stringify([rule("cn=admins,ou=cloud"), rule("b")]));
    const name = (index: number) => page.getByLabel(`user name of rule ${index} result 1`);
    await name(1).focus();
    await page.getByRole("region", { name: "Rule 2" }).getByRole("radio").check();
    await page.getByRole("button", { name: "Insert placeholder of GROUPS" }).click();
    await expect.poll(() => name(2).inputValue()).toBe("x{0}");
    expect(await name(1).inputValue()).toBe("x");
    const values = page.getByLabel("Values of rule 1 condition 1, one a line");
    await values.fill("cn=admins,ou=cloud\na{1,2}");
    await values.blur();
    await expect.poll(() => editor.textContent()).toContain('"a{1,2}"');
    await editor.press("Control+f");
    await page.getByRole("textbox", { name: "Find" }).fill("cn=admins");
    await page.getByRole("textbox", { name: "Replace" }).fill("cn=staff");
    await page.getByRole("button", { name: "replace all" }).click();
    await expect.poll(() => values.inputValue()).toBe("cn=staff,ou=cloud\na{1,2}");
    await page.getByRole("button", { name: "Discard changes" }).click();
  });

  it("reads a pasted JWT, and a text that is none", async () => {
    await open("/mappings/people");
    const field = page.getByLabel(/^JSON, SAML XML, JWT/);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    await field.fill(`${part({ alg: "none" })}.${part({ sub: "8c1", groups: ["<b>staff</b>"] })}.x`);
    await page.getByRole("button", { name: "Use assertion" }).click();
    // Names and values of a provider stay text.
    await page.getByRole("button", { name: "Require <b>staff</b> in OIDC-groups" }).waitFor();
    await outcome()
      .getByText('the assertion has no "SUB"')
      .or(outcome().getByText("no rule matched"))
      .first()
      .waitFor();
    await page.getByText("Paste an assertion").click();
    await field.fill("nonsense");
    await page.getByRole("button", { name: "Use assertion" }).click();
    const problem = page.getByRole("alert");
    await problem.waitFor();
    expect(await problem.textContent()).toContain("Could not read the assertion");
  });

  it("switches recording on and off", async () => {
    await open("/mappings/people?recording=1");
    const dialog = page.getByRole("dialog", { name: /Record logins of campus/ });
    expect(await dialog.getByLabel("Attributes, one a line").inputValue()).toBe("SUB\nREMOTE_USER\nGROUPS");
    await dialog.getByLabel("Days kept").fill("31");
    await dialog.getByRole("button", { name: "Save recording" }).click();
    await dialog.getByText("expected a number from 1 to 30").waitFor();
    await checkAxe(page);
    await dialog.getByLabel("Days kept").fill("2");
    await dialog.getByRole("button", { name: "Save recording" }).click();
    await dialog.waitFor({ state: "hidden" });
    const path = "/v3/OS-FEDERATION/identity_providers/campus/protocols/mapped/recording";
    expect((await cloud.ask<{ recording: object }>("GET", path)).recording).toMatchObject({ keep_days: 2 });
  });
});

describe("a reader of the system", () => {
  it("sees limits and mappings, and no button that the policy would refuse", async () => {
    const { user } = await cloud.ask<{ user: { id: string } }>("POST", "/v3/users", {
      user: { name: "reader", password: "readerpw", domain_id: "default" },
    });
    const { roles } = await cloud.ask<{ roles: { id: string }[] }>("GET", "/v3/roles?name=reader");
    await cloud.ask("PUT", `/v3/system/users/${user.id}/roles/${roles[0]?.id}`);
    const reader = await cloud.signedIn({}, { name: "reader", password: "readerpw" });
    const pages: [string, string, RegExp][] = [
      ["/mappings", "people", /Create mapping/],
      ["/mappings/people", "Outcome", /Save mapping|Record logins|Change recording|Replay \d/],
      ["/limits?view=registered", "cores", /Create registered limit/],
      ["/limits?view=document", "Download limits.json", /Preview plan/],
    ];
    for (const [path, shown, button] of pages) {
      for (const [who, opened] of [
        ["administrator", { page }],
        ["reader", reader],
      ] as const) {
        await opened.page.goto(`${cloud.service.url}/console${path}`);
        await opened.page.getByText(shown).or(opened.page.getByLabel(shown)).first().waitFor();
        await settled(opened.page);
        const buttons = opened.page.getByRole("button", { name: button });
        const links = opened.page.getByRole("link", { name: button });
        const found = (await buttons.count()) + (await links.count());
        expect({ path, who, found: found > 0 }).toEqual({ path, who, found: who === "administrator" });
      }
    }
    expect(reader.faults).toEqual([]);
    await reader.page.context().close();
  }, 60_000);
});

describe("the pages", () => {
  it("fit the screen in each look, break no rule of the Content-Security-Policy, and log no error", async () => {
    for (const [name, path] of [
      ["mappings", "/mappings"],
      ["workbench", "/mappings/people"],
      ["recording", "/mappings/people?recording=1"],
      ["limits", `/limits?domain=${cloud.domainId}`],
      ["registered-limits", "/limits?view=registered"],
      ["limit-document", "/limits?view=document"],
    ] as const) {
      await page.goto(`${cloud.service.url}/console${path}`);
      if (name === "workbench") {
        const logins = page.getByLabel("Recorded login");
        await logins.selectOption(await logins.locator("option", { hasText: "kim" }).getAttribute("value"));
        await page.getByText("accepted").waitFor();
      }
      await checkEveryLook(page, name);
    }
    expect(faults).toEqual([]);
  }, 120_000);
});

describe("the limits", () => {
  const tree = () => page.getByRole("treegrid", { name: "Limits of acme" });

  it("show what is over-committed, and open by the arrow keys", async () => {
    await open(`/limits?domain=${cloud.domainId}`);
    const acme = tree().getByRole("row", { name: /acme/ });
    await expect.poll(() => acme.textContent()).toContain("30 over");
    await page.getByText("1 over-committed").waitFor();
    await checkAxe(page);
    await acme.focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => tree().getByRole("row").count()).toBe(2);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => tree().getByRole("row").count()).toBe(4);
    // To web, below lab.
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    await tree()
      .getByRole("row", { name: /web-eu.*default/ })
      .waitFor();
  });

  it("are changed in place", async () => {
    await open(`/limits?domain=${cloud.domainId}`);
    await tree().getByRole("row", { name: /lab/ }).getByRole("link").click();
    const panel = page.getByRole("dialog", { name: "lab" });
    await panel.getByLabel("Own limit").fill("many");
    await panel.getByRole("button", { name: "Change limit" }).click();
    await panel.getByText("expected a whole number").waitFor();
    await panel.getByLabel("Own limit").fill("40");
    await checkAxe(page);
    await panel.getByRole("button", { name: "Change limit" }).click();
    await page.getByText("Nothing is over-committed").waitFor();
    const { limits } = await cloud.ask<{ limits: { resource_limit: number }[] }>("GET", "/v3/limits");
    expect(limits.map(({ resource_limit: limit }) => limit).toSorted((a, b) => a - b)).toEqual([40, 60, 100]);
  });

  it("are planned before they are imported", async () => {
    await open("/limits?view=document");
    const document = await cloud.ask<{ limits: { resource_limit: number; project_id?: string }[] }>(
      "GET",
      "/v3/limits/document",
    );
    const changed = { ...document, limits: document.limits.filter(({ project_id: id }) => id === undefined) };
    await page.getByLabel("Document, as JSON or YAML").fill(JSON.stringify(changed));
    await page.getByRole("button", { name: "Preview plan" }).click();
    await page.getByText("2 of them delete a limit").waitFor();
    expect(await page.getByRole("table", { name: "Planned changes" }).getByRole("row").count()).toBe(3);
    await checkAxe(page);
    await page.getByRole("button", { name: "Import limits" }).click();
    const dialog = page.getByRole("dialog", { name: "Import limits" });
    await dialog.getByLabel("Type delete 2 to confirm").fill("delete 2");
    await dialog.getByRole("button", { name: "Import limits" }).click();
    await page.getByText("The limits are imported").waitFor();
    expect((await cloud.ask<{ limits: object[] }>("GET", "/v3/limits/document")).limits).toHaveLength(1);
  });

  it("have registered defaults, by service and region", async () => {
    await open("/limits?view=registered");
    await page
      .getByRole("row", { name: /cores.*nova.*all.*20/ })
      .getByRole("link")
      .click();
    const panel = page.getByRole("dialog", { name: "cores" });
    await panel.getByLabel("Default").fill("25");
    await checkAxe(page);
    let sent = 0;
    let answer = () => {};
    const isClickedTwice = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/v3/registered_limits/*", async (route) => {
      sent++;
      await isClickedTwice;
      await route.continue();
    });
    const change = panel.getByRole("button", { name: "Change default" });
    await change.click();
    await expect.poll(() => change.getAttribute("aria-busy")).toBe("true");
    await change.click();
    await panel.getByLabel("Default").press("Enter");
    answer();
    await page.getByRole("row", { name: /cores.*25/ }).waitFor();
    expect(sent).toBe(1);
    await page.unroute("**/v3/registered_limits/*");
    await page.getByLabel("Region").selectOption("none");
    await page.getByRole("row", { name: /cores/ }).waitFor();
    const path = "/v3/registered_limits?resource_name=cores";
    const stored = await cloud.ask<{ registered_limits: object[] }>("GET", path);
    expect(stored.registered_limits).toMatchObject([{ default_limit: 25 }]);
  });
});
