/** The whole service with a provider of OpenID Connect and one of SAML, and test logins through both. */
import { sql } from "kysely";
import { expect } from "vitest";

import type { TestDatabases } from "../../databases.js";
import { PUBLIC_URL } from "../../test-server.js";
import { loginServer, type LoginResponse, type LoginServer } from "../../federation/login-server.js";
import type { TestBrowser } from "../../federation/openid/test-browser.js";
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  startProvider,
  type TestProvider,
} from "../../federation/openid/test-provider.js";
import { ISSUER, metadata, AUDIENCE as SP_ENTITY } from "../../federation/saml/test-provider.js";

const PROVIDERS = "/v3/OS-FEDERATION/identity_providers";
export const OPENID = `${PROVIDERS}/op/protocols/openid`;
export const SAML = `${PROVIDERS}/acme/protocols/saml2`;
/** Where the provider sends browsers back to. */
export const OPENID_AUTH = `${PUBLIC_URL}${OPENID}/auth`;
export const SAML_AUTH = `${PUBLIC_URL}${SAML}/auth`;

export const RULES = {
  openid: [
    {
      remote: [{ type: "OIDC-sub" }, { type: "OIDC-preferred_username" }],
      local: [{ user: { id: "{0}", name: "{1}" } }],
    },
    { remote: [{ type: "OIDC-groups" }], local: [{ groups: "{0}", domain: { name: "Default" } }] },
  ],
  saml: [
    { remote: [{ type: "NAME_ID" }], local: [{ user: { name: "{0}" } }] },
    { remote: [{ type: "groups" }], local: [{ groups: "{0}", domain: { name: "Default" } }] },
  ],
};

export interface TestLoginServer extends LoginServer {
  readonly op: TestProvider;
  /** The group `staff`, which has the role member in the project. */
  readonly groupId: string;
  readonly projectId: string;
  /** Rows of all tables but those of test logins and used assertions, as JSON. */
  rows(): Promise<string>;
  /** Begins a test login, as the administrator if no token is given. */
  test(protocol: string, draft?: object, token?: string): Promise<LoginResponse>;
  /** A test login and where it sends the browser, which keeps the cookies. */
  beginIn(
    browser: TestBrowser,
    protocol: string,
  ): Promise<{ readonly id: string; readonly location: string }>;
  /** Sends the browser's request to the service. */
  visit(browser: TestBrowser, url: string, form?: Readonly<Record<string, string>>): Promise<LoginResponse>;
  /** The result of a test login. */
  result(protocol: string, id: string, token?: string): Promise<LoginResponse>;
  /** A token of another user with a role in the system. */
  tokenOf(name: string, role: string): Promise<string>;
}

/** @param now The time; the provider of SAML signs for 2026-11-21T12:00:00Z. */
export async function testLoginServer(databases: TestDatabases, now?: number): Promise<TestLoginServer> {
  const op = await startProvider(OPENID_AUTH);
  const env = {
    IDENTITY_ALLOW_HTTP_ISSUERS: "on",
    IDENTITY_PROVIDER_NETWORKS: "127.0.0.0/8",
    IDENTITY_RATE_LIMIT: "off",
  };
  const server = await loginServer(databases, env, now === undefined ? {} : { now });
  const put = async (path: string, body: object) => {
    const { status, text } = await server.ask("PUT", `/v3/OS-FEDERATION/${path}`, { body });
    if (status !== 201) throw new Error(`${path}: ${text}`);
  };
  const groupId = await server.create("groups", { name: "staff", domain_id: "default" });
  const projectId = await server.create("projects", { name: "atelier", domain_id: "default" });
  const { body: roles } = await server.ask("GET", "/v3/roles?name=member");
  await server.ask("PUT", `/v3/projects/${projectId}/groups/${groupId}/roles/${roles.roles[0].id}`);
  for (const [id, remoteId, protocol, rules, settings] of [
    [
      "op",
      op.issuer,
      "openid",
      RULES.openid,
      {
        type: "openid",
        issuer: op.issuer,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        audiences: [AUDIENCE],
      },
    ],
    [
      "acme",
      ISSUER,
      "saml2",
      RULES.saml,
      { type: "saml2", idp_metadata_xml: metadata(), sp_entity_id: SP_ENTITY },
    ],
  ] as const) {
    const provider = { enabled: true, domain_id: "default", remote_ids: [remoteId] };
    await put(`identity_providers/${id}`, { identity_provider: provider });
    await put(`mappings/${id}`, { mapping: { rules } });
    await put(`identity_providers/${id}/protocols/${protocol}`, { protocol: { mapping_id: id, settings } });
  }

  const visit: TestLoginServer["visit"] = async (browser, url, form) => {
    const { pathname, search } = new URL(url);
    const cookie = browser.cookiesFor(url);
    const response = await server.ask(form === undefined ? "GET" : "POST", pathname + search, {
      token: "",
      headers: {
        accept: "text/html",
        ...(cookie !== "" && { cookie }),
        ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(form !== undefined && { body: new URLSearchParams(form).toString() as never }),
    });
    browser.keep(url, [response.headers["set-cookie"] ?? []].flat() as string[]);
    return response;
  };
  const test: TestLoginServer["test"] = (protocol, draft = {}, token) =>
    server.ask("POST", `${protocol}/test_logins`, {
      body: { test_login: draft },
      ...(token !== undefined && { token }),
    });

  return {
    ...server,
    op,
    groupId,
    projectId,
    visit,
    test,
    async rows() {
      const tables = await tablesOf(server);
      const found: Record<string, unknown> = {};
      for (const table of tables.filter((name) => !VOLATILE.has(name))) {
        const query = server.database.tables<Record<string, object>>().selectFrom(table).selectAll();
        const rows = await query.execute();
        // PostgreSQL has no order of its own.
        found[table] = rows.map((row) => JSON.stringify(row)).toSorted();
      }
      return JSON.stringify(found);
    },
    async beginIn(browser, protocol) {
      const created = await test(protocol);
      expect(created).toMatchObject({ status: 201 });
      const { login_url: url, id } = created.body.test_login;
      browser.keep(url as string, [created.headers["set-cookie"] ?? []].flat() as string[]);
      const step = await visit(browser, url as string);
      return { id: id as string, location: String(step.headers["location"]) };
    },
    result: (protocol, id, token) =>
      server.ask("GET", `${protocol}/test_logins/${id}`, token === undefined ? {} : { token }),
    async tokenOf(name, role) {
      const { body: found } = await server.ask("GET", `/v3/roles?name=${role}`);
      const user = { name, domain_id: "default", password: "secret" };
      const userId = await server.create("users", user);
      await server.ask("PUT", `/v3/system/users/${userId}/roles/${found.roles[0].id}`);
      const identity = { methods: ["password"], password: { user: { id: userId, password: "secret" } } };
      const body = { auth: { identity, scope: { system: { all: true } } } };
      return (await server.ask("POST", "/v3/auth/tokens", { token: "", body })).token;
    },
    async close() {
      await server.close();
      await op.close();
    },
  };
}

/** What a test login itself stores: its row, and the ids that are used up; and what changes at any time. */
const VOLATILE = new Set([
  "test_login",
  "login_request",
  "provider_document",
  "failed_fetch",
  "login_day",
  "refused_login",
  "rejected_login",
  "replica",
  "login_count",
  "audit_event",
  "audit_target",
]);

/** The names of all tables. Kysely's own list reads every schema, of which other test files drop some meanwhile. */
async function tablesOf({ database }: LoginServer): Promise<string[]> {
  const query =
    database.kind === "postgres"
      ? sql<{ name: string }>`select tablename as name from pg_tables where schemaname = current_schema()`
      : sql<{ name: string }>`select name from sqlite_schema where type = 'table'`;
  const { rows } = await query.execute(database.tables());
  return rows.map(({ name }) => name).toSorted();
}
