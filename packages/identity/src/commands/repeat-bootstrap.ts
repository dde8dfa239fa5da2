/**
 * A bootstrap after the first start: what is missing is made, and what differs is changed, as `keystone-manage bootstrap` does it.
 * Each step is done only where it is needed: a run that was stopped can be run again.
 */
import { PROJECT_DESCRIPTION } from "../bootstrap.js";
import { DEFAULT_REGION, rolesFor, type BootstrapSettings } from "../bootstrap-settings.js";
import { INTERFACES } from "../catalog/endpoint-store.js";
import { ConfigError } from "../config.js";
import { newPassword } from "../open-service.js";
import type { Features } from "../features.js";
import type { ListFilter } from "../platform/http/lists/list-filters.js";
import { DEFAULT_DOMAIN_ID } from "../policy/own-domain.js";
import type { Role } from "../roles/role-store.js";

export interface RepeatedBootstrap {
  readonly isNewUser: boolean;
  /** The password that was made for a user who was not there; `undefined` where none was made. */
  readonly madePassword: string | undefined;
}

interface Passwords {
  readonly password: string | undefined;
  readonly newUserPassword: string | undefined;
}

/**
 * @param passwords.password The user's; one that is there keeps its own if left out. Another one than before ends the user's tokens.
 * @param passwords.newUserPassword For a user who is not there, where no other is given; one is made up, if left out.
 * @throws {ConfigError} Several regions have endpoints of the identity service, and none is named.
 */
export async function repeatBootstrap(
  features: Features,
  settings: BootstrapSettings,
  passwords: Passwords,
): Promise<RepeatedBootstrap> {
  // What may be refused comes first.
  const regionId = await regionFor(features, settings);
  const { projects } = features;
  await projects.ensureDomain({ name: "Default", description: "The default domain" });
  const project = await projects.ensureProject({
    name: settings.projectName,
    description: PROJECT_DESCRIPTION,
  });
  const { userId, ...done } = await ensureAdministrator(features, settings.username, passwords);
  const { id: roleId } = await ensureRoles(features, settings);
  const grant = { actor: { userId }, roleId, isInherited: false };
  await features.grants.grant({ ...grant, target: { kind: "project", projectId: project.id } });
  await features.grants.grant({ ...grant, target: { kind: "system" } });
  await ensureCatalog(features, settings, regionId);
  return done;
}

async function ensureAdministrator({ users }: Features, name: string, passwords: Passwords) {
  const reference = { name, domainId: DEFAULT_DOMAIN_ID };
  const user = await users.findUser(reference);
  if (user === undefined) {
    const known = passwords.password ?? passwords.newUserPassword;
    const password = known ?? newPassword();
    const { id: userId } = await users.ensureUser({ ...reference, password });
    return { userId, isNewUser: true, madePassword: known === undefined ? password : undefined };
  }
  const { password } = passwords;
  if (password !== undefined) await users.ensureUser({ ...reference, password });
  else if (!user.enabled) await users.update(user.id, { enabled: true });
  return { userId: user.id, isNewUser: false, madePassword: undefined };
}

/** @returns The administrator's. Roles that are there stay as they are, but for what they imply. */
async function ensureRoles({ roles, impliedRoles }: Features, settings: BootstrapSettings): Promise<Role> {
  const { names, implications } = rolesFor(settings);
  const options = settings.hasImmutableRoles ? { immutable: true } : {};
  const found = new Map<string, Role>();
  for (const name of names) found.set(name, await roles.ensureRole({ name, options }));
  const roleOf = (name: string) => found.get(name) as Role;
  for (const [prior, implied] of implications)
    await impliedRoles.ensureImplied(roleOf(prior), roleOf(implied));
  return roleOf(settings.roleName);
}

/** As in Keystone, a service that is there keeps its name, and endpoints without a new address stay as they are. */
async function ensureCatalog(
  { regions, services, endpoints }: Features,
  { urls, serviceName, regionId: namedRegion }: BootstrapSettings,
  regionId: string | null,
): Promise<void> {
  const hasUrls = Object.keys(urls).length > 0;
  if (regionId !== null && (hasUrls || namedRegion !== undefined)) await regions.ensureRegion(regionId);
  if (!hasUrls) return;
  const service = await services.ensureService({ type: "identity", name: serviceName });
  for (const type of INTERFACES) {
    const url = urls[type];
    if (url !== undefined)
      await endpoints.ensureEndpoint({ serviceId: service.id, regionId, interface: type, url });
  }
}

/** The region that is named, or the only one that has endpoints of the service. Keystone takes any of several. */
async function regionFor(
  { services, endpoints }: Features,
  { regionId, urls }: BootstrapSettings,
): Promise<string | null> {
  if (regionId !== undefined || Object.keys(urls).length === 0) return regionId ?? null;
  const page = { limit: undefined, marker: undefined };
  const [service] = await services.list({ filters: [isExactly("type", "identity")], page });
  if (service === undefined) return DEFAULT_REGION;
  const found = await endpoints.list({ filters: [isExactly("service_id", service.id)], page });
  const regionIds = new Set(found.map((endpoint) => endpoint.regionId));
  if (regionIds.size > 1)
    throw new ConfigError(
      "--bootstrap-region-id",
      `is needed, because several regions have endpoints of the identity service: ${[...regionIds]
        .map((id) => id ?? "none")
        .toSorted()
        .join(", ")}`,
    );
  const [only = DEFAULT_REGION] = regionIds;
  return only;
}

function isExactly<Field extends string>(field: Field, value: string): ListFilter<Field> {
  return { field, comparator: "equals", ignoresCase: false, value };
}
