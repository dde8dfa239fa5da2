/** `/v3/credentials` */
import type { FastifyRequest } from "fastify";

import type { ListQuery } from "../platform/database/table.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes, type RouteRequest } from "../platform/http/route.js";
import type { Credentials, PolicyTarget } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import { isAllowed } from "../policy/is-allowed.js";
import { scopeDomainId } from "../policy/personas.js";
import type { Credential, CredentialService } from "./credential-service.js";
import {
  ChangedCredential,
  credentialFields,
  CredentialView,
  NewCredential,
  CREDENTIAL_FILTERS,
  type CredentialVisibility,
} from "./credential.js";

type CredentialFilter = (typeof CREDENTIAL_FILTERS)[number];

/** Credentials that are read at once. */
const MAX_ROWS = 1000;

export function addCredentialRoutes(
  server: HttpServer,
  {
    credentials,
    users,
    ...deps
  }: ResourceDeps & { readonly credentials: CredentialService; readonly users: CredentialOwners },
): void {
  const view = (credential: Credential) => ({
    ...credential.extra,
    ...credentialFields.view(credential),
    blob: credential.blob,
    links: { self: deps.links.self("/v3/credentials", credential.id) },
  });
  const resource = createResource(server, deps, {
    path: "/v3/credentials",
    id: "credential_id",
    name: "credential",
    schema: CredentialView,
    view,
  });
  const target = async ({ caller, params }: FastifyRequest) => {
    rejectDelegated("credentials", caller);
    const { credential_id: id } = params as { readonly credential_id: string };
    return ownerTarget(users, await credentials.findOwner(id));
  };
  /** Where a policy file decides who may see a credential, it is asked about each. */
  async function listAllowed(
    query: ListQuery<CredentialFilter>,
    request: RouteRequest,
  ): Promise<Credential[]> {
    const { limit = MAX_ROWS } = query.page;
    const decide = request.server.decisions.within(request);
    const allowed: Credential[] = [];
    for (let { page } = query; ;) {
      const found = await credentials.list({ ...query, page, visibility: { kind: "all" } });
      for (const credential of found) {
        const check = {
          action: "identity:get_credential",
          target: await ownerTarget(users, credential.userId),
        } as const;
        if (decide(check, { credential: view(credential) })) allowed.push(credential);
      }
      const last = found.at(-1);
      if (last === undefined || found.length <= limit || allowed.length > limit) return allowed;
      page = { limit, marker: last.id };
    }
  }
  createRoutes(server, "credentials")("DELETE", "/v3/users/:user_id/one_time_codes", {
    access: {
      action: "identity:reset_one_time_codes",
      target({ caller, params }) {
        rejectDelegated("credentials", caller);
        return ownerTarget(users, (params as { readonly user_id: string }).user_id);
      },
    },
    summary: "Deletes a user's secrets of one-time codes, and revokes its tokens",
    handle: ({ params }) => credentials.resetOneTimeCodes(params.user_id),
  });
  resource.list({
    summary: "Lists the credentials that the caller may see",
    filters: CREDENTIAL_FILTERS,
    async read(query, request) {
      const {
        caller,
        server: { decisions },
      } = request;
      // Delegated tokens see none.
      if (caller.delegation !== undefined) return [];
      if (decisions.isAffected("identity:get_credential")) return listAllowed(query, request);
      return credentials.list({ ...query, visibility: credentialsVisibleTo(caller) });
    },
  });
  resource.create({
    target({ caller, body }) {
      rejectDelegated("credentials", caller);
      // A body without a user is rejected by its schema, and belongs to the caller until then.
      return ownerTarget(users, userIn(body) ?? caller.userId);
    },
    body: NewCredential,
    create: (draft) => credentials.create(draft),
  });
  resource.show({ target, read: credentials.get });
  resource.update({
    summary: "Changes the blob of a credential",
    target,
    body: ChangedCredential,
    update: credentials.update,
  });
  resource.delete({ target, delete: credentials.delete });
}

/** The user in a body that has not been validated. */
function userIn(body: unknown): string | undefined {
  const { credential } = (body ?? {}) as { readonly credential?: unknown };
  const { user_id: id } = (credential ?? {}) as { readonly user_id?: unknown };
  return typeof id === "string" ? id : undefined;
}

/** The users to whom credentials belong. */
export interface CredentialOwners {
  findUser(reference: {
    readonly id: string;
  }): Promise<{ readonly id: string; readonly domainId: string } | undefined>;
}

/** The owner as a policy target; none if the user does not exist. */
export async function ownerTarget(users: CredentialOwners, id: string | undefined): Promise<PolicyTarget> {
  const user = id === undefined ? undefined : await users.findUser({ id });
  return user === undefined ? {} : { user: { id: user.id, domainId: user.domainId } };
}

/** The credentials that a caller may list, by the built-in rules. */
function credentialsVisibleTo(caller: Credentials): CredentialVisibility {
  const mayGetOf = (domainId: string) =>
    isAllowed("identity:get_credential", caller, { user: { id: "", domainId } });
  const domainId = scopeDomainId(caller);
  // No domain has an empty id: a caller who may see its users' credentials may see all.
  if (mayGetOf("")) return { kind: "all" };
  const { userId } = caller;
  return domainId !== undefined && mayGetOf(domainId)
    ? { kind: "domain", domainId, userId }
    : { kind: "own", userId };
}
