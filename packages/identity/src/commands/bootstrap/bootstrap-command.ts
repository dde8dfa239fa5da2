/** `hamkit-identity bootstrap`, with the options and environment variables of `keystone-manage bootstrap`. */
import type { Command } from "commander";

import { DEFAULT_BOOTSTRAP, type RequestedBootstrap } from "../../bootstrap-settings.js";
import { INTERFACES, type EndpointInterface } from "../../catalog/endpoint.js";
import { parseUrlTemplate } from "../../catalog/endpoint-url.js";
import { ConfigError } from "../../config.js";
import { settings, withSettings, type CommandContext, type SettingsOptions } from "../command-context.js";

type Key =
  | "password"
  | "username"
  | "projectName"
  | "roleName"
  | "serviceName"
  | "regionId"
  | `${EndpointInterface}Url`;

interface BootstrapOption {
  /** Without the prefix `--bootstrap-`; also determines the variable `OS_BOOTSTRAP_...`. */
  readonly name: string;
  readonly value: string;
  readonly help: string;
  /** Characters, as in the API. */
  readonly maxLength?: number;
}

const OPTIONS: Readonly<Record<Key, BootstrapOption>> = {
  password: {
    name: "password",
    value: "password",
    help: "the administrator's password; visible to other users of this computer: prefer OS_BOOTSTRAP_PASSWORD",
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
  adminUrl: { name: "admin-url", value: "url", help: "the URL of the admin endpoint" },
  publicUrl: { name: "public-url", value: "url", help: "the URL of the public endpoint" },
  internalUrl: { name: "internal-url", value: "url", help: "the URL of the internal endpoint" },
  regionId: {
    name: "region-id",
    value: "id",
    help: "the region of the endpoints (that of existing ones, else RegionOne)",
    maxLength: 255,
  },
};

const flagOf = ({ name }: BootstrapOption): string => `--bootstrap-${name}`;
const variableOf = ({ name }: BootstrapOption): string =>
  `OS_BOOTSTRAP_${name.replaceAll("-", "_").toUpperCase()}`;

/** Options by commander's camel-case names. */
export type GivenOptions = Readonly<Record<string, unknown>>;

interface BootstrapOptions extends SettingsOptions, GivenOptions {
  readonly resetPassword?: true;
}

export function addBootstrapCommand(program: Command, context: CommandContext): void {
  withBootstrapOptions(withSettings(program.command("bootstrap"), context))
    .description(
      "Create the database, administrator, roles and catalog, as the first start of serve does. In an existing database, the options of keystone-manage bootstrap create what is missing and update what differs.",
    )
    .option(
      "--reset-password",
      "set the administrator's password to IDENTITY_ADMIN_PASSWORD, or a generated one, and revoke the user's tokens",
    )
    .action(async (options: BootstrapOptions) => {
      const requested = readBootstrapOptions(context.env, options);
      // Loaded on demand: other commands start in half the time.
      const { runBootstrap } = await import("./run-bootstrap.js");
      const isReset = options.resetPassword === true;
      const lines = await runBootstrap(settings(context, options), { isReset, requested });
      context.stdout.write(`${lines.join("\n")}\n`);
    });
}

function withBootstrapOptions(command: Command): Command {
  for (const option of Object.values(OPTIONS))
    command.option(`${flagOf(option)} <${option.value}>`, `${option.help} (or ${variableOf(option)})`);
  return command
    .option("--immutable-roles", "create roles with the option immutable: the default")
    .option("--no-immutable-roles", "create roles without the option immutable");
}

/**
 * Reads the options. As in Keystone, the variables take precedence.
 *
 * @throws {ConfigError} A value is blank or too long, or a URL is invalid.
 */
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

/** An empty value counts as unset. */
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
