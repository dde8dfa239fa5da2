/** The command line: what the package @hamkit/identity-import needs to complete the commands `import` and `export`. */
export type { Command } from "commander";

export { EXIT, settings, type CommandContext, type SettingsOptions } from "../commands/command-context.js";
export type { KeystoneCommands } from "../commands/keystone-commands.js";
export { ALL_OPTIONS } from "../config-options.js";
export { COMMAND_VARIABLES, ConfigError, type Config } from "../config.js";
export { messageOf } from "../platform/errors.js";
export { allowHeapGrowth } from "../platform/heap-growth.js";
export { quoted } from "../platform/text/quoted-value.js";
