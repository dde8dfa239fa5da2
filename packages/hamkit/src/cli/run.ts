/** Runs a command line: parses the arguments, executes the command, and reports failures. */
import { CommanderError } from "commander";

import { EXIT, exitCodeOf, problemOf, UsageError, type ExitCode } from "./exit-code.js";
import { withoutCommas } from "./input/coordinates.js";
import { mayBeCall } from "./input/text-form.js";
import { createProgram } from "./program.js";
import { createSession, toJson, writeDiagnostic, type CommandIo } from "./session.js";

/**
 * Runs a command line.
 *
 * @param argv The arguments after `hamkit`.
 * @param io Streams, environment and clock.
 * @returns The exit code. Never throws: failures are reported in one line, or in JSON with `--json`.
 */
export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const session = createSession(io, (words) => run(words, io));
  try {
    const words = argv.length === 0 ? ["--help"] : withTextCommand(withoutCommas(argv));
    const program = await createProgram(words, session);
    await program.parseAsync(words, { from: "user" });
    return session.exitCode();
  } catch (failure) {
    if (failure instanceof CommanderError && failure.exitCode === 0) return EXIT.success;
    return reportFailure(failure instanceof CommanderError ? usageErrorOf(failure, argv) : failure, argv, io);
  } finally {
    await session.close();
  }
}

/** The command line with the name of the command for locators and callsigns, if it begins with one of them. */
function withTextCommand(argv: readonly string[]): readonly string[] {
  const [first = ""] = argv;
  return mayBeCall(first) ? ["text", ...argv] : argv;
}

/** Reports a failure: as the JSON document with `--json`, else in one line on standard error. */
function reportFailure(failure: unknown, argv: readonly string[], io: CommandIo): ExitCode {
  const problem = problemOf(failure);
  if (asksForJson(argv)) io.stdout.write(`${toJson({ error: problem })}\n`);
  else writeDiagnostic(io, "error", problem.message);
  return exitCodeOf(problem);
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? undefined : end).includes("--json");
}

/** Commander's message in one line. */
function usageErrorOf({ code, message }: CommanderError, argv: readonly string[]): UsageError {
  if (code === "commander.help") {
    const [command = "", word] = argv.filter((each) => !each.startsWith("-"));
    if (word !== undefined) return new UsageError(`unknown command '${word}'`);
    return new UsageError(`${command} needs a command; 'hamkit ${command} --help' lists them`);
  }
  return new UsageError(message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " "));
}
