/** `/v3/users/{user_id}/sessions` */
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";

import { ownerTarget, type CredentialOwners } from "../credentials/credential-routes.js";
import { formatSeconds, type Moment } from "../platform/clock.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createRoutes } from "../platform/http/route.js";
import { nullable } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { SessionService, UserSession } from "./session-service.js";

export interface SessionRoutesDeps {
  readonly sessions: SessionService;
  readonly users: CredentialOwners;
}

const SessionView = Type.Object({
  id: Type.String(),
  kind: Type.Union([Type.Literal("console"), Type.Literal("provider")]),
  methods: nullable(Type.Array(Type.String())),
  identity_provider_id: nullable(Type.String()),
  protocol_id: nullable(Type.String()),
  device: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  address: nullable(Type.String()),
  begun_at: nullable(Type.String()),
  last_used_at: nullable(Type.String()),
  expires_at: Type.String(),
  is_current: Type.Boolean(),
});

const SessionList = Type.Object({
  sessions: Type.Array(SessionView),
  /** Kinds that are not stored: only all of them can be ended. */
  not_listed: Type.Array(Type.String()),
});

const NOT_LISTED = ["token"];

export function addSessionRoutes(server: HttpServer, { sessions, users }: SessionRoutesDeps): void {
  const route = createRoutes(server, "sessions");
  const path = "/v3/users/:user_id/sessions";
  const target = ({ caller, params }: FastifyRequest): Promise<PolicyTarget> => {
    rejectDelegated("credentials", caller);
    return ownerTarget(users, (params as { readonly user_id: string }).user_id);
  };
  route("GET", path, {
    access: { action: "identity:list_sessions", target },
    summary: "Lists the sessions of a user; tokens are not stored, and so not listed",
    response: SessionList,
    async handle({ params, consoleSessionId }) {
      const found = await sessions.list(params.user_id);
      return {
        sessions: found.map((session) => sessionView(session, session.id === consoleSessionId)),
        not_listed: NOT_LISTED,
      };
    },
  });
  route("DELETE", `${path}/:session_id`, {
    access: { action: "identity:end_session", target },
    summary: "Ends a session, and revokes its tokens",
    handle: ({ params }) => sessions.end(params.user_id, params.session_id),
  });
  route("DELETE", path, {
    access: { action: "identity:end_sessions", target },
    summary: "Ends all sessions of a user, and revokes all its tokens",
    handle: ({ params }) => sessions.endAll(params.user_id),
  });
}

function sessionView(session: UserSession, isCurrent: boolean) {
  const { id, kind, methods, provider, device, userAgent, address } = session;
  return {
    id,
    kind,
    methods: methods === undefined ? null : [...methods],
    identity_provider_id: provider?.idpId ?? null,
    protocol_id: provider?.protocolId ?? null,
    device: device ?? null,
    user_agent: userAgent,
    address,
    begun_at: shown(session.begunAt),
    last_used_at: shown(session.usedAt),
    expires_at: formatSeconds(session.expiresAt),
    is_current: isCurrent,
  };
}

function shown(moment: Moment | null): string | null {
  return moment === null ? null : formatSeconds(moment);
}
