/** Simulates a guide's SAML provider, with the subject and the attributes that the guide shows. */
import {
  constants,
  createCipheriv,
  publicEncrypt,
  randomBytes,
  randomUUID,
  X509Certificate,
} from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { inflateRawSync } from "node:zlib";

import { newSigner, sign, type Signer } from "../../../test/federation/saml/test-provider.js";

/** What a provider does in a way of its own. */
export interface SamlQuirks {
  readonly signs: readonly ("assertion" | "response")[];
  readonly inclusivePrefixes?: readonly string[];
  readonly isEncrypted?: boolean;
  /** Elements of its metadata that are not about SAML. */
  readonly otherRoles?: string;
  /** Where clients that speak ECP come. */
  readonly ecpPath?: string;
}

/** The current assertion; tests change it. */
export interface SimulatedAssertion {
  readonly entityId: string;
  /** Its subject and its attributes. */
  readonly shown: string;
  readonly audience: string;
  readonly recipient?: string;
  readonly status: string;
  readonly signer: Signer;
  readonly sha1: boolean;
  /** The certificate for the encryption of assertions. */
  readonly certificate: string;
}

export interface SimulatedSaml {
  readonly metadata: string;
  assertion: SimulatedAssertion;
  /** @returns Whether there was something to answer. */
  answer(request: IncomingMessage, body: string, response: ServerResponse): boolean;
}

const SIGN_ON = "/sso";
const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
const XENC = "http://www.w3.org/2001/04/xmlenc#";
const DSIG = "http://www.w3.org/2000/09/xmldsig#";

export function simulateSaml(
  url: string,
  quirks: SamlQuirks,
  content: Omit<SimulatedAssertion, "signer" | "sha1" | "status">,
): SimulatedSaml {
  const signer = newSigner();
  const simulated: SimulatedSaml = {
    metadata: metadata(content.entityId, signer, quirks, url),
    assertion: { ...content, signer, sha1: false, status: "Success" },
    answer(request, body, response) {
      const { pathname, searchParams } = new URL(request.url ?? "", url);
      if (pathname === SIGN_ON) {
        const deflated = Buffer.from(searchParams.get("SAMLRequest") ?? "", "base64");
        response.setHeader("content-type", "text/html");
        response.end(postForm(inflateRawSync(deflated).toString(), searchParams.has("Signature")));
        return true;
      }
      if (pathname !== quirks.ecpPath) return false;
      const isKim = request.headers.authorization === `Basic ${Buffer.from("kim:...").toString("base64")}`;
      response.writeHead(isKim ? 200 : 401, { "content-type": "text/xml" });
      response.end(isKim ? inEnvelope(body) : "");
      return true;
    },
  };

  function postForm(request: string, isSigned: boolean): string {
    if (!isSigned) throw new Error("the request is not signed");
    const xml = responseTo(request, simulated.assertion, quirks);
    return `<form action="${consumerOf(request)}"><input name="SAMLResponse" value="${Buffer.from(xml).toString("base64")}"></form>`;
  }

  function inEnvelope(request: string): string {
    const xml = responseTo(request, simulated.assertion, quirks);
    return `<S:Envelope xmlns:S="http://schemas.xmlsoap.org/soap/envelope/"><S:Header><ecp:Response xmlns:ecp="urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp" S:mustUnderstand="1" S:actor="http://schemas.xmlsoap.org/soap/actor/next" AssertionConsumerServiceURL="${consumerOf(request)}"/></S:Header><S:Body>${xml}</S:Body></S:Envelope>`;
  }

  return simulated;
}

function consumerOf(request: string): string {
  return /AssertionConsumerServiceURL="([^"]+)"/.exec(request)?.[1] ?? "";
}

const moment = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

function responseTo(request: string, content: SimulatedAssertion, quirks: SamlQuirks): string {
  const requestId = /<samlp:AuthnRequest[^>]* ID="([^"]+)"/.exec(request)?.[1] ?? "";
  const recipient = content.recipient ?? consumerOf(request);
  const id = `_${randomUUID()}`;
  let assertion = assertionOf(content, { id, requestId, recipient });
  const options = {
    signer: content.signer,
    sha1: content.sha1,
    inclusivePrefixes: quirks.inclusivePrefixes ?? [],
  };
  if (quirks.signs.includes("assertion")) assertion = sign(assertion, id, options);
  if (quirks.isEncrypted === true) assertion = encrypted(assertion, content.certificate);
  const response =
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="_response" Version="2.0" IssueInstant="${moment(0)}" Destination="${recipient}" InResponseTo="${requestId}">` +
    `<Issuer xmlns="${ASSERTION}">${content.entityId}</Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${content.status}"/></samlp:Status>${content.status === "Success" ? assertion : ""}</samlp:Response>`;
  return quirks.signs.includes("response") ? sign(response, "_response", options) : response;
}

/** By the prefix that the provider has before its elements. */
function assertionOf(
  { entityId, shown, audience }: SimulatedAssertion,
  {
    id,
    requestId,
    recipient,
  }: { readonly id: string; readonly requestId: string; readonly recipient: string },
): string {
  const [, prefix = ""] = /^<(\w+:)?Subject>/.exec(shown) ?? [];
  const name = prefix === "" ? "xmlns" : `xmlns:${prefix.slice(0, -1)}`;
  const confirmation = `<${prefix}SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><${prefix}SubjectConfirmationData InResponseTo="${requestId}" NotOnOrAfter="${moment(300)}" Recipient="${recipient}"/></${prefix}SubjectConfirmation>`;
  const conditions = `<${prefix}Conditions NotBefore="${moment(-5)}" NotOnOrAfter="${moment(3600)}"><${prefix}AudienceRestriction><${prefix}Audience>${audience}</${prefix}Audience></${prefix}AudienceRestriction></${prefix}Conditions>`;
  const statement = `<${prefix}AuthnStatement AuthnInstant="${moment(0)}" SessionIndex="_s"><${prefix}AuthnContext><${prefix}AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</${prefix}AuthnContextClassRef></${prefix}AuthnContext></${prefix}AuthnStatement>`;
  const [subject = "", attributes = ""] = shown.trim().split(`</${prefix}Subject>`);
  return (
    `<${prefix}Assertion ${name}="${ASSERTION}" ID="${id}" IssueInstant="${moment(0)}" Version="2.0">` +
    `<${prefix}Issuer>${entityId}</${prefix}Issuer>${subject}${confirmation}</${prefix}Subject>${conditions}${statement}${attributes}</${prefix}Assertion>`
  );
}

/** As AD FS does it: AES in CBC, with the key for it under RSA-OAEP. */
function encrypted(assertion: string, certificate: string): string {
  const [secret, start] = [randomBytes(32), randomBytes(16)];
  const cipher = createCipheriv("aes-256-cbc", secret, start);
  const sealed = Buffer.concat([start, cipher.update(assertion), cipher.final()]);
  const key = new X509Certificate(Buffer.from(certificate, "base64")).publicKey;
  const wrapped = publicEncrypt({ key, oaepHash: "sha1", padding: constants.RSA_PKCS1_OAEP_PADDING }, secret);
  const value = (bytes: Buffer) =>
    `<e:CipherData><e:CipherValue>${bytes.toString("base64")}</e:CipherValue></e:CipherData>`;
  return (
    `<EncryptedAssertion xmlns="${ASSERTION}"><e:EncryptedData xmlns:e="${XENC}" Type="${XENC}Element"><e:EncryptionMethod Algorithm="${XENC}aes256-cbc"/>` +
    `<KeyInfo xmlns="${DSIG}"><e:EncryptedKey><e:EncryptionMethod Algorithm="${XENC}rsa-oaep-mgf1p"><DigestMethod Algorithm="${DSIG}sha1"/></e:EncryptionMethod>${value(wrapped)}</e:EncryptedKey></KeyInfo>` +
    `${value(sealed)}</e:EncryptedData></EncryptedAssertion>`
  );
}

function metadata(
  entityId: string,
  { certificate }: Signer,
  { otherRoles = "" }: SamlQuirks,
  url: string,
): string {
  const base64 = certificate.replaceAll(/-----.*-----|\s/g, "");
  return `<?xml version="1.0" encoding="utf-8"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId.replaceAll("&", "&amp;")}" ID="_m">${otherRoles}
<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="${DSIG}"><X509Data><X509Certificate>${base64}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>
<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${url}${SIGN_ON}"/><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${url}${SIGN_ON}"/></IDPSSODescriptor></EntityDescriptor>`;
}
