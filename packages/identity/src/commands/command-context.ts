/** The context of all commands, and their settings. */
import { readFileSync } from "node:fs";

import type { Command } from "commander";

import { CONFIG_FILE, ConfigError, describeOptions, readConfig, type Config } from "../config.js";
import type { StopRequest, WorkerLink } from "../workers/worker-link.js";
import type { Worker, WorkerIdentity } from "../workers/supervisor.js";

/** The process as seen by the command line. */
export interface ProgramIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Whether stderr is a terminal. */
  readonly isInteractive: boolean;
  /** Resolves at a stop signal. */
  readonly stopped: () => Promise<StopRequest>;
  /** Registers a function for reload signals. */
  readonly onReload: (reload: () => void) => void;
  /** Starts a worker process with the same command line. */
  readonly fork: (identity: WorkerIdentity) => Worker;
  /** Set in a worker process. */
  readonly worker: WorkerLink | undefined;
}

/** Exit codes. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

export interface CommandContext extends ProgramIo {
  /** Sets the exit code, if not success. */
  readonly end: (code: number) => void;
}

/** The option of every command with settings. */
export interface SettingsOptions {
  /** The path of the settings file. */
  readonly config?: string;
}

/** Adds `--config`, and the list of settings to the help. */
export function withSettings(command: Command, { env }: CommandContext): Command {
  return command
    .option("-c, --config <file>", `a TOML file with settings (or ${CONFIG_FILE})`)
    .addHelpText("after", () => settingsHelp(env));
}

/** @throws {ConfigError} */
export function settings(
  { env }: CommandContext,
  { config: path = env[CONFIG_FILE] }: SettingsOptions,
): Config {
  if (path === undefined || path === "") return readConfig(env);
  try {
    return readConfig(env, { path, content: readFileSync(path, "utf8") });
  } catch (failure) {
    if (failure instanceof ConfigError) throw failure;
    throw new ConfigError("--config", `"${path}" can't be read: ${(failure as Error).message}`);
  }
}

function settingsHelp(env: ProgramIo["env"]): string {
  const groups = describeOptions(env).map(({ group, lines }) =>
    [`  ${group}:`, ...lines.map((line) => `    ${line}`)].join("\n"),
  );
  return `\nSettings, by environment or in the file, where port = 5000 is IDENTITY_PORT:\n${groups.join("\n")}\n`;
}
