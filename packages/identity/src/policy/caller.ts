/** The caller of a request, by its credentials, and the target of an action: the input of a policy check. */
import type { FastifyRequest } from "fastify";

import type { Delegation } from "./delegation.js";

/** The scope of a token. */
export type CredentialScope =
  | { readonly kind: "unscoped" }
  | { readonly kind: "project"; readonly projectId: string; readonly projectDomainId: string }
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "system" };

/** The bearer of a valid token. */
export interface Credentials {
  readonly userId: string;
  readonly userDomainId?: string;
  /** Role names in the token's scope, including implied roles: an admin is also a manager, a member and a reader. */
  readonly roles: readonly string[];
  readonly scope: CredentialScope;
  /** Of a delegated token; absent after a login of the user. */
  readonly delegation?: Delegation;
  /** Whether the user has no row (`"persist_user": false`), and so nothing that outlives the token. */
  readonly isUnstored?: boolean;
  /** Whether an administrator of a domain or project reaches the secrets of users of all domains, as the operator has set. */
  readonly reachesAllSecrets?: boolean;
}

/**
 * The target of an action. Each rule reads the members it needs; an absent member grants nothing.
 *
 * The target of a list is its domain, of a limit its project or domain, of a token its user.
 */
export interface PolicyTarget {
  readonly user?: { readonly id: string; readonly domainId?: string } & ReadMembers;
  readonly group?: { readonly domainId: string };
  /** A project that does not exist yet has no id; a domain as a project has no domain. */
  readonly project?: { readonly id?: string; readonly domainId?: string } & ReadMembers;
  readonly domain?: { readonly id: string };
  readonly trust?: { readonly trustorId?: string; readonly trusteeId?: string };
  /** `domainId` is `null` for a global role. */
  readonly role?: { readonly name: string; readonly domainId: string | null };
}

interface ReadMembers {
  /** Those that the API shows, where the route has read the item: rules of policy files may name any. */
  readonly members?: () => object;
}

/** The domain that the first start creates. */
export const DEFAULT_DOMAIN_ID = "default";

/** The domain of a new resource: that of a domain-scoped token, else the default domain. */
export function domainForNew({ scope }: Credentials): string {
  return scope.kind === "domain" ? scope.domainId : DEFAULT_DOMAIN_ID;
}

/** The domain of a domain-scoped token, to which lists and links of users are limited; `undefined` for other tokens. */
export function onlyDomainOf({ scope }: Credentials): string | undefined {
  return scope.kind === "domain" ? scope.domainId : undefined;
}

/** The target of lists: the domain of a domain-scoped token. */
export function ownDomainTarget({ caller }: { readonly caller: Credentials }): PolicyTarget {
  const id = onlyDomainOf(caller);
  return id === undefined ? {} : { domain: { id } };
}

/** The `domain_id` of the resource in a body that has not been validated. */
export function domainInBody({ body }: FastifyRequest, key: string): string | undefined {
  const { [key]: resource } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { domain_id: domainId } = (resource ?? {}) as { readonly domain_id?: unknown };
  return typeof domainId === "string" ? domainId : undefined;
}
