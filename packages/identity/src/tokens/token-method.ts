/** Logging in with a token that one has already: for another scope. */
import type { Clock } from "../platform/clock.js";
import type { AuthMethod } from "./auth-methods.js";
import { NoTokenError } from "./token-errors.js";
import type { TokenService } from "./token-service.js";

export interface TokenMethodDeps {
  readonly tokens: Pick<TokenService, "read">;
  readonly clock: Clock;
}

export function createTokenMethod({ tokens, clock }: TokenMethodDeps): AuthMethod {
  return {
    name: "token",
    async prove({ token }) {
      if (token === undefined) throw new NoTokenError();
      const provenAt = clock.now();
      const { payload } = await tokens.read(token.id);
      return {
        provenAt,
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
