/** SAML 2.0: logins with a browser or an ECP client, and single logout. */
import { type EnabledProtocol, authUrlOf } from "../../assertion-verifier.js";
import { PAOS_TYPE } from "./message-bindings.js";
import type { ProtocolContext, ProtocolLogins, ProtocolType } from "../protocol-type.js";
import type { SamlSessionHint } from "./logout/logout-message.js";
import { createSamlLogout } from "./logout/saml-logout.js";
import { createEntityLists } from "./metadata/entity-lists.js";
import { createKnownVersions, createMetadataCache, createMetadataCheck } from "./metadata/metadata-cache.js";
import { createMetadataDownload } from "./metadata/metadata-download.js";
import { readPastedSaml } from "./pasted-saml.js";
import type { SamlReader } from "./saml-reader.js";
import { SAML2_FORM } from "./saml2-form.js";
import { saml2Checks } from "./saml2-checks.js";
import { metadataSource, saml2Keys } from "./saml2-documents.js";
import { createSamlVerifier } from "./saml-verifier.js";
import {
  checkSaml2Settings,
  isSaml2,
  Saml2Schema,
  SAML2_SECRETS,
  type Saml2Settings,
} from "./saml2-settings.js";
import type { ProtocolService } from "../../../identity-providers/protocols/protocol-service.js";
import type { Links } from "../../../platform/http/links.js";
import type { ServiceEndpoints } from "../../../saml/service-metadata.js";

/** Protocols whose metadata is known from the last check: that of a federation has some megabytes. */
const MAX_CHECKED = 4;

/** @param reader Reads SAML. */
export function createSaml2Protocol(reader: SamlReader): ProtocolType<Saml2Settings> {
  const listEntities = createEntityLists(reader);
  const known = createKnownVersions(MAX_CHECKED);
  return {
    type: "saml2",
    title: "SAML 2.0",
    form: SAML2_FORM,
    documents: { metadata: { title: "Metadata", name: "metadata" } },
    schema: Saml2Schema,
    secrets: SAML2_SECRETS,
    isLimited: true,
    loginChecks: [
      "message",
      "signature",
      "issuer",
      "recipient",
      "audience",
      "time",
      "name-id",
      "request",
      "replay",
    ],
    testRequests: {
      /** A Response in base64, as a browser posts it. */
      saml_response: {
        maxLength: 1 << 20,
        request: (text) => ({
          headers: { "content-type": "application/x-www-form-urlencoded" },
          form: new Map([["SAMLResponse", text]]),
        }),
      },
      /** A SOAP envelope with a Response, as an ECP client posts it. */
      paos_response: {
        maxLength: 1 << 20,
        request: (text) => ({ headers: { "content-type": PAOS_TYPE }, text }),
      },
    },
    readPasted: readPastedSaml,
    check: checkSaml2Settings,
    logsBrowsersIn: () => true,
    checkDraft: createMetadataCheck({ reader }),
    checks: (protocol, settings, deps) =>
      saml2Checks(protocol, settings, { ...deps, reader, readUrl: createMetadataDownload(deps), known }),
    register: (settings, url, { serviceId, links }) => ({
      entity_id: settings.sp_entity_id ?? serviceId,
      acs_url: url,
      metadata_url: links.to("/v3/OS-FEDERATION/saml2/metadata"),
    }),
    documentSources: (settings, { remoteIds }) => ({ metadata: metadataSource(settings, remoteIds) }),
    findKeys: (settings, published) => saml2Keys(settings, published, reader),
    listEntities: (settings, deps) =>
      listEntities(settings, { ...deps, readUrl: createMetadataDownload(deps) }),
    open: (context) => open(context, reader),
  };
}

function open(context: ProtocolContext, reader: SamlReader): ProtocolLogins<Saml2Settings> {
  const { serviceKeys: keys, serviceId: entityId } = context;
  const metadata = createMetadataCache({ ...context, reader, readUrl: createMetadataDownload(context) });
  const deps = { ...context, reader, metadata, keys, entityId };
  const logout = createSamlLogout({
    ...deps,
    protocolsOf: async (remoteId) => (await context.protocolsWithLogout(remoteId)).filter(isSamlProtocol),
    logoutUrl: samlLogoutUrl(context.links),
  });
  return {
    verify: createSamlVerifier(deps),
    logout: {
      begin: (enabled, { hint, origin, log }) =>
        logout.begin(enabled, { hint: hint as SamlSessionHint, relayState: origin, log }),
      receive: (request) => logout.receive(request),
    },
  };
}

function isSamlProtocol(protocol: EnabledProtocol): protocol is EnabledProtocol<Saml2Settings> {
  return isSaml2(protocol.settings);
}

/** Of all SAML protocols, also of providers that are disabled, as they are while they are set up at both sides. */
export async function serviceEndpoints(
  protocols: Pick<ProtocolService, "listAll">,
  links: Links,
): Promise<ServiceEndpoints> {
  const ofSaml = (await protocols.listAll()).filter(({ settings }) => settings?.type === "saml2");
  return {
    consumerUrls: ofSaml.map((key) => authUrlOf(links, key)),
    logoutUrl: ofSaml.some(({ settings }) => settings?.logout === true) ? samlLogoutUrl(links) : undefined,
  };
}

export const samlLogoutUrl = (links: Links): string => links.to("/v3/OS-FEDERATION/saml2/logout");
