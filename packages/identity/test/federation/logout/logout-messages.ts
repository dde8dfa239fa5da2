/** Logout messages of the SAML provider. */
import { createSign } from "node:crypto";
import { deflateRawSync } from "node:zlib";

import { failureStatus, ISSUER, PROVIDER, sign, type Signer } from "../saml/test-provider.js";

export const LOGOUT_URL = "http://127.0.0.1:5900/v3/OS-FEDERATION/saml2/logout";

export interface LogoutParts {
  readonly id?: string;
  readonly issuer?: string;
  /** `null` for none. */
  readonly destination?: string | null;
  readonly issued?: string;
  readonly notOnOrAfter?: string;
  readonly nameId?: string;
  /** The element that names the user, instead of a NameID. */
  readonly subject?: string;
  readonly indexes?: readonly string[];
  readonly version?: string;
}

const NAMESPACES = `xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"`;
let requests = 0;

/** A LogoutRequest, not signed. */
export function logoutRequest(parts: LogoutParts = {}): string {
  requests += 1;
  const { id = `_logout${requests}`, issuer = ISSUER, destination = LOGOUT_URL, version = "2.0" } = parts;
  const { issued = "2026-11-21T12:00:00Z", notOnOrAfter, nameId = "alice", indexes = [] } = parts;
  const { subject = `<saml:NameID>${nameId}</saml:NameID>` } = parts;
  const place = destination === null ? "" : ` Destination="${destination}"`;
  const end = notOnOrAfter === undefined ? "" : ` NotOnOrAfter="${notOnOrAfter}"`;
  const sessions = indexes.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`);
  return `<samlp:LogoutRequest ${NAMESPACES} ID="${id}" Version="${version}" IssueInstant="${issued}"${place}${end}><saml:Issuer>${issuer}</saml:Issuer>${subject}${sessions.join("")}</samlp:LogoutRequest>`;
}

export function logoutResponse(inResponseTo: string, { status = "Success", issuer = ISSUER } = {}): string {
  const element = `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status>`;
  return `<samlp:LogoutResponse ${NAMESPACES} ID="_answer" Version="2.0" IssueInstant="2026-11-21T12:00:00Z" Destination="${LOGOUT_URL}" InResponseTo="${inResponseTo}"><saml:Issuer>${issuer}</saml:Issuer>${element}</samlp:LogoutResponse>`;
}

/** A LogoutResponse that reports a failure in the provider's words. */
export function failedLogoutResponse(inResponseTo = "_unknown"): string {
  const words = `<samlp:StatusMessage>session is unknown</samlp:StatusMessage>`;
  return logoutResponse(inResponseTo).replace(/<samlp:Status>.*<\/samlp:Status>/, () =>
    failureStatus({ codes: ["Responder", "PartialLogout"], words }),
  );
}

/** A document signed by the provider, as a form has it. */
export function inForm(
  xml: string,
  options: { readonly signer?: Signer; readonly sha1?: boolean } = {},
): string {
  const [, id = ""] = /\bID="([^"]+)"/.exec(xml) ?? [];
  return Buffer.from(sign(xml, id, options)).toString("base64");
}

export interface RedirectOptions {
  readonly name?: "SAMLRequest" | "SAMLResponse";
  readonly relayState?: string;
  readonly signer?: Signer;
  readonly hash?: "sha1" | "sha256";
}

const SIG_ALGS = {
  sha1: "http://www.w3.org/2000/09/xmldsig#rsa-sha1",
  sha256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
};

/** The query of HTTP-Redirect, with a signature over its very bytes. */
export function redirectQuery(
  xml: string,
  { name = "SAMLRequest", relayState, signer = PROVIDER, hash = "sha256" }: RedirectOptions = {},
): string {
  const parts = [
    `${name}=${encodeURIComponent(deflateRawSync(xml).toString("base64"))}`,
    // In lower case, as some providers escape: it is the bytes received that are signed.
    ...(relayState === undefined
      ? []
      : [`RelayState=${encodeURIComponent(relayState).replaceAll(/%../g, (each) => each.toLowerCase())}`]),
    `SigAlg=${encodeURIComponent(SIG_ALGS[hash])}`,
  ];
  const text = parts.join("&");
  const signature = createSign(hash).update(text).sign(signer.privateKey, "base64");
  return `${text}&Signature=${encodeURIComponent(signature)}`;
}
