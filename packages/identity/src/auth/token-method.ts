/** Logging in with a token that one has already: for another scope. */
import type { AuthMethod } from "./auth-methods.js";
import { NoTokenError } from "../tokens/token-errors.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import type { TokenService } from "../tokens/token-service.js";

export interface TokenMethodDeps {
  readonly tokens: Pick<TokenService, "read">;
  /** Throws where a provider's users may not come in any more, or what they came in with is gone. */
  readonly requireStanding: (federation: TokenFederation) => Promise<void>;
}

export function createTokenMethod({ tokens, requireStanding }: TokenMethodDeps): AuthMethod {
  return {
    name: "token",
    async prove({ token }) {
      if (token === undefined) throw new NoTokenError();
      const { payload, position } = await tokens.read(token.id);
      if (payload.federation !== undefined) await requireStanding(payload.federation);
      return {
        position,
        isUserChecked: true,
        userId: payload.userId,
        methods: [...payload.methods, "token"],
        // A token is never had to live longer than the first one.
        expiresAt: payload.expiresAt,
        auditChainId: payload.auditChainId ?? payload.auditId,
        ...(payload.federation !== undefined && { federation: payload.federation }),
      };
    },
  };
}
