/**
 * Keys, accounts and addresses of services: from the environment or from a file, never from the command line, which other
 * users and the shell's history can read.
 */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { IOError } from "../../errors.js";
import { SOURCES } from "../../sources.js";
import { UsageError } from "../exit-code.js";

const NAMES: ReadonlySet<string> = new Set(
  Object.values(SOURCES).flatMap(({ settings }) => Object.values(settings)),
);

/** Values by their names, such as HAMKIT_LOG_APIKEY. */
export type Settings = Readonly<Partial<Record<string, string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings; the environment takes precedence over the file.
 *
 * @param path The file; when left out, the one that `HAMKIT_CREDENTIALS` names, or else the user's own if it exists.
 * @throws {IOError} The file can't be read.
 * @throws {UsageError} Other users can read the file, or a line is not a setting.
 */
export async function readSettings(env: Environment, path?: string): Promise<Settings> {
  const settings = await readSettingsFile(path ?? env["HAMKIT_CREDENTIALS"] ?? (await ownFile(env)));
  for (const name of NAMES) {
    const value = env[name];
    if (value !== undefined && value !== "") settings[name] = value;
  }
  return settings;
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
    const [, name = "", value = ""] = /^\s*([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    // The message does not quote the line, which may hold a password.
    if (!NAMES.has(name)) {
      throw new UsageError(`${path}, line ${index + 1}: expected one of ${[...NAMES].join(", ")}`);
    }
    settings[name] = value;
  }
  return settings;
}
