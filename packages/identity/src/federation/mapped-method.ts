/** Logging in at `/v3/auth/tokens` as a user of a federation: by a front end's word, or with a token that such a user has. */
import type { AuthMethod, LoginSource, Proof } from "../auth/auth-methods.js";
import { LoginRefusedError, MissingPartError } from "../tokens/token-errors.js";
import type { TokenFederation } from "../tokens/token-payload.js";
import type { TokenService } from "../tokens/token-service.js";
import { isBrowserStep } from "./assertion-verifier.js";
import type { LoginRequest, ProviderLogin } from "./provider-login.js";

export interface MappedMethodDeps {
  readonly tokens: Pick<TokenService, "read">;
  readonly providerLogin: ProviderLogin;
  readonly requireStanding: (federation: TokenFederation) => Promise<void>;
}

/** The names under which Keystone has it. */
const METHODS = ["mapped", "openid", "saml2"] as const;

export function createMappedMethods({
  tokens,
  providerLogin,
  requireStanding,
}: MappedMethodDeps): AuthMethod[] {
  async function byToken(text: string, method: string): Promise<Proof> {
    const { payload, position } = await tokens.read(text);
    const { userId, expiresAt, auditChainId = payload.auditId, federation } = payload;
    if (federation === undefined || federation.isLocalUser === true)
      throw new LoginRefusedError("the token is of no user of a federation");
    await requireStanding(federation);
    const proof = { userId, methods: [method], position, isUserChecked: true };
    return { ...proof, expiresAt, auditChainId, federation };
  }

  async function byAssertion(part: MappedPart, method: string, source: LoginSource): Promise<Proof> {
    const { identity_provider: idpId, protocol: id } = part;
    if (typeof idpId !== "string") throw new MissingPartError("identity_provider", method);
    if (typeof id !== "string") throw new MissingPartError("protocol", method);
    const answer = await providerLogin({ idpId, id }, requestOf(source), { method });
    if (isBrowserStep(answer)) throw new LoginRefusedError("the protocol needs a browser");
    return answer.proof;
  }

  return METHODS.map((name) => ({
    name,
    async prove(identity, source) {
      const part = partOf(identity, name);
      if (!("id" in part)) return byAssertion(part, name, source);
      if (typeof part.id !== "string") throw new MissingPartError("id", name);
      return byToken(part.id, name);
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

function requestOf({ address, request }: LoginSource): LoginRequest {
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
    log: request.log,
  };
}
