/** `/v3/users/{user_id}/credentials/OS-EC2` */
import type { FastifyRequest } from "fastify";
import { Type } from "typebox";

import type { ExtensionPrefix } from "../platform/http/extension-prefix.js";
import type { HttpServer } from "../platform/http/http-server.js";
import { createResource, type ResourceDeps } from "../platform/http/resource.js";
import { createRoutes, type RouteRequest } from "../platform/http/route.js";
import { bodyOf, openObject } from "../platform/http/validation/schema-parts.js";
import type { PolicyTarget } from "../policy/caller.js";
import { rejectDelegated } from "../policy/delegation-rejections.js";
import type { Action } from "../policy/is-allowed.js";
import { ownerTarget, type CredentialOwners } from "./credential-routes.js";
import { CredentialProjectError, Ec2KeyView } from "./credential.js";
import type { Ec2Key, Ec2KeyService } from "./ec2-key-service.js";

export interface Ec2KeyRoutesDeps extends ResourceDeps {
  readonly ec2Keys: Ec2KeyService;
  readonly users: CredentialOwners & {
    /** @throws {NotFoundError} */
    getUser(id: string): Promise<unknown>;
  };
}

const PATH = "/v3/users/:user_id/credentials/OS-EC2";
const TAG = "EC2 keys";

interface PathParameters {
  readonly user_id: string;
  readonly credential_id: string;
}

const EC2: ExtensionPrefix = {
  prefix: PATH,
  putReplaces: false,
  homeName: "OS-EC2",
  hasCoreParameters: true,
};

export function addEc2KeyRoutes(server: HttpServer, { ec2Keys, users, ...deps }: Ec2KeyRoutesDeps): void {
  const view = ({ userId, projectId, access, secret, trustId }: Ec2Key) => ({
    user_id: userId,
    tenant_id: projectId,
    access,
    secret,
    trust_id: trustId,
    links: { self: deps.links.self("/v3/users", userId, "credentials", "OS-EC2", access) },
  });
  const resource = createResource(server, deps, {
    path: PATH,
    id: "credential_id",
    name: "credential",
    relation: "user_credential",
    place: EC2,
    tag: TAG,
    schema: Ec2KeyView,
    view,
  });
  /** On the keys of the user in the path. */
  const ofUser = (action: Action) => ({
    action,
    target({ caller, params }: FastifyRequest): Promise<PolicyTarget> {
      rejectDelegated("credentials", caller);
      return ownerTarget(users, (params as PathParameters).user_id);
    },
  });
  /** On the owner of the key, whichever user is in the path. */
  const ofOwner = (action: Action) => ({
    action,
    async target({ caller, params }: FastifyRequest): Promise<PolicyTarget> {
      rejectDelegated("credentials", caller);
      const key = await ec2Keys.get((params as PathParameters).credential_id);
      return ownerTarget(users, key.userId);
    },
  });

  resource.list({
    summary: "Lists the EC2 keys of a user",
    access: ofUser("identity:ec2_list_credentials"),
    async read({ page }, { params }) {
      const { user_id: userId = "" } = params;
      await users.getUser(userId);
      return ec2Keys.list(userId, { page });
    },
    view: (key) => ({ id: key.id, toJSON: () => view(key) }),
  });
  createRoutes(server, TAG)("POST", PATH, {
    access: ofUser("identity:ec2_create_credential"),
    summary: "Creates an EC2 key of a user for a project",
    body: openObject({ tenant_id: Type.Optional(Type.Unknown()) }),
    response: bodyOf("credential", Ec2KeyView),
    status: 201,
    async handle({ params, body: { tenant_id: projectId } }) {
      if (typeof projectId !== "string") throw new CredentialProjectError(shownId(projectId));
      return { credential: view(await ec2Keys.create(params.user_id, projectId)) };
    },
  });
  /** The key, whichever existing user is in the path. */
  async function get(access: string, { params }: RouteRequest): Promise<Ec2Key> {
    await users.getUser(params["user_id"] ?? "");
    return ec2Keys.get(access);
  }
  resource.show({
    summary: "Shows an EC2 key",
    access: ofOwner("identity:ec2_get_credential"),
    read: get,
  });
  resource.delete({
    summary: "Deletes an EC2 key",
    access: ofOwner("identity:ec2_delete_credential"),
    delete: async (access, request) => ec2Keys.delete(await get(access, request)),
  });
}

/** As Keystone shows a value that is no id. */
function shownId(value: unknown): string {
  return value === undefined || value === null ? "None" : JSON.stringify(value);
}
