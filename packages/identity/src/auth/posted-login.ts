/** A login whose methods and scope are in the request's body: at `/v3/auth/tokens`, and in the console. */
import type { FastifyRequest } from "fastify";
import type { Static } from "typebox";

import type { HttpServer } from "../platform/http/http-server.js";
import { ApplicationCredentialScopeError, MissingPartError } from "./auth-errors.js";
import { proveAll, type AuthMethod } from "./auth-methods.js";
import type { IssuedToken } from "./login.js";
import { readScope, type Auth, type AuthBody } from "./login-request.js";
import { issueToken, type LoginResponseDeps } from "./token-response.js";

export interface PostedLoginDeps extends LoginResponseDeps {
  readonly methods: readonly AuthMethod[];
}

declare module "fastify" {
  interface FastifyRequest {
    /** The user of a login request, for the audit log. */
    loginName: Readonly<Record<string, string>> | undefined;
  }
}

export function decorateLogins(server: HttpServer): void {
  server.decorateRequest("loginName");
}

/**
 * Issues the token that a request's body asks for. Its route has `attachValidation`.
 *
 * @throws {MissingPartError} {@link AuthMethodError} {@link LoginRefusedError} {@link MoreMethodsRequiredError}
 */
export async function logIn(deps: PostedLoginDeps, request: FastifyRequest): Promise<IssuedToken> {
  const { auth } = requireBody(request);
  request.loginName = nameIn(auth);
  if (auth.scope !== undefined && auth.identity.methods.includes("application_credential"))
    throw new ApplicationCredentialScopeError();
  const scope = readScope(auth.scope);
  const proof = await proveAll(deps.methods, auth.identity, { address: request.clientAddress, request });
  return issueToken(deps, request, { proof, scope });
}

function requireBody({ body, validationError }: FastifyRequest): Static<typeof AuthBody> {
  const { auth } = (body ?? {}) as { readonly auth?: unknown };
  if (auth === undefined || auth === null) throw new MissingPartError("auth", "request body");
  if (validationError !== undefined) throw validationError;
  return body as Static<typeof AuthBody>;
}

/** How the request names the user or the application credential; never the secret. */
function nameIn({ identity }: Auth): Readonly<Record<string, string>> {
  const { password, totp, application_credential: credential } = identity;
  const { id, name, domain } = password?.user ?? totp?.user ?? credential?.user ?? {};
  const { id: domainId, name: domainName } = domain ?? {};
  const named = {
    user_id: id,
    user: name,
    domain_id: domainId,
    domain: domainName,
    application_credential_id: credential?.id,
    application_credential: credential?.name,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}
