/** The overview: what is known to be wrong, with what mends it, and the doctor's checks by a click. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { runCommand } from "../../identity/test-system/run-command.js";
import { checkEveryLook, signIn, startConsole, toSystem, type ConsoleBrowser } from "./console-browser.js";

let served: ConsoleBrowser;
const folder = mkdtempSync(join(tmpdir(), "console-overview-"));
const keyFile = join(folder, "master.key");
const keyText = () => randomBytes(32).toString("base64");

beforeAll(async () => {
  writeFileSync(keyFile, keyText(), { mode: 0o600 });
  served = await startConsole({ IDENTITY_MASTER_KEY_FILE: keyFile });
  const idp = "/v3/OS-FEDERATION/identity_providers/keycloak";
  await served.api("PUT", idp, { identity_provider: { enabled: true } });
  const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { name: "{0}" } }] }];
  await served.api("PUT", "/v3/OS-FEDERATION/mappings/people", { mapping: { rules } });
  const settings = { type: "openid", issuer: "https://127.0.0.1:9/realm", client_id: "cloud" };
  await served.api("PUT", `${idp}/protocols/openid`, { protocol: { mapping_id: "people", settings } });
}, 60_000);
afterAll(async () => {
  await served?.close();
  rmSync(folder, { recursive: true });
});

it("names what is wrong, runs the doctor's checks, and says in red how a process gets the key in force", async () => {
  const opened = await served.open({ reducedMotion: "reduce" });
  const { page } = opened;
  await signIn(opened, served.service.url);
  await toSystem(page);
  await page.goto(`${served.service.url}/console`);
  await page.getByText("Provider keycloak, protocol openid, needs attention").waitFor();
  await page.getByText("No login failed in the last hour.").waitFor();
  await page.getByRole("button", { name: "Run checks" }).click();
  const findings = page.getByRole("list", { name: "Findings" });
  await findings.getByText(/^[\da-f]+ is in force, from .*master\.key$/).waitFor();
  await findings.getByText("the database has all migrations of this release").waitFor();
  await findings.getByText(/^identity provider "keycloak", protocol "openid": discovery:/).waitFor();
  await checkEveryLook(page, "overview-checks");

  const next = join(folder, "elsewhere.key");
  writeFileSync(next, keyText(), { mode: 0o600 });
  await runCommand(["keys", "reseal", "--next-key-file", next], {
    IDENTITY_DATABASE_URL: `sqlite:${served.databaseFile}`,
    IDENTITY_MASTER_KEY_FILE: keyFile,
  });
  // The process looks once a second.
  const alert = page.getByRole("alert").filter({ hasText: "is not in force" });
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole("heading", { name: "Replicas" }).waitFor();
      return alert.count();
    })
    .toBe(1);
  await alert.getByText(`install -m 600 -o hamkit-identity FILE_WITH_THE_KEY_IN_FORCE ${keyFile}`).waitFor();
  await checkEveryLook(page, "overview-master-key");
  expect(opened.faults).toEqual([]);
}, 60_000);
