/** AuthnRequests: by a redirect, by a form, or through an ECP client. */
import type { Moment } from "../../platform/clock.js";
import type { BrowserStep } from "../assertion-verifier.js";
import { BINDINGS, NAMESPACES, SOAP_NEXT } from "../../saml/saml-names.js";
import type { SamlKey } from "../../saml/saml-keys.js";
import { element, inAscii, instant, type Xml } from "../../saml/xml-writing.js";
import { messageForm, messageUrl, signMessage, type OutgoingMessage } from "./message-bindings.js";
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
