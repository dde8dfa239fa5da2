/** The limits of delegated tokens, by the application credentials, trusts and others that a token was obtained by. */
import type { Moment } from "../platform/clock.js";
import type { LoginReason } from "../platform/login-reasons.js";
import type { AccessRule } from "../policy/access-rule-matching.js";
import type { DelegatedBy } from "../policy/delegation.js";
import type { TokenScope } from "./token-payload.js";

/** The delegation as a token shows it. */
export interface ShownDelegation {
  readonly applicationCredential?: {
    readonly id: string;
    readonly name: string;
    readonly isRestricted: boolean;
    /** Left out where it allows any request. */
    readonly accessRules?: readonly AccessRule[];
  };
  readonly trust?: {
    readonly id: string;
    readonly impersonation: boolean;
    readonly trustorId: string;
    readonly trusteeId: string;
    /** All trustors and trustees of the chain: what revokes their tokens revokes this one. */
    readonly userIds: readonly string[];
  };
  /** Of OAuth 1.0a. */
  readonly accessToken?: { readonly id: string; readonly consumerId: string };
  /** Of the client certificate that the bearer has to present to services: SHA-256, base64url with padding. */
  readonly certificateThumbprint?: string;
}

/** Why a delegation is not valid. */
export interface InvalidDelegation {
  readonly fault: LoginReason;
  /** Whether a login is forbidden (403); otherwise it is unauthorized (401). */
  readonly isForbidden?: boolean;
}

/** The limits of one delegation. */
export interface DelegationLimits {
  /** The token has only those of these roles that their holder has, and what they imply; all, if left out. */
  readonly roles?: {
    readonly ids: readonly string[];
    /** The user who passed them on, if not the user of the token. */
    readonly holderId?: string;
  };
  /** When it expires; `null` if never. */
  readonly expiresAt: Moment | null;
  readonly facts: ShownDelegation;
}

/** The user and scope of a delegated token. */
export interface DelegatedSubject {
  readonly userId: string;
  readonly scope: TokenScope;
}

/**
 * The limits of a delegation, or why it is not valid: deleted, expired, or of another user or scope. Cached with the token's facts:
 * a transaction that changes them declares the change `facts`.
 */
export type DelegationReader<By> = (
  by: By,
  subject: DelegatedSubject,
) => Promise<DelegationLimits | InvalidDelegation>;

/** A reader for each kind of delegation. */
export type DelegationReaders = {
  readonly [Kind in keyof DelegatedBy]?: DelegationReader<NonNullable<DelegatedBy[Kind]>>;
};

/** The limits of all delegations of a token, or why one of them is not valid. */
export async function readDelegations(
  readers: DelegationReaders,
  by: DelegatedBy,
  subject: DelegatedSubject,
): Promise<readonly DelegationLimits[] | InvalidDelegation> {
  const limits: DelegationLimits[] = [];
  for (const [kind, value] of Object.entries(by)) {
    const read = readers[kind as keyof DelegatedBy] as DelegationReader<unknown> | undefined;
    if (read === undefined) return { fault: "delegation-unsupported" };
    const found = await read(value, subject);
    if ("fault" in found) return found;
    limits.push(found);
  }
  return limits;
}
