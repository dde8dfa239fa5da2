/** Keystone-to-keystone: the service as an identity provider for other clouds. */
import type { Platform } from "../area.js";
import type { GroupService } from "../groups/group-service.js";
import { errorClass, ForbiddenError } from "../platform/errors.js";
import { isHeaderText } from "../platform/http/header-values.js";
import { requireOwnLogin } from "../policy/delegation-rejections.js";
import type { ProjectService } from "../projects/project-service.js";
import type { SamlKeys } from "../saml/saml-keys.js";
import type { ServiceProviderService } from "../service-providers/service-provider-service.js";
import type { ServiceProvider } from "../service-providers/service-provider.js";
import type { Token, TokenService } from "../tokens/token-service.js";
import type { UserService } from "../users/user-service.js";
import { keystoneResponse, type KeystoneUser } from "./keystone-assertion.js";

export interface K2kDeps extends Pick<Platform, "clock" | "newId"> {
  /** The service's entity ID. */
  readonly entityId: string;
  readonly assertionLifetimeMs: number;
  readonly keys: Pick<SamlKeys, "current">;
  readonly tokens: Pick<TokenService, "read">;
  readonly serviceProviders: Pick<ServiceProviderService, "get">;
  readonly users: Pick<UserService, "groupIdsOf">;
  readonly groups: Pick<GroupService, "findGroup">;
  readonly projects: Pick<ProjectService, "findDomain">;
}

/** A SAML Response for a service provider. */
export interface ResponseForProvider {
  readonly response: string;
  readonly provider: ServiceProvider;
}

/**
 * Creates the SAML Response that asserts the user of a token to a service provider.
 *
 * @throws {ProjectTokenNeededError} {@link ServiceProviderDisabledError} {@link ServiceProviderAddressError}
 *   {@link NotFoundError} {@link DelegationForbiddenError}
 */
export type K2kResponder = (tokenText: string, providerId: string) => Promise<ResponseForProvider>;

export function createK2kResponder(deps: K2kDeps): K2kResponder {
  const { entityId, assertionLifetimeMs, keys, tokens, serviceProviders, clock, newId } = deps;
  return async (tokenText, providerId) => {
    const token = await tokens.read(tokenText);
    requireOwnLogin(token.payload);
    const provider = await serviceProviders.get(providerId);
    if (!provider.enabled) throw new ServiceProviderDisabledError(providerId);
    requireHeaderUrls(provider);
    const user = await describe(token, deps);
    const { signing } = await keys.current();
    const response = await keystoneResponse(user, {
      issuer: entityId,
      recipient: provider.spUrl,
      key: signing,
      newId,
      now: clock.now(),
      lifetimeMs: assertionLifetimeMs,
    });
    return { response, provider };
  };
}

/** The HTTP response carries both URLs in headers. */
function requireHeaderUrls({ id, authUrl, spUrl }: ServiceProvider): void {
  if (!isHeaderText(authUrl)) throw new ServiceProviderAddressError(id, "auth_url");
  if (!isHeaderText(spUrl)) throw new ServiceProviderAddressError(id, "sp_url");
}

async function describe({ payload, facts }: Token, deps: K2kDeps): Promise<KeystoneUser> {
  const { user, scope, roles } = facts;
  if (scope.kind !== "project") throw new ProjectTokenNeededError();
  const groupIds = new Set([
    ...(payload.federation?.groupIds ?? []),
    ...(await deps.users.groupIdsOf(payload.userId)),
  ]);
  return {
    user: user.name,
    userDomain: user.domain.name,
    roles: roles.map(({ name }) => name),
    project: scope.project.name,
    projectDomain: scope.project.domain.name,
    groups: await describeGroups([...groupIds], deps),
  };
}

/** Groups that were deleted concurrently are left out. */
async function describeGroups(ids: readonly string[], { groups, projects }: K2kDeps) {
  const described: { name: string; domain: string }[] = [];
  for (const id of ids) {
    const group = await groups.findGroup({ id });
    const domain = group && (await projects.findDomain({ id: group.domainId }));
    if (group !== undefined && domain !== undefined)
      described.push({ name: group.name, domain: domain.name });
  }
  return described;
}

/** An assertion describes a user's roles in a project: the token has to be scoped to one. */
class ProjectTokenNeededError extends errorClass(
  ForbiddenError,
  "saml/project-token-needed",
  "You are not authorized to perform the requested action: Use a project scoped token when attempting to create a SAML assertion.",
) {}

/** The service provider is disabled. */
class ServiceProviderDisabledError extends errorClass(ForbiddenError, "saml/service-provider-disabled") {
  constructor(id: string) {
    super("You are not authorized to perform the requested action.", {
      cause: new Error(`service provider ${id} is disabled`),
    });
  }
}

/** A URL stored before URLs were validated, which an HTTP header can't carry. */
class ServiceProviderAddressError extends errorClass(
  ForbiddenError,
  "saml/service-provider-address",
  (id: string, field: "auth_url" | "sp_url") =>
    `The ${field} of service provider ${id} has control characters, or characters beyond ASCII: an administrator has to change it.`,
) {}
