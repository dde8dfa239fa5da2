/** Messages of SAML in SOAP: how clients without a browser carry them. */
import { NAMESPACES, SOAP_NEXT } from "../saml/saml-names.js";
import { element } from "../saml/xml-writing.js";

/** A response on its way to another cloud, as Keystone wraps it: the relay state is what that cloud's front end begins it with. */
export function keystoneEnvelope(response: string, relayState: string): string {
  return element(
    "soap:Envelope",
    { "xmlns:soap": NAMESPACES.soap, "xmlns:ecp": NAMESPACES.ecp },
    element(
      "soap:Header",
      {},
      element("ecp:RelayState", { "soap:mustUnderstand": "1", "soap:actor": SOAP_NEXT }, relayState),
    ),
    element("soap:Body", {}, { xml: response }),
  ).xml;
}
