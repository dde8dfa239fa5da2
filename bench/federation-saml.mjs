/** An identity provider of SAML, as far as a benchmark needs one: its metadata, and responses with signed assertions. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { inflateRawSync } from "node:zlib";

import { SignedXml } from "xml-crypto";

const { selfSignedCertificate } = await import(
  new URL("../packages/identity/dist/saml/self-signed-certificate.js", import.meta.url).href
);

const ISSUER = "https://idp.example.org/";
const C14N = "http://www.w3.org/2001/10/xml-exc-c14n#";
const HOUR_MS = 3_600_000;
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const period = { from: Date.now() - HOUR_MS, until: Date.now() + HOUR_MS };
const certificate = selfSignedCertificate(privateKey, { commonName: "bench", ...period });

export function samlMetadata() {
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${ISSUER}">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate.toString("base64")}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${ISSUER}sso"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;
}

/** @param request The address that the service has sent a browser to. @param url Where the response is brought. */
export function samlResponse({ request, url, user }) {
  const asked = inflateRawSync(Buffer.from(request.searchParams.get("SAMLRequest"), "base64")).toString();
  const [, id] = / ID="([^"]+)"/.exec(asked);
  return signed(response({ id, url, user }));
}

const at = (offset) => new Date(Date.now() + offset).toISOString();
const attribute = (name, ...values) =>
  `<saml:Attribute Name="${name}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join("")}</saml:Attribute>`;

function response({ id, url, user }) {
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomUUID()}" Version="2.0" IssueInstant="${at(0)}" Destination="${url}" InResponseTo="${id}"><saml:Issuer>${ISSUER}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status><saml:Assertion ID="_${randomUUID()}" Version="2.0" IssueInstant="${at(0)}"><saml:Issuer>${ISSUER}</saml:Issuer><saml:Subject><saml:NameID>${user}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${at(HOUR_MS)}" Recipient="${url}" InResponseTo="${id}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(-HOUR_MS)}" NotOnOrAfter="${at(HOUR_MS)}"><saml:AudienceRestriction><saml:Audience>bench</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${at(0)}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attribute("name", user)}${attribute("groups", "staff", "others")}</saml:AttributeStatement></saml:Assertion></samlp:Response>`;
}

function signed(xml) {
  const signature = new SignedXml({
    privateKey,
    signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    canonicalizationAlgorithm: C14N,
  });
  signature.addReference({
    xpath: `//*[local-name()="Assertion"]`,
    transforms: ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", C14N],
    digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
  });
  const reference = `//*[local-name()="Assertion"]/*[local-name()="Issuer"]`;
  signature.computeSignature(xml, { prefix: "ds", location: { reference, action: "after" } });
  return signature.getSignedXml();
}
