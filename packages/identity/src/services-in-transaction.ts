/** The services of all areas within one transaction, for federation documents, which change several at once. */
import type { Platform } from "./area.js";
import { createAreas, type AreasOptions } from "./areas.js";
import type { JoinedServices } from "./federation-document/federation-document.js";
import type { Transaction } from "./platform/database/database.js";
import { joinedDatabase } from "./platform/database/joined-database.js";
import { createDeletions } from "./policy/deletions.js";

/** Opens them, each time anew: they have caches and work that belong to the transaction. Protocols are stored without asking providers. */
export function servicesIn(
  platform: Platform,
  options: AreasOptions,
): (transaction: Transaction) => JoinedServices {
  return (transaction) => {
    const database = joinedDatabase(platform.database, transaction);
    const areas = createAreas(
      { ...platform, database, deletions: createDeletions() },
      // Requests to providers would hold up the transaction; `hamkit-identity doctor` sends them.
      { ...options, checkProtocol: async () => ({ checks: [], register: {} }) },
    );
    const { projects, catalog, groups, roles, identityProviders, limits } = areas;
    const services = { ...projects, ...catalog, ...groups, ...roles, ...identityProviders, ...limits };
    return { services, close: () => areas.directories.closeDirectories() };
  };
}
