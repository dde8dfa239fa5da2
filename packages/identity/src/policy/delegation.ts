/**
 * Delegated tokens: obtained by a right that a user passed on, such as an application credential or a trust, instead of a login of
 * the user. `delegation-rejections.ts` has what they may not do.
 */
import type { AccessRule } from "./access-rule-matching.js";

/** What passed the right on. Several may apply at once: an EC2 key is bound to the application credential that created it. */
export interface DelegatedBy {
  readonly applicationCredentialId?: string;
  readonly trustId?: string;
  /** Of OAuth 1.0a. */
  readonly accessToken?: { readonly id: string; readonly consumerId: string };
  /** SHA-256 of the client certificate of an OAuth 2.0 login, base64url with padding. */
  readonly certificateThumbprint?: string;
}

/** The delegation of a caller's token. */
export interface Delegation {
  /** The methods that are not primary, and `trust`. */
  readonly kinds: readonly string[];
  readonly by: DelegatedBy;
  /** Whether it is an application credential that may not create or delete credentials. */
  readonly isRestricted: boolean;
  /** The only requests that it allows; any, if left out. */
  readonly accessRules?: readonly AccessRule[];
}

/** Methods by which users log in themselves. */
const PRIMARY_METHODS: ReadonlySet<string> = new Set([
  "external",
  "kerberos",
  "mapped",
  "openid",
  "password",
  "saml2",
  "token",
  "totp",
  "webauthn",
  "x509",
]);

export interface TokenOrigin {
  readonly methods: readonly string[];
  readonly delegation?: DelegatedBy;
  /** An operator's protocol is a method of its own name. */
  readonly federation?: { readonly protocolId: string };
}

/** The methods of a token that make it delegated, and `trust`; none for a login of the user. */
export function delegatedKinds({ methods, delegation, federation }: TokenOrigin): readonly string[] {
  const others = methods.filter(
    (method) => !PRIMARY_METHODS.has(method) && method !== federation?.protocolId,
  );
  return delegation?.trustId === undefined ? others : [...others, "trust"];
}

/** Whether a token is delegated; one without methods is, because it is unknown how it was obtained. */
export function isDelegated(origin: TokenOrigin): boolean {
  return origin.delegation !== undefined || origin.methods.length === 0 || delegatedKinds(origin).length > 0;
}
