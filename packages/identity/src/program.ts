/** The command line: parses arguments, runs a command, and maps errors to exit codes. */
import { Command, CommanderError } from "commander";

import { EXIT, type CommandContext, type ProgramIo } from "./commands/command-context.js";
import { addServeCommand } from "./commands/serve-command.js";
import { ConfigError } from "./config.js";
import { packageVersion } from "./package-version.js";
import { messageOf } from "./platform/errors.js";

/**
 * Runs a command.
 *
 * @param argv The arguments of `hamkit-identity`.
 * @returns The exit code: 1 for a failure, 2 for invalid arguments or settings, but 1 for those of `federation`. Never throws.
 */
export async function run(argv: readonly string[], io: ProgramIo): Promise<number> {
  let exit: number = EXIT.done;
  const end = (code: number) => {
    exit = code;
  };
  try {
    const program = createProgram({ ...io, end });
    // A running service needs no other command.
    if (argv[0] !== "serve") {
      const { addOperatorCommands } = await import("./commands/operator-commands.js");
      addOperatorCommands(program, { ...io, end });
    }
    await program.parseAsync(argv.length === 0 ? ["--help"] : withHelpOption(withSessionId(argv), program), {
      from: "user",
    });
    return exit;
  } catch (failure) {
    // For this command 2 means differences.
    const usage = argv[0] === "federation" ? EXIT.failed : EXIT.usage;
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : usage;
    io.stderr.write(`hamkit-identity: ${messageOf(failure)}\n`);
    return failure instanceof ConfigError ? usage : EXIT.failed;
  }
}

function createProgram(context: CommandContext): Command {
  const program = new Command("hamkit-identity")
    .description("An identity service with the HTTP API of OpenStack Keystone v3.")
    .version(packageVersion(), "-V, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show the help of a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text.replace(/^error/, "hamkit-identity")),
    });
  addServeCommand(program, context);
  return program;
}

/** Base64url of 16 or 32 bytes, of which one in 64 begins with a hyphen. */
const ID_LIKE_OPTION = /^-(?:[\w-]{21}|[\w-]{42})$/;

/** The id of a session behind `--`, if it looks like an option. */
function withSessionId(argv: readonly string[]): readonly string[] {
  if (argv[1] !== "end-session" || argv.includes("--")) return argv;
  const id = argv.find((word) => ID_LIKE_OPTION.test(word));
  return id === undefined ? argv : [...argv.filter((word) => word !== id), "--", id];
}

/** `help NAME` as `NAME --help`: before the latter, hooks add options that are loaded on demand. */
function withHelpOption(argv: readonly string[], program: Command): string[] {
  const [first, name = ""] = argv;
  const isHelpOfCommand = first === "help" && program.commands.some((command) => command.name() === name);
  return isHelpOfCommand ? [...argv.slice(1), "--help"] : [...argv];
}
