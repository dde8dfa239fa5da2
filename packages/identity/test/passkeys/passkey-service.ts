/** A service at a public URL with users who have passkeys. */
import { createLog } from "../../src/platform/log.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";
import type { TestDatabases } from "../databases.js";
import { softwareAuthenticator, type SoftwareAuthenticator } from "./software-authenticator.js";

export const PUBLIC_URL = "https://identity.example.org";
export const PASSWORD = "a-long-password";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface AskOptions {
  readonly body?: object | undefined;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly replica?: number;
  readonly address?: string;
}

export interface PasskeyUser {
  readonly id: string;
  readonly name: string;
  readonly token: string;
}

export type PasskeyTestService = Awaited<ReturnType<typeof passkeyService>>;

export async function passkeyService(
  databases: TestDatabases,
  { env = {}, replicas: count = 1 }: { env?: Record<string, string>; replicas?: number } = {},
) {
  const time = { now: Date.now() };
  /** Why logins were rejected, by the ids of their requests. */
  const reasons = new Map<string, string>();
  const audits: { readonly action: string; readonly outcome: string; readonly user?: string }[] = [];
  const log = createLog("info", {
    write(line: string) {
      const { login, audit, request } = JSON.parse(line) as {
        login?: { reason?: string };
        audit?: { action: string; outcome: string; user?: string };
        request?: string;
      };
      if (audit !== undefined) audits.push(audit);
      if (login?.reason !== undefined && request !== undefined) reasons.set(request, login.reason);
    },
  });
  const replicas: TestReplicas = await testReplicas(databases, count, {
    env,
    log,
    clock: { now: () => time.now },
    publicUrl: PUBLIC_URL,
  });
  let users = 0;
  let requests = 0;

  async function ask(method: string, url: string, options: AskOptions = {}): Promise<Answer> {
    // A network has a budget of recorded rejections: each request comes from another one.
    const network = `10.${(requests += 1) >> 8}.${requests & 255}.1`;
    const { body, token, headers, replica = 0, address = network } = options;
    const answer = await replicas.apps[replica]?.server.inject({
      method: method as "GET",
      url,
      remoteAddress: address,
      headers: { ...(token !== undefined && { "x-auth-token": token }), ...headers },
      ...(body !== undefined && { payload: body }),
    });
    if (answer === undefined) throw new RangeError(`no replica ${replica}`);
    const text = answer.body;
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined,
    };
  }

  const logIn = (identity: object, { scope, ...options }: AskOptions & { readonly scope?: object } = {}) =>
    ask("POST", "/v3/auth/tokens", { ...options, body: { auth: { identity, scope } } });
  const tokenOf = ({ headers }: Answer) => String(headers["x-subject-token"] ?? "");

  const byPassword = (id: string, password = PASSWORD) => ({
    methods: ["password"],
    password: { user: { id, password } },
  });
  const admin = tokenOf(
    await logIn(
      {
        methods: ["password"],
        password: { user: { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD } },
      },
      { scope: { system: { all: true } } },
    ),
  );

  const optionsFor = async (userId: string, token: string) =>
    (await ask("POST", `/v3/users/${userId}/passkeys/options`, { token })).body.options;
  const loginOptions = async (receipt?: string) =>
    (
      await ask("POST", "/v3/auth/webauthn/options", {
        headers: receipt === undefined ? {} : { "openstack-auth-receipt": receipt },
      })
    ).body.options;

  return {
    time,
    reasons,
    audits,
    replicas,
    admin,
    ask,
    logIn,
    tokenOf,
    byPassword,
    optionsFor,
    loginOptions,
    remove: () => replicas.remove(),

    async addUser(options: object = {}, more: object = {}): Promise<PasskeyUser> {
      const name = `user${(users += 1)}`;
      const user = { name, domain_id: "default", password: PASSWORD, ...more };
      const { id } = (await ask("POST", "/v3/users", { token: admin, body: { user } })).body.user;
      const token = tokenOf(await logIn(byPassword(id)));
      if (Object.keys(options).length > 0)
        await ask("PATCH", `/v3/users/${id}`, { token: admin, body: { user: { options } } });
      return { id, name, token };
    },

    register: async (
      { id, token }: Pick<PasskeyUser, "id" | "token">,
      authenticator: SoftwareAuthenticator,
      name = "laptop",
    ): Promise<Answer> =>
      ask("POST", `/v3/users/${id}/passkeys`, {
        token,
        body: { passkey: { name, credential: authenticator.create(await optionsFor(id, token)) } },
      }),

    byPasskey: (assertion: object) => ({ methods: ["webauthn"], webauthn: { assertion } }),
    authenticator: () => softwareAuthenticator(PUBLIC_URL),
  };
}
