/** Federated login at `/v3/auth/tokens`: with an assertion that a front end forwards, or with a federated user's token. */
import type { Platform } from "../area.js";
import { FailedLoginError, MissingPartError } from "../auth/auth-errors.js";
import {
  type AuthMethod,
  type LoginSource,
  type Proof,
  type RequireValidFederation,
} from "../auth/auth-methods.js";
import { federatedEvent } from "../platform/events.js";
import { requireOwnLogin } from "../policy/delegation-rejections.js";
import { auditChainOf } from "../tokens/audit-ids.js";
import type { TokenService } from "../tokens/token-service.js";
import { isBrowserStep, type FederatedRequest } from "./assertion-verifier.js";
import type { ProviderLogin } from "./provider-login.js";

export interface MappedMethodDeps extends Pick<Platform, "publish"> {
  readonly tokens: Pick<TokenService, "read">;
  readonly providerLogin: ProviderLogin;
  readonly requireValidFederation: RequireValidFederation;
}

/** Keystone's names of the method. */
const METHODS = ["mapped", "openid", "saml2"] as const;

export function createMappedMethods({
  tokens,
  providerLogin,
  requireValidFederation,
  publish,
}: MappedMethodDeps): AuthMethod[] {
  async function proveByToken(text: string, method: string): Promise<Proof> {
    const { payload, position } = await tokens.read(text);
    requireOwnLogin(payload);
    const { userId, expiresAt, federation } = payload;
    if (federation === undefined || federation.isLocalUser === true)
      throw new FailedLoginError("token-not-federated");
    await requireValidFederation(federation);
    await publish(federatedEvent("success", federation.identityProviderId, payload));
    const proof = { userId, methods: [method], position, isUserChecked: true };
    return { ...proof, expiresAt, auditChainId: auditChainOf(payload), federation };
  }

  async function proveByAssertion(part: MappedPart, method: string, source: LoginSource): Promise<Proof> {
    const { identity_provider: idpId, protocol: id } = part;
    if (typeof idpId !== "string") throw new MissingPartError("identity_provider", method);
    if (typeof id !== "string") throw new MissingPartError("protocol", method);
    const result = await providerLogin({ idpId, id }, requestOf(source), { method });
    if (isBrowserStep(result)) throw new FailedLoginError("browser-required");
    return result.proof;
  }

  return METHODS.map((name) => ({
    name,
    async prove(identity, source) {
      const part = partOf(identity, name);
      if (!("id" in part)) return proveByAssertion(part, name, source);
      if (typeof part.id !== "string") throw new MissingPartError("id", name);
      return proveByToken(part.id, name);
    },
  }));
}

interface MappedPart {
  readonly id?: unknown;
  readonly identity_provider?: unknown;
  readonly protocol?: unknown;
}

function partOf(identity: object, name: string): MappedPart {
  const part = (identity as Readonly<Record<string, unknown>>)[name];
  if (typeof part !== "object" || part === null) throw new MissingPartError("identity_provider", name);
  return part;
}

/** The body is JSON of `/v3/auth/tokens`: only headers carry an assertion. */
function requestOf({ address, request }: LoginSource): FederatedRequest {
  return {
    method: "POST",
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
    query: new Map(),
    form: new Map(),
    text: undefined,
    clientAddress: address,
    peerAddress: request.socket.remoteAddress ?? "",
    origin: undefined,
    requestId: request.id,
    log: request.log,
  };
}
