/** `/v3/OS-OAUTH2/token`: OAuth 2.0 client credentials (RFC 6749 section 4.4), which are those of an application credential. */
import { Type } from "typebox";

import { proveAll, type AuthMethod } from "../auth/auth-methods.js";
import { auditLogin, issueToken, type LoginResponseDeps } from "../auth/token-response.js";
import { extensionRelation } from "../platform/discovery/json-home.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { acceptLoginBodies, type LoginBody } from "../platform/http/login-body.js";
import { InvalidClientError, type OAuth2Fault } from "./oauth2-errors.js";
import { grantFault, readClient } from "./oauth2-request.js";

export interface OAuth2RoutesDeps extends LoginResponseDeps {
  readonly methods: readonly AuthMethod[];
  readonly links: Links;
}

const TokenGrant = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal("Bearer"),
  expires_in: Type.Integer(),
});
const WRONG_METHOD: OAuth2Fault = {
  error: "other_error",
  error_description: "The method is not allowed for the requested URL.",
};
const Fault = Type.Object({ error: Type.String(), error_description: Type.String() });

const METHOD = "application_credential";
const PATH = "/v3/OS-OAUTH2/token";

export function addOAuth2Routes(server: HttpServer, deps: OAuth2RoutesDeps): void {
  const { methods, links } = deps;
  server.register(async (scope) => {
    acceptLoginBodies(scope);
    (scope as HttpServer).post(
      PATH,
      {
        config: { access: "public", home: [{ relation: extensionRelation("OS-OAUTH2", "token") }] },
        onResponse: async (request, reply) => auditLogin(request, reply, request.loginName ?? {}),
        schema: {
          tags: ["authentication"],
          summary: "Logs in with OAuth 2.0 client credentials",
          response: { 200: TokenGrant, 400: Fault },
        },
      },
      async (request, reply) => {
        const { form = new Map<string, string>() } = (request.body ?? {}) as Partial<LoginBody>;
        const fault = grantFault(form);
        if (fault !== undefined) return reply.code(400).send(fault);
        const client = readClient(request.headers.authorization, form);
        if (client === undefined) throw new InvalidClientError("Client authentication failed.", links);
        request.loginName = { application_credential_id: client.id };
        const identity = { methods: [METHOD], [METHOD]: client };
        try {
          const proof = await proveAll(methods, identity, { address: request.clientAddress, request });
          const { text, payload } = await issueToken(deps, request, { proof, scope: { kind: "any" } });
          return await reply.header("pragma", "no-cache").send({
            access_token: text,
            token_type: "Bearer" as const,
            // As between the seconds that the token shows.
            expires_in: Math.floor(payload.expiresAt / 1000) - Math.floor(payload.issuedAt / 1000),
          });
        } catch (cause) {
          if (!(cause instanceof UnauthorizedError)) throw cause;
          const { publicUrl } = links;
          const description = "The request you have made requires authentication.";
          throw new InvalidClientError(description, { publicUrl, cause });
        }
      },
    );
    // Errors of this endpoint have a form of their own, that of the method too.
    scope.route({
      method: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
      url: PATH,
      config: { access: "public" },
      handler: async (_request, reply) => reply.code(405).header("allow", "OPTIONS, POST").send(WRONG_METHOD),
    });
  });
}
