/** Authentication methods. A login names one or several; all must prove the same user. */
import type { FastifyRequest } from "fastify";

import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import { federatedEvent } from "../platform/events.js";
import { requireOwnLogin } from "../policy/delegation-rejections.js";
import { type DelegatedBy } from "../policy/delegation.js";
import { auditChainOf } from "../tokens/audit-ids.js";
import { NoTokenError } from "../tokens/token-errors.js";
import type { TokenFederation, TokenScope } from "../tokens/token-payload.js";
import type { TokenService } from "../tokens/token-service.js";
import { AuthMethodError, FailedLoginError, MissingPartError } from "./auth-errors.js";
import type { Auth } from "./login-request.js";

/** A proof of a user's identity. */
export interface Proof {
  readonly userId: string;
  /** The methods that the token shows: the one used, and those of a token presented. */
  readonly methods: readonly string[];
  /**
   * The revocation position at which the proof was read, or an earlier one: events behind it end the token, also while the token is
   * being issued. A token presented passes on its own.
   */
  readonly position: number;
  /** Whether the user was checked to exist and to be enabled at that position; otherwise the token's facts decide. */
  readonly isUserChecked: boolean;
  /** When it ends at the latest, if what it rests on expires. */
  readonly expiresAt?: Moment;
  /** When its first method was used, if in an earlier request. */
  readonly begunAt?: Moment;
  /** The chain of tokens that it continues. */
  readonly auditChainId?: string;
  /** The chain of all tokens of the session at an identity provider; it takes precedence. */
  readonly sessionChainId?: string;
  readonly federation?: TokenFederation;
  /** By what the login was delegated. */
  readonly delegation?: DelegatedBy;
  /** The only scope that it allows: none may be requested. */
  readonly scope?: TokenScope;
  /** Whether multi-factor rules don't apply: for a key that the user created after a login that satisfied them. */
  readonly isExemptFromRules?: boolean;
}

/** The origin of a login. */
export interface LoginSource {
  readonly address: string;
  /** The request, for methods that read headers of a trusted front end. */
  readonly request: Pick<
    FastifyRequest,
    "headers" | "id" | "log" | "method" | "originalUrl" | "raw" | "socket"
  >;
}

/** The supported methods of `/v3/auth/tokens`. */
export const METHOD_NAMES = [
  "password",
  "token",
  "application_credential",
  "mapped",
  "openid",
  "saml2",
  "totp",
  "webauthn",
  "oauth1",
] as const;

export interface AuthMethod {
  /** As `methods` names it. */
  readonly name: string;
  /**
   * @param identity The member `identity` of the request. It has the method's own member.
   * @throws {FailedLoginError} No valid proof.
   */
  prove(identity: Auth["identity"], source: LoginSource): Promise<Proof>;
}

/**
 * The proof of all methods of a login.
 *
 * @throws {AuthMethodError} An unsupported method.
 * @throws {MissingPartError} The request lacks the member of a method.
 * @throws {FailedLoginError} No methods, no valid proof, or proofs of different users.
 */
export async function proveAll(
  methods: readonly AuthMethod[],
  identity: Auth["identity"],
  source: LoginSource,
): Promise<Proof> {
  const requested = [...new Set(identity.methods)].map((name) => {
    const method = methods.find((each) => each.name === name);
    if (method === undefined) throw new AuthMethodError(methods.map((each) => each.name));
    if (!(name in identity)) throw new MissingPartError(name, "identity");
    return method;
  });
  const proofs: Proof[] = [];
  for (const method of requested) proofs.push(await method.prove(identity, source));
  return combineProofs(proofs);
}

/**
 * Combines proofs of one user: the result is as old as the oldest, expires with the first, and has the limits of all.
 *
 * @throws {FailedLoginError} No proofs, or proofs of different users, scopes or delegations.
 */
export function combineProofs(proofs: readonly Proof[]): Proof {
  const [first] = proofs;
  if (first === undefined) throw new FailedLoginError("no-methods");
  if (proofs.some(({ userId }) => userId !== first.userId)) throw new FailedLoginError("users-differ");
  const scope = onlyOne(proofs.map((proof) => proof.scope));
  const delegation = onlyOne(proofs.map((proof) => proof.delegation));
  const ends = proofs.flatMap(({ expiresAt }) => expiresAt ?? []);
  return {
    ...Object.assign({}, ...proofs),
    methods: [...new Set(proofs.flatMap(({ methods }) => methods))],
    ...(ends.length > 0 && { expiresAt: Math.min(...ends) }),
    position: Math.min(...proofs.map(({ position }) => position)),
    isUserChecked: proofs.some(({ isUserChecked }) => isUserChecked),
    ...(scope !== undefined && { scope }),
    ...(delegation !== undefined && { delegation }),
  } as Proof;
}

function onlyOne<Value extends object>(values: readonly (Value | undefined)[]): Value | undefined {
  const [first, ...others] = values.filter((value) => value !== undefined);
  if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first)))
    throw new FailedLoginError("delegations-differ");
  return first;
}

/** Throws if the provider, protocol, mapping or a group of a federated login is disabled or was deleted. */
export type RequireValidFederation = (federation: TokenFederation) => Promise<void>;

/** Login with a token, for another scope. */
export function createTokenMethod({
  tokens,
  requireValidFederation,
  publish,
}: Pick<Platform, "publish"> & {
  readonly tokens: Pick<TokenService, "read">;
  readonly requireValidFederation: RequireValidFederation;
}): AuthMethod {
  return {
    name: "token",
    async prove({ token }) {
      if (token === undefined) throw new NoTokenError();
      const { payload, position } = await tokens.read(token.id);
      requireOwnLogin(payload);
      const { federation } = payload;
      if (federation !== undefined) {
        await requireValidFederation(federation);
        await publish(federatedEvent("success", federation.identityProviderId, payload));
      }
      return {
        position,
        isUserChecked: true,
        userId: payload.userId,
        methods: [...payload.methods, "token"],
        // Rescoping never extends the lifetime.
        expiresAt: payload.expiresAt,
        auditChainId: auditChainOf(payload),
        ...(federation !== undefined && { federation }),
      };
    },
  };
}
