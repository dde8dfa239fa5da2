/** What every command is given, and how it comes to its settings. */
import { readFileSync } from "node:fs";

import type { Command } from "commander";

import { CONFIG_FILE, ConfigError, describeOptions, readConfig, type Config } from "../config.js";
import type { StopRequest } from "../workers/messages.js";
import type { Worker } from "../workers/supervisor.js";
import type { WorkerLink } from "../workers/worker-link.js";

/** What a run of the command line may touch. */
export interface ProgramIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Whether somebody looks on. */
  readonly isInteractive: boolean;
  /** Resolves when the process is told to stop. */
  readonly stopped: () => Promise<StopRequest>;
  /** Has it called each time when the process is told to read its files again. */
  readonly onReload: (reload: () => void) => void;
  /** Starts the same command line once more, as one of several processes that serve. */
  readonly fork: (id: number) => Worker;
  /** Set in a process that was started so. */
  readonly worker: WorkerLink | undefined;
}

/** What the process ends with. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A run of the command line, as a command sees it. */
export interface CommandContext extends ProgramIo {
  /** Says what the process ends with, where that isn't success. */
  readonly end: (code: number) => void;
}

/** The options of every command that has settings. */
export interface SettingsOptions {
  /** The path of the file. */
  readonly config?: string;
}

/** The same command, with settings by environment or file, which its help lists. */
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
  const lines = describeOptions(env).map((line) => `  ${line}`);
  return `\nSettings, by environment or in the file, where port = 5000 is IDENTITY_PORT:\n${lines.join("\n")}\n`;
}
