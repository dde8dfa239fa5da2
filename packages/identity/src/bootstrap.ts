/**
 * The first start: what has to be there before anybody can log in. It is made in one piece, so that a service that was stopped
 * in the midst of it begins anew, and of several that start at once one makes it.
 */
import { insertEndpoint } from "./catalog/endpoint-store.js";
import { ensureRegion } from "./catalog/region-store.js";
import { insertService } from "./catalog/service-store.js";
import type { Clock } from "./platform/clock.js";
import type { Database, Queries } from "./platform/database/database.js";
import type { NewId } from "./platform/ids.js";
import { DEFAULT_DOMAIN_ID } from "./projects/project.js";
import { newProject } from "./projects/project-attributes.js";
import { findProject, insertProject } from "./projects/project-store.js";
import type { Grant } from "./roles/grant.js";
import { insertGrant } from "./roles/grant-store.js";
import { insertImpliedRole } from "./roles/implied-role-store.js";
import { insertRole } from "./roles/role-store.js";
import { hashNewPassword, storeNewPassword, type NewPassword } from "./users/new-password.js";
import type { PasswordHasher } from "./users/password-hash.js";
import type { PasswordRules } from "./users/password-rules.js";
import { insertUser } from "./users/user-store.js";

/** Roles that are there from the beginning, and which of them the one before implies. */
const ROLES = ["admin", "manager", "member", "reader"];
const SERVICE_ROLE = "service";
/** The name of the user, the project and the role. */
export const ADMIN = "admin";
/** As Keystone has it, for those who look for the project by what is said of it. */
const PROJECT_DESCRIPTION = "Bootstrap project for initializing the cloud.";
const REGION = "RegionOne";
const INTERFACES = ["public", "internal", "admin"] as const;

export interface BootstrapDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Where clients reach the service, without a slash at the end. */
  readonly publicUrl: string;
}

/**
 * Makes the domain `default`, the user and the project `admin`, the roles, and the catalog with this service in it.
 *
 * @param password The administrator's.
 * @returns Whether it was to be made: not where there is a default domain already.
 */
export async function bootstrap(deps: BootstrapDeps, password: string): Promise<boolean> {
  const { database } = deps;
  if ((await findProject(database, DEFAULT_DOMAIN_ID)) !== undefined) return false;
  const hashed = await hashNewPassword(deps, password, { isSelfService: false });
  return database.alone(async (transaction) => {
    if ((await findProject(transaction, DEFAULT_DOMAIN_ID)) !== undefined) return false;
    const projectId = await addPlaces(transaction, deps);
    const adminRoleId = await addRoles(transaction, deps);
    await addCatalog(transaction, deps);
    const userId = await addAdministrator(transaction, deps, hashed);
    const grant = { actor: { userId }, roleId: adminRoleId, isInherited: false };
    const targets: Grant["target"][] = [{ kind: "project", projectId }, { kind: "system" }];
    for (const target of targets) await insertGrant(transaction, { ...grant, target });
    return true;
  });
}

/** @returns The id of the administrator's project. */
async function addPlaces(queries: Queries, { newId }: BootstrapDeps): Promise<string> {
  const domain = { id: DEFAULT_DOMAIN_ID, domainId: null, parentId: null, isDomain: true };
  const description = "The default domain";
  await insertProject(queries, newProject(domain, { name: "Default", description }));
  const id = newId();
  const project = { id, domainId: DEFAULT_DOMAIN_ID, parentId: DEFAULT_DOMAIN_ID, isDomain: false };
  await insertProject(queries, newProject(project, { name: ADMIN, description: PROJECT_DESCRIPTION }));
  return id;
}

/** @returns The id of the role `admin`. */
async function addRoles(queries: Queries, { newId }: BootstrapDeps): Promise<string> {
  const ids = new Map([...ROLES, SERVICE_ROLE].map((name) => [name, newId()]));
  for (const [name, id] of ids) {
    const rest = { domainId: null, description: null, options: { immutable: true }, extra: {} };
    await insertRole(queries, { id, name, ...rest });
  }
  const [first = "", ...others] = ROLES.map((name) => ids.get(name) ?? "");
  let priorRoleId = first;
  for (const impliedRoleId of others) {
    await insertImpliedRole(queries, { priorRoleId, impliedRoleId });
    priorRoleId = impliedRoleId;
  }
  return first;
}

async function addCatalog(queries: Queries, { newId, publicUrl }: BootstrapDeps): Promise<void> {
  await ensureRegion(queries, REGION);
  const service = { id: newId(), type: "identity", name: "keystone", enabled: true, extra: {} };
  await insertService(queries, service);
  for (const type of INTERFACES)
    await insertEndpoint(queries, {
      id: newId(),
      serviceId: service.id,
      regionId: REGION,
      interface: type,
      url: `${publicUrl}/v3/`,
      enabled: true,
      extra: {},
    });
}

/** @returns The administrator's id. */
async function addAdministrator(
  queries: Queries,
  deps: BootstrapDeps,
  password: NewPassword,
): Promise<string> {
  const id = deps.newId();
  await insertUser(queries, {
    id,
    name: ADMIN,
    domainId: DEFAULT_DOMAIN_ID,
    enabled: true,
    defaultProjectId: null,
    options: {},
    extra: {},
    createdAt: deps.clock.now(),
    lastActiveAt: null,
    passwordExpiresAt: null,
  });
  await storeNewPassword(deps, queries, { userId: id, exceptions: {}, ...password });
  return id;
}
