/** OpenID Connect from the configuration of a provider to a login by keystoneauth, `openstack` and a browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { postgresDatabases, sqliteDatabases, type TestDatabase } from "../../../test/databases.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  PASSWORD,
  startProvider,
  type TestProvider,
} from "../../../test/federation/openid/test-provider.js";
import { freePort } from "../../free-port.js";
import { askClient, runProgram } from "../../run-program.js";
import { adminClient } from "../../reliability/admin-client.js";
import { startService, type ServiceProcess } from "../../service-process.js";
import { launchChromium } from "../../headless-chromium.js";

/** For users and for client credentials, where REMOTE_USER is the client. */
const RULES = [
  {
    remote: [{ type: "OIDC-preferred_username" }, { type: "OIDC-email" }, { type: "OIDC-groups" }],
    local: [{ user: { name: "{0}", email: "{1}" } }, { groups: "{2}", domain: { name: "Default" } }],
  },
  {
    remote: [{ type: "REMOTE_USER", any_one_of: [CLIENT_ID] }, { type: "HTTP_OIDC_CLIENT_ID" }],
    local: [{ user: { name: "program {0}" } }, { group: { name: "staff", domain: { name: "Default" } } }],
  },
];

interface Created {
  readonly id: string;
}

for (const databases of [sqliteDatabases, postgresDatabases])
  describe(`OpenID Connect, with ${databases.name}`, () => {
    let place: TestDatabase;
    let folder: string;
    let service: ServiceProcess;
    let op: TestProvider;
    let dashboard: Dashboard;
    let adminToken: string;

    beforeAll(async () => {
      place = await databases.create();
      folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
      const port = await freePort();
      dashboard = await openDashboard();
      const env = {
        IDENTITY_ALLOW_HTTP_ISSUERS: "on",
        IDENTITY_TRUSTED_DASHBOARDS: dashboard.url,
        IDENTITY_LOG_LEVEL: "info",
      };
      service = await startService({ databaseUrl: place.url, folder, port, env });
      op = await startProvider(`${service.url}/v3/OS-FEDERATION/identity_providers/op/protocols/openid/auth`);
      await setUp();
    });
    afterAll(async () => {
      await service.stop();
      await op.close();
      dashboard.server.closeAllConnections();
      dashboard.server.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });

    async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
      const answer = await fetch(service.url + path, {
        method,
        headers: { "x-auth-token": adminToken, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return (text === "" ? undefined : JSON.parse(text)) as Answer;
    }

    /** What an administrator does, once. */
    async function setUp(): Promise<void> {
      ({ token: adminToken } = await adminClient(service.url));
      const inDefault = { domain_id: "default" };
      const { project } = await ask<{ project: Created }>("POST", "/v3/projects", {
        project: { name: "atelier", ...inDefault },
      });
      const { group } = await ask<{ group: Created }>("POST", "/v3/groups", {
        group: { name: "staff", ...inDefault },
      });
      const { roles } = await ask<{ roles: Created[] }>("GET", "/v3/roles?name=member");
      await ask("PUT", `/v3/projects/${project.id}/groups/${group.id}/roles/${roles[0]?.id}`);
      const provider = "/v3/OS-FEDERATION/identity_providers/op";
      await ask("PUT", "/v3/OS-FEDERATION/mappings/op", { mapping: { rules: RULES } });
      await ask("PUT", provider, {
        identity_provider: { enabled: true, domain_id: "default", remote_ids: [op.issuer] },
      });
      const settings = {
        type: "openid",
        issuer: op.issuer,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        audiences: [AUDIENCE],
      };
      await ask("PUT", `${provider}/protocols/openid`, { protocol: { mapping_id: "op", settings } });
    }

    const kim = {
      user: "kim.example",
      user_domain: "Default",
      project: null,
      roles: [],
      methods: ["openid"],
    };

    it("logs in keystoneauth by each of its plugins", async () => {
      const token = { grant_type: "password", username: "kim", password: PASSWORD };
      const { access_token: accessToken } = await op.token({ ...token, scope: "openid profile email" });
      const question = {
        url: service.url,
        issuer: op.issuer,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        username: "kim",
        password: PASSWORD,
        access_token: accessToken,
      };
      const inProject = { project: "atelier", roles: ["member", "reader"], methods: expect.anything() };
      expect(await askClient("keystoneauth-openid.py", question)).toEqual([
        { check: "v3oidcpassword", value: kim },
        { check: "v3oidcpassword, for a project", value: { ...kim, ...inProject } },
        { check: "v3oidcclientcredentials", value: { ...kim, user: "program identity" } },
        { check: "v3oidcaccesstoken", value: kim },
        { check: "v3oidcaccesstoken, for an unknown token", value: 401 },
      ]);
    });

    it("logs in the openstack command", async () => {
      const { output, errors } = await runProgram(
        ["/usr/bin/openstack", "token", "issue", "-f", "json", "-c", "project_id", "-c", "user_id"],
        {
          env: {
            OS_AUTH_TYPE: "v3oidcpassword",
            OS_AUTH_URL: `${service.url}/v3`,
            OS_IDENTITY_PROVIDER: "op",
            OS_PROTOCOL: "openid",
            OS_CLIENT_ID: CLIENT_ID,
            OS_CLIENT_SECRET: CLIENT_SECRET,
            OS_DISCOVERY_ENDPOINT: `${op.issuer}/.well-known/openid-configuration`,
            OS_OPENID_SCOPE: "openid profile email",
            OS_USERNAME: "kim",
            OS_PASSWORD: PASSWORD,
            OS_PROJECT_NAME: "atelier",
            OS_PROJECT_DOMAIN_NAME: "Default",
            OS_IDENTITY_API_VERSION: "3",
            NO_PROXY: "127.0.0.1",
          },
        },
      );
      expect(errors).toBe("");
      expect(JSON.parse(output)).toEqual({
        project_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        user_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
    });

    it("takes a browser from the dashboard to the provider and back with a token", async () => {
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        const origin = encodeURIComponent(dashboard.url);
        await page.goto(`${service.url}/v3/auth/OS-FEDERATION/websso/openid?origin=${origin}`);
        await page.getByText("Welcome to the dashboard").waitFor();
        expect(page.url()).toBe(dashboard.url);
      } finally {
        await browser.close();
      }
      const [token = ""] = dashboard.tokens;
      const facts = await fetch(`${service.url}/v3/auth/tokens`, {
        headers: { "x-auth-token": adminToken, "x-subject-token": token },
      });
      expect(await facts.json()).toMatchObject({
        token: {
          methods: ["openid"],
          user: { name: "kim.example", "OS-FEDERATION": { protocol: { id: "openid" } } },
        },
      });
    });

    it("applies changed settings at once, and logs the reason only", async () => {
      const protocol = "/v3/OS-FEDERATION/identity_providers/op/protocols/openid";
      const logIn = async () => {
        const seconds = Math.floor(Date.now() / 1000);
        const claims = { iss: op.issuer, sub: "kim", aud: AUDIENCE, exp: seconds + 60 };
        const more = { preferred_username: "kim", email: "k@example.org", groups: ["staff"], scope: "a" };
        const token = await op.keys.sign({ ...claims, ...more });
        const headers = { authorization: `Bearer ${token}` };
        return fetch(`${service.url}${protocol}/auth`, { method: "POST", headers });
      };
      expect((await logIn()).status).toBe(201);
      await ask("PATCH", protocol, { protocol: { settings: { audiences: null } } });
      const refused = await logIn();
      expect(refused.status).toBe(401);
      expect(await refused.text()).not.toMatch(/aud/);
      await expect.poll(() => service.output()).toContain('unexpected \\"aud\\" claim value');
      await ask("PATCH", protocol, { protocol: { settings: { audiences: [AUDIENCE] } } });
      expect((await logIn()).status).toBe(201);
    });
  });

interface Dashboard {
  readonly url: string;
  readonly server: Server;
  /** Forms that browsers have posted. */
  readonly tokens: string[];
}

/** A page that takes a token from a form, as Horizon does. */
async function openDashboard(): Promise<Dashboard> {
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      const token = new URLSearchParams(body).get("token");
      if (token !== null) tokens.push(token);
      response.setHeader("content-type", "text/html").end("<p>Welcome to the dashboard</p>");
    });
  });
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${port}/auth/websso/`, server, tokens };
}
