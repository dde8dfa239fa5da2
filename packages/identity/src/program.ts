/** The command line. */
import { readFileSync } from "node:fs";

import { Command, CommanderError } from "commander";
import { pino } from "pino";

import {
  CONFIG_FILE,
  ConfigError,
  describeOptions,
  readConfig,
  unknownOptions,
  type Config,
} from "./config.js";
import { createLog } from "./platform/log.js";
import { serve, type Serving } from "./serve.js";

/** What a run of the command line may touch. */
export interface ProgramIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Resolves when the process is told to stop. */
  readonly stopped: () => Promise<unknown>;
}

/** What the process ends with. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/**
 * Runs a command line until it has done its work.
 *
 * @param argv The words behind `hamkit-identity`.
 * @returns The exit code: 1 for a failure, 2 for words or settings that are wrong. Nothing is thrown.
 */
export async function run(argv: readonly string[], io: ProgramIo): Promise<number> {
  let exit: number = EXIT.done;
  const program = createProgram(io, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync(argv.length === 0 ? ["--help"] : [...argv], { from: "user" });
    return exit;
  } catch (failure) {
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage;
    io.stderr.write(`hamkit-identity: ${messageOf(failure)}\n`);
    return failure instanceof ConfigError ? EXIT.usage : EXIT.failed;
  }
}

function createProgram(io: ProgramIo, end: (code: number) => void): Command {
  const program = new Command("hamkit-identity")
    .description("An identity service with the HTTP API of OpenStack Keystone v3.")
    .version(packageVersion(), "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text.replace(/^error/, "hamkit-identity")),
    });
  program
    .command("serve")
    .description("Start the service: create or migrate the database, and listen.")
    .option("-c, --config <file>", `a TOML file with settings (or ${CONFIG_FILE})`)
    .addHelpText("after", () => settingsHelp(io.env))
    .action(async ({ config: path }: { readonly config?: string }) => {
      const config = settings(io.env, path);
      const log = createLog(config.logLevel, pino.destination({ dest: 1, sync: true }));
      for (const option of unknownOptions(io.env)) log.warn({ option }, "there is no such option");
      end((await untilStopped(await serve(config, log), io)) ? EXIT.done : EXIT.failed);
    });
  return program;
}

async function untilStopped(serving: Serving, { stopped }: ProgramIo): Promise<boolean> {
  await stopped();
  return serving.stop();
}

function settings(env: ProgramIo["env"], path = env[CONFIG_FILE]): Config {
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

/** The message and those of its causes: whoever starts the service may know them. */
function messageOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  return failure.cause === undefined ? failure.message : `${failure.message} (${messageOf(failure.cause)})`;
}

function packageVersion(): string {
  const url = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(url, "utf8")) as { readonly version: string }).version;
}
