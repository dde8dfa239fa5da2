/** Identifiers of SAML, XML Signature, XML Encryption and SOAP. */

export const NAMESPACES = {
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  metadata: "urn:oasis:names:tc:SAML:2.0:metadata",
  ecp: "urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp",
  paos: "urn:liberty:paos:2003-08",
  signature: "http://www.w3.org/2000/09/xmldsig#",
  encryption: "http://www.w3.org/2001/04/xmlenc#",
  encryption11: "http://www.w3.org/2009/xmlenc11#",
  soap: "http://schemas.xmlsoap.org/soap/envelope/",
  schema: "http://www.w3.org/2001/XMLSchema",
  instance: "http://www.w3.org/2001/XMLSchema-instance",
} as const;

export const BINDINGS = {
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  paos: "urn:oasis:names:tc:SAML:2.0:bindings:PAOS",
  uri: "urn:oasis:names:tc:SAML:2.0:bindings:URI",
} as const;

export const ALGORITHMS = {
  exclusiveCanonical: "http://www.w3.org/2001/10/xml-exc-c14n#",
  enveloped: "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
  rsaSha256: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  sha256: "http://www.w3.org/2001/04/xmlenc#sha256",
} as const;

export const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
export const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
export const ENTITY_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:entity";
export const UNSPECIFIED_FORMAT = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";
export const PERSISTENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
export const TRANSIENT_FORMAT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";

/** SOAP actor: the next recipient. */
export const SOAP_NEXT = "http://schemas.xmlsoap.org/soap/actor/next";
