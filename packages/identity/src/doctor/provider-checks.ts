/** Which identity providers choose the domains of groups, projects and users, and are held to none? */
import { listProviders, type IdentityProvider } from "../identity-providers/identity-provider-store.js";
import { listProtocols } from "../identity-providers/protocol-store.js";
import { compileMapping } from "../mappings/compile-mapping.js";
import { findMapping } from "../mappings/mapping-store.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken } from "../platform/database/migrations.js";
import { messageOf } from "../platform/errors.js";
import { ok, warning, type Finding } from "./finding.js";

const ALL = { limit: undefined, marker: undefined };

export async function examineProviders(database: Database): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0015-authorized-domains")) return [];
  const providers = await listProviders(database, { filters: [], enabled: [], page: ALL });
  if (providers.length === 0) return [];
  const free = providers.filter(({ authorizedDomains }) => authorizedDomains === null);
  const findings = (await Promise.all(free.map((provider) => examineProvider(database, provider)))).flat();
  if (findings.length > 0) return findings;
  return [ok("providers", `none of ${providers.length} chooses among all domains`)];
}

async function examineProvider(database: Database, { id }: IdentityProvider): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { id: protocolId, mappingId } of await listProtocols(database, id, ALL)) {
    const mapping = await findMapping(database, mappingId);
    if (mapping === undefined) continue;
    const where = `identity provider "${id}", protocol "${protocolId}", mapping "${mappingId}"`;
    try {
      const places = compileMapping(mapping).warnings.map(({ place }) => place);
      if (places.length > 0) findings.push(warning("providers", `${where}: ${trusted(places)}`));
    } catch (error) {
      findings.push(warning("providers", `${where}: ${messageOf(error)}`));
    }
  }
  return findings;
}

function trusted(places: readonly string[]): string {
  return (
    `trusted with every domain, because assertions choose it at ${places.join(", ")}. ` +
    `Write a "domain" there, or set authorized_domains of the provider`
  );
}
