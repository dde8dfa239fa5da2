/** Reads keystone.conf: what an import needs of it, the settings of this service that follow from it, and what does not. */
import { readFileSync } from "node:fs";

import { ALL_OPTIONS, messageOf } from "@hamkit/identity/import-support/command-line";

import {
  isOptionTrue,
  COUNTERPARTS,
  WITHOUT_COUNTERPART,
  type KeystoneSetting,
  type OptionCounterpart,
  type UnsupportedOption,
} from "./conf/option-counterparts.js";
import { readKeystonePolicy } from "./conf/keystone-policy.js";
import { parseOsloConfig, type OsloConfig } from "./conf/oslo-config.js";

/** A file that can't be used. The message names the option and what was expected. */
export class KeystoneConfError extends Error {
  override readonly name = "KeystoneConfError";
  readonly code = "import/keystone-conf";
}

export interface KeystoneConf {
  /** `[auth] methods`, in their order. */
  readonly authMethods: readonly string[];
  /** `[token] expiration` */
  readonly tokenExpirationSeconds: number;
  /** Whether tokens are Fernet tokens, which stay valid. */
  readonly hasFernetTokens: boolean;
  /** `[fernet_tokens] key_repository` */
  readonly fernetKeys: string;
  /** `[credential] key_repository` */
  readonly credentialKeys: string;
  /** `[federation] default_authorization_ttl`: of memberships by providers without a time of their own. */
  readonly defaultAuthorizationTtlMinutes: number;
  /** `[identity] domain_specific_drivers_enabled` and `domain_configurations_from_database`: both are off by default. */
  readonly usesDomainDrivers: boolean;
  /** `[database] connection` as `mysql://` or `postgres://`: a secret. `undefined` if another kind, or not set. */
  readonly databaseUrl: string | undefined;
  readonly settings: readonly KeystoneSetting[];
  readonly unsupported: readonly UnsupportedOption[];
}

/** Keystone's defaults. */
const DEFAULT_METHODS = "external,password,token,oauth1,mapped,application_credential";
const DEFAULT_EXPIRATION = "3600";
const FERNET_KEYS = "/etc/keystone/fernet-keys/";
/** Keystone reads drivers in its database where both are set. */
const DRIVER_FLAGS = ["domain_specific_drivers_enabled", "domain_configurations_from_database"];
const CREDENTIAL_KEYS = "/etc/keystone/credential-keys/";

/** @throws {KeystoneConfError} {@link OsloConfigError} The file can't be read, or a value has another form than Keystone accepts. */
export function readKeystoneConf(path: string): KeystoneConf {
  const conf = parseOsloConfig(contentOf(path), path);
  const policy = readKeystonePolicy(conf, path);
  const settings = COUNTERPARTS.map((counterpart) => settingOf(conf, counterpart));
  return {
    authMethods: listIn(conf.value("auth", "methods") ?? DEFAULT_METHODS),
    tokenExpirationSeconds: wholeNumberOf(conf, path, "token", "expiration", DEFAULT_EXPIRATION),
    hasFernetTokens: (conf.value("token", "provider") ?? "fernet").trim() === "fernet",
    fernetKeys: conf.value("fernet_tokens", "key_repository") ?? FERNET_KEYS,
    credentialKeys: conf.value("credential", "key_repository") ?? CREDENTIAL_KEYS,
    defaultAuthorizationTtlMinutes: wholeNumberOf(conf, path, "federation", "default_authorization_ttl", "0"),
    usesDomainDrivers: DRIVER_FLAGS.every((name) => isOptionTrue(conf.value("identity", name) ?? "false")),
    databaseUrl: databaseUrlOf(conf.value("database", "connection")),
    settings: [...settings.flatMap((setting) => setting?.accepted ?? []), ...policy.settings],
    unsupported: [
      ...settings.flatMap((setting) => setting?.rejected ?? []),
      ...withoutCounterpart(conf),
      ...policy.unsupported,
    ],
  };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new KeystoneConfError(`${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
}

interface SettingResult {
  readonly accepted?: KeystoneSetting;
  readonly rejected?: UnsupportedOption;
}

const PARSERS = new Map(ALL_OPTIONS.map(({ name, parser }) => [name, parser]));

function settingOf(conf: OsloConfig, counterpart: OptionCounterpart): SettingResult | undefined {
  const { group, name, setting, convert = (value: string) => value, isRepeated } = counterpart;
  const given = isRepeated === true ? conf.values(group, name).join(",") : conf.value(group, name);
  if (given === undefined || given === "") return undefined;
  const option = `[${group}] ${name}`;
  const value = convert(given);
  if (value === undefined) return undefined;
  const parser = PARSERS.get(setting);
  if (parser?.parse(value) === undefined)
    return {
      rejected: { option, reason: `"${value}" is not accepted by ${setting}: expected ${parser?.expected}` },
    };
  return { accepted: { option, setting, value } };
}

function withoutCounterpart(conf: OsloConfig): UnsupportedOption[] {
  return WITHOUT_COUNTERPART.flatMap(({ group, name, matters = () => true, reason }) => {
    const value = conf.value(group, name);
    return value === undefined || !matters(value) ? [] : [{ option: `[${group}] ${name}`, reason }];
  });
}

function listIn(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function wholeNumberOf(conf: OsloConfig, path: string, group: string, name: string, standard = ""): number {
  const value = (conf.value(group, name) ?? standard).trim();
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new KeystoneConfError(`${path}: [${group}] ${name}: "${value}" is not a whole number`);
}

/** SQLAlchemy writes the driver behind the kind: `mysql+pymysql://`. */
function databaseUrlOf(connection: string | undefined): string | undefined {
  const [, kind, rest = ""] =
    /^(mysql|mariadb|postgres(?:ql)?)(?:\+\w+)?:\/\/(.*)$/.exec(connection ?? "") ?? [];
  if (kind === undefined) return undefined;
  const [address = ""] = rest.split("?");
  return `${kind.startsWith("postgres") ? "postgres" : "mysql"}://${address}`;
}
