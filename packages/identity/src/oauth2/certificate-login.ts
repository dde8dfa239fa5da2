/**
 * OAuth 2.0 clients that authenticate by a client certificate (RFC 8705): the client is a user, and a mapping over the names in the
 * certificate has to name that user. The token is for the user's default project.
 */
import { createHash, X509Certificate } from "node:crypto";

import type { MappingService } from "../mappings/mapping-service.js";
import type { ProjectService } from "../projects/project-service.js";
import type { Revocations } from "../tokens/revocations.js";
import type { UserService } from "../users/user-service.js";
import type { User } from "../users/user-store.js";
import type { Platform } from "../area.js";
import { FailedLoginError } from "../auth/auth-errors.js";
import type { Proof } from "../auth/auth-methods.js";
import { evaluateMapping, type Assertion } from "../mappings/rules/evaluate-mapping.js";
import type { MappedUser } from "../mappings/rules/mapped-identity.js";
import type { Moment } from "../platform/clock.js";
import { ifFound } from "../platform/errors.js";
import { quoted } from "../platform/text/quoted-value.js";

export interface CertificateLoginDeps extends Pick<Platform, "clock"> {
  readonly users: Pick<UserService, "findUser">;
  readonly projects: Pick<ProjectService, "findDomain">;
  readonly mappings: Pick<MappingService, "getCompiled">;
  /** Of the mapping for certificates. */
  readonly mappingId: string;
  readonly revocations: Pick<Revocations, "known">;
}

/** The method that such tokens show. */
const METHOD = "oauth2_credential";

/** @returns `undefined` for an assertion without a certificate. */
export type CertificateLogin = (userId: string, assertion: Assertion) => Promise<Proof | undefined>;

export function createCertificateLogin(deps: CertificateLoginDeps): CertificateLogin {
  const { users, projects, mappings, mappingId, revocations, clock } = deps;

  async function mappedUser(attributes: Assertion): Promise<MappedUser> {
    const mapping = await ifFound(mappings.getCompiled(mappingId));
    if (mapping === undefined)
      throw new FailedLoginError("certificate-mapping", {
        detail: `mapping ${quoted(mappingId)} does not exist`,
      });
    const outcome = evaluateMapping(mapping, attributes);
    if (outcome.kind === "mapped") return outcome.identity.user;
    throw new FailedLoginError("certificate-mapping", {
      detail: `mapping ${quoted(mappingId)}: ${outcome.failure.reason}`,
    });
  }

  return async (userId, assertion) => {
    const certificate = readClientCertificate(assertion, clock.now());
    if (certificate === undefined) return undefined;
    // Before anything is read: later events revoke the token.
    const { position } = await revocations.known();
    const user = await users.findUser({ id: userId });
    if (user === undefined)
      throw new FailedLoginError("user-unknown", { detail: "the user of the client_id does not exist" });
    const domain = await projects.findDomain({ id: user.domainId });
    requireSameUser(await mappedUser(certificate.attributes), { ...user, domainName: domain?.name });
    if (user.defaultProjectId === null) throw new FailedLoginError("no-default-project", { userId });
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
 * @throws {FailedLoginError}
 */
function requireSameUser(
  { id, name, email, domain }: MappedUser,
  user: User & { readonly domainName: string | undefined },
): void {
  const isInDomain = domain?.id !== undefined || domain?.name !== undefined;
  if (id === undefined && (name === undefined || !isInDomain))
    throw new FailedLoginError("certificate-mapping", {
      detail: "the mapping names neither the id of a user nor a name and a domain",
    });
  const pairs = {
    id: [id, user.id],
    name: [name, user.name],
    email: [email, user.extra["email"]],
    "domain id": [domain?.id, user.domainId],
    "domain name": [domain?.name, user.domainName],
  };
  for (const [what, [mapped, own]] of Object.entries(pairs))
    if (mapped !== undefined && mapped !== own)
      throw new FailedLoginError("certificate-foreign", {
        detail: `the ${what} that the certificate maps to is not the user's`,
        userId: user.id,
      });
}

/** A client certificate of mutual TLS, as the front end that verified it passes it on. */
export interface ClientCertificate {
  /** The names of subject and issuer as rules of mappings see them: `SSL_CLIENT_SUBJECT_DN_CN`, `SSL_CLIENT_ISSUER_DN_O`. */
  readonly attributes: Assertion;
  /** SHA-256 of the certificate as tokens show it: base64url with padding, which keystonemiddleware compares. */
  readonly thumbprint: string;
}

/** The members of a forwarded assertion, by the names of Apache's variables. */
const CERTIFICATE = "SSL_CLIENT_CERT";
const VERIFICATION = "SSL_CLIENT_VERIFY";

/**
 * The client certificate in a forwarded assertion, which has to be valid at a moment; `undefined` without one.
 *
 * @throws {FailedLoginError} It is malformed, not yet valid or expired, or the front end did not verify it.
 */
function readClientCertificate(assertion: Assertion, now: Moment): ClientCertificate | undefined {
  const { [CERTIFICATE]: text = "", [VERIFICATION]: verification = "SUCCESS" } = assertion;
  if (text === "") return undefined;
  // Web servers can be configured to pass on certificates of unknown issuers.
  if (verification !== "SUCCESS")
    throw new FailedLoginError("certificate-invalid", {
      detail: `${VERIFICATION} of the client certificate is not SUCCESS`,
    });
  const certificate = parse(text);
  if (now < Date.parse(certificate.validFrom))
    throw new FailedLoginError("certificate-invalid", {
      detail: `client certificate is not valid before ${certificate.validFrom}`,
    });
  if (now > Date.parse(certificate.validTo))
    throw new FailedLoginError("certificate-invalid", {
      detail: `client certificate expired at ${certificate.validTo}`,
    });
  const { subject, issuer } = certificate.toLegacyObject();
  return {
    attributes: {
      ...namesOf(subject, "SSL_CLIENT_SUBJECT_DN_"),
      ...namesOf(issuer, "SSL_CLIENT_ISSUER_DN_"),
    },
    thumbprint: `${createHash("sha256").update(certificate.raw).digest("base64url")}=`,
  };
}

/** PEM. In a header its line breaks may be blanks, or percent-encoded with all other signs. */
function parse(text: unknown): X509Certificate {
  try {
    const pem = decodeURIComponent(String(text));
    const [, base64 = ""] =
      /^\s*-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem) ?? [];
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch (cause) {
    throw new FailedLoginError("certificate-invalid", {
      detail: `${CERTIFICATE} is no certificate in PEM`,
      cause,
    });
  }
}

/** Of a name that repeats, the last value, as in Keystone. */
function namesOf(entity: object, prefix: string): Assertion {
  return Object.fromEntries(
    Object.entries(entity as Readonly<Record<string, string | readonly string[]>>).map(([name, value]) => [
      prefix + name.toUpperCase(),
      [value].flat().at(-1),
    ]),
  );
}
