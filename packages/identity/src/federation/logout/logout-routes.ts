/** Logout: `.../saml2/logout` for SAML messages, `.../protocols/{protocol_id}/logout` for logout tokens and for users. */
import type { FastifyReply, FastifyRequest } from "fastify";

import type { ProtocolKey } from "../../identity-providers/protocols/protocol-store.js";
import { BODY_LIMITS } from "../../platform/http/body-limits.js";
import type { LoginBody } from "../../platform/http/body-parsing.js";
import type { ExtensionPrefix } from "../../platform/http/extension-prefix.js";
import type { HttpServer } from "../../platform/http/http-server.js";
import type { Query } from "../../platform/http/query.js";
import { pathOf } from "../../platform/http/validation/schema-parts.js";
import type { LoginThrottle } from "../../platform/login-throttling/login-throttle.js";
import { shortened } from "../../platform/text/quoted-value.js";
import { outcomeOf, writeAudit } from "../../policy/audit.js";
import type { BrowserStep } from "../assertion-verifier.js";
import {
  AssertionForbiddenError,
  AssertionRefusedError,
  LogoutRefusedError,
  logRefusal,
} from "../federation-errors.js";
import { limited } from "../provider-login.js";
import { LOGOUT_REFUSED, type LoggedOut, type Logout } from "./logout.js";

export interface LogoutRoutesDeps {
  readonly logout: Logout;
  /** `undefined` where failures are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitFederated"> | undefined;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the error page of a browser is about; a login, if left out. */
    readonly errorPageOf?: "logout";
  }
  interface FastifyRequest {
    /** For the audit log; `undefined` without a logout. */
    loggedOut: LoggedOut | undefined;
  }
}

const tags = ["authentication"];
const METHODS = ["GET", "POST"] as const;
/** Of a name in the audit log: no id is longer. */
const MAX_NAME_CHARACTERS = 255;

export function addLogoutRoutes(
  server: HttpServer,
  { prefix }: ExtensionPrefix,
  { logout, throttle }: LogoutRoutesDeps,
): void {
  const route = {
    config: { access: "public", errorPageOf: "logout", endListeners: [auditLogout] },
  } as const;

  /** Failures of a network limit its further messages, but no logins: a message costs signatures. */
  const receive = (
    request: FastifyRequest,
    { name, key }: { readonly name: string; readonly key: object },
    work: () => Promise<LoggedOut>,
  ): Promise<LoggedOut> =>
    limited(throttle, { providerId: name, address: request.clientAddress }, () =>
      refusing(request, key, work),
    );

  function receiveMessage(request: FastifyRequest): Promise<LoggedOut> {
    const message = { rawQuery: rawQueryOf(request), form: formOf(request), log: request.log };
    return receive(request, { name: "saml2/logout", key: {} }, () => logout.receiveMessage(message));
  }

  /** The provider posts a logout token, or a dashboard has the browser post the user's token. */
  function logOut(request: FastifyRequest, key: ProtocolKey): Promise<LoggedOut> {
    const form = formOf(request);
    const logoutToken = form.get("logout_token");
    if (logoutToken !== undefined)
      return receive(request, { name: `${key.idpId}/logout`, key }, () =>
        logout.receiveToken(key, logoutToken),
      );
    const token = form.get("token") ?? [request.headers["x-subject-token"]].flat().join("");
    const origin = form.get("origin") ?? queryOf(request)["origin"];
    return refusing(request, key, () => logout.logOut(key, { token, origin, log: request.log }));
  }

  for (const method of METHODS) {
    server.route({
      ...route,
      method,
      url: `${prefix}/saml2/logout`,
      bodyLimit: BODY_LIMITS.logoutMessage,
      schema: { tags, summary: "Receives SAML logout messages" },
      handler: async (request, reply) => finish(request, reply, await receiveMessage(request)),
    });
    server.route({
      ...route,
      method,
      url: `${prefix}/identity_providers/:idp_id/protocols/:protocol_id/logout`,
      bodyLimit: BODY_LIMITS.logoutToken,
      schema: {
        tags,
        summary: "Logs a user out, or receives a logout token",
        params: pathOf("idp_id", "protocol_id"),
      },
      handler: async (request, reply) => {
        // The provider sends the browser back: nothing is ended.
        if (request.method !== "POST") return sendLogoutStep(reply, logout.leave(queryOf(request)["state"]));
        const { idp_id: idpId, protocol_id: id } = request.params;
        return finish(request, reply, await logOut(request, { idpId, id }));
      },
    });
  }
}

/** Logs why a logout is rejected. The response does not say. */
async function refusing<Result>(
  request: FastifyRequest,
  key: object,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    logRefusal(request.log, key, cause, LOGOUT_REFUSED);
    if (cause instanceof AssertionRefusedError || cause instanceof AssertionForbiddenError)
      throw new LogoutRefusedError({ cause });
    throw cause;
  }
}

function finish(request: FastifyRequest, reply: FastifyReply, loggedOut: LoggedOut): FastifyReply {
  request.loggedOut = loggedOut;
  return sendLogoutStep(reply, loggedOut.step);
}

function sendLogoutStep(reply: FastifyReply, { status, headers, body }: BrowserStep): FastifyReply {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply.code(status).send(body);
}

function queryOf({ query }: FastifyRequest): Query {
  return query as Query;
}

function formOf({ body }: FastifyRequest): ReadonlyMap<string, string> {
  return (body as Partial<LoginBody> | null | undefined)?.form ?? new Map<string, string>();
}

/** As received: a signature covers these bytes. */
function rawQueryOf({ raw: { url = "" } }: FastifyRequest): string {
  return url.split(/\?(.*)/s)[1] ?? "";
}

/** One record per logout, and per rejected one; none where a browser only comes back. */
function auditLogout(request: FastifyRequest, { statusCode }: FastifyReply): void {
  const { loggedOut } = request;
  if (loggedOut?.ended === undefined && statusCode < 400) return;
  const { idp_id, protocol_id } = request.params as Readonly<Record<string, string>>;
  const { count, userIds = [] } = loggedOut?.ended ?? {};
  const target = {
    idp_id: loggedOut?.key.idpId ?? idp_id,
    protocol_id: loggedOut?.key.id ?? protocol_id,
    sessions: count?.toString(),
    users: userIds.length > 1 ? userIds.join(" ") : undefined,
  };
  writeAudit(request, statusCode, {
    action: "logout",
    user: userIds.length === 1 ? userIds[0] : undefined,
    target: Object.fromEntries(
      Object.entries(target).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, shortened(value, MAX_NAME_CHARACTERS)]],
      ),
    ),
    outcome: outcomeOf(statusCode),
  });
}
