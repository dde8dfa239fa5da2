/** The configuration of domains in the database. Sensitive options are sealed. */
import type { ExpressionBuilder, Kysely } from "kysely";

import type { Queries } from "../platform/database/database.js";
import type { Seal } from "../platform/secrets/master-key-in-force.js";
import type { SealedSecret } from "../platform/secrets/sealing.js";
import { DEFAULT_DOMAIN_ID } from "../policy/caller.js";
import { isSensitive, type ConfigPath, type DomainConfig } from "./domain-config-options.js";

interface ConfigRow {
  domain_id: string;
  group_name: string;
  option_name: string;
  /** JSON; `null` for a sensitive option. */
  value: string | null;
  sealed: Buffer | null;
  /** Of a driver that the Keystone ignored from which it was imported. */
  is_ignored: boolean | null;
}

interface Tables {
  readonly domain_config: ConfigRow;
}

/** The options of a domain, or of a path in it, that are not sensitive. */
export async function readDomainConfig(
  queries: Queries,
  domainId: string,
  path?: ConfigPath,
): Promise<DomainConfig> {
  const rows = await tables(queries)
    .selectFrom("domain_config")
    .selectAll()
    .where(isWithin(domainId, path))
    .where("value", "is not", null)
    .orderBy("group_name")
    .orderBy("option_name")
    .execute();
  const config: Record<string, Record<string, unknown>> = {};
  for (const { group_name, option_name, value } of rows)
    (config[group_name] ??= {})[option_name] = JSON.parse(value ?? "null");
  return config;
}

/** Whether a group or option is set, or any one; sensitive ones included. */
export async function isConfigured(queries: Queries, domainId: string, path?: ConfigPath): Promise<boolean> {
  const row = await tables(queries)
    .selectFrom("domain_config")
    .select("option_name")
    .where(isWithin(domainId, path))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Sets the options of a configuration; others stay. */
export async function storeConfig(
  queries: Queries,
  domainId: string,
  { config, seal }: { readonly config: DomainConfig; readonly seal: () => Promise<Seal> },
): Promise<void> {
  for (const [group, options] of Object.entries(config))
    for (const [option, value] of Object.entries(options)) {
      const text = JSON.stringify(value);
      const place = secretPlace(domainId, group, option);
      const stored = isSensitive(group, option)
        ? { value: null, sealed: (await seal())(Buffer.from(text), place), is_ignored: null }
        : { value: text, sealed: null, is_ignored: null };
      await tables(queries)
        .insertInto("domain_config")
        .values({ domain_id: domainId, group_name: group, option_name: option, ...stored })
        .onConflict((conflict) =>
          conflict.columns(["domain_id", "group_name", "option_name"]).doUpdateSet(stored),
        )
        .execute();
    }
}

/** Deletes the options of a domain, or of a path in it. */
export async function deleteConfig(queries: Queries, domainId: string, path?: ConfigPath): Promise<void> {
  await tables(queries).deleteFrom("domain_config").where(isWithin(domainId, path)).execute();
}

/** Deletes the options of a group that are not sensitive. */
export async function deleteShownOptions(queries: Queries, domainId: string, group: string): Promise<void> {
  await tables(queries)
    .deleteFrom("domain_config")
    .where(isWithin(domainId, { group }))
    .where("value", "is not", null)
    .execute();
}

/**
 * The domains whose configuration sets another identity driver than `sql`, and that driver, unless it is ignored. Works before the
 * database is migrated to this release.
 */
export async function listForeignDrivers(queries: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await tables(queries)
    .selectFrom("domain_config")
    .selectAll()
    .where("group_name", "=", "identity")
    .where("option_name", "=", "driver")
    .where("value", "<>", '"sql"')
    .orderBy("domain_id")
    .execute();
  const effective = rows.filter((row) => (row.is_ignored ?? null) === null);
  return new Map(effective.map(({ domain_id, value }) => [domain_id, value ?? ""]));
}

/** The directories that this service uses. */
export interface DirectoryUse {
  /** Those of domains' configurations. */
  readonly usesDrivers: boolean;
  /** That of the settings, for the default domain. */
  readonly hasDefaultDirectory: boolean;
}

/** Whether the users of a domain with another driver than `sql` are where this service does not find them. */
export function isForeign(
  { domainId, driver }: { readonly domainId: string; readonly driver: string },
  { usesDrivers, hasDefaultDirectory }: DirectoryUse,
): boolean {
  if (usesDrivers) return driver !== '"ldap"';
  return !(hasDefaultDirectory && domainId === DEFAULT_DOMAIN_ID);
}

/** The `identity.list_limit` of domains that set one. */
export async function listLimitsOfDomains(queries: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await tables(queries)
    .selectFrom("domain_config")
    .select(["domain_id", "value"])
    .where("group_name", "=", "identity")
    .where("option_name", "=", "list_limit")
    .execute();
  const limits = rows.map(
    ({ domain_id, value }) => [domain_id, Number(JSON.parse(value ?? "null"))] as const,
  );
  return new Map(limits.filter(([, limit]) => Number.isInteger(limit) && limit > 0));
}

/** The options of a domain whose users are in a directory, with sensitive ones sealed. */
export interface StoredDirectoryConfig {
  readonly domainId: string;
  readonly options: DomainConfig;
  /** The sealed password of the service's account there. */
  readonly sealedPassword: Buffer | undefined;
}

/** The domains whose configuration sets `identity.driver` to `ldap`, unless it is ignored. */
export async function listDirectoryConfigs(queries: Queries): Promise<StoredDirectoryConfig[]> {
  const rows = await tables(queries)
    .selectFrom("domain_config")
    .selectAll()
    .where("domain_id", "in", (eb) =>
      eb
        .selectFrom("domain_config as driver")
        .select("driver.domain_id")
        .where("driver.group_name", "=", "identity")
        .where("driver.option_name", "=", "driver")
        .where("driver.value", "=", '"ldap"')
        .where("driver.is_ignored", "is", null),
    )
    .orderBy("domain_id")
    .execute();
  const domains = new Map<string, { options: Record<string, Record<string, unknown>>; sealed?: Buffer }>();
  for (const { domain_id, group_name, option_name, value, sealed } of rows) {
    const domain = domains.get(domain_id) ?? { options: {} };
    domains.set(domain_id, domain);
    if (value !== null) (domain.options[group_name] ??= {})[option_name] = JSON.parse(value);
    else if (group_name === "ldap" && option_name === "password" && sealed !== null) domain.sealed = sealed;
  }
  return Array.from(domains, ([domainId, { options, sealed }]) => ({
    domainId,
    options,
    sealedPassword: sealed,
  }));
}

/** All secrets, to be sealed again with another master key. */
export async function domainConfigSecrets(queries: Queries): Promise<SealedSecret[]> {
  const rows = await tables(queries)
    .selectFrom("domain_config")
    .select(["domain_id", "group_name", "option_name", "sealed"])
    .where("sealed", "is not", null)
    .execute();
  return rows.map(({ domain_id, group_name, option_name, sealed }) => ({
    place: secretPlace(domain_id, group_name, option_name),
    sealed: sealed ?? Buffer.alloc(0),
    replace: (transaction, next) =>
      tables(transaction)
        .updateTable("domain_config")
        .set({ sealed: next })
        .where("domain_id", "=", domain_id)
        .where("group_name", "=", group_name)
        .where("option_name", "=", option_name)
        .execute(),
  }));
}

function isWithin(domainId: string, path: ConfigPath | undefined) {
  return (eb: ExpressionBuilder<Tables, "domain_config">) =>
    eb.and([
      eb("domain_id", "=", domainId),
      ...(path === undefined ? [] : [eb("group_name", "=", path.group)]),
      ...(path?.option === undefined ? [] : [eb("option_name", "=", path.option)]),
    ]);
}

/** The name that a secret is bound to. */
export function secretPlace(domainId: string, group: string, option: string): string {
  return ["domain-config", domainId, group, option].join("/");
}

function tables(queries: Queries): Kysely<Tables> {
  return queries.tables<Tables>();
}
