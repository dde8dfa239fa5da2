/**
 * OAuth 2.0 clients that authenticate by a client certificate (RFC 8705): the client is a user, and a mapping over the names in the
 * certificate has to name that user. The token is for the user's default project.
 */
import type { Proof } from "../auth/auth-methods.js";
import { LoginRefusedError } from "../auth/auth-errors.js";
import type { Mapping } from "../mappings/rules/compile-mapping.js";
import { evaluateMapping, type Assertion } from "../mappings/rules/evaluate-mapping.js";
import type { MappedUser } from "../mappings/rules/mapped-identity.js";
import type { Clock } from "../platform/clock.js";
import { ifFound } from "../platform/found.js";
import { quoted } from "../platform/text/quoted-value.js";
import { readClientCertificate } from "./client-certificate.js";

interface Client {
  readonly id: string;
  readonly name: string;
  readonly domainId: string;
  readonly defaultProjectId: string | null;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface CertificateLoginDeps {
  readonly users: { findUser(reference: { readonly id: string }): Promise<Client | undefined> };
  readonly projects: {
    findDomain(reference: { readonly id: string }): Promise<{ readonly name: string } | undefined>;
  };
  readonly mappings: { getCompiled(id: string): Promise<Mapping> };
  /** Of the mapping for certificates. */
  readonly mappingId: string;
  readonly revocations: { known(): Promise<{ readonly position: number }> };
  readonly clock: Clock;
}

/** The method that such tokens show. */
const METHOD = "oauth2_credential";

/** @returns `undefined` for an assertion without a certificate. */
export type CertificateLogin = (userId: string, assertion: Assertion) => Promise<Proof | undefined>;

export function createCertificateLogin(deps: CertificateLoginDeps): CertificateLogin {
  const { users, projects, mappings, mappingId, revocations, clock } = deps;

  async function mappedUser(attributes: Assertion): Promise<MappedUser> {
    const mapping = await ifFound(mappings.getCompiled(mappingId));
    if (mapping === undefined) throw new LoginRefusedError(`mapping ${quoted(mappingId)} does not exist`);
    const outcome = evaluateMapping(mapping, attributes);
    if (outcome.kind === "mapped") return outcome.identity.user;
    throw new LoginRefusedError(`mapping ${quoted(mappingId)}: ${outcome.failure.reason}`);
  }

  return async (userId, assertion) => {
    const certificate = readClientCertificate(assertion, clock.now());
    if (certificate === undefined) return undefined;
    // Before anything is read: later events revoke the token.
    const { position } = await revocations.known();
    const user = await users.findUser({ id: userId });
    if (user === undefined) throw new LoginRefusedError("the user of the client_id does not exist");
    const domain = await projects.findDomain({ id: user.domainId });
    requireSameUser(await mappedUser(certificate.attributes), { ...user, domainName: domain?.name });
    if (user.defaultProjectId === null) throw new LoginRefusedError("the user has no default project");
    return {
      userId,
      methods: [METHOD],
      position,
      isUserChecked: false,
      scope: { kind: "project", projectId: user.defaultProjectId },
      delegation: { certificateThumbprint: certificate.thumbprint },
    };
  };
}

/**
 * Everything that the mapping names has to be the user's, and it has to identify the user: Keystone accepts any user's certificate
 * where a mapping names no user at all.
 *
 * @throws {LoginRefusedError}
 */
function requireSameUser(
  { id, name, email, domain }: MappedUser,
  user: Client & { readonly domainName: string | undefined },
): void {
  const isInDomain = domain?.id !== undefined || domain?.name !== undefined;
  if (id === undefined && (name === undefined || !isInDomain))
    throw new LoginRefusedError("the mapping names neither the id of a user nor a name and a domain");
  const pairs = {
    id: [id, user.id],
    name: [name, user.name],
    email: [email, user.extra["email"]],
    "domain id": [domain?.id, user.domainId],
    "domain name": [domain?.name, user.domainName],
  };
  for (const [what, [mapped, own]] of Object.entries(pairs))
    if (mapped !== undefined && mapped !== own)
      throw new LoginRefusedError(`the ${what} that the certificate maps to is not the user's`);
}
