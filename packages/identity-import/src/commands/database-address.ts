/** The address of a Keystone's database: a secret, and so from the environment or a file. */
import { readFileSync } from "node:fs";

import { type CommandContext, ConfigError, messageOf } from "@hamkit/identity/import-support/command-line";

import { hasPassword } from "../import/source/source-address.js";

export interface AddressOptions {
  /** `from` stands for `--from`, `--from-env` and `--from-file`. */
  readonly option: "from" | "to";
  /** The environment variable that holds the address if no option is given. */
  readonly variable: string;
  readonly url: string | undefined;
  /** Of an environment variable. */
  readonly name: string | undefined;
  readonly file: string | undefined;
}

/** The address; `undefined` if it is not given. @throws {ConfigError} */
export function addressFrom(
  env: CommandContext["env"],
  { option, variable, url, name, file }: AddressOptions,
): string | undefined {
  if ([url, name, file].filter((given) => given !== undefined).length > 1)
    throw new ConfigError(
      `--${option}`,
      `give only one of --${option}, --${option}-env and --${option}-file`,
    );
  if (url !== undefined) {
    if (!hasPassword(url)) return url;
    throw new ConfigError(
      `--${option}`,
      `contains a password, which other users of this computer can see: set ${variable}, or use --${option}-file`,
    );
  }
  if (name !== undefined) {
    const text = env[name] ?? "";
    if (text === "") throw new ConfigError(`--${option}-env`, `the variable ${name} is not set`);
    return text;
  }
  if (file === undefined) return env[variable] || undefined;
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new ConfigError(`--${option}-file`, `"${file}" can't be read: ${messageOf(error)}`);
  }
}
