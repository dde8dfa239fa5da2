/**
 * Why a login failed: a line in the log and a record, written after the response is sent. The caller learns nothing of it, neither
 * by the response nor by its time.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";

import { ServiceError } from "../platform/errors.js";
import { atEndOf } from "../platform/http/request-end.js";
import { LOGIN_LOG_MESSAGES, LOGIN_REASONS, type LoginReason } from "../platform/login-reasons.js";
import { quoted, shortened } from "../platform/text/quoted-value.js";
import { InvalidTokenError } from "../tokens/token-errors.js";
import { FailedLoginError, MoreMethodsRequiredError } from "./auth-errors.js";

/** A failed login, without any secret. */
export interface FailedLoginFacts {
  /** The methods that the request names, or that of the route. */
  readonly method: string;
  readonly reason: LoginReason;
  /** More than the text of the reason. */
  readonly detail: string;
  /** The user whom the request names, if it exists. */
  readonly userId: string | undefined;
  /** The name in the request, if it is that of a user: another one may be a password in the wrong field. */
  readonly userName: string | undefined;
  /** As the request names it: an id, or a name. */
  readonly domain: string | undefined;
  readonly address: string;
  readonly requestId: string;
}

/** Records a failed login; neither throws nor waits. @returns Whether it is new: logins at providers are logged where they fail. */
export type RecordFailedLogin = (facts: FailedLoginFacts, failure: unknown) => boolean;

declare module "fastify" {
  interface FastifyRequest {
    /** The methods that a login request names. */
    loginMethods: readonly string[] | undefined;
    /** The user whom a login has proved, though it may be rejected afterwards. */
    provedUserId: string | undefined;
  }
  interface FastifyContextConfig {
    /** The method of logins at this route, if the request does not name it. */
    readonly login?: string;
  }
}

export interface FailedLoginSink {
  readonly record: RecordFailedLogin;
  readonly findDomain: (reference: { readonly id: string }) => Promise<unknown>;
}

export function recordFailedLogins(server: FastifyInstance, { record, findDomain }: FailedLoginSink): void {
  server.decorateRequest("loginMethods");
  server.decorateRequest("provedUserId");
  async function reportLogin(request: FastifyRequest, login: string): Promise<void> {
    const reason = loginReasonOf(request.failure);
    if (reason === undefined) return;
    const domainId = reason === "user-unknown" ? request.loginName?.["domain_id"] : undefined;
    const isElsewhere =
      domainId !== undefined && (await findDomain({ id: domainId }).catch(() => true)) === undefined;
    report(request, { login, reason: isElsewhere ? "domain-unknown" : reason }, record);
  }

  server.addHook("onRoute", (route) => {
    const login = route.config?.login;
    if (login === undefined) return;
    atEndOf(route, (request) => {
      if (request.failure !== undefined) void reportLogin(request, login);
    });
  });
}

/** Reasons of errors that say nothing else. */
const BY_CODE: Readonly<Record<string, LoginReason>> = {
  "login/more-methods": "more-methods",
  "login/method": "method-unsupported",
  "login/assertion-required": "passkey-missing",
  "login/application-credential-scope": "application-credential-scope",
  "login/access-key-not-found": "access-key-unknown",
  "users/password-expired": "password-expired",
  "users/disabled": "user-disabled",
  "domain-config/foreign-driver": "user-in-directory",
  "token/missing": "token-missing",
  "token/unreadable": "token-unreadable",
  "policy/delegated": "token-delegated",
  "federation/refused": "provider-login",
  "federation/forbidden": "provider-login",
  "oauth2/invalid-client": "client-credentials-missing",
  "request/too-many": "too-many-attempts",
};

/** @returns `undefined` for failures other than rejections, such as malformed requests. */
export function loginReasonOf(failure: unknown): LoginReason | undefined {
  const refusal = refusalIn(failure);
  if (refusal !== undefined) return refusal.reason;
  return failure instanceof ServiceError ? BY_CODE[failure.code] : undefined;
}

/** The error or a cause of it that has a reason. */
function refusalIn(failure: unknown): FailedLoginError | InvalidTokenError | undefined {
  if (failure instanceof FailedLoginError || failure instanceof InvalidTokenError) return failure;
  // A token that a guard rejects is no login.
  const isLogin = failure instanceof ServiceError && failure.code !== "request/unauthorized";
  return isLogin ? refusalIn(failure.cause) : undefined;
}

const UNKNOWN_USER: ReadonlySet<LoginReason> = new Set(["user-unknown", "domain-unknown"]);

function report(
  request: FastifyRequest,
  { login, reason }: { readonly login: string; readonly reason: LoginReason },
  record: RecordFailedLogin,
): void {
  const { failure, loginName = {}, clientAddress, id } = request;
  const { user, application_credential_id: credential } = loginName;
  const domain = loginName["domain_id"] ?? loginName["domain"];
  const userId = userIdOf(request);
  const isKnown = userId !== undefined && !UNKNOWN_USER.has(reason);
  const facts: FailedLoginFacts = {
    method: shortened(request.loginMethods?.join(",") || login, MAX_METHOD),
    reason,
    detail: detailOf(failure, reason),
    userId,
    userName: isKnown && user !== undefined ? shortened(user, MAX_NAME) : undefined,
    domain: isKnown && domain !== undefined ? shortened(domain, MAX_NAME) : undefined,
    address: clientAddress,
    requestId: id,
  };
  if (!record(facts, failure)) return;
  const line = {
    method: facts.method,
    reason,
    ...(facts.detail !== "" && { detail: facts.detail }),
    ...(userId !== undefined && { userId }),
    // As given: the user may not exist.
    ...(userId === undefined && named("givenId", loginName["user_id"])),
    ...named("user", user),
    ...named("domain", domain),
    ...named("applicationCredential", credential),
    from: clientAddress,
  };
  request.log.info({ login: line }, LOGIN_LOG_MESSAGES.failed);
}

const named = (member: string, value: string | undefined) =>
  value !== undefined && { [member]: quoted(shortened(value, MAX_GIVEN)) };

const MAX_METHOD = 100;
const MAX_NAME = 255;
/** Of a name as given, in the log. */
const MAX_GIVEN = 100;
const MAX_DETAIL = 300;

/** The user of a failed login, if it is known. */
export function userIdOf({ failure, provedUserId }: FastifyRequest): string | undefined {
  if (failure instanceof MoreMethodsRequiredError) return failure.userId;
  const refusal = refusalIn(failure);
  const refused = refusal instanceof FailedLoginError ? refusal.userId : undefined;
  const own = (failure as { readonly userId?: unknown } | undefined)?.userId;
  return refused ?? provedUserId ?? (typeof own === "string" ? own : undefined);
}

function detailOf(failure: unknown, reason: LoginReason): string {
  const refusal = refusalIn(failure);
  if (!(refusal instanceof FailedLoginError)) return "";
  const { message } = refusal;
  return message.includes(LOGIN_REASONS[reason]) ? "" : shortened(message, MAX_DETAIL);
}
