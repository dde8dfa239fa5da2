/**
 * Keys, accounts and addresses of services: from the environment or from a file of the user's, never from the command line,
 * which other users and the shell's history can read.
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { IOError } from "../../errors.js";
import { UsageError } from "../exit-code.js";

/** What can be set, and what it is. */
export const SETTINGS = {
  HAMKIT_LOG_APIKEY: "key of the log service (Club Log), for logxml and logapi",
  HAMKIT_CALLBOOK: "the callbook: qrz, or hamqth",
  HAMKIT_CALLBOOK_USERNAME: "account at the callbook",
  HAMKIT_CALLBOOK_PASSWORD: "password of that account",
  HAMKIT_STORE_URL: "address of the key/value store, such as redis://localhost:6379",
  HAMKIT_STORE_PREFIX: "what its keys begin with",
  HAMKIT_LOGXML_URL: "another address for logxml",
  HAMKIT_LOGAPI_URL: "another address for logapi",
  HAMKIT_CALLBOOK_URL: "another address for callbook",
} as const;

export type SettingName = keyof typeof SETTINGS;
export type Settings = Readonly<Partial<Record<SettingName, string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings; those of the environment count before those of the file.
 *
 * @param path The file; where it is left out, the one that `HAMKIT_CREDENTIALS` names, or the user's own if there is one.
 * @throws {IOError} The file that was named can't be read.
 * @throws {UsageError} The file can be read by other users, or has a line that is no setting.
 */
export async function readSettings(env: Environment, path?: string): Promise<Settings> {
  const settings = await readSettingsFile(path ?? env["HAMKIT_CREDENTIALS"] ?? (await ownFile(env)));
  for (const name of Object.keys(SETTINGS)) {
    const value = env[name];
    if (isName(name) && value !== undefined && value !== "") settings[name] = value;
  }
  return settings;
}

/** The user's own file, where there is one. */
async function ownFile({ XDG_CONFIG_HOME, HOME, APPDATA }: Environment): Promise<string | undefined> {
  const folder = XDG_CONFIG_HOME ?? APPDATA ?? (HOME === undefined ? undefined : join(HOME, ".config"));
  if (folder === undefined) return undefined;
  const path = join(folder, "hamkit", "credentials");
  return stat(path).then(
    () => path,
    () => undefined,
  );
}

async function readSettingsFile(path: string | undefined): Promise<Partial<Record<SettingName, string>>> {
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

/** Lines `NAME=value`; empty ones and those that begin with # are none. */
function parseSettings(text: string, path: string): Partial<Record<SettingName, string>> {
  const settings: Partial<Record<SettingName, string>> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const [, name = "", value = ""] = /^\s*([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    // The line itself may hold a password.
    if (!isName(name)) throw new UsageError(`${path}, line ${index + 1}: expected one of ${names()}`);
    settings[name] = value;
  }
  return settings;
}

function isName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

function names(): string {
  return Object.keys(SETTINGS).join(", ");
}
