/** What is asked of clouds of different sizes. */
import { idOf, sizesOf } from "./cloud.mjs";

/** The answer is as large in each cloud: its time should not grow. */
const CONSTANT = "constant";
/** The answer grows with the cloud: its time may grow with it. */
const GROWING = "growing";

/** Scattered over 1 to `count`. */
const nth = (index, count) => ((index * 7919 + 17) % count) + 1;

/**
 * The requests of a subject, each one for other rows.
 *
 * @typedef {{ name: string, answer: "constant" | "growing", status?: number, make: (index: number) => Promise<Request> }} Subject
 * @typedef {{ path: string, method?: string, headers?: object, body?: object }} Request
 */
export function subjectsOf({ users, domain, adminToken, userToken, workloadToken, providerPath }) {
  const size = sizesOf(users);
  const admin = { "x-auth-token": adminToken };
  const get = (name, answer, path) => ({
    name,
    answer,
    make: async (index) => ({ path: path(index), headers: admin }),
  });
  const userName = (index) => `user-${nth(index, size.users)}`;
  const user = (index) => idOf("user", nth(index, size.users));
  const project = (index) => idOf("project", nth(index, size.projects));
  const newToken = (name, identity, scope) => ({
    name,
    answer: CONSTANT,
    status: 201,
    make: async (index) => ({
      path: "/v3/auth/tokens",
      method: "POST",
      body: { auth: { identity: identity(index), scope: scope(index) } },
    }),
  });
  const projectScope = (index) => ({
    project: { id: idOf("project", ((nth(index, size.users) * 7 + 13) % size.projects) + 1) },
  });
  return [
    {
      name: "validate a token",
      answer: CONSTANT,
      make: async () => ({
        path: "/v3/auth/tokens",
        headers: { ...admin, "x-subject-token": userToken },
      }),
    },
    newToken(
      "log in by password",
      (index) => ({
        methods: ["password"],
        password: { user: { name: userName(index), domain: { id: domain }, password: "bench-password" } },
      }),
      projectScope,
    ),
    newToken(
      "rescope a token",
      () => ({ methods: ["token"], token: { id: userToken } }),
      () => projectScope(0),
    ),
    {
      name: "first login by a provider",
      answer: CONSTANT,
      status: 201,
      make: async (index) => ({
        path: providerPath(idOf("provider", nth(index, size.providers))),
        method: "POST",
        headers: { authorization: `Bearer ${await workloadToken(`${users}-${index}`)}` },
      }),
    },
    get(
      "100 users after a marker",
      CONSTANT,
      (index) => `/v3/users?domain_id=${domain}&limit=100&marker=${user(index)}`,
    ),
    get("a user by name", CONSTANT, (index) => `/v3/users?domain_id=${domain}&name=${userName(index)}`),
    get(
      "100 projects after a marker",
      CONSTANT,
      (index) => `/v3/projects?limit=100&marker=${project(index)}`,
    ),
    get("the first 100 assignments", CONSTANT, () => "/v3/role_assignments?limit=100"),
    get(
      "effective assignments of a user",
      CONSTANT,
      (index) => `/v3/role_assignments?effective&user.id=${user(index)}`,
    ),
    get("projects of a user", CONSTANT, (index) => `/v3/users/${user(index)}/projects`),
    get(
      "effective assignments of a project",
      CONSTANT,
      (index) => `/v3/role_assignments?effective&scope.project.id=${project(index)}`,
    ),
    get(
      "effective limits of a project",
      CONSTANT,
      (index) => `/v3/limits/effective?project_id=${project(index)}`,
    ),
    get("100 identity providers", CONSTANT, () => "/v3/OS-FEDERATION/identity_providers?limit=100"),
    get("projects below one, as a tree", GROWING, () => `/v3/projects/${idOf("project", 1)}?subtree_as_ids`),
    get("limits of all projects", GROWING, () => "/v3/limits"),
    get("all projects", GROWING, () => `/v3/projects?domain_id=${domain}`),
  ];
}
