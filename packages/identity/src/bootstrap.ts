/**
 * Bootstrap on the first start: default domain, administrator, roles and catalog, in one transaction. An interrupted bootstrap
 * starts over, and of several replicas one does it.
 */
import { DEFAULT_REGION, firstUrls, rolesFor, type BootstrapSettings } from "./bootstrap-settings.js";
import { endpointTable, INTERFACES } from "./catalog/endpoint.js";
import { ensureRegion } from "./catalog/regions/region.js";
import { serviceTable } from "./catalog/service.js";
import { insertGrant } from "./grants/grant-store.js";
import type { Grant } from "./grants/grant.js";
import { hashNewPassword, storeNewPassword, type NewPassword } from "./passwords/new-password.js";
import type { PasswordHasher } from "./passwords/password-hash.js";
import type { PasswordRules } from "./passwords/password-rules.js";
import type { Clock } from "./platform/clock.js";
import { unpublished, type Database, type Queries, type Transaction } from "./platform/database/database.js";
import type { NewId } from "./platform/ids.js";
import { DEFAULT_DOMAIN_ID } from "./policy/caller.js";
import { findProject, insertProject } from "./projects/project-store.js";
import { newProject } from "./projects/project.js";
import { insertImpliedRole } from "./roles/implied-role-store.js";
import { roleTable } from "./roles/role.js";
import { insertUser } from "./users/user-store.js";

/** As in Keystone: deployments may search for it. */
export const PROJECT_DESCRIPTION = "Bootstrap project for initializing the cloud.";

export interface BootstrapDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly rules: PasswordRules;
  readonly clock: Clock;
  readonly newId: NewId;
  /** The public base URL, without trailing slash. */
  readonly publicUrl: string;
  readonly settings: BootstrapSettings;
}

/**
 * Creates the domain `default`, the administrator with project and roles, and the catalog with this service.
 *
 * @param password The administrator's password.
 * @returns False if the default domain already exists.
 */
export async function bootstrap(deps: BootstrapDeps, password: string): Promise<boolean> {
  const { database } = deps;
  if ((await findProject(database, DEFAULT_DOMAIN_ID)) !== undefined) return false;
  const hashed = await hashNewPassword(deps, password, { isSelfService: false });
  return database.alone(async (transaction) => {
    if ((await findProject(transaction, DEFAULT_DOMAIN_ID)) !== undefined) return false;
    const projectId = await addDomainAndProject(transaction, deps);
    // No one knows the cloud yet.
    const silently = unpublished(transaction);
    const roleId = await addRoles(silently, deps);
    await addCatalog(silently, deps);
    const userId = await addAdministrator(transaction, deps, hashed);
    const grant = { actor: { userId }, roleId, isInherited: false };
    const targets: Grant["target"][] = [{ kind: "project", projectId }, { kind: "system" }];
    for (const target of targets) await insertGrant(transaction, { ...grant, target });
    return true;
  });
}

/** @returns The id of the administrator's project. */
async function addDomainAndProject(queries: Queries, { newId, settings }: BootstrapDeps): Promise<string> {
  const domain = { id: DEFAULT_DOMAIN_ID, domainId: null, parentId: null, isDomain: true };
  const description = "The default domain";
  await insertProject(queries, newProject(domain, { name: "Default", description }));
  const id = newId();
  const project = { id, domainId: DEFAULT_DOMAIN_ID, parentId: DEFAULT_DOMAIN_ID, isDomain: false };
  const attributes = { name: settings.projectName, description: PROJECT_DESCRIPTION };
  await insertProject(queries, newProject(project, attributes));
  return id;
}

/** @returns The id of the administrator's role. */
async function addRoles(queries: Transaction, { newId, settings }: BootstrapDeps): Promise<string> {
  const { names, implications } = rolesFor(settings);
  const ids = new Map(names.map((name) => [name, newId()]));
  const idOf = (name: string): string => ids.get(name) ?? "";
  const options = settings.hasImmutableRoles ? { immutable: true } : {};
  for (const [name, id] of ids)
    await roleTable.insert(queries, { id, name, domainId: null, description: null, options, extra: {} });
  for (const [prior, implied] of implications)
    await insertImpliedRole(queries, { priorRoleId: idOf(prior), impliedRoleId: idOf(implied) });
  return idOf(settings.roleName);
}

async function addCatalog(
  queries: Transaction,
  { newId, publicUrl, settings }: BootstrapDeps,
): Promise<void> {
  const { regionId = DEFAULT_REGION, serviceName } = settings;
  await ensureRegion(queries, regionId);
  const service = { id: newId(), type: "identity", name: serviceName, enabled: true, extra: {} };
  await serviceTable.insert(queries, service);
  const urls = firstUrls(settings, publicUrl);
  for (const type of INTERFACES) {
    const url = urls[type];
    if (url === undefined) continue;
    const place = { serviceId: service.id, regionId, interface: type };
    await endpointTable.insert(queries, { id: newId(), ...place, url, enabled: true, extra: {} });
  }
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
    name: deps.settings.username,
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
