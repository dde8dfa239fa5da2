/** A service that records logins, with groups and roles that rules give, and callers of each permission. */
import type { TestDatabases } from "../../databases.js";
import { ADMIN_PASSWORD } from "../../test-app.js";
import {
  asserted,
  ENV,
  loginServer,
  type LoginServer,
  type LoginServerOptions,
} from "../../federation/login-server.js";

export const MAPPINGS = "/v3/OS-FEDERATION/mappings";
export const RECORDING = "/v3/OS-FEDERATION/identity_providers/idp/protocols/mapped/recording";

export interface WorkbenchServer extends LoginServer {
  /** The id of the provider's domain, called `people`. */
  readonly domainId: string;
  /** Groups in it: `staff` has the role member on project `web`, `root` has admin on the system and on `web`. */
  readonly groupIds: Readonly<Record<"staff" | "root", string>>;
  readonly projectId: string;
  /** A user who may read everything and change nothing. */
  readonly reader: string;
  /** An administrator of the domain `people` alone. */
  readonly domainAdmin: string;
  /** Begins to record. */
  record(attributes: readonly string[], more?: object): Promise<void>;
}

/** Tokens outlive the days for which logins are kept. */
export const RECORDING_ENV = { ...ENV, IDENTITY_LOGIN_RECORDING: "on", IDENTITY_TOKEN_LIFETIME: "864000" };

/** Users are named by REMOTE_USER; values of GROUPS are groups of the domain `people`. */
export async function workbenchServer(
  databases: TestDatabases,
  env: Record<string, string> = RECORDING_ENV,
  options: LoginServerOptions = {},
): Promise<WorkbenchServer> {
  const service = await loginServer(databases, env, options);
  const ask: LoginServer["ask"] = (...request) => service.ask(...request);
  const create: LoginServer["create"] = (...resource) => service.create(...resource);
  const { body } = await ask("GET", "/v3/domains?name=people");
  const domainId = body.domains[0].id as string;
  const projectId = await create("projects", { name: "web", domain_id: domainId });
  const roles = await ask("GET", "/v3/roles");
  const roleId = (name: string) =>
    (roles.body.roles as { id: string; name: string }[]).find((role) => role.name === name)?.id ?? "";
  const groupIds = {
    staff: await create("groups", { name: "staff", domain_id: domainId }),
    root: await create("groups", { name: "root", domain_id: domainId }),
  };
  const grant = async (path: string, role: string) => {
    const { status, text } = await ask("PUT", `/v3/${path}/roles/${roleId(role)}`);
    if (status !== 204) throw new Error(text);
  };
  await grant(`projects/${projectId}/groups/${groupIds.staff}`, "member");
  await grant(`projects/${projectId}/groups/${groupIds.root}`, "admin");
  await grant(`system/groups/${groupIds.root}`, "admin");

  const tokenOf = async (name: string, scope: object): Promise<string> => {
    const user = { name, domain: { id: "default" }, password: ADMIN_PASSWORD };
    const identity = { methods: ["password"], password: { user } };
    const { token, text } = await ask("POST", "/v3/auth/tokens", {
      token: "",
      body: { auth: { identity, scope } },
    });
    if (token === "") throw new Error(text);
    return token;
  };
  const reader = await create("users", { name: "reader", domain_id: "default", password: ADMIN_PASSWORD });
  await grant(`system/users/${reader}`, "reader");
  const domainAdmin = await create("users", { name: "boss", domain_id: "default", password: ADMIN_PASSWORD });
  await grant(`domains/${domainId}/users/${domainAdmin}`, "admin");
  return {
    ...service,
    domainId,
    groupIds,
    projectId,
    reader: await tokenOf("reader", { system: { all: true } }),
    domainAdmin: await tokenOf("boss", { domain: { id: domainId } }),
    async record(attributes, more = {}) {
      const { status, text } = await ask("PUT", RECORDING, { body: { recording: { attributes, ...more } } });
      if (status !== 200) throw new Error(text);
    },
  };
}

/** Attributes of a login. */
export const member = (name: string, ...groups: readonly string[]) =>
  asserted(name, { GROUPS: groups.join(";"), SECRET: "not to be kept" });

/** Groups by name in the domain of the provider, whatever the assertion has. */
export const GROUPS = { groups: "{1}", domain: { name: "people" } };
export const NAMED_MEMBER = {
  local: [{ user: { name: "{0}" } }, GROUPS],
  remote: [{ type: "REMOTE_USER" }, { type: "GROUPS", whitelist: ["staff"] }],
};
