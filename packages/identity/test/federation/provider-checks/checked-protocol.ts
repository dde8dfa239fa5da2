/** The checks of a protocol, whose mapping names nothing. */
import {
  createProtocolChecks,
  type ProtocolChecksDeps,
} from "../../../src/federation/provider-checks/protocol-checks.js";
import { createMetadataDownload } from "../../../src/federation/saml/metadata/metadata-cache.js";
import { samlReader } from "../../../src/federation/saml/saml-reader.js";
import type {
  CheckProtocol,
  ProtocolReport,
} from "../../../src/identity-providers/protocols/protocol-report.js";
import type { OpenedSettings } from "../../../src/identity-providers/protocols/protocol-settings.js";
import { compileMapping } from "../../../src/mappings/rules/compile-mapping.js";
import { createLinks } from "../../../src/platform/http/links.js";

export const ENTITY_ID = "https://sp.example.org/entity";

const RULES = [{ local: [{ user: { name: "{0}" } }], remote: [{ type: "REMOTE_USER" }] }];

export function protocolChecks(choices: Partial<ProtocolChecksDeps> = {}): CheckProtocol {
  const { allowsHttpIssuers = true, isProviderNetwork = () => false, lookup } = choices;
  const outgoing = { allowsHttpIssuers, isProviderNetwork, ...(lookup !== undefined && { lookup }) };
  return createProtocolChecks({
    ...outgoing,
    mappings: {
      get: async (id) => ({ id, rules: RULES, schemaVersion: "1.0" }),
      getCompiled: async () => compileMapping({ rules: RULES }),
    },
    projects: { findDomains: async () => [] },
    groups: { findGroupsById: async () => [], findGroupsByName: async () => [] },
    roles: { findRolesByName: async () => [] },
    links: createLinks("https://id.example.org"),
    entityId: ENTITY_ID,
    acceptsForwarded: false,
    readUrl: createMetadataDownload(outgoing),
    reader: samlReader,
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
