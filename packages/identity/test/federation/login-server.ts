/** The whole service with an identity provider, a trusted front end, and a clock of the test's own. */
import type { App } from "../../src/app.js";
import type { ProtocolType } from "../../src/federation/protocols/protocol-type.js";
import type { Database } from "../../src/platform/database/database.js";
import { createLog } from "../../src/platform/log.js";
import type { TestDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas } from "../test-app.js";

export const SECRET = "a secret of front ends".replaceAll(" ", "-");
export const DASHBOARD = "https://dash.example.org/auth/websso/?a=1&b=2";

export const ENV = {
  IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Assertion",
  IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
  IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
  IDENTITY_REMOTE_ID_ATTRIBUTE: "IDP",
  IDENTITY_TRUSTED_DASHBOARDS: `${DASHBOARD}, http://other.example.org/`,
};

/** Where users of the provider `idp` log in by the protocol `mapped`. */
export const AUTH = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped/auth";

export interface LoginResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** The header `X-Subject-Token`; empty if missing. */
  readonly token: string;
}

export interface AskOptions {
  readonly token?: string;
  readonly body?: object;
  /** Those with several values are sent several times. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly address?: string;
  /** Which replica is asked; the first if left out. */
  readonly replica?: number;
}

export interface LoginServerOptions {
  /** When it begins; at the present if left out. */
  readonly now?: number;
  /** How many replicas there are; one if left out. */
  readonly replicas?: number;
  /** Login protocols besides those of the service. */
  readonly protocolTypes?: readonly ProtocolType[];
}

export interface LoginServer {
  /** The time, which the test moves on. */
  readonly time: { now: number };
  /** Log lines with the reasons of failed logins. */
  readonly refusals: readonly Readonly<Record<string, unknown>>[];
  /** Log lines of level warn. */
  readonly warnings: readonly Readonly<Record<string, unknown>>[];
  /** Records of the audit log. */
  readonly audits: readonly Readonly<Record<string, unknown>>[];
  readonly database: Database;
  /** As the administrator of the system, where no token is given. */
  ask(method: string, url: string, options?: AskOptions): Promise<LoginResponse>;
  /** With the attributes as a front end sends them. */
  login(
    attributes: Readonly<Record<string, unknown>>,
    url?: string,
    options?: AskOptions,
  ): Promise<LoginResponse>;
  /** Creates a resource. @returns Its id. */
  create(path: string, attributes: object): Promise<string>;
  /** Replaces the rules of the mapping. */
  map(rules: readonly object[], schemaVersion?: string): Promise<void>;
  /** Revisions of facts and revocations. */
  revisions(): readonly number[];
  close(): Promise<void>;
}

/** The provider is in the domain `people`, and calls itself `https://idp.example.org`. */
export async function loginServer(
  databases: TestDatabases,
  env: Record<string, string> = ENV,
  { now = Date.now(), replicas = 1, protocolTypes }: LoginServerOptions = {},
): Promise<LoginServer> {
  const time = { now };
  const refusals: Record<string, unknown>[] = [];
  const warnings: Record<string, unknown>[] = [];
  const audits: Record<string, unknown>[] = [];
  const log = createLog("info", {
    write(line: string) {
      const logged = JSON.parse(line) as Record<string, unknown>;
      const { federation, audit } = logged as Partial<
        Record<"federation" | "audit", Record<string, unknown>>
      >;
      if (logged["level"] === "warn") warnings.push(logged);
      if (federation !== undefined) refusals.push(federation);
      if (audit !== undefined) audits.push(audit);
    },
  });
  const clock = { now: () => time.now };
  const service = await testReplicas(databases, replicas, {
    env,
    clock,
    log,
    ...(protocolTypes !== undefined && { protocolTypes }),
  });
  const { database } = service.apps[0] as App;

  async function send(method: string, url: string, options: AskOptions) {
    const { token, body, headers, address, replica = 0 } = options;
    const answer = await (service.apps[replica] as App).server.inject({
      method: method as "GET",
      url,
      remoteAddress: address ?? "127.0.0.1",
      headers: { ...(token !== undefined && { "x-auth-token": token }), ...headers },
      ...(body !== undefined && { payload: body }),
    });
    const isJson = String(answer.headers["content-type"]).startsWith("application/json");
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson && answer.body !== "" ? (JSON.parse(answer.body) as unknown) : undefined,
      token: String(answer.headers["x-subject-token"] ?? ""),
    };
  }

  const identity = {
    methods: ["password"],
    password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
  };
  const login = { auth: { identity, scope: { system: { all: true } } } };
  const admin = (await send("POST", "/v3/auth/tokens", { body: login })).token;
  const ask: LoginServer["ask"] = (method, url, options = {}) =>
    send(method, url, { token: admin, ...options });
  const put = async (path: string, body: object) => {
    const { status, text } = await ask("PUT", `/v3/OS-FEDERATION/${path}`, { body });
    if (status !== 201) throw new Error(`${path}: ${text}`);
  };

  const people = await ask("POST", "/v3/domains", { body: { domain: { name: "people" } } });
  const provider = {
    enabled: true,
    domain_id: people.body.domain.id as string,
    remote_ids: ["https://idp.example.org"],
  };
  await put("identity_providers/idp", { identity_provider: provider });
  await put("mappings/people", { mapping: { rules: [NAMED] } });
  await put("identity_providers/idp/protocols/mapped", { protocol: { mapping_id: "people" } });

  return {
    time,
    refusals,
    warnings,
    audits,
    database,
    ask,
    login: (attributes, url = AUTH, options = {}) =>
      send("GET", url, { ...options, headers: { ...asForwarded(attributes), ...options.headers } }),
    async create(path, attributes) {
      const name = path.replace(/s$/, "");
      const { body, text } = await ask("POST", `/v3/${path}`, { body: { [name]: attributes } });
      if (body?.[name] === undefined) throw new Error(text);
      return body[name].id as string;
    },
    async map(rules, schemaVersion = "1.0") {
      const body = { mapping: { rules, schema_version: schemaVersion } };
      const { status, text } = await ask("PATCH", "/v3/OS-FEDERATION/mappings/people", { body });
      if (status !== 200) throw new Error(text);
    },
    revisions: () => [database.revision("facts"), database.revision("revocations")],
    close: () => service.remove(),
  };
}

/** A rule that takes the user's name as it is. */
export const NAMED = { local: [{ user: { name: "{0}" } }], remote: [{ type: "REMOTE_USER" }] };

/** The attributes of an assertion, in addition to the provider's remote id. */
export const asserted = (REMOTE_USER: string, more: object = {}) => ({
  REMOTE_USER,
  IDP: "https://idp.example.org",
  ...more,
});

/** Headers of a front end. */
export function asForwarded(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
  return {
    "x-assertion": Buffer.from(JSON.stringify(attributes)).toString("base64"),
    "x-forwarded-assertion-secret": SECRET,
  };
}
