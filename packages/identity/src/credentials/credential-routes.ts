/** `/v3/credentials` */
import type { FastifyRequest } from "fastify";

import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { credentialsVisibleTo, ownerTarget, type CredentialOwners } from "./credential-access.js";
import { ChangedCredential, CredentialView, NewCredential } from "./credential-schema.js";
import type { Credential, CredentialService } from "./credential-service.js";
import { CREDENTIAL_FILTERS } from "./credential-store.js";

export interface CredentialRoutesDeps extends ResourceDeps {
  readonly credentials: CredentialService;
  readonly users: CredentialOwners;
}

export function addCredentialRoutes(
  server: HttpServer,
  { credentials, users, ...deps }: CredentialRoutesDeps,
): void {
  const resource = createResource(server, deps, {
    path: "/v3/credentials",
    id: "credential_id",
    name: "credential",
    schema: CredentialView,
    view: ({ id, userId, projectId, type, blob, extra }: Credential) => ({
      ...extra,
      id,
      user_id: userId,
      project_id: projectId,
      type,
      blob,
      links: { self: deps.links.self("/v3/credentials", id) },
    }),
  });
  const target = async ({ params }: FastifyRequest) => {
    const { credential_id: id } = params as { readonly credential_id: string };
    return ownerTarget(users, await credentials.findOwner(id));
  };
  resource.list({
    summary: "Lists the credentials that the caller may see",
    filters: CREDENTIAL_FILTERS,
    read: (query, { caller }) => credentials.list({ ...query, visibility: credentialsVisibleTo(caller) }),
  });
  resource.create({
    target: ({ body }) => ownerTarget(users, userIn(body)),
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
