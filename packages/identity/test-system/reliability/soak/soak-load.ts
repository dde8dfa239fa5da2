/** The load of the soak, at a constant rate: logins of every kind but SAML, validations, lists, and writes whose resources are deleted again. */
import { setTimeout as delay } from "node:timers/promises";

import { createIssuer, GITHUB_JOB, jobAt } from "../../../test/federation/workload/issuer.js";
import { SETTINGS } from "../../../test/federation/workload/workload-server.js";
import { ADMIN_PASSWORD } from "../../service-process.js";
import { loadClient } from "../load/load-client.js";

export interface SoakLoad {
  /** Requests that got the expected response. */
  answered(): number;
  /** What was not as expected: `METHOD PATH STATUS`. */
  readonly unexpected: readonly string[];
  /** Waits for the requests in flight. */
  stop(): Promise<void>;
}

export interface SoakLoadOptions {
  readonly url: string;
  readonly perSecond: number;
}

interface Answer {
  readonly token: string;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface Call {
  readonly token?: string;
  readonly subject?: string;
  readonly bearer?: string;
  readonly body?: object;
}

const CLIENTS = 6;
const USERS = 50;
/** Tokens in use at a time, and for how long: they live longer. */
const TOKENS = 200;
const MAX_AGE_MS = 120_000;
/** Subjects at the provider. */
const SUBJECTS = 100;
const PASSWORD = "pw-of-the-soak";
const PROVIDER = "/v3/OS-FEDERATION/identity_providers/ci";

/** Creates what the load needs, and starts it. */
export async function startSoakLoad({ url, perSecond }: SoakLoadOptions): Promise<SoakLoad> {
  const client = loadClient(url);
  const unexpected: string[] = [];
  const state = { isRunning: true, answered: 0, turn: 0 };

  async function ask(
    method: string,
    path: string,
    statuses: readonly number[],
    { bearer, ...sent }: Call = {},
  ): Promise<Answer> {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const { status, headers: received, text } = await client.send(method, path, { ...sent, headers });
    if (statuses.includes(status)) state.answered++;
    else unexpected.push(`${method} ${path} ${status}`);
    return {
      token: String(received["x-subject-token"]),
      body: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  }

  const cloud = await createCloud(ask);
  let tokens: { readonly token: string; readonly at: number }[] = [];
  const pool = (token: string) => {
    const at = performance.now();
    tokens = [...tokens, { token, at }].slice(-TOKENS).filter((each) => at - each.at < MAX_AGE_MS);
  };
  let admin = cloud.admin;
  const logIn = async (auth: object) => {
    const { token } = await ask("POST", "/v3/auth/tokens", [201], { body: { auth } });
    pool(token);
  };
  const user = (round: number) => cloud.users[round % USERS] ?? { id: "", name: "" };
  const random = () => tokens[Math.floor(Math.random() * tokens.length)]?.token ?? admin;

  /** A round of requests; most are validations and logins, as at a cloud. */
  const turns: ((round: number) => Promise<unknown>)[] = [
    (round) => logIn({ identity: passwordOf(user(round).name), scope: { project: { id: cloud.projectId } } }),
    validate,
    validate,
    (round) => logIn({ identity: passwordOf(user(round).name), scope: "unscoped" }),
    validate,
    (round) => list(["users?limit=20", "projects", "roles", "services"][round % 4] ?? ""),
    rescope,
    validate,
    logInByCredential,
    validate,
    (round) => list(`role_assignments?effective&user.id=${user(round).id}`),
    validate,
    bear,
    validate,
    write,
    validate,
    (round) => list(`users/${user(round).id}/projects`),
    revoke,
    validate,
    // Rejected as wrong, or as too many.
    (round) =>
      ask("POST", "/v3/auth/tokens", [401, 429], {
        body: { auth: { identity: passwordOf(`nobody-${round % 10}`, "wrong") } },
      }),
  ];

  /** Such a token ends with the first one, whose age it has: others don't use it. */
  async function rescope() {
    const auth = {
      identity: { methods: ["token"], token: { id: random() } },
      scope: { project: { id: cloud.projectId } },
    };
    await ask("POST", "/v3/auth/tokens", [201], { body: { auth } });
  }
  /** Such tokens can't be exchanged for others. */
  async function logInByCredential() {
    const identity = { methods: ["application_credential"], application_credential: cloud.credential };
    await ask("POST", "/v3/auth/tokens", [201], { body: { auth: { identity } } });
  }
  async function validate() {
    await ask("GET", "/v3/auth/tokens", [200], { token: admin, subject: random() });
  }
  async function list(path: string) {
    await ask("GET", `/v3/${path}`, [200], { token: admin });
  }
  async function bear(round: number) {
    const sub = `repo:octo-org/octo-repo:ref:refs/heads/${round % SUBJECTS}`;
    const bearer = await cloud.issuer.sign(jobAt(Date.now(), { sub, jti: `${round}` }));
    await ask("POST", `${PROVIDER}/protocols/jobs/auth`, [201], { bearer });
  }
  /** A token of its own: others of the pool stay valid. */
  async function revoke(round: number) {
    const auth = { identity: passwordOf(user(round).name), scope: "unscoped" };
    const { token } = await ask("POST", "/v3/auth/tokens", [201], { body: { auth } });
    await ask("DELETE", "/v3/auth/tokens", [204], { token, subject: token });
    await ask("GET", "/v3/auth/tokens", [404], { token: admin, subject: token });
  }
  /** Most revoke the same rights again and again: the event of each is kept for hours, in memory too. */
  async function write(round: number) {
    const grant = `/v3/projects/${cloud.otherProjectId}/users/${user(round).id}/roles/${cloud.roleId}`;
    await ask("PUT", grant, [204], { token: admin });
    const body = { project: { description: `${round}` } };
    await ask("PATCH", `/v3/projects/${cloud.otherProjectId}`, [200], { token: admin, body });
    // Another client may have been faster.
    await ask("DELETE", grant, [204, 404], { token: admin });
    const facts = { name: `soak-${round}`, type: "soak" };
    await createAndDelete("service", facts);
    if (round % 25 === 0) {
      await createAndDelete("project", { ...facts, domain_id: "default" });
      await createAndDelete("user", { name: facts.name, domain_id: "default" });
    }
  }
  async function createAndDelete(kind: string, facts: object) {
    const made = await ask("POST", `/v3/${kind}s`, [201], { token: admin, body: { [kind]: facts } });
    await ask("DELETE", `/v3/${kind}s/${made.body[kind].id}`, [204], { token: admin });
  }

  for (let round = 0; round < USERS; round++) await turns[0]?.(round);
  const renewal = setInterval(() => {
    void logInAdmin(ask).then((token) => (admin = token));
  }, 30_000);
  const begun = performance.now();
  const before = state.answered;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (state.isRunning) {
      // Behind the rate, the next request follows at once.
      const aheadMs = (1000 * (state.answered - before)) / perSecond - (performance.now() - begun);
      if (aheadMs > 0) await delay(aheadMs);
      const turn = state.turn++;
      await turns[turn % turns.length]?.(Math.floor(turn / turns.length));
    }
  });
  return {
    answered: () => state.answered,
    unexpected,
    async stop() {
      state.isRunning = false;
      clearInterval(renewal);
      await Promise.all(clients);
      client.close();
    },
  };
}

type Ask = (method: string, path: string, statuses: readonly number[], call?: Call) => Promise<Answer>;

function passwordOf(name: string, password = PASSWORD): object {
  return { methods: ["password"], password: { user: { name, domain: { id: "default" }, password } } };
}

async function logInAdmin(ask: Ask): Promise<string> {
  const auth = { identity: passwordOf("admin", ADMIN_PASSWORD), scope: { system: { all: true } } };
  return (await ask("POST", "/v3/auth/tokens", [201], { body: { auth } })).token;
}

/** A project with users, an application credential, and a provider of workloads. */
async function createCloud(ask: Ask) {
  const token = await logInAdmin(ask);
  const create = async (kind: string, facts: object): Promise<string> =>
    (
      await ask("POST", `/v3/${kind}s`, [201], {
        token,
        body: { [kind]: { ...facts, domain_id: "default" } },
      })
    ).body[kind].id;
  const projectId = await create("project", { name: "soak" });
  const otherProjectId = await create("project", { name: "other" });
  const found = await ask("GET", "/v3/roles?name=member", [200], { token });
  const roleId: string = found.body.roles[0].id;
  const users: { readonly id: string; readonly name: string }[] = [];
  // One after the other: on a slow machine a queue of passwords is refused.
  for (let index = 0; index < USERS; index++) {
    const name = `user-${index}`;
    const id = await create("user", { name, password: PASSWORD });
    await ask("PUT", `/v3/projects/${projectId}/users/${id}/roles/${roleId}`, [204], { token });
    users.push({ id, name });
  }
  const [first] = users;
  const scope = { project: { id: projectId } };
  const own = await ask("POST", "/v3/auth/tokens", [201], {
    body: { auth: { identity: passwordOf("user-0"), scope } },
  });
  const made = await ask("POST", `/v3/users/${first?.id}/application_credentials`, [201], {
    token: own.token,
    body: { application_credential: { name: "soak" } },
  });
  const { id, secret } = made.body.application_credential as { id: string; secret: string };

  const issuer = createIssuer();
  const rules = [{ remote: [{ type: "OIDC-sub" }], local: [{ user: { name: "{0}" } }] }];
  await ask("PUT", "/v3/OS-FEDERATION/mappings/jobs", [201], { token, body: { mapping: { rules } } });
  const provider = { enabled: true, remote_ids: [GITHUB_JOB.iss] };
  await ask("PUT", PROVIDER, [201], { token, body: { identity_provider: provider } });
  const settings = { ...SETTINGS, jwks: { keys: [issuer.jwk] } };
  const protocol = { mapping_id: "jobs", settings };
  await ask("PUT", `${PROVIDER}/protocols/jobs`, [201], { token, body: { protocol } });
  return { admin: token, projectId, otherProjectId, roleId, users, credential: { id, secret }, issuer };
}
