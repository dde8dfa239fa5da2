/** The area of users' sessions: what is known of them, and how they end. */
import type { AreaWithServices, Platform } from "../area.js";
import type { RevokeTokens } from "../policy/revoke-tokens.js";
import type { UserService } from "../users/user-service.js";
import { addSessionRoutes } from "./session-routes.js";
import { createSessionService } from "./session-service.js";

export interface SessionsUses {
  readonly users: UserService;
  readonly revokeTokens: RevokeTokens;
}

export function createSessionsArea(platform: Platform, uses: SessionsUses) {
  const sessions = createSessionService({ ...platform, ...uses });
  return {
    sessions,
    addRoutes: (server) => addSessionRoutes(server, { ...uses, sessions }),
  } satisfies AreaWithServices;
}
