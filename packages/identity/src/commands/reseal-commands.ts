/** `hamkit-identity keys reseal` and `keys rewrap`: replace the master key, or what wraps it, while the service runs. */
import { setTimeout as delay } from "node:timers/promises";

import type { Command } from "commander";

import { ConfigError } from "../config.js";
import { listReplicas, SILENT_MS, type Replica } from "../console/overview/replica-store.js";
import { masterKeyOf } from "../master-key-of.js";
import { systemClock } from "../platform/clock.js";
import type { Database } from "../platform/database/database.js";
import { keyIdInForce } from "../platform/secrets/master-key-in-force.js";
import { loadMasterKey } from "../platform/secrets/master-key.js";
import type { MasterKey } from "../platform/secrets/sealing.js";
import { createKeySources, type KeySources } from "../platform/secrets/sources/key-sources.js";
import type { SourceKind, WrapperKind } from "../platform/secrets/sources/key-wrapper.js";
import {
  deleteWrappedKey,
  findWrappedKey,
  putWrappedKey,
  replaceWrapping,
} from "../platform/secrets/sources/wrapped-key-store.js";
import { resealSecrets } from "../sealed-secrets.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "./command-context.js";
import { openMigrated } from "./open-migrated.js";

interface ResealOptions extends SettingsOptions {
  readonly to?: string;
  readonly nextKeyFile?: string;
  readonly force?: true;
}

/** How long running processes may take to unwrap the next key. */
const TAKE_MS = 20_000;
/** Processes without heartbeats can't be waited for: they look once a second, and a source may need some. */
const UNKNOWN_MS = 3000;
const LOOK_MS = 250;

export function addResealCommands(keys: Command, context: CommandContext): void {
  withSettings(keys.command("reseal"), context)
    .description(
      "Reseal the secrets in the database with another master key, which the service needs from then on. The service may be running.",
    )
    .option(
      "--to <source>",
      "where the other master key is kept: file, vault or pkcs11; by default as the settings say",
    )
    .option("--next-key-file <file>", "for file: the file of the other master key; created if missing")
    .option("--force", "for vault and pkcs11: even if a running process can't unwrap the other key")
    .action((options: ResealOptions) => reseal(context, options));
  withSettings(keys.command("rewrap"), context)
    .description(
      "Wrap the master key anew, by the latest version of the key in Vault, or by another key of Vault or the PKCS#11 token. The service may be running.",
    )
    .action((options: SettingsOptions) => rewrap(context, options));
}

async function reseal(context: CommandContext, options: ResealOptions): Promise<void> {
  const config = settings(context, options);
  const database = await openMigrated(config.database.url);
  try {
    const sources = createKeySources(config);
    const target = targetOf(options, sources.kind);
    const from = await masterKeyOf(config, database, { sources, mayCreate: true });
    const text =
      target.kind === "file"
        ? await resealWithFile(database, from, target.file)
        : await resealWrapped({ database, from, sources, ...options, kind: target.kind });
    context.stdout.write(text);
  } finally {
    await database.close();
  }
}

type Target = { readonly kind: "file"; readonly file: string } | { readonly kind: WrapperKind };

function targetOf({ to, nextKeyFile: file }: ResealOptions, kind: SourceKind): Target {
  const target = to ?? (file !== undefined || kind === "environment" ? "file" : kind);
  if (target === "vault" || target === "pkcs11") {
    if (file === undefined) return { kind: target };
    throw new ConfigError("--next-key-file", `"${file}" is not used: the next key is wrapped by ${target}`);
  }
  if (target !== "file") throw new ConfigError("--to", `"${target}" is not one of file, vault, pkcs11`);
  if (file === undefined)
    throw new ConfigError("--next-key-file", "is missing: the file of the next master key");
  return { kind: "file", file };
}

async function resealWithFile(database: Database, from: MasterKey, file: string): Promise<string> {
  const to = await loadMasterKey({ file, mayCreate: true });
  await resealSecrets(database, { from, to });
  return `Resealed with ${file}. Running processes that have this key in the file next to theirs whose name ends in .next use it already. On every machine, replace the file of IDENTITY_MASTER_KEY_FILE by it (running replicas read it within two seconds, and a restart needs it), or set the variable to it and restart.\n`;
}

interface WrappedReseal {
  readonly database: Database;
  readonly from: MasterKey;
  readonly sources: KeySources;
  readonly kind: WrapperKind;
  readonly force?: true;
}

/** The next key waits in the database until every running process has unwrapped it. */
async function resealWrapped({ database, from, sources, kind, force }: WrappedReseal): Promise<string> {
  const { key: to, wrapped } = await sources.create(kind);
  await database.transaction((transaction) => putWrappedKey(transaction, wrapped), { changes: [] });
  try {
    const lacking = await waitForProcesses(database, to.id);
    if (lacking.length > 0 && force === undefined)
      throw new Error(
        `Nothing was changed: ${lacking.map(nameOf).join("; ")} did not unwrap the next master key within ${TAKE_MS / 1000} s. Give ${lacking.length === 1 ? "it" : "them"} the settings of ${kind} and restart; the log of each has its reason. With --force it can't use all secrets until then`,
      );
    const count = await resealSecrets(database, { from, to, wrapped });
    return `Resealed ${count} secrets with master key ${to.id}, wrapped by ${wrapped.wrappingKey} of ${kind}. Running processes use it already; a restart needs the settings of ${kind}, and IDENTITY_MASTER_KEY_SOURCE=${kind}.\n`;
  } catch (error) {
    // After a lost connection it may be in force all the same.
    await database
      .transaction(
        async (transaction) => {
          if ((await keyIdInForce(transaction)) !== to.id) await deleteWrappedKey(transaction, to.id);
        },
        { changes: [] },
      )
      .catch(() => {});
    throw error;
  }
}

/** @returns The running processes that don't have the key. */
async function waitForProcesses(database: Database, keyId: string): Promise<readonly Replica[]> {
  const endsAt = performance.now() + TAKE_MS;
  for (;;) {
    const now = systemClock.now();
    const running = (await listReplicas(database)).filter(({ seenAt }) => now - seenAt <= SILENT_MS);
    if (running.length === 0) {
      await delay(UNKNOWN_MS);
      return [];
    }
    const lacking = running.filter(({ masterKeys }) => !(masterKeys ?? []).includes(keyId));
    if (lacking.length === 0 || performance.now() > endsAt) return lacking;
    await delay(LOOK_MS);
  }
}

function nameOf({ host, worker }: Replica): string {
  return worker === 0 ? host : `${host}, worker ${worker}`;
}

async function rewrap(context: CommandContext, options: SettingsOptions): Promise<void> {
  const config = settings(context, options);
  const database = await openMigrated(config.database.url);
  try {
    const inForce = await keyIdInForce(database);
    const from = inForce === undefined ? undefined : await findWrappedKey(database, inForce);
    if (from === undefined)
      throw new Error(
        "The master key in force is not wrapped: keys reseal --to vault or --to pkcs11 replaces it by one that is",
      );
    const to = await createKeySources(config).rewrap(from);
    const isDone = await database.transaction((transaction) => replaceWrapping(transaction, { from, to }), {
      changes: [],
    });
    if (!isDone)
      throw new Error("Nothing was changed: the master key was replaced or wrapped anew by another command");
    context.stdout.write(
      `Master key ${to.keyId} is wrapped by ${to.wrappingKey} of ${to.source}${versionOf(to.wrapped)}.\n`,
    );
  } finally {
    await database.close();
  }
}

/** Of Vault's key. */
function versionOf(wrapped: string): string {
  const version = /^vault:v(\d+):/.exec(wrapped)?.[1];
  return version === undefined ? "" : `, version ${version}`;
}
