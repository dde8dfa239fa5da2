/** `/v3/users/{user_id}/passkeys` */
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";

import { ownerTarget, type CredentialOwners } from "../credentials/credential-routes.js";
import { formatSeconds } from "../platform/clock.js";
import type { ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import type { Links } from "../platform/http/links.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes, type RouteRequest } from "../platform/http/route.js";
import type { PolicyTarget } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { CeremonyOptions, PasskeyService } from "./passkey-service.js";
import { NewPasskey, PasskeyChange, PasskeyView, type Passkey } from "./passkey.js";

export interface PasskeyRoutesDeps extends ResourceDeps {
  readonly passkeys: PasskeyService;
  readonly users: CredentialOwners & {
    /** @throws {NotFoundError} */
    getUser(id: string): Promise<unknown>;
  };
}

const PATH = "/v3/users/:user_id/passkeys";
/** Keystone has no passkeys: the home document does not list them. */
const PASSKEYS: ExtensionPrefix = { prefix: PATH, putReplaces: false };

/** What begins a ceremony. */
export const CeremonyView = Type.Object({
  options: Type.Object({ challenge: Type.String() }, { additionalProperties: true }),
  expires_at: Type.String(),
});

export function ceremonyView({ options, expiresAt }: CeremonyOptions) {
  return { options: options as { challenge: string }, expires_at: formatSeconds(expiresAt) };
}

export function addPasskeyRoutes(server: HttpServer, { passkeys, users, ...deps }: PasskeyRoutesDeps): void {
  const resource = createResource(server, deps, {
    path: PATH,
    id: "passkey_id",
    name: "passkey",
    place: PASSKEYS,
    schema: PasskeyView,
    view: (passkey: Passkey) => passkeyView(passkey, deps.links),
  });
  const target = ({ caller, params }: FastifyRequest): Promise<PolicyTarget> => {
    rejectDelegated("credentials", caller);
    return ownerTarget(users, (params as { readonly user_id: string }).user_id);
  };
  const route = createRoutes(server, "passkeys");

  resource.list({
    summary: "Lists the passkeys of a user",
    target,
    async read(query, request) {
      await users.getUser(userIdIn(request));
      return passkeys.list(userIdIn(request), query);
    },
  });
  route("POST", `${PATH}/options`, {
    access: { action: "identity:create_passkey", target },
    isRead: true,
    summary: "Begins to register a passkey: options for navigator.credentials.create()",
    response: CeremonyView,
    handle: async (request) => ceremonyView(await passkeys.beginRegistration(userIdIn(request))),
  });
  resource.create({
    summary: "Registers a passkey, with what navigator.credentials.create() returned",
    target,
    body: NewPasskey,
    create: (draft, request) => passkeys.register(userIdIn(request), draft),
  });
  resource.update({
    summary: "Renames a passkey",
    target,
    body: PasskeyChange,
    update: (id, { name }, request) => passkeys.rename(keyOf(id, request), name),
  });
  resource.delete({ target, delete: (id, request) => passkeys.delete(keyOf(id, request)) });
  route("DELETE", PATH, {
    access: { action: "identity:reset_passkeys", target },
    summary: "Deletes all passkeys of a user, and revokes its tokens",
    handle: (request) => passkeys.reset(userIdIn(request)),
  });
}

function userIdIn({ params }: Pick<RouteRequest, "params">): string {
  return params["user_id"] ?? "";
}

function keyOf(id: string, request: Pick<RouteRequest, "params">) {
  return { id, userId: userIdIn(request) };
}

function passkeyView(passkey: Passkey, links: Links) {
  const { id, userId, name, transports, isBackupEligible, isBackedUp, createdAt, lastUsedAt } = passkey;
  return {
    id,
    user_id: userId,
    name,
    transports: [...transports],
    backup_eligible: isBackupEligible,
    backed_up: isBackedUp,
    created_at: formatSeconds(createdAt),
    last_used_at: lastUsedAt === null ? null : formatSeconds(lastUsedAt),
    links: { self: links.self("/v3/users", userId, "passkeys", id) },
  };
}
