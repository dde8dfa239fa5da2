/** The options of `keystone-manage bootstrap`, each with its environment variable, which counts before it there. */
import type { Command } from "commander";

import { DEFAULT_BOOTSTRAP, type BootstrapSettings } from "../bootstrap-settings.js";
import { INTERFACES, type EndpointInterface } from "../catalog/endpoint-store.js";
import { parseUrlTemplate } from "../catalog/endpoint-url.js";
import { ConfigError } from "../config.js";

type Key =
  | "password"
  | "username"
  | "projectName"
  | "roleName"
  | "serviceName"
  | "regionId"
  | `${EndpointInterface}Url`;

interface BootstrapOption {
  /** Without `--bootstrap-` before it. The variable is called so too, behind `OS_BOOTSTRAP_`. */
  readonly name: string;
  readonly value: string;
  readonly help: string;
  /** Characters at most, as in the API. */
  readonly maxLength?: number;
}

const OPTIONS: Readonly<Record<Key, BootstrapOption>> = {
  password: {
    name: "password",
    value: "password",
    help: "the administrator's password; other users of this computer can read it here: rather set OS_BOOTSTRAP_PASSWORD",
  },
  username: { name: "username", value: "name", help: "the administrator (admin)", maxLength: 255 },
  projectName: {
    name: "project-name",
    value: "name",
    help: "the administrator's project (admin)",
    maxLength: 64,
  },
  roleName: {
    name: "role-name",
    value: "name",
    help: "the administrator's role, in the project and in the system (admin)",
    maxLength: 255,
  },
  serviceName: {
    name: "service-name",
    value: "name",
    help: "the identity service in the catalog (keystone)",
    maxLength: 255,
  },
  adminUrl: { name: "admin-url", value: "url", help: "the address of the admin endpoint" },
  publicUrl: { name: "public-url", value: "url", help: "the address of the public endpoint" },
  internalUrl: { name: "internal-url", value: "url", help: "the address of the internal endpoint" },
  regionId: {
    name: "region-id",
    value: "id",
    help: "the region of the endpoints (RegionOne, or where they are already)",
    maxLength: 255,
  },
};

const flagOf = ({ name }: BootstrapOption): string => `--bootstrap-${name}`;
const variableOf = ({ name }: BootstrapOption): string =>
  `OS_BOOTSTRAP_${name.replaceAll("-", "_").toUpperCase()}`;

/** The options as commander has them: by names of its own. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/** What was asked for. */
export interface RequestedBootstrap {
  readonly settings: BootstrapSettings;
  readonly password: string | undefined;
  /** Whether any of the options, or of their variables, is there. */
  readonly isGiven: boolean;
}

export function withBootstrapOptions(command: Command): Command {
  for (const option of Object.values(OPTIONS))
    command.option(`${flagOf(option)} <${option.value}>`, `${option.help} (or ${variableOf(option)})`);
  return command
    .option("--immutable-roles", "make roles that can't be changed or deleted by mistake: the default")
    .option("--no-immutable-roles", "make roles that can be changed and deleted");
}

/** @throws {ConfigError} A text is too long, or an address is none. */
export function readBootstrapOptions(
  env: Readonly<Record<string, string | undefined>>,
  options: GivenOptions,
): RequestedBootstrap {
  const given = new Map<Key, string>();
  for (const [key, option] of Object.entries(OPTIONS) as [Key, BootstrapOption][]) {
    const text = textOf(option, env, options);
    if (text !== undefined) given.set(key, text);
  }
  const urls: Partial<Record<EndpointInterface, string>> = {};
  for (const type of INTERFACES) {
    const url = given.get(`${type}Url`);
    if (url !== undefined) urls[type] = url;
  }
  const hasImmutableRoles = options["immutableRoles"] !== false;
  return {
    settings: {
      username: given.get("username") ?? DEFAULT_BOOTSTRAP.username,
      projectName: given.get("projectName") ?? DEFAULT_BOOTSTRAP.projectName,
      roleName: given.get("roleName") ?? DEFAULT_BOOTSTRAP.roleName,
      serviceName: given.get("serviceName") ?? DEFAULT_BOOTSTRAP.serviceName,
      regionId: given.get("regionId"),
      urls,
      hasImmutableRoles,
    },
    password: given.get("password"),
    isGiven: given.size > 0,
  };
}

/** An empty text counts as none. */
function textOf(
  option: BootstrapOption,
  env: Readonly<Record<string, string | undefined>>,
  options: GivenOptions,
): string | undefined {
  const variable = variableOf(option);
  const [source, text] = env[variable]
    ? [variable, env[variable]]
    : [flagOf(option), options[commanderName(option)]];
  if (typeof text !== "string" || text === "") return undefined;
  const { maxLength = Infinity, value } = option;
  if (value === "password") return text;
  if (text.trim() === "") throw new ConfigError(source, "is blank");
  if (Array.from(text).length > maxLength)
    throw new ConfigError(source, `has more than ${maxLength} characters`);
  if (value === "url" && !isEndpointUrl(text.trim()))
    throw new ConfigError(source, `"${text}" is not a URL that begins with http:// or https://`);
  return text.trim();
}

function commanderName({ name }: BootstrapOption): string {
  return `bootstrap-${name}`.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isEndpointUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text) && parseUrlTemplate(text) !== undefined;
}
