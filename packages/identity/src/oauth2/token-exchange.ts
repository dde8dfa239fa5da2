/**
 * Token exchange (RFC 8693): a workload's JWT for a token of this service. The login itself is that of the protocol's auth endpoint,
 * which the parameter `audience` names: `urn:hamkit:idp:ID:protocol:ID`, ids percent-encoded.
 */
import type { FastifyRequest } from "fastify";

import { issueToken, type IssuedToken } from "../auth/login.js";
import type { ScopeRequest } from "../auth/login-request.js";
import type { LoginResponseDeps } from "../auth/token-response.js";
import { isBrowserStep } from "../federation/assertion-verifier.js";
import type { ProviderLogin } from "../federation/provider-login.js";
import { logRefusal } from "../federation/federation-errors.js";
import type { OpenedProtocol } from "../identity-providers/protocols/protocol-service.js";
import type { ProtocolKey } from "../identity-providers/protocols/protocol-store.js";
import { isForWorkloads } from "../federation/protocols/openid/openid-settings.js";
import { ifFound, ForbiddenError, NotFoundError, UnauthorizedError } from "../platform/errors.js";
import { hasNul } from "../platform/text/text-length.js";
import type { LoginBody } from "../platform/http/body-parsing.js";
import { quoted } from "../platform/text/quoted-value.js";
import { OAuth2FaultError, type OAuth2Fault, type Form } from "./oauth2-request.js";

export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";

export interface TokenExchangeDeps extends LoginResponseDeps {
  readonly providerLogin: ProviderLogin;
  readonly protocols: { readonly getOpened: (key: ProtocolKey) => Promise<OpenedProtocol> };
}

export interface ExchangedToken extends IssuedToken {
  /** As requested; `undefined` for an unscoped token. */
  readonly scope: string | undefined;
}

/** @throws {OAuth2FaultError} */
export async function exchangeToken(
  deps: TokenExchangeDeps,
  request: FastifyRequest,
  { form, hasRepeatedFields }: Pick<LoginBody, "form" | "hasRepeatedFields">,
): Promise<ExchangedToken> {
  if (hasRepeatedFields) throw fault("invalid_request", "A parameter is repeated, expected each once.");
  // RFC 6749, 3.2: a parameter without a value is omitted.
  const parameters = new Map([...form].filter(([, value]) => value !== ""));
  checkParameters(parameters);
  const token = jwtOf(parameters);
  const scope = parameters.get("scope");
  const scopeRequest = readScope(scope);
  const key = readAudience(parameters.get("audience"));
  request.loginName = { idp_id: key.idpId, protocol_id: key.id };
  await requireWorkloads(deps, key);
  const proof = await orInvalidRequest(proveWorkload(deps, request, { key, token }));
  try {
    return { ...(await issueToken(deps, request, { proof, scope: scopeRequest })), scope };
  } catch (cause) {
    logRefusal(request.log, key, cause);
    if (!isRefusal(cause)) throw cause;
    throw fault("invalid_scope", "The user of the subject_token has no token with this scope.", cause);
  }
}

/** Parameters that would ask for something else than the service issues. */
function checkParameters(form: Form): void {
  const fixed = { subject_token_type: JWT_TYPE, requested_token_type: ACCESS_TOKEN_TYPE };
  for (const name of ["subject_token", "subject_token_type", "audience"])
    if (!form.has(name)) throw fault("invalid_request", `The parameter ${name} is required.`);
  for (const [name, expected] of Object.entries(fixed)) {
    const value = form.get(name);
    if (value !== undefined && value !== expected)
      throw fault("invalid_request", `The parameter ${name} is ${quoted(value)}, expected ${expected}.`);
  }
  for (const name of ["actor_token", "actor_token_type"])
    if (form.has(name)) throw fault("invalid_request", `The parameter ${name} is not supported.`);
  if (form.has("resource"))
    throw fault("invalid_target", "The parameter resource is not supported, expected audience.");
}

/** As in a header: the verifier limits its length. */
function jwtOf(form: Form): string {
  const token = form.get("subject_token") ?? "";
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  throw fault("invalid_request", "The parameter subject_token is no signed JWT in its compact form.");
}

const AUDIENCE = /^urn:hamkit:idp:(?<idpId>[^:]+):protocol:(?<id>[^:]+)$/;

function readAudience(audience = ""): ProtocolKey {
  const { idpId = "", id = "" } = AUDIENCE.exec(audience)?.groups ?? {};
  try {
    const key = { idpId: decodeURIComponent(idpId), id: decodeURIComponent(id) };
    if (idpId !== "" && !hasNul(key)) return key;
  } catch {
    // An invalid percent-encoding.
  }
  throw fault(
    "invalid_target",
    `The parameter audience is ${quoted(audience)}, expected urn:hamkit:idp:ID:protocol:ID with percent-encoded ids.`,
  );
}

function readScope(scope: string | undefined): ScopeRequest {
  if (scope === undefined) return { kind: "unscoped" };
  if (scope === "system") return { kind: "system" };
  const { kind, id = "" } = /^(?<kind>project|domain):(?<id>[^\s]+)$/.exec(scope)?.groups ?? {};
  if (kind === "project") return { kind, project: { id } };
  if (kind === "domain") return { kind, domain: { id } };
  throw fault(
    "invalid_scope",
    `The parameter scope is ${quoted(scope)}, expected one of project:ID, domain:ID and system.`,
  );
}

/** The same answer for a protocol that does not exist. */
async function requireWorkloads({ protocols }: TokenExchangeDeps, key: ProtocolKey): Promise<void> {
  const settings = (await ifFound(protocols.getOpened(key)))?.settings;
  if (isForWorkloads(settings)) return;
  throw fault("invalid_target", "The parameter audience names no protocol that accepts tokens of workloads.");
}

async function proveWorkload(
  { providerLogin }: TokenExchangeDeps,
  request: FastifyRequest,
  { key, token }: { readonly key: ProtocolKey; readonly token: string },
) {
  const result = await providerLogin(key, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    rawHeaders: [],
    query: new Map(),
    form: new Map(),
    text: undefined,
    clientAddress: request.clientAddress,
    peerAddress: request.socket.remoteAddress ?? "",
    origin: undefined,
    requestId: request.id,
    log: request.log,
  });
  if (isBrowserStep(result)) throw fault("invalid_request", "The subject_token is not accepted.");
  return result.proof;
}

/** RFC 8693, 2.2.2: a token that is invalid, or not accepted, is an invalid request. The log has the reason. */
async function orInvalidRequest<Result>(login: Promise<Result>): Promise<Result> {
  try {
    return await login;
  } catch (cause) {
    if (!isRefusal(cause)) throw cause;
    throw fault("invalid_request", "The subject_token is not accepted.", cause);
  }
}

function isRefusal(failure: unknown): boolean {
  return (
    failure instanceof UnauthorizedError ||
    failure instanceof ForbiddenError ||
    failure instanceof NotFoundError
  );
}

function fault(error: OAuth2Fault["error"], description: string, cause?: unknown): OAuth2FaultError {
  return new OAuth2FaultError({ error, error_description: description }, { cause });
}
