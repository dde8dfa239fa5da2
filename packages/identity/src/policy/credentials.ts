/** Who asks: what a token says of its bearer, as far as permissions depend on it. */

/** What the token is good for. */
export type CredentialScope =
  | { readonly kind: "unscoped" }
  | { readonly kind: "project"; readonly projectId: string; readonly projectDomainId: string }
  | { readonly kind: "domain"; readonly domainId: string }
  | { readonly kind: "system" };

/** The bearer of a valid token. */
export interface Credentials {
  readonly userId: string;
  /** The names of the roles in the token's scope, implied ones included: an admin is a manager, a member and a reader too. */
  readonly roles: readonly string[];
  readonly scope: CredentialScope;
}

/**
 * What is asked about. An action looks at the members that concern it; one that is missing grants nothing.
 *
 * A list is asked about by the domain that it is of, a limit by the project or domain that it limits, a token by its user.
 */
export interface PolicyTarget {
  readonly user?: { readonly id: string; readonly domainId?: string };
  readonly group?: { readonly domainId: string };
  /** One that is not there yet has no id, and a domain that is asked about as a project is in no domain. */
  readonly project?: { readonly id?: string; readonly domainId?: string };
  readonly domain?: { readonly id: string };
  /** `domainId` is `null` for a role of all domains. */
  readonly role?: { readonly name: string; readonly domainId: string | null };
}
