/** The reasons of logins that are refused by more than a password: codes, tokens, delegations and signatures, and by limits. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { codeAt, decodeTotpSecret } from "../../src/auth/methods/totp.js";
import { signatureV2 } from "../../src/credentials/signatures/ec2-signature.js";
import { createLog } from "../../src/platform/log.js";
import { sqliteDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../test-app.js";

const PASSWORD = "a right password";
const WRONG = "Secr3t-typed-by-user";
const TOTP = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const lines: string[] = [];
const time = { now: Date.parse("2026-11-22T12:00:00Z") };

let service: TestApp;
let admin: string;
let users: Record<string, string>;
let project: string;
let names = 0;

type Reply = Awaited<ReturnType<typeof inject>>;

const inject = (method: string, url: string, body?: object, headers: Record<string, string> = {}) =>
  service.app.server.inject({
    method: method as "GET",
    url,
    headers,
    ...(body === undefined ? {} : { payload: body }),
  });
const logIn = (identity: object, scope?: unknown) =>
  inject("POST", "/v3/auth/tokens", { auth: { identity, scope } });
const tokenIn = ({ headers }: Reply) => String(headers["x-subject-token"]);
const byPassword = (user: string, password = PASSWORD, scope?: unknown) =>
  logIn({ methods: ["password"], password: { user: { id: users[user], password } } }, scope);
const inProject = () => ({ project: { id: project } });

async function ask(method: string, url: string, body?: object, token = admin) {
  const answer = await inject(method, url, body, { "x-auth-token": token });
  if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.body}`);
  return answer.body === "" ? {} : answer.json();
}

async function addUser(more: object = {}): Promise<string> {
  const user = { name: `user${(names += 1)}`, domain_id: "default", password: PASSWORD, ...more };
  const { id } = (await ask("POST", "/v3/users", { user })).user;
  const { roles } = await ask("GET", "/v3/roles?name=member");
  await ask("PUT", `/v3/projects/${project}/users/${id}/roles/${roles[0].id}`);
  return String(id);
}

/** Of the user "owner", who passes on its role. */
async function addApplicationCredential(more: object = {}): Promise<{ id: string; secret: string }> {
  const token = tokenIn(await byPassword("owner", PASSWORD, inProject()));
  const body = { application_credential: { name: `key${(names += 1)}`, ...more } };
  return (await ask("POST", `/v3/users/${users["owner"]}/application_credentials`, body, token))
    .application_credential as { id: string; secret: string };
}
const byApplicationCredential = (id: string, secret: string, scope?: unknown) =>
  logIn({ methods: ["application_credential"], application_credential: { id, secret } }, scope);

/** From "owner" to "trustee". */
async function addTrust(more: object = {}): Promise<string> {
  const token = tokenIn(await byPassword("owner", PASSWORD, inProject()));
  const trust = {
    trustor_user_id: users["owner"],
    trustee_user_id: users["trustee"],
    impersonation: false,
    project_id: project,
    roles: [{ name: "member" }],
    ...more,
  };
  return (await ask("POST", "/v3/OS-TRUST/trusts", { trust }, token)).trust.id as string;
}
const byTrust = (user: string, id: string) => byPassword(user, PASSWORD, { "OS-TRUST:trust": { id } });

const codeNow = () => codeAt(decodeTotpSecret(TOTP) ?? Buffer.alloc(0), Math.floor(time.now / 30_000));
const byCode = (user: string, passcode: string) =>
  logIn({ methods: ["totp"], totp: { user: { id: users[user], passcode } } });

async function signedRequest(changes: object = {}, signedAt = time.now): Promise<Reply> {
  const body = { tenant_id: project };
  const { access, secret } = (await ask("POST", `/v3/users/${users["owner"]}/credentials/OS-EC2`, body))
    .credential as { access: string; secret: string };
  const request = { verb: "GET", host: "nova.example.com", path: "/" };
  const params = {
    AWSAccessKeyId: access,
    SignatureMethod: "HmacSHA256",
    SignatureVersion: "2",
    Timestamp: new Date(signedAt).toISOString(),
  };
  const all = { ...request, body_hash: "", headers: {}, params };
  const signature = signatureV2(
    { ...request, headers: new Map(), parameters: new Map(Object.entries(params)), bodyHash: "" } as never,
    secret,
  );
  const credentials = { access, signature, ...all, ...changes };
  return inject("POST", "/v3/ec2tokens", { credentials }, { "x-auth-token": admin });
}

beforeAll(async () => {
  service = await testApp(
    sqliteDatabases,
    {
      IDENTITY_CONSOLE: "off",
      IDENTITY_RATE_LIMIT: "on",
      IDENTITY_PASSWORD_EXPIRES_DAYS: "1",
      IDENTITY_TOKEN_LIFETIME: "3600",
    },
    {
      clock: { now: () => time.now },
      log: createLog("info", { write: (line: string) => void lines.push(line) }),
    },
  );
  await renewAdmin();
  project = (await ask("POST", "/v3/projects", { project: { name: "p", domain_id: "default" } })).project.id;
  users = {};
  for (const name of ["owner", "trustee", "other", "coded", "guessed"])
    users[name] = await addUser({ options: { ignore_password_expiry: true } });
  users["expired"] = await addUser();
  await ask("POST", "/v3/credentials", {
    credential: { type: "totp", blob: TOTP, user_id: users["coded"] },
  });
});
afterAll(() => service.remove());
// A network has a budget of records, which grows again.
beforeEach(() => {
  time.now += 40_000;
});

async function renewAdmin(): Promise<void> {
  const user = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const answer = await logIn({ methods: ["password"], password: { user } }, { system: { all: true } });
  admin = tokenIn(answer);
}

async function reasonOf({ headers }: Reply): Promise<unknown> {
  const id = String(headers["x-openstack-request-id"]);
  for (let wait = 0; wait < 50; wait++) {
    const found = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find((line) => line["request"] === id && line["msg"] === "login refused");
    if (found !== undefined) return (found["login"] as Record<string, unknown>)["reason"];
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return undefined;
}

const CASES: Readonly<Record<string, readonly [reason: string, attempt: () => Promise<Reply>]>> = {
  "a wrong code": ["code-wrong", () => byCode("coded", "000000")],
  "a replayed code": [
    "code-replayed",
    async () => {
      expect((await byCode("coded", codeNow())).statusCode).toBe(201);
      return byCode("coded", codeNow());
    },
  ],
  "a wrong secret of an application credential": [
    "application-credential-secret-wrong",
    async () => byApplicationCredential((await addApplicationCredential()).id, WRONG),
  ],
  "an application credential with a scope": [
    "application-credential-scope",
    async () => {
      const { id, secret } = await addApplicationCredential();
      return byApplicationCredential(id, secret, inProject());
    },
  ],
  "an application credential that has expired": [
    "application-credential-expired",
    async () => {
      const expiresAt = new Date(time.now + 60_000).toISOString().replace("Z", "");
      const { id, secret } = await addApplicationCredential({ expires_at: expiresAt });
      time.now += 61_000;
      return byApplicationCredential(id, secret);
    },
  ],
  "a trust of another trustee": ["trust-other-trustee", async () => byTrust("other", await addTrust())],
  "a trust that is used up": [
    "trust-unknown",
    async () => {
      const id = await addTrust({ remaining_uses: 1 });
      expect((await byTrust("trustee", id)).statusCode).toBe(201);
      return byTrust("trustee", id);
    },
  ],
  "a signature that is wrong": ["signature-invalid", () => signedRequest({ signature: "AAAA" })],
  "a signature of an hour ago": ["signature-time", () => signedRequest({}, time.now - 3_600_000)],
  "a disabled project": [
    "scope-project-disabled",
    async () => {
      const off = (await ask("POST", "/v3/projects", { project: { name: "off", domain_id: "default" } }))
        .project.id as string;
      await ask("PATCH", `/v3/projects/${off}`, { project: { enabled: false } });
      return byPassword("owner", PASSWORD, { project: { id: off } });
    },
  ],
  "too many guesses": [
    "too-many-attempts",
    async () => {
      let answer = await byPassword("guessed", WRONG);
      for (let guess = 0; guess < 40 && answer.statusCode === 401; guess++)
        answer = await byPassword("guessed", WRONG);
      expect(answer.statusCode).toBe(429);
      // Later logins of this network are not limited.
      time.now += 3_600_000;
      await renewAdmin();
      return answer;
    },
  ],
  "a token that has expired": [
    "token-expired",
    async () => {
      const token = tokenIn(await byPassword("owner"));
      time.now += 3_700_000;
      await renewAdmin();
      return logIn({ methods: ["token"], token: { id: token } });
    },
  ],
  "a password that has expired": [
    "password-expired",
    async () => {
      time.now += 90_000_000;
      return byPassword("expired");
    },
  ],
};

describe(`a login that is refused on ${sqliteDatabases.name}`, () => {
  it.each(Object.entries(CASES))("has its reason in the log: %s", async (_, [reason, attempt]) => {
    const answer = await attempt();
    expect(await reasonOf(answer)).toBe(reason);
    expect(answer.body).not.toContain(reason);
    expect(lines.join("")).not.toContain(WRONG);
  });
});
