/**
 * Keys, accounts and addresses of services: from the environment, a file or the system's keyring, never from the command line, which other
 * users and the shell's history can read.
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { IOError } from "../../errors.js";
import { SOURCES } from "../../sources.js";
import { REPORT_SERVICES } from "../../uploads/fetch-report.js";
import { SELF_SPOT_SERVICES } from "../../uploads/self-spot.js";
import { UPLOAD_SERVICES, type UploadService } from "../../uploads/services.js";
import { UsageError } from "../exit-code.js";
import type { CommandIo } from "../session.js";

/** Options of databases that are secret; the address of a store may have its password. */
const SECRET_OPTIONS = ["apikey", "pwd", "kvInstance"] as const;

/** Services that are sent something, or asked for a report. */
const SERVICES: readonly (readonly [string, Pick<UploadService, "secrets" | "settings">])[] = [
  ...Object.entries(UPLOAD_SERVICES),
  ...Object.entries(REPORT_SERVICES),
  ...Object.entries(SELF_SPOT_SERVICES),
];

export const CLUSTER_PASSWORD = "HAMKIT_CLUSTER_PASSWORD";

/** The settings that the keyring may have. */
export const SECRETS: ReadonlySet<string> = new Set([
  ...Object.values(SOURCES).flatMap(({ settings }) =>
    SECRET_OPTIONS.flatMap((option) => settings[option] ?? []),
  ),
  ...SERVICES.flatMap(([name, { secrets }]) => secrets.map((setting) => settingName(name, setting))),
  CLUSTER_PASSWORD,
]);

const NAMES: ReadonlySet<string> = new Set([
  ...Object.values(SOURCES).flatMap(({ settings }) => Object.values(settings)),
  ...SERVICES.flatMap(([name, { settings }]) =>
    [...settings, "url", "reportUrl"].map((setting) => settingName(name, setting)),
  ),
  CLUSTER_PASSWORD,
]);

/** The name of a service's setting: `HAMKIT_LOTW_P12_PASSWORD` of `p12Password`. */
export function settingName(service: string, setting: string): string {
  return `HAMKIT_${service}_${setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();
}

/** A service's settings by their own names, and the names of those that are missing. */
export function serviceSettings(
  service: string,
  names: readonly string[],
  settings: Settings,
): { readonly values: Readonly<Record<string, string>>; readonly missing: readonly string[] } {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const name of names) {
    const value = settings[settingName(service, name)] ?? "";
    if (value !== "") values[name] = value;
    else missing.push(settingName(service, name));
  }
  return { values, missing };
}

/** Values by their names, such as HAMKIT_LOG_APIKEY. */
export type Settings = Readonly<Partial<Record<string, string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings: from the environment, else from the file, else from the keyring.
 *
 * @param needed Names of settings; the keyring is asked for the secrets among them alone.
 * @param path The file; when left out, the one that `HAMKIT_CREDENTIALS` names, or else the user's own if it exists.
 * @throws {IOError} The file can't be read, or the keyring can't, such as one that stays locked.
 * @throws {UsageError} Other users can read the file, or a line is not a setting.
 */
export async function readSettings(
  { env, keyring: open }: Pick<CommandIo, "env" | "keyring">,
  needed: readonly string[],
  path?: string,
): Promise<Settings> {
  const settings = await readSettingsFile(path ?? env["HAMKIT_CREDENTIALS"] ?? (await ownFile(env)));
  for (const name of NAMES) {
    const value = env[name];
    if (value !== undefined && value !== "") settings[name] = value;
  }
  const missing = needed.filter((name) => SECRETS.has(name) && (settings[name] ?? "") === "");
  // A system without a keyring has no secrets in it.
  const keyring = missing.length === 0 ? undefined : await open().catch(() => undefined);
  for (const name of missing) {
    const secret = await keyring?.read(name);
    if (secret !== undefined) settings[name] = secret;
  }
  return settings;
}

/** How missing settings are set. */
export async function howToSet(
  names: readonly string[],
  { keyring }: Pick<CommandIo, "keyring">,
): Promise<string> {
  const text = `set ${names.join(", ")} in the environment or a file of credentials`;
  if (!names.some((name) => SECRETS.has(name))) return text;
  const problem = await keyring().then(
    () => "",
    (failure: unknown) => ` (${failure instanceof Error ? failure.message : String(failure)})`,
  );
  return `${text}, or store a secret by hamkit keyring set${problem}`;
}

/** The user's own file, if it exists. */
async function ownFile({ XDG_CONFIG_HOME, HOME, APPDATA }: Environment): Promise<string | undefined> {
  const folder = XDG_CONFIG_HOME ?? APPDATA ?? (HOME === undefined ? undefined : join(HOME, ".config"));
  if (folder === undefined) return undefined;
  const path = join(folder, "hamkit", "credentials");
  return stat(path).then(
    () => path,
    () => undefined,
  );
}

async function readSettingsFile(path: string | undefined): Promise<Partial<Record<string, string>>> {
  if (path === undefined) return {};
  let text: string;
  try {
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new UsageError(`${path} can be read by other users; chmod 600 makes it yours alone`);
    }
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new IOError(path, "the credentials can't be read", { cause });
  }
  return parseSettings(text, path);
}

/** Reads lines `NAME=value`; empty lines and comments (#) are ignored. */
function parseSettings(text: string, path: string): Partial<Record<string, string>> {
  const settings: Partial<Record<string, string>> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, name = "", value = ""] = /^\s*([A-Z0-9_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    // The message does not quote the line, which may hold a password.
    if (!NAMES.has(name)) {
      throw new UsageError(`${path}, line ${index + 1}: expected one of ${[...NAMES].join(", ")}`);
    }
    settings[name] = value;
  }
  return settings;
}
