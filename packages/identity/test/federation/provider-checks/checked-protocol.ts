/** The checks of a protocol, whose mapping names nothing. */
import {
  createProtocolChecks,
  type ProtocolChecksDeps,
} from "../../../src/federation/provider-checks/protocol-checks.js";
import { createProtocols, type ProtocolParts } from "../../../src/federation/protocols/index.js";
import { type ProtocolType, createProtocolTypes } from "../../../src/federation/protocols/protocol-type.js";
import type { ReadUrl } from "../../../src/federation/protocols/saml2/metadata/metadata-download.js";
import { saml2Checks } from "../../../src/federation/protocols/saml2/saml2-checks.js";
import { samlReader, type SamlReader } from "../../../src/federation/protocols/saml2/saml-reader.js";
import type { Saml2Settings } from "../../../src/federation/protocols/saml2/saml2-settings.js";
import type {
  CheckProtocol,
  ProtocolReport,
} from "../../../src/identity-providers/protocols/protocol-report.js";
import type { OpenedSettings } from "../../../src/identity-providers/protocols/protocol-settings.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { createLinks } from "../../../src/platform/http/links.js";

export const ENTITY_ID = "https://sp.example.org/entity";

const RULES = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "NAME_ID" }] }];

/** What of the checks a test may choose. */
export interface CheckChoices extends Partial<ProtocolChecksDeps> {
  readonly reader?: Pick<SamlReader, "readMetadata">;
  /** Downloads SAML metadata. */
  readonly readUrl?: ReadUrl;
  /** How long the metadata of a federation is waited for. */
  readonly waitMs?: number;
  readonly frontEnd?: ProtocolParts["frontEnd"];
}

function typesWith({ reader, readUrl, waitMs, frontEnd }: CheckChoices) {
  const parts = { samlReader: { ...samlReader, ...reader }, frontEnd };
  const checksWith = (url: ReadUrl): Pick<ProtocolType, "checks"> => ({
    checks: (protocol, settings, deps) =>
      saml2Checks(protocol, settings as Saml2Settings, {
        ...deps,
        reader: parts.samlReader,
        readUrl: url,
        ...(waitMs !== undefined && { waitMs }),
      }),
  });
  const types = createProtocols(parts).map((type): ProtocolType =>
    type.type === "saml2" && readUrl !== undefined ? Object.assign({}, type, checksWith(readUrl)) : type,
  );
  return createProtocolTypes(types);
}

export function protocolChecks(choices: CheckChoices = {}): CheckProtocol {
  const { allowsHttpIssuers = true, isProviderNetwork = () => false, lookup } = choices;
  const outgoing = { allowsHttpIssuers, isProviderNetwork, ...(lookup !== undefined && { lookup }) };
  return createProtocolChecks({
    types: typesWith(choices),
    ...outgoing,
    mappings: {
      get: async (id) => ({ id, rules: RULES, schemaVersion: "1.0" }),
      getCompiled: async () => compileMapping({ rules: RULES }),
    },
    projects: { findDomains: async () => [] },
    groups: { findGroupsById: async () => [], findGroupsByName: async () => [] },
    roles: { findRolesByName: async () => [] },
    links: createLinks("https://id.example.org"),
    serviceId: ENTITY_ID,
    clock: { now: Date.now },
    ...choices,
  });
}

export function checkWith(
  check: CheckProtocol,
  settings: OpenedSettings,
  remoteIds: readonly string[] = [],
): Promise<ProtocolReport> {
  const provider = {
    id: "acme",
    domainId: "default",
    enabled: true,
    description: null,
    remoteIds,
    authorizationTtl: null,
    authorizedDomains: null,
    scimUniqueId: null,
  };
  return check({
    idpId: "acme",
    id: "p",
    mappingId: "m",
    provider,
    settings,
    open: async () => settings,
  });
}

/** `check status` of each finding. */
export function summaryOf({ checks }: Pick<ProtocolReport, "checks">): string[] {
  return checks.map(({ check, status }) => `${check} ${status}`);
}

/** The messages of a check. */
export function messagesOf({ checks }: Pick<ProtocolReport, "checks">, name: string): string[] {
  return checks.filter(({ check }) => check === name).map(({ message }) => message);
}
