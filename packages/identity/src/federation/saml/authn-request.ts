/** AuthnRequests: by a redirect, by a form, or through an ECP client. */
import { createHash, sign, type KeyObject } from "node:crypto";
import { deflateRawSync } from "node:zlib";

import type { Moment } from "../../platform/clock.js";
import { escapeHtml } from "../../platform/text/html.js";
import type { BrowserStep } from "../assertion-verifier.js";
import { ALGORITHMS, BINDINGS, NAMESPACES, SOAP_NEXT } from "../../saml/saml-names.js";
import type { SamlKey } from "../../saml/saml-keys.js";
import { element, inAscii, instant, signXml, type Xml } from "../../saml/xml-writing.js";
import type { RequestedContexts } from "./requested-authn.js";

export interface AuthnRequest {
  readonly id: string;
  /** The service's entity ID. */
  readonly issuer: string;
  /** The ACS URL. */
  readonly consumerUrl: string;
  readonly now: Moment;
  /** Whether the provider has to authenticate the user anew. */
  readonly isForced?: boolean | undefined;
  /** Any authentication context if left out. */
  readonly contexts?: RequestedContexts | undefined;
  readonly key: Pick<SamlKey, "privateKey" | "certificate">;
}

/** The media type of SAML messages in SOAP (PAOS). */
export const PAOS_TYPE = "application/vnd.paos+xml";

function requestXml(request: AuthnRequest, binding: string, destination?: string): string {
  return element(
    "samlp:AuthnRequest",
    {
      "xmlns:samlp": NAMESPACES.protocol,
      "xmlns:saml": NAMESPACES.assertion,
      ID: request.id,
      Version: "2.0",
      IssueInstant: instant(request.now),
      Destination: destination,
      AssertionConsumerServiceURL: request.consumerUrl,
      ProtocolBinding: binding,
      ForceAuthn: request.isForced === true ? "true" : undefined,
    },
    element("saml:Issuer", {}, request.issuer),
    element("samlp:NameIDPolicy", { AllowCreate: "true" }),
    ...(request.contexts === undefined ? [] : [contextsElement(request.contexts)]),
  ).xml;
}

function contextsElement({ classes, comparison }: RequestedContexts): Xml {
  return element(
    "samlp:RequestedAuthnContext",
    { Comparison: comparison },
    ...classes.map((name) => element("saml:AuthnContextClassRef", {}, name)),
  );
}

async function signed(xml: string, { id, key }: AuthnRequest): Promise<string> {
  const reference = `/*/*[local-name()="Issuer"]`;
  return inAscii(await signXml(xml, { id, reference, action: "after" }, key));
}

/** The URL of the HTTP-Redirect binding. @see SAML bindings, 3.4: the signature covers the query. */
export function redirectUrl(request: AuthnRequest, destination: string): string {
  const xml = inAscii(requestXml(request, BINDINGS.post, destination));
  const query = new URLSearchParams({
    SAMLRequest: deflateRawSync(xml).toString("base64"),
    SigAlg: ALGORITHMS.rsaSha256,
  }).toString();
  const url = new URL(destination);
  const signature = encodeURIComponent(signText(query, request.key.privateKey));
  // The signature does not cover the query of the provider's own URL.
  url.search = [url.search.slice(1), query, `Signature=${signature}`].filter((part) => part !== "").join("&");
  return url.href;
}

function signText(text: string, key: KeyObject): string {
  return sign("sha256", Buffer.from(text), key).toString("base64");
}

const SCRIPT = `document.forms[0].submit();`;

/** The page of the HTTP-POST binding. */
export async function postForm(
  request: AuthnRequest,
  destination: string,
): Promise<Omit<BrowserStep, "status">> {
  const xml = await signed(requestXml(request, BINDINGS.post, destination), request);
  const hash = createHash("sha256").update(SCRIPT).digest("base64");
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      // No form-action: providers answer the form with redirects to hosts of their choice.
      "content-security-policy": `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
    },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Logging in</title></head>
<body>
<form action="${escapeHtml(destination)}" method="post">
<h1>Logging in</h1>
<input type="hidden" name="SAMLRequest" value="${Buffer.from(xml).toString("base64")}">
<input type="submit" value="Continue to your identity provider">
</form>
<script>${SCRIPT}</script>
</body>
</html>
`,
  };
}

/**
 * The request that an ECP client carries to the provider. Some providers serialize it again before they verify its signature:
 * providers that need no signature get none.
 *
 * @see SAML profiles, 4.2 (ECP)
 */
export async function paosEnvelope(
  request: AuthnRequest,
  { isSigned }: { readonly isSigned: boolean },
): Promise<string> {
  const plain = requestXml(request, BINDINGS.paos);
  const xml = isSigned ? await signed(plain, request) : inAscii(plain);
  const header = { "soap:mustUnderstand": "1", "soap:actor": SOAP_NEXT };
  return element(
    "soap:Envelope",
    { "xmlns:soap": NAMESPACES.soap, "xmlns:paos": NAMESPACES.paos, "xmlns:ecp": NAMESPACES.ecp },
    element(
      "soap:Header",
      {},
      element("paos:Request", {
        ...header,
        responseConsumerURL: request.consumerUrl,
        service: NAMESPACES.ecp,
      }),
      element(
        "ecp:Request",
        { ...header, IsPassive: "0" },
        element("saml:Issuer", { "xmlns:saml": NAMESPACES.assertion }, request.issuer),
      ),
      element("ecp:RelayState", header, request.id),
    ),
    element("soap:Body", {}, { xml }),
  ).xml;
}
