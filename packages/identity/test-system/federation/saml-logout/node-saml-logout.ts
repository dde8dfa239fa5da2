/** node-saml as the provider of a single logout, by redirect alone: messages of both sides have the same form. */
import { SAML, type Profile } from "@node-saml/node-saml";

import { LOGOUT_URL } from "../../../test/federation/logout/logout-messages.js";
import { AUDIENCE, ISSUER } from "../../../test/federation/saml/test-provider.js";
import {
  providerKey,
  type LogoutMessage,
  type LogoutParty,
  type LogoutPartyOptions,
} from "./logout-party.js";

const UNSPECIFIED = "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified";

export function nodeSamlParty({ metadata }: LogoutPartyOptions): LogoutParty {
  const certificates = Array.from(
    metadata.matchAll(/use="signing".*?X509Certificate>([^<]+)</gs),
    ([, text = ""]) => text.replaceAll(/\s/g, ""),
  );
  const saml = new SAML({
    callbackUrl: "https://idp.example.org/slo/return",
    logoutUrl: LOGOUT_URL,
    logoutCallbackUrl: "https://idp.example.org/slo/return",
    entryPoint: LOGOUT_URL,
    issuer: ISSUER,
    idpIssuer: AUDIENCE,
    idpCert: certificates,
    privateKey: providerKey(),
    signatureAlgorithm: "sha256",
  });

  async function verified(message: LogoutMessage): Promise<Profile | null> {
    if (!("query" in message)) throw new TypeError("node-saml sends and receives by redirect");
    const fields = Object.fromEntries(new URLSearchParams(message.query));
    const { profile } = await saml.validateRedirectAsync(fields, message.query);
    return profile;
  }

  const sent = (url: string): LogoutMessage => ({ query: new URL(url).search.slice(1) });

  return {
    async request({ nameId, index }) {
      const user = { issuer: AUDIENCE, nameID: nameId, nameIDFormat: UNSPECIFIED, sessionIndex: index };
      return sent(await saml.getLogoutUrlAsync(user, "back", {}));
    },
    async finish(response) {
      await verified(response);
      // It throws for any other issuer and status.
      return { issuer: AUDIENCE, status: "urn:oasis:names:tc:SAML:2.0:status:Success" };
    },
    async answer(request, relayState) {
      const profile = await verified(request);
      if (profile === null) throw new Error("no LogoutRequest");
      const url = await new Promise<string>((resolve, reject) => {
        saml.getLogoutResponseUrl(profile, relayState, {}, true, (error, made) =>
          made === undefined ? reject(error ?? new Error("no URL")) : resolve(made),
        );
      });
      return { nameId: profile.nameID, index: profile.sessionIndex ?? "", response: sent(url) };
    },
  };
}
