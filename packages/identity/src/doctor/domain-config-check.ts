/** Finds domains whose configuration says that their users are in a directory. */
import { listForeignDrivers } from "../domain-config/domain-config-store.js";
import type { Database } from "../platform/database/database.js";
import { stepsTaken } from "../platform/database/migrate.js";
import { warning, type Finding } from "./finding.js";

export async function examineDomainConfigs(database: Database): Promise<Finding[]> {
  if (!(await stepsTaken(database)).includes("0020-domain-config")) return [];
  return Array.from(await listForeignDrivers(database), ([domainId, driver]) =>
    warning(
      "domain config",
      `domain ${domainId} has identity.driver ${driver}, which this service does not offer: all logins of its users are ` +
        `rejected. To let them log in here, run hamkit-identity users clear-driver ${domainId}`,
    ),
  );
}
