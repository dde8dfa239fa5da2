/** The whole service, with users who create application credentials and log in with them. */
import type { InjectOptions } from "fastify";

import type { TestDatabases } from "../databases.js";
import { ADMIN_PASSWORD, testApp } from "../test-app.js";

export interface Answer {
  readonly status: number;
  // JSON of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  /** The header `X-Subject-Token`. */
  readonly token: string;
  /** The header `Openstack-Auth-Receipt`. */
  readonly receipt: string;
}

export interface Asked {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A user with the role member on a project of its own, and the user's token for it. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly token: string;
}

export interface MadeCredential {
  readonly id: string;
  readonly secret: string;
  readonly access_rules?: readonly { readonly id: string }[];
}

export type CredentialServer = Awaited<ReturnType<typeof credentialServer>>;

export const PASSWORD = "a password";

export async function credentialServer(databases: TestDatabases, env: Record<string, string> = {}) {
  const time = { now: Date.parse("2026-11-21T12:00:00.500Z") };
  const service = await testApp(databases, env, { clock: { now: () => time.now } });
  let members = 0;

  async function send(method: string, url: string, { token, body, headers }: Asked = {}): Promise<Answer> {
    const answer = await service.app.server.inject({
      method: method as "GET",
      url,
      headers: { ...(token !== undefined && { "x-auth-token": token }), ...headers },
      ...(body !== undefined && { payload: body }),
    });
    return {
      status: answer.statusCode,
      body: answer.body === "" ? undefined : (JSON.parse(answer.body) as unknown),
      token: String(answer.headers["x-subject-token"] ?? ""),
      receipt: String(answer.headers["openstack-auth-receipt"] ?? ""),
    };
  }
  const authenticate = (identity: object, scope?: unknown, headers = {}) =>
    send("POST", "/v3/auth/tokens", {
      body: { auth: { identity, ...(scope !== undefined && { scope }) } },
      headers,
    });
  const byPassword = (user: object, scope?: unknown, password = PASSWORD) =>
    authenticate({ methods: ["password"], password: { user: { ...user, password } } }, scope);
  const admin = (await byPassword({ name: "admin", domain: { id: "default" } }, SYSTEM, ADMIN_PASSWORD))
    .token;

  /** As the system's administrator, unless a token is given. */
  const ask = (method: string, url: string, options: Asked = {}) =>
    send(method, url, { token: admin, ...options });
  async function create(kind: string, attributes: object): Promise<string> {
    const { body } = await ask("POST", `/v3/${kind}s`, { body: { [kind]: attributes } });
    return body[kind].id as string;
  }
  async function roleId(name: string): Promise<string> {
    return (await ask("GET", `/v3/roles?name=${name}`)).body.roles[0].id as string;
  }
  const grant = async (user: string, projectId: string, role: string, method = "PUT") =>
    ask(method, `/v3/projects/${projectId}/users/${user}/roles/${await roleId(role)}`);

  /** Sends a body that is not JSON. */
  async function post(url: string, payload: string, headers: Readonly<Record<string, string>>) {
    const answer = await service.app.server.inject({ method: "POST", url, headers, payload });
    // JSON of any shape.
    return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
  }

  return {
    time,
    inject: (options: InjectOptions) => service.app.server.inject(options),
    send,
    post,
    ask,
    create,
    roleId,
    grant,
    authenticate,
    byPassword,
    /** @param roles On the project. */
    async member(roles: readonly string[] = ["member"]): Promise<Member> {
      const name = `user${(members += 1)}`;
      const id = await create("user", { name, domain_id: "default", password: PASSWORD });
      const projectId = await create("project", { name: `of ${name}`, domain_id: "default" });
      for (const role of roles) await grant(id, projectId, role);
      const { token } = await byPassword({ id }, { project: { id: projectId } });
      return { id, name, projectId, token };
    },
    /** Creates a credential of the user, by the user's own token if none is given. */
    make: (user: Member, attributes: object = {}, token = user.token): Promise<Answer> =>
      send("POST", `/v3/users/${user.id}/application_credentials`, {
        token,
        body: { application_credential: { name: "robot", ...attributes } },
      }),
    logIn: ({ id, secret }: Pick<MadeCredential, "id" | "secret">, scope?: unknown) =>
      authenticate({ methods: [METHOD], [METHOD]: { id, secret } }, scope),
    /** The status of a token at its validation by the administrator. */
    validated: async (token: string, headers = {}) =>
      (await ask("GET", "/v3/auth/tokens", { headers: { "x-subject-token": token, ...headers } })).status,
    server: service.app.server,
    listen: () => service.app.server.listen({ port: 0, host: "127.0.0.1" }),
    close: () => service.remove(),
  };
}

export const METHOD = "application_credential";
export const SYSTEM = { system: { all: true } };
