/**
 * Authenticates SCIM clients by the bearer secret of their provider. All rejections are the same 401: a client does not learn whether a
 * provider exists. Wrong secrets count as failed logins through the provider do.
 */
import type { FastifyRequest } from "fastify";

import type { IdentityProvider } from "../../identity-providers/identity-provider.js";
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
  readonly secretId: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** `undefined` before the check of the secret, and where it fails. */
    scimCaller: ScimCaller | undefined;
  }
}

const BEARER = /^Bearer +(?<secret>\S+) *$/i;

/** @throws {ScimSecretError} {@link ScimDisabledError} {@link TooManyError} */
export async function authenticateScim(deps: ScimAccessDeps, request: FastifyRequest): Promise<ScimCaller> {
  const { idp_id: idpId = "" } = request.params as Readonly<Record<string, string>>;
  const secret = await verifySecret(deps, request, idpId);
  const provider = await deps.identityProviders.get(idpId);
  const { id, domainId, enabled, scimUniqueId } = provider;
  if (!enabled) throw new ScimDisabledError(`Identity provider ${idpId} is disabled.`);
  if (scimUniqueId === null) throw new ScimDisabledError(`Identity provider ${idpId} has no scim_unique_id.`);
  return { provider: { id, domainId, scimUniqueId }, secretId: secret.id };
}

async function verifySecret(
  { secrets, throttle }: ScimAccessDeps,
  { headers, clientAddress }: FastifyRequest,
  idpId: string,
) {
  const admission = await throttle?.admitFederated({ providerId: `scim:${idpId}`, address: clientAddress });
  let result: AttemptResult = "unknown";
  try {
    const sent = BEARER.exec(headers.authorization ?? "")?.groups?.["secret"] ?? "";
    const secret = await secrets.verify(idpId, sent);
    result = secret === undefined ? "failed" : "succeeded";
    if (secret === undefined)
      throw new ScimSecretError("the bearer secret is missing, unknown, expired or that of another provider");
    return secret;
  } finally {
    admission?.end(result);
  }
}
