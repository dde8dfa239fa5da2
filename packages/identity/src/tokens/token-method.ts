/** Logging in with a token that one has already: for another scope. */
import type { AuthMethod } from "./auth-methods.js";
import { NoTokenError } from "./token-errors.js";
import type { TokenService } from "./token-service.js";

export function createTokenMethod({ tokens }: { readonly tokens: Pick<TokenService, "read"> }): AuthMethod {
  return {
    name: "token",
    async prove({ token }) {
      if (token === undefined) throw new NoTokenError();
      const { payload } = await tokens.read(token.id);
      return {
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
