/** SAML messages that are sent: AuthnRequest, and the bindings HTTP-Redirect, HTTP-POST and PAOS. @see SAML bindings, 3.3 to 3.5 */
import { createHash, sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";

import { escapeHtml } from "../../../platform/text/html.js";
import { ALGORITHMS, BINDINGS, NAMESPACES, SOAP_NEXT } from "../../../saml/saml-names.js";
import type { SamlKey } from "../../../saml/saml-keys.js";
import { inAscii, signXml, element, instant, type Xml } from "../../../saml/xml-writing.js";
import type { BrowserStep } from "../../assertion-verifier.js";
import type { Moment } from "../../../platform/clock.js";
import type { RequestedContexts } from "./assertion-attributes.js";
import type { MessageName } from "./xml-reading.js";

/** Why a login is rejected whose Response came by any other binding. */
export const UNEXPECTED_BINDING =
  "Response received by HTTP-Redirect or HTTP-Artifact, expected HTTP-POST or PAOS";

/** A message to send, not signed yet. */
export interface OutgoingMessage {
  readonly name: MessageName;
  readonly xml: string;
  readonly id: string;
  readonly relayState?: string | undefined;
  readonly key: Pick<SamlKey, "privateKey" | "certificate">;
}

/** The document with a signature after its Issuer. */
export async function signMessage({ xml, id, key }: Omit<OutgoingMessage, "name">): Promise<string> {
  const reference = `/*/*[local-name()="Issuer"]`;
  return inAscii(await signXml(xml, { id, reference, action: "after" }, key));
}

/** The URL of the HTTP-Redirect binding. The signature covers the query. */
export function messageUrl({ name, xml, relayState, key }: OutgoingMessage, destination: string): string {
  const query = new URLSearchParams({
    [name]: deflateRawSync(inAscii(xml)).toString("base64"),
    ...(relayState !== undefined && { RelayState: relayState }),
    SigAlg: ALGORITHMS.rsaSha256,
  }).toString();
  const url = new URL(destination);
  const signature = sign("sha256", Buffer.from(query), key.privateKey).toString("base64");
  // The signature does not cover the query of the provider's own URL.
  url.search = [url.search.slice(1), query, `Signature=${encodeURIComponent(signature)}`]
    .filter((part) => part !== "")
    .join("&");
  return url.href;
}

const SCRIPT = `document.forms[0].submit();`;

export interface MessageFormOptions {
  readonly destination: string;
  readonly title: string;
  /** The origin whose pages may frame the form; none, if left out. */
  readonly frameAncestor?: string;
}

/** The page of the HTTP-POST binding. */
export async function messageForm(
  message: OutgoingMessage,
  { destination, title, frameAncestor = "'none'" }: MessageFormOptions,
): Promise<Omit<BrowserStep, "status">> {
  const hash = createHash("sha256").update(SCRIPT).digest("base64");
  const fields = {
    [message.name]: Buffer.from(await signMessage(message)).toString("base64"),
    ...(message.relayState !== undefined && { RelayState: message.relayState }),
  };
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return {
    headers: {
      "content-type": "text/html; charset=utf-8",
      // No form-action: providers answer the form with redirects to hosts of their choice.
      "content-security-policy": `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors ${frameAncestor}`,
    },
    body: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
<form action="${escapeHtml(destination)}" method="post">
<h1>${title}</h1>
${inputs.join("\n")}
<input type="submit" value="Continue to your identity provider">
</form>
<script>${SCRIPT}</script>
</body>
</html>
`,
  };
}

export interface AuthnRequest {
  readonly id: string;
  /** The service's entity ID. */
  readonly issuer: string;
  /** The ACS URL. */
  readonly consumerUrl: string;
  readonly now: Moment;
  /** Whether the provider has to authenticate the user anew. */
  readonly isForced?: boolean | undefined;
  /** The format of the NameID; any if left out. */
  readonly nameIdFormat?: string | undefined;
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
    element("samlp:NameIDPolicy", { Format: request.nameIdFormat, AllowCreate: "true" }),
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

/** By the HTTP-Redirect and HTTP-POST bindings. */
function messageOf(request: AuthnRequest, destination: string): OutgoingMessage {
  const { id, key } = request;
  return { name: "SAMLRequest", xml: requestXml(request, BINDINGS.post, destination), id, key };
}

export function redirectUrl(request: AuthnRequest, destination: string): string {
  return messageUrl(messageOf(request, destination), destination);
}

export function postForm(request: AuthnRequest, destination: string): Promise<Omit<BrowserStep, "status">> {
  return messageForm(messageOf(request, destination), { destination, title: "Logging in" });
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
  const xml = isSigned ? await signMessage({ ...request, xml: plain }) : inAscii(plain);
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
