/** Issues, validates and revokes tokens. */
import type { Platform } from "../area.js";
import type { Moment } from "../platform/clock.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { Credentials } from "../policy/caller.js";
import { delegatedKinds, isDelegated } from "../policy/delegation.js";
import { decryptFernet, encryptFernet, createTokenDecoder } from "./fernet.js";
import type { ReadImportedToken } from "./imported/imported-tokens.js";
import type { RevocableToken } from "./revocation.js";
import type { KnownRevocations, Revocations } from "./revocations.js";
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
   * Validates a token's text.
   *
   * @param options.allowExpired Whether it may have expired, within the window.
   * @throws {NoTokenError} {@link UnreadableTokenError} {@link InvalidTokenError}
   */
  read(text: string, options?: { readonly allowExpired?: boolean }): Promise<ValidToken>;
  /**
   * Validates a decoded token: not expired, not revoked, and its user, scope and provider exist and are enabled.
   *
   * @throws {InvalidTokenError}
   */
  requireValid(payload: TokenPayload, options?: { readonly allowExpired?: boolean }): Promise<ValidToken>;
  /** The same credentials for a token until its facts change. @throws {UnauthorizedError} An invalid token. */
  authenticate(text: string): Promise<Credentials>;
  /** The token of the caller of a request. */
  tokenOf(caller: Credentials): Token | undefined;
  /** Revokes a single token; those issued for it stay valid. */
  revoke(token: Token): Promise<void>;
}

export function createTokenService(deps: TokenServiceDeps): TokenService {
  const { keyRing, readImported, facts, revocations, clock, expiredWindowMs } = deps;

  const decodeWith = createTokenDecoder(decode);
  /** Tokens that no event revoked, by their cached payloads: holds until other events or other facts are known. */
  const unrevoked = new WeakMap<
    TokenPayload,
    { readonly known: KnownRevocations; readonly facts: TokenFacts }
  >();
  const bearers = new WeakMap<
    TokenPayload,
    { readonly facts: TokenFacts; readonly credentials: Credentials }
  >();
  const tokens = new WeakMap<Credentials, Token>();

  function bearerOf({ payload, facts: found }: Token): Credentials {
    const last = bearers.get(payload);
    if (last?.facts === found) return last.credentials;
    const token = { payload, facts: found };
    // Of this token alone: others may share its facts.
    const credentials = { ...credentialsOf(token) };
    bearers.set(payload, { facts: found, credentials });
    tokens.set(credentials, token);
    return credentials;
  }

  async function requirePayload(text: string): Promise<TokenPayload> {
    const payload =
      decodeWith(await keyRing.current(), text) ??
      (await readImported(text)) ??
      decodeWith(await keyRing.current({ isOneMissing: true }), text);
    if (payload === undefined) throw new UnreadableTokenError();
    return payload;
  }

  function requireTime({ expiresAt }: TokenPayload, windowMs: number): void {
    const now = clock.now();
    if (expiresAt + windowMs <= now) throw new InvalidTokenError("token-expired");
  }

  async function read(text: string, { allowExpired = false } = {}): Promise<ValidToken> {
    if (text === "") throw new NoTokenError();
    return requireValid(await requirePayload(text), { allowExpired });
  }

  async function requireValid(payload: TokenPayload, { allowExpired = false } = {}): Promise<ValidToken> {
    requireTime(payload, allowExpired ? expiredWindowMs : 0);
    const found = await facts.read(payload);
    if ("fault" in found) throw new InvalidTokenError(found.fault);
    const known = await revocations.known();
    const last = unrevoked.get(payload);
    if (last?.known !== known || last.facts !== found.facts) {
      if (known.isRevoked(toRevocable(payload, found.facts))) throw new InvalidTokenError("token-revoked");
      unrevoked.set(payload, { known, facts: found.facts });
    }
    // A token without a position is valid against all known events.
    return { payload, facts: found.facts, position: payload.positions?.proof ?? known.position };
  }

  return {
    async seal(payload) {
      const { keys } = await keyRing.current();
      return encryptFernet(keys[0], encodeTokenPayload(payload), { at: payload.issuedAt });
    },
    read,
    requireValid,
    async authenticate(text) {
      try {
        return bearerOf(await read(text));
      } catch (cause) {
        if (cause instanceof UnreadableTokenError || cause instanceof InvalidTokenError)
          throw new UnauthorizedError("the token in X-Auth-Token is not valid", { cause });
        throw cause;
      }
    },
    tokenOf: (caller) => tokens.get(caller),
    revoke: ({ payload }) => revocations.revoke({ auditId: payload.auditId }),
  };
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
    auditChainId: payload.auditChainId ?? payload.auditId,
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
