/** Changes the id mapping. A module of its own, loaded on demand, so that other commands start faster. */
import type { Config } from "../config.js";
import { createDirectoryReader } from "../directories/directory-reader.js";
import { readDirectorySettings } from "../directories/directory-settings.js";
import { missingMappings, purgeMappings } from "../directories/id-mapping-changes.js";
import {
  insertMappings,
  selectMappings,
  type EntityKind,
  type IdMapping,
} from "../directories/id-mapping-store.js";
import { createLdapDirectory } from "../directories/ldap/ldap-directory.js";
import type { Database, Queries } from "../platform/database/database.js";
import type { AuditEvent } from "../policy/audit.js";
import { findDomainId, findProject } from "../projects/project-store.js";
import { logAudit, storeAudit } from "./command-audit.js";
import { openDirectoryConfigs } from "./directory-configs.js";
import type { CommandContext } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

interface Run {
  readonly context: CommandContext;
  readonly config: Config;
}

export interface ChangeOptions {
  /** Id or name. */
  readonly domain: string | undefined;
  readonly publicId: string | undefined;
  readonly localId: string | undefined;
  /** Both, if left out. */
  readonly kind: EntityKind | undefined;
  readonly isDryRun: boolean;
}

export async function purge(run: Run, options: ChangeOptions): Promise<void> {
  const database = await openMigrated(run.config.database.url);
  try {
    const { domain, isDryRun, ...conditions } = options;
    const domainId = domain === undefined ? undefined : await requireDomainId(database, domain);
    const selection = { ...conditions, domainId };
    if (isDryRun) return print(run, await selectMappings(database, selection), "would be deleted");
    const { mappings, event } = await database.transaction(
      async (transaction) => {
        const selected = await selectMappings(transaction, selection);
        await purgeMappings(transaction, selected);
        const change = { action: "mapping_purge", ...selection, count: selected.length } as const;
        return { mappings: selected, event: await audit(transaction, run, change) };
      },
      { changes: ["facts"] },
    );
    logAudit(run.context, event);
    print(run, mappings, "deleted");
  } finally {
    await database.close();
  }
}

export async function populate(run: Run, { domain, kind, isDryRun }: ChangeOptions): Promise<void> {
  const database = await openMigrated(run.config.database.url);
  try {
    const domainId = await requireDomainId(database, domain ?? "");
    const found = (await openDirectoryConfigs(run.config, database)).find(
      (each) => each.domainId === domainId,
    );
    if (found === undefined) throw new Error(`The users of domain ${domainId} are in no directory`);
    const directorySettings = readDirectorySettings(found);
    const directory = createLdapDirectory(directorySettings.connection);
    try {
      const reader = createDirectoryReader(directory, directorySettings);
      const kinds: EntityKind[] = kind === undefined ? ["user", "group"] : [kind];
      const missing = await missingMappings(database, { domainId, reader, kinds });
      if (isDryRun) return print(run, missing, "would be added");
      const change = { action: "mapping_populate", domainId, kind, count: missing.length } as const;
      const event = await database.transaction(
        async (transaction) => {
          await insertMappings(transaction, missing);
          return audit(transaction, run, change);
        },
        { changes: [] },
      );
      logAudit(run.context, event);
      print(run, missing, "added");
    } finally {
      directory.close();
    }
  } finally {
    await database.close();
  }
}

async function requireDomainId(database: Database, given: string): Promise<string> {
  const known = (await findProject(database, given))?.isDomain === true ? given : undefined;
  const id = known ?? (await findDomainId(database, given));
  if (id === undefined) throw new Error(`No domain has the id or name "${given}"`);
  return id;
}

function print({ context }: Run, mappings: readonly IdMapping[], what: string): void {
  const lines = mappings.map(
    ({ domainId, kind, publicId, localId }) =>
      `${kind.padEnd(5)}  ${publicId}  domain ${domainId}  ${JSON.stringify(localId)}`,
  );
  const count = (kind: EntityKind) => mappings.filter((each) => each.kind === kind).length;
  context.stdout.write(
    `${[...lines, `${what}: ${count("user")} ids of users, ${count("group")} of groups`].join("\n")}\n`,
  );
}

interface Change {
  readonly action: "mapping_purge" | "mapping_populate";
  readonly domainId?: string | undefined;
  readonly publicId?: string | undefined;
  readonly localId?: string | undefined;
  readonly kind?: EntityKind | undefined;
  /** Of the ids that change. */
  readonly count: number;
}

async function audit(
  transaction: Queries,
  { config }: Run,
  { action, domainId, publicId, localId, kind, count }: Change,
): Promise<AuditEvent> {
  const conditions = { domain_id: domainId, public_id: publicId, local_id: localId, type: kind };
  const target = Object.fromEntries(
    Object.entries({ ...conditions, count: String(count) }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  return storeAudit(transaction, config, { action, target });
}
