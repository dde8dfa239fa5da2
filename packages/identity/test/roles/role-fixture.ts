/**
 * Roles, grants and assignments with two domains, a tree of projects, users and groups, which are inserted directly. Stubs
 * replace the features that own them.
 */
import { addAssignmentRoutes } from "../../src/assignments/assignment-routes.js";
import { addGrantRoutes } from "../../src/grants/grant-routes.js";
import { addImpliedRoleRoutes } from "../../src/roles/implied-roles.js";
import { createRoleServices, type RoleServices } from "../../src/assignments/index.js";
import { addRoleRoutes } from "../../src/roles/role-routes.js";
import type { Project } from "../../src/projects/project.js";
import { addUserProjectRoutes } from "../../src/assignments/user-project-routes.js";
import type { Database } from "../../src/platform/database/database.js";
import { NotFoundError } from "../../src/platform/errors.js";
import type { TestDatabases } from "../databases.js";
import {
  featureServer,
  type AskOptions,
  type FeatureResponse,
  type FeatureServer,
} from "../feature-server.js";

interface GroupRow {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly extra: string;
}

interface UserRow extends GroupRow {
  readonly enabled: boolean;
  readonly options: string;
  readonly created_at: number;
  readonly failed_logins: number;
}

interface ProjectRow {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string | null;
  readonly parent_id: string | null;
  readonly is_domain: boolean;
  readonly enabled: boolean;
  readonly description: string;
  readonly options: string;
  readonly extra: string;
}

interface Tables {
  readonly project: ProjectRow;
  readonly user: UserRow;
  readonly group: GroupRow;
  readonly group_member: { readonly group_id: string; readonly user_id: string };
}

/** Names are the ids in capitals. */
const PROJECTS: readonly (readonly [id: string, domain: string | null, parent: string | null])[] = [
  ["d1", null, null],
  ["d2", null, null],
  ["p", "d1", "d1"],
  ["child", "d1", "p"],
  ["leaf", "d1", "child"],
  ["other", "d1", "d1"],
  ["far", "d2", "d2"],
];
const USERS = [
  ["alice", "d1"],
  ["bob", "d1"],
  ["carol", "d2"],
] as const;
const GROUPS = [
  ["crew", "d1"],
  ["guests", "d2"],
] as const;
/** Members of the crew; the guests have none. */
const MEMBERS = ["alice", "carol"];

export interface RoleFixture extends FeatureServer, RoleServices {
  /** Creates a role; its id. */
  role(name: string, attributes?: object): Promise<string>;
  imply(priorRoleId: string, ...impliedRoleIds: string[]): Promise<void>;
  /** Asks for each of these paths, below `/v3`, by PUT, and expects it to be done. */
  put(...paths: string[]): Promise<void>;
  get(path: string, options?: AskOptions): Promise<FeatureResponse>;
}

export async function roleFixture(databases: TestDatabases): Promise<RoleFixture> {
  let services: RoleServices | undefined;
  const server = await featureServer(databases, async (http, deps) => {
    await populate(deps.database);
    const { users, groups, projects } = stubsIn(deps.database);
    services = createRoleServices({ ...deps, users, groups, projects, onRoleDeleted: async () => {} });
    const all = { ...deps, ...services, users, groups, projects };
    addRoleRoutes(http, all);
    addImpliedRoleRoutes(http, all);
    addGrantRoutes(http, all);
    addAssignmentRoutes(http, all);
    addUserProjectRoutes(http, all);
  });
  if (services === undefined) throw new Error("The server was made without its services");
  const put = async (...paths: string[]) => {
    for (const path of paths) {
      const { status, body } = await server.ask("PUT", `/v3${path}`);
      if (status > 204) throw new Error(`${path}: ${JSON.stringify(body)}`);
    }
  };
  return {
    ...server,
    ...services,
    async role(name, attributes = {}) {
      const { body } = await server.ask("POST", "/v3/roles", { body: { role: { name, ...attributes } } });
      return body.role.id;
    },
    imply: (prior, ...implied) => put(...implied.map((id) => `/roles/${prior}/implies/${id}`)),
    put,
    get: (path, options) => server.ask("GET", `/v3${path}`, options),
  };
}

async function populate(database: Database): Promise<void> {
  const tables = database.tables<Tables>();
  for (const [id, domain_id, parent_id] of PROJECTS) {
    const row = { id, name: id.toUpperCase(), domain_id, parent_id, is_domain: domain_id === null };
    await tables
      .insertInto("project")
      .values({ ...row, enabled: id !== "other", description: "", options: "{}", extra: "{}" })
      .execute();
  }
  const state = { enabled: true, options: "{}", created_at: 0, failed_logins: 0, is_federated: false };
  for (const [id, domain_id] of USERS)
    await tables
      .insertInto("user")
      .values({ id, name: id.toUpperCase(), domain_id, extra: "{}", ...state })
      .execute();
  for (const [id, domain_id] of GROUPS)
    await tables.insertInto("group").values({ id, name: id.toUpperCase(), domain_id, extra: "{}" }).execute();
  for (const user_id of MEMBERS)
    await tables.insertInto("group_member").values({ group_id: "crew", user_id }).execute();
}

class Missing extends NotFoundError {}

function stubsIn(database: Database) {
  async function owned(kind: "user" | "group", id: string) {
    const row = await database
      .tables<Tables>()
      .selectFrom(kind)
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) throw new Missing(`Could not find ${kind}: ${id}.`);
    return { id, domainId: row.domain_id };
  }
  async function project(kind: "project" | "domain", id: string) {
    const row = await database
      .tables<Tables>()
      .selectFrom("project")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined || (kind === "domain" && !row.is_domain))
      throw new Missing(`Could not find ${kind}: ${id}.`);
    return toProject(row);
  }
  return {
    users: { getUser: (id: string) => owned("user", id) },
    groups: { getGroup: (id: string) => owned("group", id) },
    projects: {
      getProject: (id: string) => project("project", id),
      getDomain: (id: string) => project("domain", id),
      listProjectsById: (ids: readonly string[]) => Promise.all(ids.map((id) => project("project", id))),
    },
  };
}

function toProject({ id, name, description, ...row }: ProjectRow): Project {
  return {
    id,
    name,
    domainId: row.domain_id,
    parentId: row.parent_id,
    isDomain: row.is_domain,
    enabled: row.enabled,
    description,
    options: {},
    extra: {},
    tags: [],
  };
}
