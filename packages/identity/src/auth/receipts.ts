/**
 * Receipts: what a login has proved so far, where the rules of its user ask for more methods. A later login sends the receipt in
 * `Openstack-Auth-Receipt` and adds the missing methods.
 *
 * A receipt holds the payload of the token that the login would have got, behind a byte that no token begins with. So it is valid
 * under the same conditions as that token, and ends with the same events.
 */
import type { Clock } from "../platform/clock.js";
import { formatTimestamp } from "../platform/text/timestamp.js";
import type { MultiFactorRules } from "../users/multi-factor-rules.js";
import type { Proof } from "./auth-methods.js";
import { decryptFernet, encryptFernet } from "../tokens/fernet.js";
import type { KeyRing } from "../tokens/key-ring.js";
import { LoginRefusedError, TokenEndedError } from "../tokens/token-errors.js";
import { decodeTokenPayload, encodeTokenPayload, type TokenFederation } from "../tokens/token-payload.js";
import type { TokenPayload } from "../tokens/token-payload.js";
import type { CheckedToken, Token, TokenService } from "../tokens/token-service.js";

/** The first byte of a receipt; that of a token is the version of its format, which never comes to be this one. */
const RECEIPT = 127;

export interface ReceiptsDeps {
  readonly keyRing: KeyRing;
  readonly tokens: Pick<TokenService, "requireValid">;
  /** Throws where users of the federation can't log in any more, or a group is gone that they logged in with. */
  readonly requireStanding: (federation: TokenFederation) => Promise<void>;
  readonly clock: Clock;
  /** From the first method on. */
  readonly lifetimeMs: number;
}

/** A receipt, as it is sent. */
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
  /** The rules of which some methods were used. */
  readonly required_auth_methods: MultiFactorRules;
}

export interface Receipts {
  /** @param rules The ways to go on. */
  issue(token: Token, rules: MultiFactorRules): Promise<Receipt>;
  /**
   * What the login with the receipt has proved.
   *
   * @throws {LoginRefusedError} It is no receipt, or has expired, or was revoked.
   */
  prove(text: string): Promise<Proof>;
}

export function createReceipts(deps: ReceiptsDeps): Receipts {
  const { keyRing, tokens, requireStanding, clock, lifetimeMs } = deps;

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
            expires_at: inSeconds(issuedAt + lifetimeMs),
            issued_at: inSeconds(issuedAt),
          },
          required_auth_methods: rules,
        },
      };
    },

    async prove(text) {
      const payload = await decode(text);
      if (payload === undefined) throw new LoginRefusedError("the receipt can't be read");
      if (payload.issuedAt + lifetimeMs <= clock.now())
        throw new LoginRefusedError("the receipt has expired");
      return proofOf(await requireUnended(payload));
    },
  };

  async function requireUnended(payload: TokenPayload): Promise<CheckedToken> {
    const token = await requireValid(payload);
    if (payload.federation !== undefined) await requireStanding(payload.federation);
    return token;
  }

  async function requireValid(payload: TokenPayload): Promise<CheckedToken> {
    try {
      return await tokens.requireValid(payload);
    } catch (cause) {
      if (!(cause instanceof TokenEndedError)) throw cause;
      throw new LoginRefusedError(`the receipt is not valid: ${cause.reason}`, { cause });
    }
  }
}

function proofOf({ payload, position }: CheckedToken): Proof {
  const { userId, methods, issuedAt, expiresAt, auditChainId, federation } = payload;
  return {
    userId,
    methods,
    position,
    isUserChecked: true,
    begunAt: issuedAt,
    expiresAt,
    ...(auditChainId !== undefined && { auditChainId }),
    ...(federation !== undefined && { federation }),
  };
}

function inSeconds(moment: number): string {
  return formatTimestamp(Math.floor(moment / 1000) * 1000);
}
