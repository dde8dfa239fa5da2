/** A service in process, and requests as its administrator and as other users. */
import type { LightMyRequestResponse } from "fastify";

import type { TestDatabases } from "../../databases.js";
import { ADMIN_PASSWORD, testApp, type TestApp } from "../../test-app.js";

export interface AdminService extends TestApp {
  /** @param token Unauthenticated if left out. */
  readonly ask: (
    method: string,
    url: string,
    body?: unknown,
    token?: string,
  ) => Promise<LightMyRequestResponse>;
  /** Requests as the system administrator. @returns The body. @throws The status is 400 or higher. */
  readonly admin: <Answer>(method: string, url: string, body?: unknown) => Promise<Answer>;
  /** The text of a token for a user of the default domain, whose password is `secret`. */
  readonly login: (name: string, scope?: unknown, password?: string) => Promise<string>;
}

export async function adminService(
  databases: TestDatabases,
  env: Record<string, string> = {},
): Promise<AdminService> {
  const service = await testApp(databases, env);

  async function ask(method: string, url: string, body?: unknown, token?: string) {
    return service.app.server.inject({
      method: method as "GET",
      url,
      headers: token === undefined ? {} : { "x-auth-token": token },
      ...(body === undefined ? {} : { payload: body as object }),
    });
  }

  async function login(name: string, scope?: unknown, password = "secret") {
    const user = { name, domain: { id: "default" }, password };
    const auth = { identity: { methods: ["password"], password: { user } }, scope };
    const answer = await ask("POST", "/v3/auth/tokens", { auth });
    if (answer.statusCode !== 201) throw new Error(answer.body);
    return String(answer.headers["x-subject-token"]);
  }

  const token = await login("admin", { system: { all: true } }, ADMIN_PASSWORD);
  return {
    ...service,
    ask,
    login,
    async admin<Answer>(method: string, url: string, body?: unknown) {
      const answer = await ask(method, url, body, token);
      if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.body}`);
      return (answer.body === "" ? undefined : answer.json()) as Answer;
    },
  };
}

export interface Alice {
  /** Her tokens: for the project p1, for the default domain, and for nothing. */
  readonly member: string;
  readonly domain: string;
  readonly unscoped: string;
  /** The administrator's, for the system. */
  readonly system: string;
}

/** The user alice, who is a member of the project p1 and of the group galice. */
export async function alice({ admin, login }: AdminService): Promise<Alice> {
  const { user } = await admin<{ user: { id: string } }>("POST", "/v3/users", {
    user: { name: "alice", password: "secret", domain_id: "default" },
  });
  const { project } = await admin<{ project: { id: string } }>("POST", "/v3/projects", {
    project: { name: "p1", domain_id: "default" },
  });
  const { group } = await admin<{ group: { id: string } }>("POST", "/v3/groups", {
    group: { name: "galice", domain_id: "default" },
  });
  const { roles } = await admin<{ roles: { id: string; name: string }[] }>("GET", "/v3/roles?name=member");
  const role = roles[0]?.id ?? "";
  await admin("PUT", `/v3/groups/${group.id}/users/${user.id}`);
  await admin("PUT", `/v3/projects/${project.id}/users/${user.id}/roles/${role}`);
  await admin("PUT", `/v3/domains/default/users/${user.id}/roles/${role}`);
  return {
    member: await login("alice", { project: { id: project.id } }),
    domain: await login("alice", { domain: { id: "default" } }),
    unscoped: await login("alice", "unscoped"),
    system: await login("admin", { system: { all: true } }, ADMIN_PASSWORD),
  };
}

/** A request for an assertion. */
export function assertionFor(token: string, provider: string): object {
  return {
    auth: {
      identity: { methods: ["token"], token: { id: token } },
      scope: { service_provider: { id: provider } },
    },
  };
}
