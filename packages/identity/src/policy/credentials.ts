/** The caller's credentials and the target of an action: the input of a policy check. */
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
  /** Role names in the token's scope, including implied roles: an admin is also a manager, a member and a reader. */
  readonly roles: readonly string[];
  readonly scope: CredentialScope;
  /** Of a delegated token; absent after a login of the user. */
  readonly delegation?: Delegation;
  /** Whether the user has no row (`"persist_user": false`), and so nothing that outlives the token. */
  readonly isUnstored?: boolean;
}

/**
 * The target of an action. Each rule reads the members it needs; an absent member grants nothing.
 *
 * The target of a list is its domain, of a limit its project or domain, of a token its user.
 */
export interface PolicyTarget {
  readonly user?: { readonly id: string; readonly domainId?: string };
  readonly group?: { readonly domainId: string };
  /** A project that does not exist yet has no id; a domain as a project has no domain. */
  readonly project?: { readonly id?: string; readonly domainId?: string };
  readonly domain?: { readonly id: string };
  readonly trust?: { readonly trustorId?: string; readonly trusteeId?: string };
  /** `domainId` is `null` for a global role. */
  readonly role?: { readonly name: string; readonly domainId: string | null };
}
