/**
 * Authenticates SCIM clients by the bearer secret of their provider, or by a token, such as that of a workload. Secrets and tokens that are not
 * valid get the same 401: a client does not learn whether a provider exists. They count as failed logins through the provider do.
 */
import type { FastifyRequest } from "fastify";

import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
import { ifFound, UnauthorizedError } from "../../platform/errors.js";
import type { AttemptResult } from "../../platform/login-throttling/admission.js";
import type { LoginThrottle } from "../../platform/login-throttling/login-throttle.js";
import { ScimDisabledError, ScimSecretError } from "../scim-errors.js";
import type { ScimProvider } from "../scim-provider.js";
import type { ScimSecretService } from "../secrets/scim-secret-service.js";

export interface ScimAccessDeps {
  readonly secrets: Pick<ScimSecretService, "verify">;
  readonly identityProviders: { get(id: string): Promise<IdentityProvider> };
  /** `undefined` where failed logins are not limited. */
  readonly throttle: Pick<LoginThrottle, "admitFederated"> | undefined;
}

/** The client of a request. */
export interface ScimCaller {
  readonly provider: ScimProvider;
  /** `undefined` for a token. */
  readonly secretId: string | undefined;
}

declare module "fastify" {
  interface FastifyRequest {
    /** `undefined` before the check of the secret, and where it fails. */
    scimCaller: ScimCaller | undefined;
  }
}

const BEARER = /^Bearer +(?<secret>\S+) *$/i;

/** @throws {ScimSecretError} {@link NotAllowedError} {@link ScimDisabledError} {@link TooManyError} */
export async function authenticateScim(deps: ScimAccessDeps, request: FastifyRequest): Promise<ScimCaller> {
  const { idp_id: idpId = "" } = request.params as Readonly<Record<string, string>>;
  const secretId = await verifyClient(deps, request, idpId);
  const provider = await deps.identityProviders.get(idpId);
  const { id, domainId, authorizedDomains, enabled, scimUniqueId } = provider;
  if (!enabled) throw new ScimDisabledError(`Identity provider ${idpId} is disabled.`);
  if (scimUniqueId === null) throw new ScimDisabledError(`Identity provider ${idpId} has no scim_unique_id.`);
  return { provider: { id, domainId, authorizedDomains, scimUniqueId }, secretId };
}

/** @returns The id of the secret, if it was one. */
async function verifyClient(
  deps: ScimAccessDeps,
  request: FastifyRequest,
  idpId: string,
): Promise<string | undefined> {
  const { headers, clientAddress: address } = request;
  const admission = await deps.throttle?.admitFederated({ providerId: `scim:${idpId}`, address });
  let result: AttemptResult = "unknown";
  try {
    const sent = BEARER.exec(headers.authorization ?? "")?.groups?.["secret"] ?? "";
    const secret = await deps.secrets.verify(idpId, sent);
    if (secret === undefined) await admitToken(deps, request, { token: sent, idpId });
    result = "succeeded";
    return secret?.id;
  } catch (failure) {
    if (failure instanceof ScimSecretError) result = "failed";
    throw failure;
  } finally {
    admission?.end(result);
  }
}

/** A token of who may change users and groups of the provider's domain. */
async function admitToken(
  { identityProviders }: ScimAccessDeps,
  request: FastifyRequest,
  { token, idpId }: { readonly token: string; readonly idpId: string },
): Promise<void> {
  try {
    if (token === "" || token.startsWith("scim_"))
      throw new ScimSecretError("the bearer secret is not valid");
    await request.server.admitToken(request, token, {
      action: "identity:push_scim",
      async target() {
        const provider = await ifFound(identityProviders.get(idpId));
        const { id = "" } = request.params as Readonly<Record<string, string>>;
        return provider === undefined ? {} : { user: { id, domainId: provider.domainId } };
      },
    });
  } catch (cause) {
    if (!(cause instanceof UnauthorizedError)) throw cause;
    throw new ScimSecretError(
      "the bearer is missing, unknown, expired, the secret of another provider, or no valid token",
      { cause },
    );
  }
}
