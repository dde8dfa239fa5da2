/**
 * Users, projects and roles that are deleted while something that refers to them is created, by two replicas. The creation either comes
 * first, or is rejected; nothing that refers to what was deleted stays.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { databases } from "../databases.js";
import { ADMIN_PASSWORD, testReplicas, type TestReplicas } from "../test-app.js";

const TRIALS = 12;

let replicas: TestReplicas;
let admin = "";
beforeAll(async () => {
  replicas = await testReplicas(databases, 2);
  admin = await logIn(
    { name: "admin", domain: { id: "default" }, password: ADMIN_PASSWORD },
    { system: { all: true } },
  );
});
afterAll(() => replicas.remove());

async function send(
  replica: number,
  method: string,
  url: string,
  { token = admin, body }: { token?: string; body?: object } = {},
) {
  const answer = await (replicas.apps[replica] as TestReplicas["apps"][number]).server.inject({
    method: method as "GET",
    url,
    headers: token === "" ? {} : { "x-auth-token": token },
    ...(body && { payload: body }),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === "" ? undefined : answer.json(),
  };
}

async function logIn(user: object, scope: object): Promise<string> {
  const auth = { identity: { methods: ["password"], password: { user } }, scope };
  return String(
    (await send(0, "POST", "/v3/auth/tokens", { token: "", body: { auth } })).headers["x-subject-token"],
  );
}

let made = 0;
async function create(kind: string, attributes: object = {}): Promise<string> {
  made += 1;
  const body = {
    [kind]: { name: `${kind} ${made}`, ...(kind !== "role" && { domain_id: "default" }), ...attributes },
  };
  return (await send(0, "POST", `/v3/${kind}s`, { body })).body[kind].id as string;
}

/** A user with a role of its own on a project of its own, and the user's token. */
async function scene() {
  const [user, other, project, role] = [
    await create("user", { password: "a password" }),
    await create("user"),
    await create("project"),
    await create("role"),
  ];
  const member = (await send(0, "GET", "/v3/roles?name=member")).body.roles[0].id as string;
  for (const each of [role, member])
    await send(0, "PUT", `/v3/projects/${project}/users/${user}/roles/${each}`);
  return {
    user,
    other,
    project,
    role,
    token: await logIn({ id: user, password: "a password" }, { project: { id: project } }),
  };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const CREATIONS = {
  "a trust": ({ user, other, project, role, token }: Scene) =>
    send(0, "POST", "/v3/OS-TRUST/trusts", {
      token,
      body: {
        trust: {
          trustor_user_id: user,
          trustee_user_id: other,
          impersonation: false,
          project_id: project,
          roles: [{ id: role }],
        },
      },
    }),
  "an application credential": ({ user, role, token }: Scene) =>
    send(0, "POST", `/v3/users/${user}/application_credentials`, {
      token,
      body: { application_credential: { name: "robot", roles: [{ id: role }] } },
    }),
  "a credential": ({ user, project }: Scene) =>
    send(0, "POST", "/v3/credentials", {
      body: { credential: { type: "cert", blob: "x", user_id: user, project_id: project } },
    }),
  "an EC2 key": ({ user, project, token }: Scene) =>
    send(0, "POST", `/v3/users/${user}/credentials/OS-EC2`, { token, body: { tenant_id: project } }),
} as const;

const DELETIONS = {
  user: ({ user }: Scene) => `/v3/users/${user}`,
  trustee: ({ other }: Scene) => `/v3/users/${other}`,
  project: ({ project }: Scene) => `/v3/projects/${project}`,
  role: ({ role }: Scene) => `/v3/roles/${role}`,
} as const;

/** What each of them refers to. */
const REFERENCES: readonly (readonly [keyof typeof CREATIONS, readonly (keyof typeof DELETIONS)[]])[] = [
  ["a trust", ["user", "trustee", "project", "role"]],
  ["an application credential", ["user", "project", "role"]],
  ["a credential", ["user", "project"]],
  ["an EC2 key", ["user", "project"]],
];

describe.each(REFERENCES)(`%s on ${databases.name}`, (creation, deletions) => {
  it.each(deletions)(
    "is created or rejected while the %s is deleted",
    async (deletion) => {
      const scenes: Scene[] = [];
      while (scenes.length < TRIALS) scenes.push(await scene());
      const statuses = await Promise.all(
        scenes.map(async (each, index) => {
          const createLater = async () => {
            // Spread over the time that the deletion takes.
            await new Promise((resolve) => setTimeout(resolve, index * 3));
            return CREATIONS[creation](each);
          };
          const deleting = send(1, "DELETE", DELETIONS[deletion](each));
          const [created, deleted] = await Promise.all([createLater(), deleting]);
          return { created: created.status, deleted: deleted.status };
        }),
      );
      for (const { created, deleted } of statuses) {
        expect([201, 400, 401, 403, 404, 409]).toContain(created);
        expect(deleted).toBe(204);
      }
    },
    60_000,
  );
});
