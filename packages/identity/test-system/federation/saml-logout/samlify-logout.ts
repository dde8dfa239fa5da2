/** samlify as the provider of a single logout. */
import * as samlify from "samlify";

import { withOneCertificate } from "../saml/samlify-provider.js";
import {
  providerKey,
  providerMetadata,
  type LogoutMessage,
  type LogoutPartyOptions,
  type LogoutParty,
} from "./logout-party.js";

/** As samlify parses messages, as far as it is needed here. */
interface Extract {
  readonly issuer?: string;
  readonly nameID?: string;
  readonly sessionIndex?: string | { readonly sessionIndex?: string };
  readonly response?: { readonly id?: string };
}

export function samlifyParty({ binding, metadata }: LogoutPartyOptions): LogoutParty {
  // The tests with pysaml2 validate messages against their schemas.
  samlify.setSchemaValidator({ validate: () => Promise.resolve("not looked at") });
  const signed = { wantLogoutRequestSigned: true, wantLogoutResponseSigned: true };
  const provider = samlify.IdentityProvider({
    metadata: providerMetadata(binding),
    privateKey: providerKey(),
    requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    nameIDFormat: ["urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"],
    ...signed,
  });
  const service = samlify.ServiceProvider({
    metadata: binding === "redirect" ? withOneCertificate(metadata) : metadata,
    ...signed,
  });

  const sent = (made: { context: string; type?: string; relayState?: string }): LogoutMessage =>
    binding === "redirect"
      ? { query: new URL(made.context).search.slice(1) }
      : { fields: { [made.type ?? ""]: made.context, RelayState: made.relayState ?? "" } };

  return {
    async request({ nameId, index }) {
      const user = { logoutNameID: nameId, sessionIndex: index };
      return sent(provider.createLogoutRequest(service, binding, user, { relayState: "back" }));
    },
    async finish(response) {
      const { extract } = await provider.parseLogoutResponse(service, binding, received(response));
      const { issuer = "" } = extract as Extract;
      // It throws for any other status.
      return { issuer, status: samlify.Constants.StatusCode.Success };
    },
    async answer(request, relayState) {
      const parsed = await provider.parseLogoutRequest(service, binding, received(request));
      const { nameID: nameId = "", sessionIndex } = parsed.extract as Extract;
      const index = typeof sessionIndex === "object" ? sessionIndex.sessionIndex : sessionIndex;
      const response = provider.createLogoutResponse(service, parsed as never, binding, { relayState });
      return { nameId, index: index ?? "", response: sent(response) };
    },
  };
}

/** A request of a browser, and what of its query is signed. */
function received(message: LogoutMessage) {
  if ("fields" in message) return { body: message.fields };
  // The provider's own address has a query, too.
  const octetString = message.query.replace(/^.*?(?=SAML(?:Request|Response)=)|&Signature=.*/g, "");
  return { query: Object.fromEntries(new URLSearchParams(message.query)), octetString };
}
