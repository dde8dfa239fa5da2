/** Checks identity providers: trust in every domain, and keystone-to-keystone protocols that lack a required setting. */
import { listProviders, type IdentityProvider } from "../identity-providers/identity-provider.js";
import { privatePart } from "../identity-providers/protocols/private-parts.js";
import { listProtocols, type Protocol } from "../identity-providers/protocols/protocol-store.js";
import { isForWorkloads, broadCondition } from "../federation/protocols/openid/openid-settings.js";
import { isSaml2 } from "../federation/protocols/saml2/saml2-settings.js";
import { compileMapping, type Mapping, type MappingSource } from "../mappings/rules/compile-mapping.js";
import { mappingTable } from "../mappings/mapping.js";
import type { Database } from "../platform/database/database.js";
import { WHOLE_LIST } from "../platform/database/table.js";
import { stepsTaken } from "../platform/database/migrate.js";
import { messageOf } from "../platform/errors.js";
import { ok, warning, type Finding } from "./finding.js";

export async function examineProviders(database: Database): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0015-authorized-domains")) return [];
  const providers = await listProviders(database, { ...WHOLE_LIST, enabled: [] });
  if (providers.length === 0) return [];
  const findings = await Promise.all(providers.map((provider) => examineProvider(database, provider)));
  if (findings.flat().length > 0) return findings.flat();
  return [ok("providers", `none of ${providers.length} chooses among all domains`)];
}

async function examineProvider(database: Database, provider: IdentityProvider): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const protocol of await listProtocols(database, provider.id, WHOLE_LIST)) {
    const privateKey = protocol.settings && privatePart(protocol.settings);
    if (privateKey) findings.push(warning("providers", `${nameOf(protocol)}: ${privateKey}: ${EXPOSED}`));
    const reason = isForWorkloads(protocol.settings) ? broadCondition(protocol.settings) : undefined;
    if (reason !== undefined)
      findings.push(warning("providers", `${nameOf(protocol)}: ${reason}; logins go on: ${NARROW}`));
    const source = await mappingTable.find(database, protocol.mappingId);
    if (source === undefined) continue;
    const where = `${nameOf(protocol)}, mapping "${protocol.mappingId}"`;
    for (const text of problemsOf(provider, protocol, source))
      findings.push(warning("providers", `${where}: ${text}`));
  }
  return findings;
}

const EXPOSED =
  "former releases showed it to everyone who may read the protocol: store its public key alone, and replace the key at the issuer";

const NARROW = "send a PATCH with conditions that name your owners";

const nameOf = ({ idpId, id }: Protocol): string => `identity provider "${idpId}", protocol "${id}"`;

function problemsOf(provider: IdentityProvider, protocol: Protocol, source: MappingSource): string[] {
  try {
    const mapping = compileMapping(source);
    const places = provider.authorizedDomains === null ? mapping.warnings.map(({ place }) => place) : [];
    return [
      ...(places.length > 0 ? [trusted(places)] : []),
      ...(isRefusedCloud(protocol, mapping) ? [REFUSED_CLOUD] : []),
    ];
  } catch (error) {
    return [messageOf(error)];
  }
}

const REFUSED_CLOUD =
  "the mapping reads attributes of another cloud, whose assertions have no Audience and are rejected: " +
  "set allow_missing_audience in the protocol's settings";

/** Whether a protocol accepts assertions of another Keystone (keystone-to-keystone) without the setting they require. */
function isRefusedCloud({ settings }: Protocol, { rules }: Mapping): boolean {
  if (!isSaml2(settings) || settings.allow_missing_audience !== undefined) return false;
  return rules.some(({ conditions }) =>
    conditions.some(({ attribute }) => attribute.startsWith("openstack_")),
  );
}

function trusted(places: readonly string[]): string {
  return (
    `trusted with every domain, because assertions choose it at ${places.join(", ")}. ` +
    `Write a "domain" there, or set authorized_domains of the provider`
  );
}
