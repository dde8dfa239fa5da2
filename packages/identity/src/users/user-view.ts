/** Users in responses. */
import type { Links } from "../platform/http/links.js";
import { formatWithoutZone } from "../platform/clock.js";
import type { FederatedIdentity, User } from "./user-store.js";

export function userView(user: User, links: Links) {
  const { id, name, domainId, enabled, defaultProjectId, passwordExpiresAt, options, extra } = user;
  return {
    ...extra,
    id,
    name,
    domain_id: domainId,
    enabled,
    ...(defaultProjectId === null ? {} : { default_project_id: defaultProjectId }),
    password_expires_at: passwordExpiresAt === null ? null : formatWithoutZone(passwordExpiresAt),
    options,
    links: { self: links.self("/v3/users", id) },
  };
}

/** The identities of a user, by provider. */
export function federatedView(identities: readonly FederatedIdentity[]) {
  const providers = new Map<string, { protocol_id: string; unique_id: string }[]>();
  for (const { idpId, protocolId, uniqueId } of identities)
    providers.set(idpId, [...(providers.get(idpId) ?? []), { protocol_id: protocolId, unique_id: uniqueId }]);
  return Array.from(providers, ([idp_id, protocols]) => ({ idp_id, protocols }));
}
