/**
 * Reads settings from environment variables and a TOML file, whose keys are the same names in lower case without `IDENTITY_`.
 * The environment takes precedence.
 */
import { parse as parseToml } from "smol-toml";

import { OPTION_GROUPS, OPTIONS, type Config } from "./config-options.js";
import { relyingPartyOf } from "./passkeys/passkey-options.js";
import { faultOfDatabase } from "./platform/database/database-settings.js";
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

const ALL: readonly Option<unknown>[] = Object.values(OPTIONS);

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
  const entries = Object.entries(OPTIONS).map(([key, option]) => {
    const given = fromEnvironment(env, option.name) ?? fromFile.get(fileKey(option.name));
    return [key, valueOf(option, given, env)];
  });
  const config = Object.fromEntries(entries) as { -readonly [Key in keyof Config]: Config[Key] };
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    const missing = config.tlsKeyFile === undefined ? OPTIONS.tlsKeyFile : OPTIONS.tlsCertFile;
    throw new ConfigError(missing.name, mustBeSetTogether(OPTIONS.tlsCertFile, OPTIONS.tlsKeyFile));
  }
  if ((config.forwardedAssertionSecret === undefined) !== (config.isAssertionForwarder === undefined)) {
    const isSecretMissing = config.forwardedAssertionSecret === undefined;
    const missing = isSecretMissing ? OPTIONS.forwardedAssertionSecret : OPTIONS.isAssertionForwarder;
    throw new ConfigError(
      missing.name,
      mustBeSetTogether(OPTIONS.forwardedAssertionSecret, OPTIONS.isAssertionForwarder),
    );
  }
  checkRotation(config);
  checkPasskeys(config);
  const database = faultOfDatabase(config);
  if (database !== undefined) throw new ConfigError(database.option, database.fault);
  const { loginFailures, loginAccountFailures } = config;
  if (loginAccountFailures < loginFailures)
    throw new ConfigError(
      OPTIONS.loginAccountFailures.name,
      `"${loginAccountFailures}" is below the ${loginFailures} of ${OPTIONS.loginFailures.name}: one network could lock an account`,
    );
  const { passwordExpiresDays = Infinity, passwordMinimumAgeDays } = config;
  if (passwordMinimumAgeDays >= passwordExpiresDays)
    throw new ConfigError(
      OPTIONS.passwordMinimumAgeDays.name,
      `"${passwordMinimumAgeDays}" is not below the ${passwordExpiresDays} of ${OPTIONS.passwordExpiresDays.name}: passwords would expire before they may be changed`,
    );
  if (config.requiresAuditLog && !isLogged("info", config.logLevel))
    throw new ConfigError(
      OPTIONS.logLevel.name,
      `"${config.logLevel}" leaves out audit lines, which ${OPTIONS.requiresAuditLog.name} requires: expected info or a more verbose level`,
    );
  return Object.freeze(config);
}

function mustBeSetTogether(one: Option<unknown>, other: Option<unknown>): string {
  return `is missing: ${one.name} and ${other.name} must be set together`;
}

/** Where the settings of passkeys are left out, the console explains why an address has none. */
function checkPasskeys(config: Config): void {
  const { passkeyRpId, passkeyOrigins, publicUrl = passkeyOrigins[0] } = config;
  if (publicUrl === undefined || (passkeyRpId === undefined && passkeyOrigins.length === 0)) return;
  const { fault } = relyingPartyOf(config, publicUrl);
  const option = passkeyRpId === undefined ? OPTIONS.passkeyOrigins : OPTIONS.passkeyRpId;
  if (fault !== undefined) throw new ConfigError(option.name, fault);
}

/** A key is kept for one rotation after it stopped signing. Tokens must not outlive it. */
function checkRotation({ keyRotationDays, tokenLifetimeSeconds, expiredTokenWindowSeconds }: Config): void {
  const kept = keyRotationDays * 86_400;
  if (keyRotationDays === 0 || kept >= tokenLifetimeSeconds + expiredTokenWindowSeconds) return;
  throw new ConfigError(
    OPTIONS.keyRotationDays.name,
    `"${keyRotationDays}" days are less than the ${tokenLifetimeSeconds + expiredTokenWindowSeconds} seconds of ${OPTIONS.tokenLifetimeSeconds.name} + ${OPTIONS.expiredTokenWindowSeconds.name}: tokens would outlive their key`,
  );
}

/** Variables with the prefix of settings that are not settings: probably misspelled. */
export function unknownOptions(env: Environment): string[] {
  const settings = ALL.map(({ name }) => name);
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
  const width = Math.max(...ALL.map(({ name }) => name.length)) + 1;
  return Object.entries(OPTION_GROUPS).map(([group, options]: [string, Options]) => ({
    group,
    lines: Object.values(options).map((option) => {
      const standard = defaultOf(option, env);
      return `${option.name.padEnd(width)}${option.help}${standard === undefined || standard === "" ? "" : ` (${standard})`}`;
    }),
  }));
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
  const keys = new Set(ALL.map(({ name }) => fileKey(name)));
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
