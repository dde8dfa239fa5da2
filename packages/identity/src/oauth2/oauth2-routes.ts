/**
 * `/v3/OS-OAUTH2/token`: OAuth 2.0 client credentials (RFC 6749 section 4.4), which are those of an application credential, or a client
 * certificate (RFC 8705) that a trusted front end passes on; and token exchange (RFC 8693).
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";

import type { Platform } from "../area.js";
import { issueToken, type IssuedToken } from "../auth/login.js";
import { proveAll, type AuthMethod, type Proof } from "../auth/auth-methods.js";
import { auditLogin, type LoginResponseDeps } from "../auth/token-response.js";
import type { ForwardedVerifier } from "../federation/protocols/forwarded/forwarded-assertion.js";
import { extensionRelation } from "../platform/discovery/json-home.js";
import { UnauthorizedError } from "../platform/errors.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { acceptLoginBodies, type LoginBody } from "../platform/http/body-parsing.js";
import type { CertificateLogin } from "./certificate-login.js";
import {
  InvalidClientError,
  OAuth2FaultError,
  grantFault,
  readClient,
  TOKEN_EXCHANGE,
  type OAuth2Fault,
  type Form,
} from "./oauth2-request.js";
import {
  ACCESS_TOKEN_TYPE,
  exchangeToken,
  type ExchangedToken,
  type TokenExchangeDeps,
} from "./token-exchange.js";

export interface OAuth2RoutesDeps extends LoginResponseDeps, TokenExchangeDeps, Pick<Platform, "links"> {
  readonly methods: readonly AuthMethod[];
  readonly forwarded: Pick<ForwardedVerifier, "attributesOf">;
  readonly certificateLogin: CertificateLogin;
}

const TokenGrant = Type.Object({
  access_token: Type.String(),
  /** Of a token exchange, as the scope is. */
  issued_token_type: Type.Optional(Type.Literal(ACCESS_TOKEN_TYPE)),
  token_type: Type.Literal("Bearer"),
  expires_in: Type.Integer(),
  scope: Type.Optional(Type.String()),
});
const WRONG_METHOD: OAuth2Fault = {
  error: "other_error",
  error_description: "The method is not allowed for the requested URL.",
};
const Fault = Type.Object({ error: Type.String(), error_description: Type.String() });

const METHOD = "application_credential";
const PATH = "/v3/OS-OAUTH2/token";

/** Descriptions as in Keystone. */
const NO_CLIENT = "Client authentication failed.";
const NOT_AUTHENTICATED = "The request you have made requires authentication.";

export function addOAuth2Routes(server: HttpServer, deps: OAuth2RoutesDeps): void {
  const { methods, links, forwarded, certificateLogin } = deps;

  /** `undefined` without a certificate. */
  async function proveByCertificate(request: FastifyRequest, form: Form): Promise<Proof | undefined> {
    const peerAddress = request.socket.remoteAddress ?? "";
    const assertion = forwarded.attributesOf({ rawHeaders: request.raw.rawHeaders, peerAddress });
    if (assertion === undefined) return undefined;
    const userId = form.get("client_id") ?? "";
    request.loginName = { user_id: userId };
    return certificateLogin(userId, assertion);
  }

  async function proveBySecret(request: FastifyRequest, form: Form): Promise<Proof> {
    const client = readClient(request.headers.authorization, form);
    if (client === undefined) throw new InvalidClientError(NO_CLIENT, links);
    request.loginName = { application_credential_id: client.id };
    const identity = { methods: [METHOD], [METHOD]: client };
    return proveAll(methods, identity, { address: request.clientAddress, request });
  }

  /** What a failed login throws is an invalid client. */
  async function orInvalidClient<Result>(login: Promise<Result>, description: string): Promise<Result> {
    try {
      return await login;
    } catch (cause) {
      if (!(cause instanceof UnauthorizedError) || cause instanceof InvalidClientError) throw cause;
      throw new InvalidClientError(description, { publicUrl: links.publicUrl, cause });
    }
  }

  server.register(async (scope) => {
    acceptLoginBodies(scope);
    (scope as HttpServer).post(
      PATH,
      {
        config: {
          access: "public",
          login: "oauth2",
          home: [{ relation: extensionRelation("OS-OAUTH2", "token") }],
          endListeners: [auditGrant],
        },
        schema: {
          tags: ["authentication"],
          summary: "Logs in with OAuth 2.0 client credentials, or exchanges the token of a workload",
          response: { 200: TokenGrant, 400: Fault },
        },
      },
      async (request, reply) => {
        const { form = new Map<string, string>(), hasRepeatedFields = false } = (request.body ??
          {}) as Partial<LoginBody>;
        const fault = grantFault(form);
        if (fault !== undefined) return reply.code(400).send(fault);
        if (form.get("grant_type") === TOKEN_EXCHANGE)
          return sendExchanged(reply, exchangeToken(deps, request, { form, hasRepeatedFields }));
        // As in Keystone, a certificate wins over a secret.
        const proof =
          (await orInvalidClient(proveByCertificate(request, form), NO_CLIENT)) ??
          (await orInvalidClient(proveBySecret(request, form), NOT_AUTHENTICATED));
        const { text, payload } = await orInvalidClient(
          issueToken(deps, request, { proof, scope: { kind: "any" } }),
          NOT_AUTHENTICATED,
        );
        return reply.header("pragma", "no-cache").send(grantOf({ text, payload }));
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

function auditGrant(request: FastifyRequest, reply: FastifyReply): void {
  const { loginName } = request;
  // A token that is not exchanged has the status of an invalid request.
  const isRefused = loginName !== undefined && reply.statusCode === 400;
  auditLogin(request, reply, loginName ?? {}, isRefused ? "refused" : undefined);
}

function grantOf({ text, payload }: Pick<IssuedToken, "text" | "payload">) {
  return {
    access_token: text,
    token_type: "Bearer" as const,
    // As between the seconds that the token shows.
    expires_in: Math.floor(payload.expiresAt / 1000) - Math.floor(payload.issuedAt / 1000),
  };
}

/** @see RFC 8693, 2.2.1 */
async function sendExchanged(reply: FastifyReply, exchange: Promise<ExchangedToken>): Promise<FastifyReply> {
  reply.header("pragma", "no-cache");
  try {
    const { scope, ...token } = await exchange;
    const issued = { ...grantOf(token), issued_token_type: ACCESS_TOKEN_TYPE };
    return await reply.send({ ...issued, ...(scope !== undefined && { scope }) });
  } catch (error) {
    if (!(error instanceof OAuth2FaultError)) throw error;
    reply.request.failure = error.cause;
    return reply.code(400).send(error.fault);
  }
}
