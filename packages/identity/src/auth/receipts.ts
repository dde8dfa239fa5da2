/**
 * Receipts: what a login has proved so far, if the user's multi-factor rules demand more methods. The next login sends the receipt
 * in `Openstack-Auth-Receipt` with the missing methods.
 *
 * A receipt holds the payload of the token that the login would have got, after a byte with which no token begins: it is valid under
 * the same conditions as that token, and revoked by the same events.
 */
import type { Platform } from "../area.js";
import { formatSeconds } from "../platform/clock.js";
import { LOGIN_REASONS } from "../platform/login-reasons.js";
import { decryptFernet, encryptFernet } from "../tokens/fernet.js";
import type { KeyRing } from "../tokens/signing-keys.js";
import { InvalidTokenError } from "../tokens/token-errors.js";
import { decodeTokenPayload, encodeTokenPayload, type TokenPayload } from "../tokens/token-payload.js";
import type { Token, TokenService, ValidToken } from "../tokens/token-service.js";
import type { MultiFactorRules } from "../users/multi-factor-rules.js";
import { FailedLoginError } from "./auth-errors.js";
import type { Proof, RequireValidFederation } from "./auth-methods.js";

/** The first byte of a receipt; in tokens it is the version of the format, which never reaches this value. */
const RECEIPT = 127;

export interface ReceiptsDeps extends Pick<Platform, "clock"> {
  readonly keyRing: KeyRing;
  readonly tokens: Pick<TokenService, "requireValid">;
  readonly requireValidFederation: RequireValidFederation;
  /** From the first method. */
  readonly lifetimeMs: number;
}

/** A receipt with the body of its response. */
export interface Receipt {
  readonly text: string;
  readonly body: ReceiptBody;
}

export interface ReceiptBody {
  readonly receipt: {
    readonly methods: readonly string[];
    readonly user: Pick<Token["facts"]["user"], "id" | "name" | "domain">;
    readonly expires_at: string;
    readonly issued_at: string;
  };
  /** The multi-factor rules of which some methods were used. */
  readonly required_auth_methods: MultiFactorRules;
}

export interface Receipts {
  /** @param rules The rules that the user can still satisfy. */
  issue(token: Token, rules: MultiFactorRules): Promise<Receipt>;
  /**
   * The proof of the earlier login.
   *
   * @throws {FailedLoginError} No receipt, or expired or revoked.
   */
  prove(text: string): Promise<Proof>;
}

export function createReceipts(deps: ReceiptsDeps): Receipts {
  const { keyRing, tokens, requireValidFederation, clock, lifetimeMs } = deps;

  async function decode(text: string): Promise<TokenPayload | undefined> {
    for (const isOneMissing of [false, true]) {
      const { keys } = await keyRing.current({ isOneMissing });
      const bytes = decryptFernet(keys, text)?.payload;
      if (bytes !== undefined)
        return bytes[0] === RECEIPT ? decodeTokenPayload(bytes.subarray(1)) : undefined;
    }
    return undefined;
  }

  return {
    async issue({ payload, facts: { user } }, rules) {
      const { keys } = await keyRing.current();
      const bytes = Buffer.concat([Buffer.from([RECEIPT]), encodeTokenPayload(payload)]);
      const { methods, issuedAt } = payload;
      return {
        text: encryptFernet(keys[0], bytes, { at: issuedAt }),
        body: {
          receipt: {
            methods,
            user: { id: user.id, name: user.name, domain: user.domain },
            expires_at: formatSeconds(issuedAt + lifetimeMs),
            issued_at: formatSeconds(issuedAt),
          },
          required_auth_methods: rules,
        },
      };
    },

    async prove(text) {
      const payload = await decode(text);
      if (payload === undefined) throw new FailedLoginError("receipt-unreadable");
      if (payload.issuedAt + lifetimeMs <= clock.now())
        throw new FailedLoginError("receipt-expired", { userId: payload.userId });
      const token = await requireValid(payload);
      if (payload.federation !== undefined) await requireValidFederation(payload.federation);
      return proofOf(token);
    },
  };

  async function requireValid(payload: TokenPayload): Promise<ValidToken> {
    try {
      return await tokens.requireValid(payload);
    } catch (cause) {
      if (!(cause instanceof InvalidTokenError)) throw cause;
      throw new FailedLoginError("receipt-invalid", {
        detail: `the receipt is not valid: ${LOGIN_REASONS[cause.reason]}`,
        userId: payload.userId,
        cause,
      });
    }
  }
}

function proofOf({ payload, position }: ValidToken): Proof {
  const { userId, methods, issuedAt, expiresAt, auditChainId, federation, delegation, scope } = payload;
  return {
    userId,
    methods,
    position,
    isUserChecked: true,
    begunAt: issuedAt,
    expiresAt,
    ...(auditChainId !== undefined && { auditChainId }),
    ...(federation !== undefined && { federation }),
    // What limited the first login limits the token.
    ...(delegation !== undefined && { delegation }),
    ...(scope.kind !== "unscoped" && { scope }),
  };
}
