/** A server with the routes of users, groups, membership and login, and two domains. */
import { hasGrants } from "../../src/grants/grant-store.js";
import { addGroupRoutes } from "../../src/groups/group-routes.js";
import { createGroupService, type GroupService } from "../../src/groups/group-service.js";
import type { Queries } from "../../src/platform/database/database.js";
import { NotFoundError } from "../../src/platform/errors.js";
import type { TokenSelection } from "../../src/policy/revoke-tokens.js";
import { createMembershipService } from "../../src/users/membership-service.js";
import { createPasswordChange } from "../../src/auth/password-change.js";
import { createPasswordHasher, type PasswordHasher } from "../../src/passwords/password-hash.js";
import { createPasswordLogin, type PasswordLogin } from "../../src/auth/methods/password-login.js";
import { createPasswordRules, type PasswordRuleOptions } from "../../src/passwords/password-rules.js";
import { addUserRoutes } from "../../src/users/user-routes.js";
import { createUserService, type UserService } from "../../src/users/user-service.js";
import type { TestDatabases } from "../databases.js";
import { featureServer, type AskOptions, type FeatureServer } from "../feature-server.js";

export interface UserServer extends FeatureServer {
  readonly users: UserService;
  readonly groups: GroupService;
  readonly login: PasswordLogin;
  /** Whose tokens have ended, in order. */
  readonly ended: TokenSelection[];
  /** The hashes that passwords were checked against, in order; `undefined` where there was none. */
  readonly checked: (string | undefined)[];
  /** One more login service on the same database, as another process has it. */
  otherLogin(): PasswordLogin;
  /** The time, which the test moves on. */
  readonly time: { now: number };
  /** Creates a user of domain `d1` with the password `pw`. @returns Its id. */
  addUser(name: string, attributes?: object): Promise<string>;
  /** Creates a group of domain `d1`. @returns Its id. */
  addGroup(name: string, attributes?: object): Promise<string>;
  /** Adds a project, or a domain where `domainId` is `null`. */
  addProject(id: string, domainId: string | null, attributes?: Partial<ProjectRow>): Promise<void>;
  /** Status, and the message of a failure. */
  refusal(method: string, url: string, options?: AskOptions): Promise<[number, string]>;
}

interface ProjectRow {
  id: string;
  name: string;
  domain_id: string | null;
  parent_id: string | null;
  is_domain: boolean;
  description: string;
  enabled: boolean;
  options: string;
  extra: string;
}

export interface Tables {
  readonly project: ProjectRow;
  readonly user: { id: string; failed_logins: number; last_active_at: number | null };
  readonly user_password: { user_id: string; number: number; hash: string };
  readonly role: { id: string; name: string; options: string; extra: string };
  readonly assignment: {
    group_id: string;
    target_kind: string;
    target_id: string;
    role_id: string;
    is_inherited: boolean;
  };
}

/** Where logins come from. */
export const ADDRESS = "192.0.2.1";

/** Domains `default`, `d1` and `d2`, the last one also by the name `Two`. It is noon of 2026-11-21. */
export async function userServer(
  databases: TestDatabases,
  ruleOptions: PasswordRuleOptions = {},
): Promise<UserServer> {
  const time = { now: Date.parse("2026-11-21T12:00:00.500Z") };
  const ended: TokenSelection[] = [];
  const checked: UserServer["checked"] = [];
  let parts!: Pick<UserServer, "users" | "groups" | "login" | "otherLogin">;
  const service = await featureServer(
    databases,
    (server, deps) => {
      const { database } = deps;
      const real = createPasswordHasher({ concurrency: 2, maxWaiting: 1000 });
      const hasher: PasswordHasher = {
        ...real,
        verify(password, stored) {
          checked.push(stored);
          return real.verify(password, stored);
        },
      };
      const publish = async () => {};
      const all = {
        ...deps,
        publish,
        hasher,
        rules: createPasswordRules(ruleOptions),
        projects: domainsOf(database),
      };
      const revokeTokens = async (_: Queries, selection: TokenSelection): Promise<void> =>
        void ended.push(selection);
      const groups = createGroupService({ ...all, revokeTokens, hasGrants, onGroupDeleted: async () => {} });
      const protocols = {
        requireIn: () => Promise.reject(new NotFoundError("There are no identity providers")),
      };
      const methods = { names: ["password", "token"], isProtocol: async () => false };
      const users = createUserService({
        ...all,
        revokeTokens,
        onUserDeleted: async () => {},
        protocols,
        methods,
      });
      const memberships = createMembershipService({ ...deps, users, groups, revokeTokens });
      const loginDeps = { ...all, requireSqlDriver: async () => {}, throttle: undefined };
      const login = createPasswordLogin(loginDeps);
      const changePassword = createPasswordChange({ ...all, login, revokeTokens });
      addGroupRoutes(server, { ...deps, groups });
      addUserRoutes(server, { ...deps, users, groups, memberships, changePassword });
      parts = { users, groups, login, otherLogin: () => createPasswordLogin(loginDeps) };
    },
    { now: () => time.now },
  );

  async function create(kind: "user" | "group", attributes: object): Promise<string> {
    const answer = await service.ask("POST", `/v3/${kind}s`, { body: { [kind]: attributes } });
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body[kind].id as string;
  }

  const addProject: UserServer["addProject"] = async (id, domainId, attributes = {}) => {
    const isDomain = domainId === null;
    await service.database
      .tables<Tables>()
      .insertInto("project")
      .values({
        id,
        name: id,
        domain_id: domainId,
        parent_id: domainId,
        is_domain: isDomain,
        enabled: true,
        description: "",
        options: "{}",
        extra: "{}",
        ...attributes,
      })
      .execute();
  };
  for (const id of ["default", "d1"]) await addProject(id, null);
  await addProject("d2", null, { name: "Two" });
  return {
    ...service,
    ...parts,
    ended,
    checked,
    time,
    addProject,
    addUser: (name, attributes) => create("user", { name, domain_id: "d1", password: "pw", ...attributes }),
    addGroup: (name, attributes) => create("group", { name, domain_id: "d1", ...attributes }),
    async refusal(method, url, options) {
      const { status, body } = await service.ask(method, url, options);
      return [status, (body?.error?.message ?? "") as string];
    },
  };
}

/** Stub of the domains. */
function domainsOf(database: Queries) {
  const findDomain = ({ id }: { readonly id: string }) =>
    database
      .tables<Tables>()
      .selectFrom("project")
      .selectAll()
      .where("id", "=", id)
      .where("is_domain", "=", true)
      .executeTakeFirst();
  return {
    findDomain,
    async getDomain(id: string): Promise<unknown> {
      const domain = await findDomain({ id });
      if (domain === undefined) throw new NotFoundError(`Could not find domain: ${id}.`);
      return domain;
    },
  };
}
