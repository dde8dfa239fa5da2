/** Forged SAML Responses, by the names of the attacks. Each is derived from a Response that the provider signed for mallory. */
import { createHmac } from "node:crypto";
import { deflateRawSync } from "node:zlib";

import {
  assertion,
  AUDIENCE,
  newSigner,
  PROVIDER,
  response,
  sign,
  signedResponse,
  type ResponseParts,
} from "./test-provider.js";

export interface Attack {
  readonly name: string;
  readonly make: (parts: ResponseParts) => string;
}

const AUDIENCE_RESTRICTION = `<saml:AudienceRestriction><saml:Audience>${AUDIENCE}</saml:Audience></saml:AudienceRestriction>`;
const EVIL = { assertionId: "_evil", nameId: "admin" };
const SIGNATURE = /<ds:Signature [^]*?<\/ds:Signature>/;

/** What was signed, its assertion, that one's signature, and the assertion without it. */
function pieces(parts: ResponseParts) {
  const signed = signedResponse(parts);
  const [inner = ""] = /<saml:Assertion[^]*<\/saml:Assertion>/.exec(signed) ?? [];
  const [signature = ""] = SIGNATURE.exec(inner) ?? [];
  const evil = assertion({ ...parts, ...EVIL });
  return { signed, inner, signature, bare: inner.replace(signature, ""), evil };
}

/** The same for a response that is signed as a whole. */
function wholePieces(parts: ResponseParts) {
  const signed = signedResponse(parts, { of: "_response" });
  const [signature = ""] = SIGNATURE.exec(signed) ?? [];
  const evil = response({ ...parts, ...EVIL }).replace('ID="_response"', 'ID="_other"');
  return { signed, signature, bare: signed.replace(signature, ""), evil };
}

const afterIssuer = (xml: string, added: string) =>
  xml.replace("</saml:Issuer>", () => `</saml:Issuer>${added}`);
const atEnd = (xml: string, tag: string, added: string) =>
  xml.replace(`</${tag}>`, () => `${added}</${tag}>`);
const within = (signature: string, added: string) => atEnd(signature, "ds:Signature", added);

/** The eight shapes of signature wrapping. @see Somorovsky et al., On Breaking SAML: Be Whoever You Want to Be */
const WRAPPINGS: readonly Attack[] = [
  {
    name: "wrapping 1: the signed response within the signature of another one",
    make: (parts) => {
      const { signature, bare, evil } = wholePieces(parts);
      return afterIssuer(evil, within(signature, bare));
    },
  },
  {
    name: "wrapping 2: the signed response beside its signature in another one",
    make: (parts) => {
      const { signature, bare, evil } = wholePieces(parts);
      return afterIssuer(evil, bare + signature);
    },
  },
  {
    name: "wrapping 3: another assertion before the signed one",
    make: (parts) => {
      const { signed, inner, evil } = pieces(parts);
      return signed.replace(inner, () => evil + inner);
    },
  },
  {
    name: "wrapping 4: the signed assertion within another one",
    make: (parts) => {
      const { signed, inner, evil } = pieces(parts);
      return signed.replace(inner, () => atEnd(evil, "saml:Assertion", inner));
    },
  },
  {
    name: "wrapping 5: another assertion with the signature, and the signed one at the end",
    make: (parts) => {
      const { signed, inner, signature, bare, evil } = pieces(parts);
      return signed.replace(inner, () => afterIssuer(evil, signature) + bare);
    },
  },
  {
    name: "wrapping 6: the signed assertion within the signature of another one",
    make: (parts) => {
      const { signed, inner, signature, bare, evil } = pieces(parts);
      return signed.replace(inner, () => afterIssuer(evil, within(signature, bare)));
    },
  },
  {
    name: "wrapping 7: another assertion among extensions",
    make: (parts) => {
      const { signed, evil } = pieces(parts);
      return afterIssuer(signed, `<samlp:Extensions>${evil}</samlp:Extensions>`);
    },
  },
  {
    name: "wrapping 8: the signed assertion as an object of the signature of another one",
    make: (parts) => {
      const { signed, inner, signature, bare, evil } = pieces(parts);
      const object = `<ds:Object>${bare}</ds:Object>`;
      return signed.replace(inner, () => afterIssuer(evil, within(signature, object)));
    },
  },
];

/** A signature that needs only the public certificate. */
function byPublicKey(parts: ResponseParts): string {
  const key = PROVIDER.publicKey.export({ type: "spki", format: "pem" });
  const hmac = "http://www.w3.org/2000/09/xmldsig#hmac-sha1";
  const signed = signedResponse(parts).replace("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", hmac);
  const [info = ""] = /<ds:SignedInfo>[^]*<\/ds:SignedInfo>/.exec(signed) ?? [];
  const value = createHmac("sha1", key).update(info).digest("base64");
  return signed.replace(/(<ds:SignatureValue>)[^<]*/, `$1${value}`);
}

const doctype = (declarations: string) => `<!DOCTYPE samlp:Response [${declarations}]>`;

/** Ten entities, of which each is ten of the one before. */
function laughs(): string {
  const entities = Array.from({ length: 10 }, (_, index) => {
    const content = index === 0 ? "lol" : `&e${index - 1};`.repeat(10);
    return `<!ENTITY e${index} "${content}">`;
  });
  return doctype(entities.join(""));
}

export const ATTACKS: readonly Attack[] = [
  { name: "unsigned", make: (parts) => response(parts) },
  { name: "tampered", make: (parts) => signedResponse(parts).replace(">alice<", ">admin<") },
  {
    name: "a tampered attribute",
    make: (parts) => signedResponse(parts).replace(">staff<", ">admins<"),
  },
  ...WRAPPINGS,
  {
    name: "a comment in the name that was signed",
    make: (parts) =>
      signedResponse({ ...parts, nameId: "admin.evil" }).replace("admin.evil", "admin<!---->.evil"),
  },
  {
    name: "raw text in the name that was signed",
    make: (parts) => signedResponse(parts).replace(">alice<", "><![CDATA[alice]]><"),
  },
  {
    name: "a processing instruction in the name that was signed",
    make: (parts) => signedResponse(parts).replace(">alice<", ">ali<?x?>ce<"),
  },
  {
    name: "two assertions, the first one signed",
    make: (parts) => {
      const { signed, inner, evil } = pieces(parts);
      return signed.replace(inner, () => inner + evil);
    },
  },
  {
    name: "a digest in a comment",
    make: (parts) =>
      signedResponse(parts)
        .replace(">alice<", ">admin<")
        .replace(/<ds:DigestValue>([^<]*)</, "<ds:DigestValue><!--forged-->$1<"),
  },
  {
    name: "two digests",
    make: (parts) => signedResponse(parts).replace(/<ds:DigestValue>[^<]*<\/ds:DigestValue>/, "$&$&"),
  },
  {
    name: "two signed infos",
    make: (parts) => signedResponse(parts).replace(/<ds:SignedInfo>[^]*<\/ds:SignedInfo>/, "$&$&"),
  },
  {
    name: "key swap: another key, with its certificate beside the signature",
    make: (parts) => signedResponse(parts, { signer: newSigner() }),
  },
  { name: "HMAC with the public key", make: byPublicKey },
  { name: "SHA-1", make: (parts) => signedResponse(parts, { sha1: true }) },
  {
    name: "a reference to nothing, which is the whole document",
    make: (parts) => signedResponse(parts).replace('URI="#_assertion"', 'URI=""'),
  },
  {
    name: "an id that two elements have",
    make: (parts) => signedResponse(parts).replace("<samlp:Status>", '<samlp:Status Id="_assertion">'),
  },
  {
    name: "the signature of another document of the same provider",
    make: (parts) => {
      const [other = ""] =
        SIGNATURE.exec(sign(response({ ...parts, nameId: "mallory" }), "_assertion")) ?? [];
      return afterIssuerOfAssertion(response({ ...parts, nameId: "admin" }), other);
    },
  },
  { name: "wrong issuer", make: (parts) => signedResponse({ ...parts, issuer: "https://evil.example.org" }) },
  {
    name: "wrong audience",
    make: (parts) => signedResponse({ ...parts, audience: "https://other.example.org" }),
  },
  { name: "no audience", make: (parts) => signedResponse({ ...parts, conditions: "" }) },
  {
    name: "wrong recipient",
    make: (parts) => signedResponse({ ...parts, recipient: "https://other.example.org/acs" }),
  },
  {
    name: "wrong destination",
    make: (parts) => signedResponse({ ...parts, destination: "https://other.example.org/acs" }),
  },
  { name: "wrong InResponseTo", make: (parts) => signedResponse({ ...parts, inResponseTo: "_never_asked" }) },
  { name: "no InResponseTo", make: (parts) => signedResponse({ ...parts, inResponseTo: undefined }) },
  {
    name: "expired",
    make: (parts) =>
      signedResponse({ ...parts, notOnOrAfter: "2026-11-21T11:59:00Z", notBefore: "2026-11-21T11:50:00Z" }),
  },
  { name: "not valid yet", make: (parts) => signedResponse({ ...parts, notBefore: "2026-11-21T12:01:01Z" }) },
  {
    name: "an end that is no time",
    make: (parts) => signedResponse({ ...parts, notOnOrAfter: "2026-11-21T24:99:00+99:00" }),
  },
  { name: "refused by the provider", make: (parts) => signedResponse({ ...parts, status: "Responder" }) },
  {
    name: "an unknown condition",
    make: (parts) => signedResponse({ ...parts, conditions: `${AUDIENCE_RESTRICTION}<saml:Condition/>` }),
  },
  { name: "a document type", make: (parts) => doctype("") + signedResponse(parts) },
  {
    name: "an entity from a file",
    make: (parts) =>
      doctype('<!ENTITY x SYSTEM "file:///etc/passwd">') + signedResponse(parts).replace(">alice<", ">&x;<"),
  },
  {
    name: "entity expansion",
    make: (parts) => laughs() + signedResponse(parts).replace(">alice<", ">&e9;<"),
  },
  {
    name: "50 MB of XML",
    make: (parts) => signedResponse(parts).replace(">alice<", () => `>${"a".repeat(50e6)}<`),
  },
  {
    name: "a hundred thousand elements, each within the one before",
    make: (parts) => afterIssuer(signedResponse(parts), "<a>".repeat(15_000) + "</a>".repeat(15_000)),
  },
  {
    name: "five thousand elements beside each other",
    make: (parts) => afterIssuer(signedResponse(parts), "<a/>".repeat(5000)),
  },
  {
    name: "five thousand attributes",
    make: (parts) =>
      signedResponse(parts).replace(
        "<samlp:Status>",
        `<samlp:Status ${Array.from({ length: 5000 }, (_, index) => `a${index}="1"`).join(" ")}>`,
      ),
  },
  { name: "deflate bomb", make: () => deflateRawSync("a".repeat(10e6)).toString("latin1") },
  { name: "no XML at all", make: () => "alice" },
];

function afterIssuerOfAssertion(xml: string, added: string): string {
  const start = xml.indexOf("<saml:Assertion");
  return xml.slice(0, start) + afterIssuer(xml.slice(start), added);
}
