/** Users, grants and services that tokens depend on: created per case, and changed on the first of several replicas. */
import { setImmediate } from "node:timers/promises";

import type { HttpServer } from "../../src/platform/http/http-server.js";
import { ADMIN_PASSWORD } from "../test-app.js";

/** A user with a token, and the resources that it depends on. Paths are for the changes of a case. */
export interface Scene {
  readonly domainId: string;
  readonly userId: string;
  readonly password: string;
  readonly projectId: string;
  readonly groupId: string;
  readonly roleId: string;
  readonly serviceId: string;
  readonly endpointId: string;
  /** That the role implies the role `reader`. */
  readonly implication: string;
  readonly membership: string;
  readonly groupGrant: string;
  readonly grant: (where: "project" | "domain" | "system" | "inherited", role?: "reader") => string;
  /** Grants the role on the project to the group instead of the user. */
  readonly viaGroup: () => Promise<void>;
  readonly patch: (kind: string, id: string, change: object) => Promise<void>;
  readonly post: (path: string, body: object) => Promise<void>;
  readonly put: (path: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly revokeToken: () => Promise<void>;
  /** The status of a request with the user's token. */
  readonly status: (replica: number, method: "GET", path: string) => Promise<number>;
  /** The user's token, as the administrator validates it. */
  readonly shown: (replica: number) => Promise<ShownToken | undefined>;
  /** The addresses of the case's own service in the token's catalog. */
  readonly addresses: (replica: number) => Promise<string[] | "no service">;
  /** The status of a rescope of the user's token. */
  readonly rescoped: (replica: number) => Promise<number>;
}

export interface ShownToken {
  readonly roles?: readonly { readonly name: string }[];
  readonly catalog?: readonly {
    readonly id: string;
    readonly endpoints: readonly { readonly url: string }[];
  }[];
}

export interface SceneOptions {
  readonly scope: (scene: Scene) => object;
  readonly given: ((scene: Scene) => Promise<unknown>) | undefined;
}

export interface TokenFixture {
  readonly scene: (options: SceneOptions) => Promise<Scene>;
  /** The status of a request by a user that no case changes. */
  readonly bystander: (replica: number) => Promise<number>;
}

const PASSWORD = "a password";

export async function createTokenFixture(servers: readonly HttpServer[]): Promise<TokenFixture> {
  let scenes = 0;

  async function ask(replica: number, { method, url, token, body, subject }: Question) {
    // Requests from the network arrive in separate turns of the event loop.
    await setImmediate();
    const answer = await (servers[replica] as HttpServer).inject({
      method,
      url,
      headers: {
        ...(token !== undefined && { "x-auth-token": token }),
        ...(subject !== undefined && { "x-subject-token": subject }),
      },
      ...(body !== undefined && { payload: body }),
    });
    const json: unknown = answer.body === "" ? undefined : answer.json();
    return { status: answer.statusCode, text: answer.body, json, token: answer.headers["x-subject-token"] };
  }

  async function logIn(user: object, scope: object): Promise<string> {
    const body = { auth: { identity: { methods: ["password"], password: { user } }, scope } };
    const { status, token, text } = await ask(0, { method: "POST", url: "/v3/auth/tokens", body });
    if (status !== 201) throw new Error(`no token: ${status} ${text}`);
    return String(token);
  }

  const administrator = { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD };
  const admin = await logIn(administrator, { system: { all: true } });

  /** Changes something on the first replica. */
  async function change(method: Question["method"], url: string, body?: object): Promise<unknown> {
    const { status, json, text } = await ask(0, { method, url, token: admin, body });
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${text}`);
    return json;
  }
  async function make(kind: string, attributes: object): Promise<string> {
    const made = await change("POST", `/v3/${kind}s`, { [kind]: attributes });
    return (made as Record<string, { id: string }>)[kind]?.id ?? "";
  }
  const { roles } = (await change("GET", "/v3/roles?name=reader")) as { roles: { id: string }[] };
  const readerId = roles[0]?.id ?? "";

  async function scene({ scope, given }: SceneOptions): Promise<Scene> {
    const name = `case-${scenes++}`;
    const domainId = await make("domain", { name });
    const userId = await make("user", { name, domain_id: domainId, password: PASSWORD });
    const projectId = await make("project", { name, domain_id: domainId });
    const groupId = await make("group", { name, domain_id: domainId });
    const roleId = await make("role", { name });
    const serviceId = await make("service", { type: name });
    const url = "http://one.example.org";
    const endpointId = await make("endpoint", { service_id: serviceId, interface: "public", url });
    let token = "";

    const places = {
      project: `/v3/projects/${projectId}`,
      domain: `/v3/domains/${domainId}`,
      system: "/v3/system",
      inherited: `/v3/OS-INHERIT/domains/${domainId}`,
    };
    const made: Scene = {
      domainId,
      userId,
      password: PASSWORD,
      projectId,
      groupId,
      roleId,
      serviceId,
      endpointId,
      implication: `/v3/roles/${roleId}/implies/${readerId}`,
      membership: `/v3/groups/${groupId}/users/${userId}`,
      groupGrant: `${places.project}/groups/${groupId}/roles/${roleId}`,
      grant(where, role) {
        const path = `${places[where]}/users/${userId}/roles/${role === undefined ? roleId : readerId}`;
        return where === "inherited" ? `${path}/inherited_to_projects` : path;
      },
      async viaGroup() {
        await made.put(made.membership);
        await made.put(made.groupGrant);
        await made.remove(made.grant("project"));
      },
      patch: async (kind, id, attributes) =>
        void (await change("PATCH", `/v3/${kind}s/${id}`, { [kind]: attributes })),
      post: async (path, body) => void (await change("POST", path, body)),
      put: async (path) => void (await change("PUT", path)),
      remove: async (path) => void (await change("DELETE", path)),
      async revokeToken() {
        await ask(0, { method: "DELETE", url: "/v3/auth/tokens", token: admin, subject: token });
      },
      status: async (replica, method, path) => (await ask(replica, { method, url: path, token })).status,
      async shown(replica) {
        const { json } = await ask(replica, {
          method: "GET",
          url: "/v3/auth/tokens",
          token: admin,
          subject: token,
        });
        return (json as { token?: ShownToken }).token;
      },
      async addresses(replica) {
        const found = (await made.shown(replica))?.catalog?.find(({ id }) => id === serviceId);
        return found?.endpoints.map((endpoint) => endpoint.url) ?? "no service";
      },
      async rescoped(replica) {
        const identity = { methods: ["token"], token: { id: token } };
        return (await ask(replica, { method: "POST", url: "/v3/auth/tokens", body: { auth: { identity } } }))
          .status;
      },
    };
    await made.put(made.grant("project"));
    await given?.(made);
    token = await logIn({ id: userId, password: PASSWORD }, scope(made));
    return made;
  }

  return {
    scene,
    bystander: async (replica) =>
      (await ask(replica, { method: "GET", url: "/v3/regions", token: admin })).status,
  };
}

interface Question {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly token?: string;
  readonly subject?: string;
  readonly body?: object | undefined;
}
