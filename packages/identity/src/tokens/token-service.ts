/** The text of tokens: sealed for what a login proved, validated, revoked. */
import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import { andThen } from "../platform/concurrency/and-then.js";
import type { Database } from "../platform/database/database.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { Credentials } from "../policy/caller.js";
import { delegatedKinds, isDelegated } from "../policy/delegation.js";
import { auditChainOf } from "./audit-ids.js";
import { decryptFernet, encryptFernet, createTokenDecoder } from "./fernet.js";
import type { ReadImportedToken } from "./imported/imported-tokens.js";
import type { RevocableToken } from "./revocation.js";
import type { Revocations } from "./revocations.js";
import type { KeyRing, SigningKeyRing } from "./signing-keys.js";
import { InvalidTokenError, NoTokenError, UnreadableTokenError } from "./token-errors.js";
import type { TokenFacts, TokenFactsReader } from "./token-facts.js";
import { decodeTokenPayload, encodeTokenPayload, type TokenPayload } from "./token-payload.js";

/** A token with its facts. */
export interface Token {
  readonly payload: TokenPayload;
  readonly facts: TokenFacts;
}

/** A validated token. */
export interface ValidToken extends Token {
  /** The revocation position of tokens issued for it: events after it revoke them. */
  readonly position: number;
}

export interface TokenServiceDeps extends Pick<Platform, "clock"> {
  readonly database: Pick<Database, "revision">;
  readonly keyRing: KeyRing;
  /** Reads tokens of an imported Keystone, if no key of the ring verifies them. */
  readonly readImported: ReadImportedToken;
  readonly facts: TokenFactsReader;
  readonly revocations: Pick<Revocations, "known" | "revoke">;
  /** How long after their expiry tokens can be read with `allowExpired`. */
  readonly expiredWindowMs: number;
}

export interface TokenService {
  /** Encrypts a payload: the text of the token. */
  seal(payload: TokenPayload): Promise<string>;
  /**
   * Validates a token's text: the same object for a token until its facts or the revocations change. Waits for nothing if the token is
   * known.
   *
   * @param options.allowExpired Whether it may have expired, within the window.
   * @throws {NoTokenError} {@link UnreadableTokenError} {@link InvalidTokenError}
   */
  read(text: string, options?: { readonly allowExpired?: boolean }): ValidToken | Promise<ValidToken>;
  /**
   * Validates a decoded token: not expired, not revoked, and its user, scope and provider exist and are enabled.
   *
   * @throws {InvalidTokenError}
   */
  requireValid(
    payload: TokenPayload,
    options?: { readonly allowExpired?: boolean },
  ): ValidToken | Promise<ValidToken>;
  /** The same credentials for a token until its facts change. As {@link read}. @throws {UnauthorizedError} An invalid token. */
  authenticate(text: string): Credentials | Promise<Credentials>;
  /** The token of the caller of a request. */
  tokenOf(caller: Credentials): Token | undefined;
  /** Revokes a single token; those issued for it stay valid. */
  revoke(token: Token): Promise<void>;
}

/** Of the database. */
interface Revisions {
  readonly facts: number;
  readonly revocations: number;
}

/** A token that is valid at these revisions, until a time. */
interface Validated extends Revisions {
  readonly until: Moment;
  readonly token: ValidToken;
}

export function createTokenService(deps: TokenServiceDeps): TokenService {
  const { keyRing, readImported, facts, revocations, database, clock, expiredWindowMs } = deps;

  const decodeWith = createTokenDecoder(decode);
  /** By their cached payloads: each request has at least one token. */
  const validated = new WeakMap<TokenPayload, Validated>();
  const bearers = new WeakMap<Token, Credentials>();
  const tokens = new WeakMap<Credentials, Token>();

  function bearerOf(token: Token): Credentials {
    const last = bearers.get(token);
    if (last !== undefined) return last;
    // Of this token alone: others may share its facts.
    const credentials = { ...credentialsOf(token) };
    bearers.set(token, credentials);
    tokens.set(credentials, token);
    return credentials;
  }

  async function decodeByOtherKeys(text: string): Promise<TokenPayload> {
    const payload =
      (await readImported(text)) ?? decodeWith(await keyRing.current({ isOneMissing: true }), text);
    if (payload === undefined) throw new UnreadableTokenError();
    return payload;
  }

  function requireTime({ expiresAt }: TokenPayload, windowMs: number): void {
    const now = clock.now();
    if (expiresAt + windowMs <= now) throw new InvalidTokenError("token-expired");
  }

  function read(
    text: string,
    options?: { readonly allowExpired?: boolean },
  ): ValidToken | Promise<ValidToken> {
    if (text === "") throw new NoTokenError();
    return andThen(keyRing.cached() ?? keyRing.current(), (keys) =>
      andThen(decodeWith(keys, text) ?? decodeByOtherKeys(text), (payload) => requireValid(payload, options)),
    );
  }

  function requireValid(
    payload: TokenPayload,
    { allowExpired = false }: { readonly allowExpired?: boolean } = {},
  ): ValidToken | Promise<ValidToken> {
    requireTime(payload, allowExpired ? expiredWindowMs : 0);
    // Before anything is read: what changes meanwhile is read the next time.
    const [ofFacts, ofRevocations] = [database.revision("facts"), database.revision("revocations")];
    const last = validated.get(payload);
    if (last?.facts === ofFacts && last.revocations === ofRevocations && clock.now() < last.until)
      return last.token;
    return validate(payload, { facts: ofFacts, revocations: ofRevocations });
  }

  async function validate(payload: TokenPayload, revisions: Revisions): Promise<ValidToken> {
    const found = await facts.read(payload);
    if ("fault" in found) throw new InvalidTokenError(found.fault);
    const known = await revocations.known();
    if (known.isRevoked(toRevocable(payload, found.facts))) throw new InvalidTokenError("token-revoked");
    // A token without a position is valid against all known events.
    const token = { payload, facts: found.facts, position: payload.positions?.proof ?? known.position };
    validated.set(payload, { ...revisions, until: found.validUntil, token });
    return token;
  }

  return {
    async seal(payload) {
      const { keys } = await keyRing.current();
      return encryptFernet(keys[0], encodeTokenPayload(payload), { at: payload.issuedAt });
    },
    read,
    requireValid,
    authenticate(text) {
      try {
        const token = read(text);
        return token instanceof Promise ? token.then(bearerOf, refuse) : bearerOf(token);
      } catch (cause) {
        return refuse(cause);
      }
    },
    tokenOf: (caller) => tokens.get(caller),
    revoke: ({ payload }) => revocations.revoke({ auditId: payload.auditId }),
  };
}

/** Of a caller's token. @throws {UnauthorizedError} */
function refuse(cause: unknown): never {
  if (cause instanceof UnreadableTokenError || cause instanceof InvalidTokenError)
    throw new UnauthorizedError("the token in X-Auth-Token is not valid", { cause });
  throw cause;
}

/** The bearer of a token, for permission checks. */
export function credentialsOf({ payload, facts }: Token): Credentials {
  if (!isDelegated(payload)) return facts.credentials;
  const { isRestricted = false, accessRules } = facts.delegation?.applicationCredential ?? {};
  const delegation = {
    kinds: delegatedKinds(payload),
    by: payload.delegation ?? {},
    isRestricted,
    ...(accessRules !== undefined && { accessRules }),
  };
  return { ...facts.credentials, delegation };
}

function toRevocable(payload: TokenPayload, { user, scope, roles, delegation }: TokenFacts): RevocableToken {
  return {
    auditId: payload.auditId,
    auditChainId: auditChainOf(payload),
    userId: payload.userId,
    ...(delegation?.trust !== undefined && {
      trustId: delegation.trust.id,
      trustUserIds: delegation.trust.userIds,
    }),
    ...accessTokenOf(payload),
    userDomainId: user.domain.id,
    ...(scope.kind === "project" && {
      projectId: scope.project.id,
      projectDomainId: scope.project.domain.id,
    }),
    ...(scope.kind === "domain" && { domainId: scope.domain.id }),
    ...(payload.federation !== undefined && {
      identityProviderId: payload.federation.identityProviderId,
      protocolId: payload.federation.protocolId,
    }),
    roleIds: roles.map(({ id }) => id),
    issuedAt: payload.issuedAt,
    expiresAt: payload.expiresAt,
    positions: payload.positions,
    isImported: payload.isImported,
  };
}

function accessTokenOf({ delegation }: TokenPayload): Pick<RevocableToken, "accessTokenId" | "consumerId"> {
  const { accessToken } = delegation ?? {};
  return accessToken === undefined
    ? {}
    : { accessTokenId: accessToken.id, consumerId: accessToken.consumerId };
}

function decode({ keys }: SigningKeyRing, text: string): TokenPayload | undefined {
  const decrypted = decryptFernet(keys, text);
  return decrypted && decodeTokenPayload(decrypted.payload);
}

/** When a token issued now expires: in whole seconds. */
export function expiryOf(now: Moment, lifetimeMs: number): Moment {
  return Math.floor((now + lifetimeMs) / 1000) * 1000;
}
