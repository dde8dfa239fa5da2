/** The whole service with a provider whose workloads log in, by keys in the protocol's settings. */
import type { JWTPayload } from "jose";
import { expect } from "vitest";

import type { TestDatabases } from "../../databases.js";
import {
  loginServer,
  ENV,
  type LoginResponse,
  type LoginServer,
  type LoginServerOptions,
} from "../login-server.js";
import { AUDIENCE, createIssuer, GITHUB_JOB, jobAt, type Issuer } from "./issuer.js";

const PROTOCOL = "/v3/OS-FEDERATION/identity_providers/ci/protocols/jobs";
export const TARGET = "urn:hamkit:idp:ci:protocol:jobs";

export interface WorkloadServer extends LoginServer {
  readonly issuer: Issuer;
  /** The group that all workloads are in, and the project in which it has the role member. */
  readonly groupId: string;
  readonly projectId: string;
  /** Replaces the protocol, or parts of its settings. */
  put(settings?: object): Promise<LoginResponse>;
  /** Replaces the rules of the mapping. */
  mapJobs(rules?: readonly object[]): Promise<void>;
  token(changes?: JWTPayload): Promise<string>;
  /** At the protocol's auth endpoint. */
  bear(token: string, replica?: number): Promise<LoginResponse>;
  exchange(fields: Readonly<Record<string, string>> | string): Promise<LoginResponse>;
  /** Exchanges a job's token. */
  exchangeJob(changes?: JWTPayload, scope?: string): Promise<LoginResponse>;
  /** What the service shows of a token. */
  factsOf(token: string): Promise<LoginResponse>;
  /** The ids of the provider's users. */
  userIds(): Promise<string[]>;
}

export const SETTINGS = {
  type: "openid",
  issuer: GITHUB_JOB.iss,
  token_kinds: ["workload"],
  audiences: [AUDIENCE],
  conditions: [{ claim: "sub", values: ["repo:octo-org/octo-repo:*"] }],
};

export async function workloadServer(
  databases: TestDatabases,
  { env = {}, ...options }: LoginServerOptions & { readonly env?: Record<string, string> } = {},
): Promise<WorkloadServer> {
  const server = await loginServer(databases, { ...ENV, ...env }, options);
  const issuer = createIssuer();
  const groupId = await server.create("groups", { name: "jobs", domain_id: "default" });
  const projectId = await server.create("projects", { name: "site", domain_id: "default" });
  const found = await server.ask("GET", "/v3/roles?name=member");
  await server.ask("PUT", `/v3/projects/${projectId}/groups/${groupId}/roles/${found.body.roles[0].id}`);
  const provider = { enabled: true, domain_id: "default", remote_ids: [GITHUB_JOB.iss] };
  await server.ask("PUT", "/v3/OS-FEDERATION/identity_providers/ci", {
    body: { identity_provider: provider },
  });
  const grouped = {
    remote: [{ type: "OIDC-repository" }],
    local: [{ user: { name: "{0}" }, group: { id: groupId } }],
  };
  const mapJobs = async (rules: readonly object[] = [grouped], method = "PATCH") => {
    const body = { mapping: { rules } };
    expect((await server.ask(method, "/v3/OS-FEDERATION/mappings/jobs", { body })).status).toBeLessThan(300);
  };
  await mapJobs([grouped], "PUT");

  const token = (changes: JWTPayload = {}) => issuer.sign(jobAt(server.time.now, changes));
  const exchange: WorkloadServer["exchange"] = (fields) =>
    server.ask("POST", "/v3/OS-OAUTH2/token", {
      token: "",
      body: new URLSearchParams(fields).toString() as never,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  const put: WorkloadServer["put"] = async (settings = {}) => {
    await server.ask("DELETE", PROTOCOL);
    const all = { ...SETTINGS, jwks: { keys: [issuer.jwk] }, ...settings };
    return server.ask("PUT", PROTOCOL, { body: { protocol: { mapping_id: "jobs", settings: all } } });
  };
  const { status, text } = await put();
  if (status !== 201) throw new Error(text);
  return {
    ...server,
    issuer,
    groupId,
    projectId,
    mapJobs,
    put,
    token,
    exchange,
    exchangeJob: async (changes, scope) =>
      exchange({
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: await token(changes),
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        audience: TARGET,
        ...(scope !== undefined && { scope }),
      }),
    bear: (bearer, replica = 0) =>
      server.ask("POST", `${PROTOCOL}/auth`, {
        token: "",
        replica,
        headers: { authorization: `Bearer ${bearer}` },
      }),
    factsOf: (subject) => server.ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": subject } }),
    async userIds() {
      const rows = await server.database
        .tables<{ federated_user: { idp_id: string; user_id: string } }>()
        .selectFrom("federated_user")
        .select("user_id")
        .where("idp_id", "=", "ci")
        .execute();
      return rows.map(({ user_id: id }) => id);
    },
  };
}
