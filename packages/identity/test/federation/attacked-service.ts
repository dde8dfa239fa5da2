/** The whole service with a protocol of each kind, and a record of its stored rows and log lines. */
import { createLog } from "../../src/platform/log.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import type { TestDatabases } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";
import { ADMIN_PASSWORD, testApp } from "../test-app.js";
import { PUBLIC_URL } from "../test-server.js";
import { CLIENT_ID, CLIENT_SECRET, AUDIENCE } from "./openid/test-provider.js";
import { metadata, AUDIENCE as SP_ENTITY } from "./saml/test-provider.js";

/** The login path of a protocol. */
export const authPath = (protocol: string): string =>
  `/v3/OS-FEDERATION/identity_providers/acme/protocols/${protocol}/auth`;
export const authUrl = (protocol: string): string => PUBLIC_URL + authPath(protocol);

export const FRONT_END_SECRET = "a-secret-of-front-ends";
export const DASHBOARD = "https://dash.example.org/auth/websso/";

export interface Sent {
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
  readonly address?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The lines of the log that have the request's id. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

export interface AttackedService {
  send(sent: Sent): Promise<Received>;
  /** All that is stored of users, groups, projects, roles, tokens and logins. */
  stored(): Promise<string>;
  close(): Promise<void>;
}

export interface AttackedOptions {
  readonly now: () => number;
  /** Of the provider of OpenID Connect. */
  readonly issuer: string;
  readonly env?: Readonly<Record<string, string>>;
}

const TABLES = [
  "user",
  "federated_user",
  "federated_group_member",
  "group_member",
  "assignment",
  "project",
  "login_request",
  "revocation_event",
];

const RULES = [
  {
    local: [{ user: { name: "{0}" } }, { group: { id: "GROUP" } }],
    remote: [{ type: "REMOTE_USER" }],
  },
];

export async function attackedService(
  databases: TestDatabases,
  { now, issuer, env = {} }: AttackedOptions,
): Promise<AttackedService> {
  const lines: Record<string, unknown>[] = [];
  const log = createLog("info", { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  let url = "";
  const watched: TestDatabases = {
    name: databases.name,
    async create() {
      const place = await migratedDatabase(databases);
      url = place.url;
      return place;
    },
  };
  const service = await testApp(watched, { ...ENV, ...env }, { clock: { now }, log });
  const database = openDatabase(url);

  async function send({
    method = "GET",
    url: path,
    headers = {},
    payload,
    address,
  }: Sent): Promise<Received> {
    const answer = await service.app.server.inject({
      method,
      url: path,
      headers,
      remoteAddress: address ?? "192.0.2.7",
      ...(payload !== undefined && { payload }),
    });
    const id = answer.headers["x-openstack-request-id"];
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: answer.body,
      lines: lines.filter(({ request }) => request === id),
    };
  }

  await setUp(send, issuer);
  return {
    send,
    async stored() {
      const found: Record<string, unknown[]> = {};
      for (const table of TABLES)
        found[table] = await database
          .tables<Record<string, object>>()
          .selectFrom(table)
          .selectAll()
          .execute();
      return JSON.stringify(found);
    },
    async close() {
      await database.close();
      await service.remove();
    },
  };
}

const ENV = {
  IDENTITY_ALLOW_HTTP_ISSUERS: "on",
  IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Assertion",
  IDENTITY_FORWARDED_ASSERTION_SECRET: FRONT_END_SECRET,
  IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
  IDENTITY_REMOTE_ID_ATTRIBUTE: "IDP",
  IDENTITY_TRUSTED_DASHBOARDS: DASHBOARD,
};

async function setUp(send: (sent: Sent) => Promise<Received>, issuer: string): Promise<void> {
  const json = { "content-type": "application/json" };
  const identity = {
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
  };
  const login = JSON.stringify({ auth: { identity, scope: { system: { all: true } } } });
  const { headers } = await send({ method: "POST", url: "/v3/auth/tokens", headers: json, payload: login });
  const admin = { ...json, "x-auth-token": String(headers["x-subject-token"]) };
  const write = async (method: "PUT" | "POST", url: string, body: object) => {
    const sent = { method: method as "POST", url, headers: admin, payload: JSON.stringify(body) };
    const { status, body: text } = await send(sent);
    if (status !== 201) throw new Error(`${url}: ${text}`);
    return JSON.parse(text) as Record<string, { readonly id: string }>;
  };
  const { group } = await write("POST", "/v3/groups", { group: { name: "staff", domain_id: "default" } });
  const rules = JSON.parse(JSON.stringify(RULES).replace("GROUP", group?.id ?? "")) as object[];
  await write("PUT", "/v3/OS-FEDERATION/mappings/people", { mapping: { rules } });
  await write("PUT", "/v3/OS-FEDERATION/identity_providers/acme", { identity_provider: { enabled: true } });
  const openid = { type: "openid", issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
  const settings = {
    saml2: { type: "saml2", idp_metadata_xml: metadata(), sp_entity_id: SP_ENTITY },
    openid: { ...openid, audiences: [AUDIENCE] },
    mapped: null,
    prefixed: { type: "forwarded", header_prefix: "X-Shib-" },
  };
  for (const [id, each] of Object.entries(settings))
    await write("PUT", authPath(id).replace(/\/auth$/, ""), {
      protocol: { mapping_id: "people", ...(each && { settings: each }) },
    });
}
