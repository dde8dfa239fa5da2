/** Clients of all kinds at once: logins, federated logins, validations, lists and writes, at a steady rate. */
import { setTimeout as delay } from "node:timers/promises";

import { AUDIENCE, createIssuer, jobAt, type Issuer } from "../../../test/federation/workload/issuer.js";
import { ADMIN_PASSWORD } from "../../service-process.js";
import type { AdminClient } from "../admin-client.js";
import { emptyLedger, startWriters, type Ledger } from "../writers.js";
import {
  loadClient,
  logInAsAdmin,
  passwordLogin,
  type LoadClient,
  type LoadResponse,
} from "./load-client.js";

/** A provider whose keys are in the settings: its users log in by access tokens, and it need not run. */
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/load";
const ISSUER = "https://issuer.example.org";

/** Of a hundred requests that are not writes. The rest are validations. */
const SHARES = { login: 5, "federated login": 5, list: 25 } as const;
/** Of all requests. */
const WRITE_SHARE = 0.2;
const WRITERS = 4;
/** Tokens that are validated: the last ones issued, by any replica. */
const MAX_TOKENS = 50;
const LISTS = [
  "/v3/projects?is_domain=true",
  "/v3/roles",
  "/v3/services?type=identity",
  "/v3/users?name=admin",
  "/v3/auth/projects",
  "/v3/role_assignments?limit=20",
  "/v3/limits",
];
/** More in flight than that is a service that stands still: those who come then are failures. */
const MAX_IN_FLIGHT = 1000;

export interface Counts {
  readonly requests: number;
  readonly failed: number;
}

export interface MixedLoad {
  readonly ledger: Ledger;
  /** So far. */
  counts(): Counts;
  /** The moment (of `performance.now()`) of the last failure; 0 if there was none. */
  lastFailureAt(): number;
  /** Failures by what was asked and what came, such as `login: 503`, with their number. */
  failures(): Readonly<Record<string, number>>;
  /** Waits for all responses. */
  stop(): Promise<void>;
}

export interface LoadTarget {
  /** Of a load balancer. */
  readonly url: string;
  /** The administrator's; that of all tests if left out. */
  readonly password?: string;
}

export interface LoadOptions extends LoadTarget {
  readonly perSecond: number;
  /** Of names. */
  readonly prefix?: string;
}

/** Creates what logins need, once in a database. */
export async function prepareLoad({ url, password = ADMIN_PASSWORD }: LoadTarget): Promise<Issuer> {
  const client = loadClient(url);
  const admin = await logInAsAdmin(client, password);
  const issuer = createIssuer();
  const rules = [{ remote: [{ type: "OIDC-repository" }], local: [{ user: { name: "{0}" } }] }];
  const settings = {
    type: "openid",
    issuer: ISSUER,
    token_kinds: ["workload"],
    audiences: [AUDIENCE],
    conditions: [{ claim: "repository", values: ["octo-org/*"] }],
    jwks: { keys: [issuer.jwk] },
  };
  const provider = { enabled: true, domain_id: "default", remote_ids: [ISSUER] };
  const made = [
    await admin.ask("PUT", "/v3/OS-FEDERATION/mappings/load", { mapping: { rules } }),
    await admin.ask("PUT", PROVIDER, { identity_provider: provider }),
    await admin.ask("PUT", `${PROVIDER}/protocols/openid`, { protocol: { mapping_id: "load", settings } }),
  ];
  client.close();
  for (const { status, body } of made)
    if (status !== 201) throw new Error(`the provider was not created: ${status} ${JSON.stringify(body)}`);
  return issuer;
}

/** Logs in as a workload. @returns The response; its token is in `x-subject-token`. */
export async function logInAsWorkload(
  client: LoadClient,
  issuer: Issuer,
  name: string,
): Promise<LoadResponse> {
  const token = await issuer.sign(
    jobAt(Date.now(), { iss: ISSUER, repository: `octo-org/${name}`, sub: `repo:octo-org/${name}` }),
  );
  return client.send("POST", `${PROVIDER}/protocols/openid/auth`, {
    headers: { authorization: `Bearer ${token}` },
  });
}

/** Starts the load. @throws The administrator can't log in. */
export async function startLoad(
  issuer: Issuer,
  { url, password = ADMIN_PASSWORD, perSecond, prefix = "w" }: LoadOptions,
): Promise<MixedLoad> {
  const client = loadClient(url);
  const admin = await logInAsAdmin(client, password);
  const { token } = admin;
  const { body } = await admin.ask("GET", "/v3/roles?name=member");
  const login = passwordLogin(password, { project: { name: "admin", domain: { id: "default" } } });
  const ledger = emptyLedger();
  const failures: Record<string, number> = {};
  const tokens = [token];
  const stopping = new AbortController();
  let [requests, failed, inFlight, lastFailureAt] = [0, 0, 0, 0];

  const fail = (what: string) => {
    failed++;
    lastFailureAt = performance.now();
    failures[what] = (failures[what] ?? 0) + 1;
  };
  const writing: AdminClient = {
    token,
    async ask(method, path, sent) {
      requests++;
      const answer = await admin.ask(method, path, sent);
      if (answer.status < 200 || answer.status >= 300) fail(`write: ${answer.status}`);
      return answer;
    },
  };
  const keepToken = ({ headers }: LoadResponse) => {
    const issued = headers["x-subject-token"];
    if (typeof issued !== "string") return;
    tokens.push(issued);
    if (tokens.length > MAX_TOKENS) tokens.shift();
  };
  const kinds = {
    async login() {
      const answer = await client.send("POST", "/v3/auth/tokens", { body: login });
      keepToken(answer);
      return answer.status === 201 ? undefined : failureText(answer);
    },
    async "federated login"(number: number) {
      const answer = await logInAsWorkload(client, issuer, `repo-${number % 20}`);
      keepToken(answer);
      return answer.status === 201 ? undefined : failureText(answer);
    },
    async list(number: number) {
      const answer = await client.send("GET", LISTS[number % LISTS.length] ?? "", { token });
      return answer.status === 200 ? undefined : failureText(answer);
    },
    async validation(number: number) {
      const subject = tokens[number % tokens.length];
      const answer = await client.send("GET", "/v3/auth/tokens", { token, subject });
      return answer.status === 200 ? undefined : failureText(answer);
    },
  };
  const askOnce = async (number: number) => {
    const kind = kindOf(number);
    requests++;
    if (inFlight >= MAX_IN_FLIGHT) return fail(`${kind}: not sent`);
    inFlight++;
    const failure = await kinds[kind](number);
    inFlight--;
    if (failure !== undefined) fail(`${kind}: ${failure}`);
  };

  const writers = startWriters({
    client: writing,
    ledger,
    roleId: String(body.roles[0].id),
    prefix,
    writers: WRITERS,
    perSecond: (perSecond * WRITE_SHARE) / WRITERS,
  });
  const asking = (async () => {
    const begun = performance.now();
    const open = new Set<Promise<void>>();
    for (let number = 0; !stopping.signal.aborted; number++) {
      const dueAt = begun + (number * 1000) / (perSecond * (1 - WRITE_SHARE));
      if (dueAt > performance.now()) await delay(dueAt - performance.now());
      const asked = askOnce(number).finally(() => open.delete(asked));
      open.add(asked);
    }
    await Promise.all(open);
  })();

  return {
    ledger,
    counts: () => ({ requests, failed }),
    lastFailureAt: () => lastFailureAt,
    failures: () => failures,
    async stop() {
      stopping.abort();
      await Promise.all([asking, writers.stop()]);
      client.close();
    },
  };
}

/** A load balancer's responses have no request id. */
function failureText({ status, headers, text }: LoadResponse): string {
  if (status === 0) return `no response (${text})`;
  return headers["x-openstack-request-id"] === undefined ? `${status} of the load balancer` : String(status);
}

/** Evenly mixed, and the same in each run. */
function kindOf(number: number): keyof typeof SHARES | "validation" {
  // 37 is coprime to 100: each hundred requests has all places once.
  let place = (number * 37) % 100;
  for (const [kind, share] of Object.entries(SHARES) as [keyof typeof SHARES, number][]) {
    if (place < share) return kind;
    place -= share;
  }
  return "validation";
}
