/**
 * Reads settings from environment variables and a TOML file, whose keys are the same names in lower case without `IDENTITY_`.
 * The environment takes precedence.
 */
import { parse as parseToml } from "smol-toml";

import { ALL_OPTIONS, OPTION_GROUPS, type Config } from "./config-options.js";
import { relyingPartyOf } from "./passkeys/passkey-options.js";
import { faultOfDatabase } from "./platform/database/database-settings.js";
import { faultOfKeySettings } from "./platform/secrets/sources/key-settings.js";
import { isLogged } from "./platform/log.js";
import type { Environment, Option, Options } from "./platform/option-parsers.js";

export type { Config } from "./config-options.js";

/** A setting or command-line option is invalid or unknown. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "config/invalid";
  /** The name as given. */
  readonly option: string;

  constructor(option: string, fault: string) {
    super(`${option}: ${fault}`);
    this.option = option;
  }
}

export interface ConfigFile {
  readonly path: string;
  readonly content: string;
}

/**
 * Reads and validates all settings.
 *
 * @throws {ConfigError} Names the setting, its value unless secret, and what was expected.
 */
export function readConfig(env: Environment, file?: ConfigFile): Config {
  const fromFile = file === undefined ? new Map<string, Given>() : readFile(file);
  const groups = Object.entries(OPTION_GROUPS).map(([group, options]: [string, Options]) => {
    const values = Object.entries(options).map(([key, option]) => {
      const given = fromEnvironment(env, option.name) ?? fromFile.get(fileKey(option.name));
      return [key, valueOf(option, given, env)];
    });
    return [group, Object.freeze(Object.fromEntries(values))];
  });
  const config = Object.freeze(Object.fromEntries(groups) as Config);
  requireConsistent(config);
  return config;
}

/** Settings that depend on each other. */
function requireConsistent({
  server,
  federation,
  database,
  failedLogins,
  password,
  passkey,
  log,
  token,
  ...others
}: Config): void {
  requireBoth(OPTION_GROUPS.server, server, ["tlsCertFile", "tlsKeyFile"]);
  requireBoth(OPTION_GROUPS.federation, federation, ["forwardedAssertionSecret", "isAssertionForwarder"]);
  requireRotation(token);
  requireRelyingParty(passkey, server.publicUrl);
  const fault = faultOfDatabase(database) ?? faultOfKeySettings(others);
  if (fault !== undefined) throw new ConfigError(fault.option, fault.fault);
  const { failures, accountFailures } = failedLogins;
  if (accountFailures < failures)
    throw new ConfigError(
      OPTION_GROUPS.failedLogins.accountFailures.name,
      `"${accountFailures}" is below the ${failures} of ${OPTION_GROUPS.failedLogins.failures.name}: one network could lock an account`,
    );
  const { expiresDays = Infinity, minimumAgeDays } = password;
  if (minimumAgeDays >= expiresDays)
    throw new ConfigError(
      OPTION_GROUPS.password.minimumAgeDays.name,
      `"${minimumAgeDays}" is not below the ${expiresDays} of ${OPTION_GROUPS.password.expiresDays.name}: passwords would expire before they may be changed`,
    );
  if (log.requiresAudit && !isLogged("info", log.level))
    throw new ConfigError(
      OPTION_GROUPS.log.level.name,
      `"${log.level}" leaves out audit lines, which ${OPTION_GROUPS.log.requiresAudit.name} requires: expected info or a more verbose level`,
    );
}

/** Two settings of a group that have no meaning without each other. */
function requireBoth<Group extends Options>(
  options: Group,
  values: Readonly<Record<keyof Group, unknown>>,
  keys: readonly [keyof Group, keyof Group],
): void {
  const missing = keys.filter((key) => values[key] === undefined);
  if (missing.length !== 1) return;
  const names = keys.map((key) => options[key]?.name).join(" and ");
  for (const key of missing)
    throw new ConfigError(options[key]?.name ?? "", `is missing: ${names} must be set together`);
}

/** Where the settings of passkeys are left out, the console explains why an address has none. */
function requireRelyingParty(passkey: Config["passkey"], publicUrl = passkey.origins[0]): void {
  const { rpId, origins } = passkey;
  if (publicUrl === undefined || (rpId === undefined && origins.length === 0)) return;
  const { fault } = relyingPartyOf(passkey, publicUrl);
  const option = rpId === undefined ? OPTION_GROUPS.passkey.origins : OPTION_GROUPS.passkey.rpId;
  if (fault !== undefined) throw new ConfigError(option.name, fault);
}

/** A key is kept for one rotation after it stopped signing. Tokens must not outlive it. */
function requireRotation({ keyRotationDays, lifetimeSeconds, expiredWindowSeconds }: Config["token"]): void {
  const kept = keyRotationDays * 86_400;
  const needed = lifetimeSeconds + expiredWindowSeconds;
  if (keyRotationDays === 0 || kept >= needed) return;
  const options = OPTION_GROUPS.token;
  throw new ConfigError(
    options.keyRotationDays.name,
    `"${keyRotationDays}" days are less than the ${needed} seconds of ${options.lifetimeSeconds.name} + ${options.expiredWindowSeconds.name}: tokens would outlive their key`,
  );
}

/** Variables with the prefix of settings that are not settings: probably misspelled. */
export function unknownOptions(env: Environment): string[] {
  const settings = ALL_OPTIONS.map(({ name }) => name);
  const known = new Set<string>([CONFIG_FILE, ...Object.values(COMMAND_VARIABLES), ...settings]);
  return Object.keys(env).filter((name) => name.startsWith("IDENTITY_") && !known.has(name));
}

/** The variable with the path of the file. */
export const CONFIG_FILE = "IDENTITY_CONFIG";

/** Variables of single commands, so that their values are in no list of processes. */
export const COMMAND_VARIABLES = {
  /** Address of the Keystone database that `import` reads. */
  importAddress: "IDENTITY_IMPORT_DATABASE_URL",
  /** Token of an administrator of the Keystone that `import --verify` asks. */
  importToken: "IDENTITY_IMPORT_TOKEN",
  /** Address of the Keystone database that `export` writes. */
  exportAddress: "IDENTITY_EXPORT_DATABASE_URL",
} as const;

/** The settings of each group, a line per setting: name, help and default. */
export function describeOptions(env: Environment): { readonly group: string; readonly lines: string[] }[] {
  const width = Math.max(...ALL_OPTIONS.map(({ name }) => name.length)) + 1;
  return Object.entries(OPTION_GROUPS).map(([group, options]: [string, Options]) => ({
    group: titleOf(group),
    lines: Object.values(options).map((option) => {
      const standard = defaultOf(option, env);
      return `${option.name.padEnd(width)}${option.help}${standard === undefined || standard === "" ? "" : ` (${standard})`}`;
    }),
  }));
}

/** The words of a group's name: "failed logins". */
export function titleOf(group: string): string {
  return group.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function defaultOf({ standard }: Option<unknown>, env: Environment): string | undefined {
  return typeof standard === "function" ? standard(env) : standard;
}

/** A value as given, and its source. */
interface Given {
  readonly option: string;
  readonly value: string;
}

function valueOf(option: Option<unknown>, given: Given | undefined, env: Environment): unknown {
  const { parser, isSecret } = option;
  const value = given?.value ?? defaultOf(option, env);
  if (value === undefined) return undefined;
  const parsed = parser.parse(value);
  if (parsed !== undefined) return parsed;
  const reason = parser.reason?.(value);
  throw new ConfigError(
    given?.option ?? "",
    `${isSecret ? "its value" : `"${value}"`} is not ${parser.expected}${reason === undefined ? "" : `: ${reason}`}`,
  );
}

/** An empty variable counts as unset. */
function fromEnvironment(env: Environment, name: string): Given | undefined {
  const value = env[name];
  return value === undefined || value === "" ? undefined : { option: name, value };
}

function readFile({ path, content }: ConfigFile): Map<string, Given> {
  const keys = new Set(ALL_OPTIONS.map(({ name }) => fileKey(name)));
  const given = new Map<string, Given>();
  for (const [key, value] of Object.entries(parsedFile({ path, content }))) {
    const option = `${key} in ${path}`;
    if (!keys.has(key))
      throw new ConfigError(option, `unknown setting, expected one of ${[...keys].join(", ")}`);
    given.set(key, { option, value: asWritten(value) });
  }
  return given;
}

function parsedFile({ path, content }: ConfigFile): Record<string, unknown> {
  try {
    return parseToml(content);
  } catch (cause) {
    // The rest of the message quotes lines of the file, which may contain a password.
    const [reason = ""] = (cause as Error).message.split("\n", 1);
    throw new ConfigError(path, reason);
  }
}

/** Numbers, booleans and lists as text of a variable. */
function asWritten(value: unknown): string {
  if (Array.isArray(value)) return value.map(asWritten).join(",");
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function fileKey(name: string): string {
  return name.replace("IDENTITY_", "").toLowerCase();
}
