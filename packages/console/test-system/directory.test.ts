/** A directory is set up for a domain in the console, with OpenLDAP: checked before it is stored, and then used. */
import { afterAll, beforeAll, expect, it } from "vitest";

import { person, UNITS } from "../../identity/test-system/directories/directory-cloud.js";
import {
  SERVICE_DN,
  SERVICE_PASSWORD,
  startSlapd,
  type SlapdServer,
} from "../../identity/test-system/directories/slapd-server.js";
import { checkEveryLook, signIn, startConsole, type ConsoleBrowser } from "./console-browser.js";

let slapd: SlapdServer;
let served: ConsoleBrowser;
beforeAll(async () => {
  slapd = await startSlapd([UNITS, person("alva"), person("bero")].join("\n"));
  served = await startConsole({ IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on" });
}, 120_000);
afterAll(async () => {
  await served?.close();
  await slapd?.remove();
});

it("is checked with a login before it is stored, says what is wrong, and then has the domain's users", async () => {
  const { url } = served.service;
  const created = await served.api("POST", "/v3/domains", { domain: { name: "corp" } });
  const { id } = (created as unknown as { domain: { id: string } }).domain;
  const opened = await served.open();
  const { page } = opened;
  await signIn(opened, url, { path: `/console/domains?open=${id}` });
  await page.getByRole("button", { name: "Set up directory" }).click();
  const dialog = page.getByRole("dialog", { name: "Directory of corp" });
  const type = (label: string, text: string) => dialog.getByLabel(label, { exact: false }).first().fill(text);
  await type("Servers", slapd.url);
  await type("Account of the service", SERVICE_DN);
  await type("Its password", "wrong");
  await type("Suffix", "dc=test");
  await type("Users below", "ou=Staff,dc=test");
  await type("Groups below", "ou=Groups,dc=test");
  const check = dialog.getByRole("button", { name: "Check" });
  const findings = dialog.getByRole("list", { name: "Findings" });
  await check.click();
  await findings.getByText(/see url, user, password, use_tls and tls_cacertfile/).waitFor();
  await type("Its password", SERVICE_PASSWORD);
  await check.click();
  await findings.getByText(/ou=Staff,dc=test .*see user_tree_dn and suffix/).waitFor();
  await type("Users below", "ou=People,dc=test");
  await dialog.getByLabel("Attribute of their ids").first().fill("uid");
  await dialog.getByLabel("Attribute of their names").first().fill("uid");
  await type("Log in as", "alva");
  await type("With the password", "pw-alva");
  await check.click();
  await findings.getByText("login as uid=alva,ou=People,dc=test is accepted; groups: none").waitFor();
  await checkEveryLook(page, "domain-directory");
  expect(JSON.stringify(await served.api("GET", `/v3/domains/${id}`))).not.toContain("ldap");

  await dialog.getByRole("button", { name: "Save directory" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(`LDAP at ${slapd.url}`).waitFor();
  const { users } = (await served.api("GET", `/v3/users?domain_id=${id}`)) as unknown as {
    users: { name: string }[];
  };
  expect(users.map(({ name }) => name).toSorted()).toEqual(["alva", "bero"]);

  // The stored password goes to the stored server alone, and stays where none is typed.
  await page.getByRole("button", { name: "Set up directory" }).click();
  await dialog.getByRole("button", { name: "Check" }).click();
  await findings.getByText("2 users:", { exact: false }).waitFor();

  // A save that is refused changes nothing; one that clears an option keeps the password.
  const stored = async () =>
    ((await served.api("GET", `/v3/domains/${id}/config`)) as unknown as { config: { ldap: object } }).config;
  const before = await stored();
  const save = async () => {
    await dialog.getByRole("button", { name: "Save directory" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Set up directory" }).click();
  };
  await type("Suffix", "dc=other");
  await type("Filter of users", "((");
  await dialog.getByRole("button", { name: "Save directory" }).click();
  await dialog.getByText(/user_filter.*expected an LDAP filter/).waitFor();
  expect(await stored()).toEqual(before);
  await type("Suffix", "dc=test");
  await type("Filter of users", "(uid=alva)");
  await save();
  expect(await stored()).toEqual({ ...before, ldap: { ...before.ldap, user_filter: "(uid=alva)" } });
  await type("Filter of users", "");
  await save();
  expect(await stored()).toEqual(before);
  await dialog.getByRole("button", { name: "Check" }).click();
  await findings.getByText("2 users:", { exact: false }).waitFor();
  expect(opened.faults).toEqual([]);
}, 120_000);
