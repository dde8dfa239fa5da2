/** Federation documents on a service of the test's own, by the code of the commands. */
import { readConfig, type Config } from "../../src/config.js";
import { applyFederation, planFederation, withFederation } from "../../src/commands/transfer-federation.js";
import { listAuditEvents, type ListedAuditEvent } from "../../src/console/audit/audit-event-store.js";
import { openService } from "../../src/open-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/platform/database/open-database.js";
import { newId } from "../../src/platform/ids.js";
import { createLog } from "../../src/platform/log.js";
import type { TestDatabase, TestDatabases } from "../databases.js";
import { migratedDatabase } from "../migrated-databases.js";
import { PUBLIC_URL } from "../test-server.js";

export type ApplyOptions = Readonly<{ env?: Record<string, string>; keepSecrets?: boolean }>;

/** A service that was started once, without its process. */
export interface DocumentService {
  readonly config: Config;
  readonly export: (format?: "yaml" | "json") => Promise<string>;
  readonly plan: (text: string, options?: ApplyOptions) => Promise<string>;
  readonly apply: (text: string, options?: ApplyOptions) => Promise<string>;
  /** The lines of the audit log. */
  readonly audit: Record<string, unknown>[];
  /** The events of the audit trail, the oldest first. */
  auditTrail(): Promise<readonly ListedAuditEvent[]>;
  remove(): Promise<void>;
}

export const FILE = "cloud.yaml";

export async function documentService(
  databases: TestDatabases,
  env: Record<string, string> = {},
): Promise<DocumentService> {
  const place = await migratedDatabase(databases);
  const documents = documentsAt(place, env);
  const first = await openService(documents.config, { publicUrl: PUBLIC_URL, clock: systemClock, newId });
  await first.database.close();
  return documents;
}

/** The documents of a database that a service has. */
export function documentsAt(place: TestDatabase, env: Record<string, string> = {}): DocumentService {
  const config = readConfig({
    IDENTITY_DATABASE_URL: place.url,
    IDENTITY_MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    IDENTITY_ADMIN_PASSWORD: "adminpw",
    IDENTITY_PUBLIC_URL: PUBLIC_URL,
    ...env,
  });
  const audit: Record<string, unknown>[] = [];
  const log = createLog("info", {
    write: (line) => void audit.push(JSON.parse(line) as Record<string, unknown>),
  });
  const given = (text: string, { env: variables = {}, keepSecrets = false }: ApplyOptions = {}) => ({
    text,
    file: FILE,
    secrets: keepSecrets ? undefined : { env: variables, folder: "." },
  });
  return {
    config,
    export: (format) => withFederation(config, ({ documents }) => documents.export(format)),
    plan: async (text, options) => (await planFederation(config, given(text, options), {})).text,
    apply: (text, options) => applyFederation(config, given(text, options), { log }),
    audit,
    async auditTrail() {
      const database = openDatabase(place.url);
      try {
        return (await listAuditEvents(database, { limit: 100 })).toReversed();
      } finally {
        await database.close();
      }
    },
    remove: () => place.remove(),
  };
}
