/** Tokens: made, read, and ended. */
import type { Clock, Moment } from "../platform/clock.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { Credentials } from "../policy/credentials.js";
import { encryptFernet } from "./fernet.js";
import type { KeyRing } from "./key-ring.js";
import type { RevocableToken } from "./revocation.js";
import type { KnownRevocations, Revocations } from "./revocations.js";
import { NoTokenError, TokenEndedError, UnreadableTokenError } from "./token-errors.js";
import type { TokenFacts, TokenFactsReader } from "./token-facts.js";
import { createTokenDecoder } from "./token-decoder.js";
import { encodeTokenPayload, type TokenPayload } from "./token-payload.js";

/** A token that is good, with what it shows. */
export interface Token {
  readonly payload: TokenPayload;
  readonly facts: TokenFacts;
}

/** A token that was checked. */
export interface CheckedToken extends Token {
  /** The revocation position that tokens had for it start from: events behind it end them. */
  readonly position: number;
}

export interface TokenServiceDeps {
  readonly keyRing: KeyRing;
  readonly facts: TokenFactsReader;
  readonly revocations: Pick<Revocations, "known" | "revoke">;
  readonly clock: Clock;
  /** How long after their end tokens may still be read by those who ask for it. */
  readonly expiredWindowMs: number;
}

export interface TokenService {
  /** The text of a token. */
  seal(payload: TokenPayload): Promise<string>;
  /**
   * A token from its text.
   *
   * @param options.allowExpired Whether it may have expired, in the window for that.
   * @throws {NoTokenError} {@link UnreadableTokenError} {@link TokenEndedError}
   */
  read(text: string, options?: { readonly allowExpired?: boolean }): Promise<CheckedToken>;
  /**
   * A token that was decoded: not expired, not revoked, and all that it rests on exists and is enabled.
   *
   * @throws {TokenEndedError}
   */
  requireValid(payload: TokenPayload, options?: { readonly allowExpired?: boolean }): Promise<CheckedToken>;
  /** @throws {UnauthorizedError} The text is no good token. */
  authenticate(text: string): Promise<Credentials>;
  /** Ends a single token; those that were had for it stay. */
  revoke(token: Token): Promise<void>;
}

export function createTokenService(deps: TokenServiceDeps): TokenService {
  const { keyRing, facts, revocations, clock, expiredWindowMs } = deps;

  const decoded = createTokenDecoder();
  /** Tokens that no event revoked, by their cached payloads: holds until other events or other facts are known. */
  const unrevoked = new WeakMap<
    TokenPayload,
    { readonly known: KnownRevocations; readonly facts: TokenFacts }
  >();

  async function decode(text: string): Promise<TokenPayload> {
    for (const isOneMissing of [false, true]) {
      const payload = decoded(await keyRing.current({ isOneMissing }), text);
      if (payload !== undefined) return payload;
    }
    throw new UnreadableTokenError();
  }

  function requireTime({ expiresAt }: TokenPayload, windowMs: number): void {
    const now = clock.now();
    if (expiresAt + windowMs <= now) throw new TokenEndedError("it has expired");
  }

  async function read(text: string, { allowExpired = false } = {}): Promise<CheckedToken> {
    if (text === "") throw new NoTokenError();
    return requireValid(await decode(text), { allowExpired });
  }

  async function requireValid(payload: TokenPayload, { allowExpired = false } = {}): Promise<CheckedToken> {
    requireTime(payload, allowExpired ? expiredWindowMs : 0);
    const standing = await facts.read(payload);
    if ("fault" in standing) throw new TokenEndedError(standing.fault);
    const known = await revocations.known();
    const last = unrevoked.get(payload);
    if (last?.known !== known || last.facts !== standing.facts) {
      if (known.isRevoked(toRevocable(payload, standing.facts))) throw new TokenEndedError("it was revoked");
      unrevoked.set(payload, { known, facts: standing.facts });
    }
    // One without a position is good beside all events that are known.
    return { payload, facts: standing.facts, position: payload.positions?.proof ?? known.position };
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
        return (await read(text)).facts.credentials;
      } catch (cause) {
        if (cause instanceof UnreadableTokenError || cause instanceof TokenEndedError)
          throw new UnauthorizedError("the token in X-Auth-Token is not good", { cause });
        throw cause;
      }
    },
    revoke: ({ payload }) => revocations.revoke({ auditId: payload.auditId }),
  };
}

function toRevocable(payload: TokenPayload, { user, scope, roles }: TokenFacts): RevocableToken {
  return {
    auditId: payload.auditId,
    auditChainId: payload.auditChainId ?? payload.auditId,
    userId: payload.userId,
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
  };
}

/** When a token made now ends. */
export function endOf(now: Moment, lifetimeMs: number): Moment {
  return Math.floor((now + lifetimeMs) / 1000) * 1000;
}
