/** The Apache configurations of docs/identity/front-end.md, with Debian's modules, in Chromium. */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases, type TestDatabase } from "../../../test/databases.js";
import {
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../../test/federation/openid/test-provider.js";
import { newSigner } from "../../../test/federation/saml/test-provider.js";
import { freePort } from "../../free-port.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";
import { openDashboard, type Dashboard } from "../browser-dashboard.js";
import { fileOf, linesFor, readGuide } from "../keystone/guide.js";
import { USER, type ProviderParty } from "../saml/provider-party.js";
import { startPysaml2 } from "../saml/pysaml2-provider.js";
import { startApache, type Apache } from "./apache.js";
import { launchChromium } from "../../headless-chromium.js";

const SHARED_SECRET = "8d1c24e53b1f4f0f9d0c9e7a5b7f6a31";

/** Chromium sends new cookies without `SameSite` with another site's form for two minutes, unless it is told not to. */
const STRICT = "--enable-features=SameSiteDefaultChecksMethodRigorously";

describe("Apache in front of the service", () => {
  let folder: string;
  let database: TestDatabase;
  let service: ServiceProcess;
  let apache: Apache;
  let dashboard: Dashboard;
  /** Of the fronts with mod_auth_mellon, by their names. */
  let saml: Readonly<Record<"mellon" | "bare", ProviderParty>>;
  let op: TestProvider;
  let browser: Browser;
  let admin: string;
  /** The fronts; `bare` lacks the lines about Mellon's cookie. */
  const ports = { mellon: 0, bare: 0, openidc: 0 };
  const urlAt = (port: number) => `https://127.0.0.1:${port}`;

  const guideFor = (name: keyof typeof ports) =>
    readGuide("front-end.md", {
      "https://id.example.org": urlAt(ports[name]),
      "https://op.example.org": op.issuer,
      "https://horizon.example.org/dashboard/auth/websso/": dashboard.url,
      "http://127.0.0.1:5000": service?.url ?? "",
      "/etc/apache2/mellon": join(folder, name),
      "10.0.0.5": "127.0.0.1",
      CLIENT_SECRET,
      PASSPHRASE: "of the cookie",
      SHARED_SECRET,
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-front-"));
    for (const name of ["mellon", "bare", "openidc"] as const) ports[name] = await freePort();
    const startSaml = () => startPysaml2({ signer: newSigner(), host: "localhost" });
    const [mellon, bare] = await Promise.all([startSaml(), startSaml()]);
    saml = { mellon, bare };
    dashboard = await openDashboard();
    op = await startProvider(`${urlAt(ports.openidc)}/v3/openidc`);
    await startIdentity();
    for (const name of ["mellon", "bare"] as const) await makeMellonFiles(name);
    const configurationFor = (name: "mellon" | "bare") => fileOf(guideFor(name), "mellon.conf");
    const withoutCookieLines = configurationFor("bare").replaceAll(/^ *Mellon(Secure)?Cookie.*$/gm, "");
    apache = await startApache({
      folder,
      sites: [
        { port: ports.mellon, configuration: configurationFor("mellon") },
        { port: ports.bare, configuration: withoutCookieLines },
        { port: ports.openidc, configuration: fileOf(guideFor("openidc"), "openidc.conf") },
      ],
    });
    browser = await launchChromium(STRICT);
    const { request } = await browser.newContext({ ignoreHTTPSErrors: true });
    for (const name of ["mellon", "bare"] as const) {
      const entityId = `${urlAt(ports[name])}/v3/mellon/metadata`;
      await saml[name].trust({ metadata: await (await request.get(entityId)).text(), entityId });
    }
  });
  afterAll(async () => {
    await browser.close();
    await apache.stop();
    await service.stop();
    await Promise.all([dashboard, saml.mellon, saml.bare, op].map((each) => each.close()));
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function startIdentity(): Promise<void> {
    database = await sqliteDatabases.create();
    const lines = linesFor(guideFor("mellon"), "environment").trim().split("\n");
    const env = Object.fromEntries(
      lines.map((line) => /^export (\w+)=(\S+)/.exec(line)?.slice(1) as [string, string]),
    );
    service = await startService({
      databaseUrl: database.url,
      folder,
      env: { ...env, IDENTITY_LOG_LEVEL: "info" },
    });
    ({ token: admin } = await adminClient(service.url));
    const guide = guideFor("mellon");
    await put("identity_providers/acme", {
      identity_provider: { enabled: true, remote_ids: [saml.mellon.entityId, saml.bare.entityId, op.issuer] },
    });
    for (const [kind, id, mapping] of [
      ["mellon", "saml2", "acme"],
      ["openidc", "openid", "acme-openid"],
    ] as const) {
      await put(`mappings/${mapping}`, {
        mapping: { rules: JSON.parse(fileOf(guide, `${kind}-rules.json`)) },
      });
      await put(
        `identity_providers/acme/protocols/${id}`,
        JSON.parse(fileOf(guide, `${kind}-protocol.json`)) as object,
      );
    }
  }

  async function makeMellonFiles(name: "mellon" | "bare"): Promise<void> {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, "idp.xml"), saml[name].metadata);
    makeKey(join(folder, name, "sp"));
  }

  async function put(path: string, body: object): Promise<void> {
    const answer = await fetch(`${service.url}/v3/OS-FEDERATION/${path}`, {
      method: "PUT",
      headers: { "x-auth-token": admin, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }

  /** Logs in at a front, until the dashboard has the token. @returns The user's name, or the page at which the login ends. */
  async function logIn(name: keyof typeof ports, options: BrowserContextOptions = {}): Promise<string> {
    const protocol = name === "openidc" ? "openid" : "saml2";
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    try {
      const page = await context.newPage();
      const path = `/v3/auth/OS-FEDERATION/identity_providers/acme/protocols/${protocol}/websso`;
      await page.goto(`${urlAt(ports[name])}${path}?origin=${encodeURIComponent(dashboard.url)}`);
      if (protocol === "saml2") {
        await page.getByLabel("User").fill(USER.username);
        await page.getByLabel("Password").fill(USER.password);
        await page.getByRole("button", { name: "Log in" }).click();
      }
      await page.waitForLoadState("networkidle");
      const token = dashboard.tokens.pop();
      return token === undefined ? await page.content() : await userOf(token);
    } finally {
      await context.close();
    }
  }

  async function userOf(token: string): Promise<string> {
    const headers = { "x-auth-token": admin, "x-subject-token": token };
    const answer = await fetch(`${service.url}/v3/auth/tokens`, { headers });
    return ((await answer.json()) as { token: { user: { name: string } } }).token.user.name;
  }

  it("logs in with mod_auth_mellon, whose header replaces that of the client", async () => {
    const spoofed = { "Mellon-Mail": "admin@example.org", "Mellon-Affiliation": "staff" };
    expect(await logIn("mellon", { extraHTTPHeaders: spoofed })).toBe("alice@example.org");
  });

  it("does not log in with mod_auth_mellon without the lines about its cookie", async () => {
    expect(await logIn("bare")).not.toBe("alice@example.org");
    expect(await apache.log()).toMatch(/cookie/i);
  });

  it("logs in with mod_auth_openidc, with a list among the claims, and without headers of the client's", async () => {
    const spoofed = { OIDC_CLAIM_email: "admin@example.org", OIDC_CLAIM_groups: "staff" };
    expect(await logIn("openidc", { extraHTTPHeaders: spoofed })).toBe("kim@example.org");
  });

  it.each(["mellon", "openidc"] as const)(
    "%s: rejects headers of a client that is not logged in",
    async (name) => {
      const rejected = await fetch(
        `${service.url}/v3/OS-FEDERATION/identity_providers/acme/protocols/${name === "mellon" ? "saml2" : "openid"}/auth`,
        { headers: { OIDC_CLAIM_email: "admin@example.org", "Mellon-Mail": "admin@example.org" } },
      );
      expect(rejected.status).toBe(401);
      await expect
        .poll(() => service.output())
        .toContain("invalid or missing secret in the header x-forwarded-assertion-secret");
    },
  );
});

/** A key pair for the module, with its certificate. */
function makeKey(path: string): void {
  const args = `req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=front -keyout ${path}.key -out ${path}.crt`;
  const { status, stderr } = spawnSync("openssl", args.split(" "), { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  spawnSync("chmod", ["644", `${path}.key`]);
}
