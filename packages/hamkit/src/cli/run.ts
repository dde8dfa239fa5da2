/** One run of the command line: from the words of it to the exit code. */
import { CommanderError } from "commander";

import { EXIT, exitCodeOf, problemOf, UsageError, type ExitCode } from "./exit-code.js";
import { withoutCommas } from "./commands/locator-command.js";
import { createProgram } from "./program.js";
import { createSession, toJson, writeDiagnostic, type CommandIo } from "./session.js";

/**
 * Answers a command line.
 *
 * @param argv The words behind `hamkit`.
 * @param io Where answers go, and what they may depend on.
 * @returns The exit code. Nothing is thrown: failures are told in one line, or in JSON where that was asked for.
 */
export async function run(argv: readonly string[], io: CommandIo): Promise<ExitCode> {
  const session = createSession(io, (words) => run(words, io));
  try {
    const words = argv.length === 0 ? ["--help"] : withoutCommas(argv);
    await createProgram(session).parseAsync(words, { from: "user" });
    return session.exitCode();
  } catch (failure) {
    if (failure instanceof CommanderError && failure.exitCode === 0) return EXIT.success;
    return tell(failure instanceof CommanderError ? usageErrorOf(failure, argv) : failure, argv, io);
  } finally {
    await session.end();
  }
}

/** Tells what went wrong: as the JSON document where one is due, else in one line for people. */
function tell(failure: unknown, argv: readonly string[], io: CommandIo): ExitCode {
  const problem = problemOf(failure);
  if (asksForJson(argv)) io.stdout.write(`${toJson({ error: problem })}\n`);
  else writeDiagnostic(io, "error", problem.message);
  return exitCodeOf(problem);
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? undefined : end).includes("--json");
}

/** Commander's words in one line, and a way on where somebody typed a callsign for a command. */
function usageErrorOf({ code, message }: CommanderError, argv: readonly string[]): UsageError {
  if (code === "commander.help")
    return new UsageError(`unknown command '${argv.filter((word) => !word.startsWith("-")).at(1) ?? ""}'`);
  const line = message.replace(/^error: /, "").replaceAll(/\s*\n\s*/g, " ");
  const [first = ""] = argv;
  const isCall = code === "commander.unknownCommand" && /^[a-z0-9/]*\d[a-z0-9/]*$/i.test(first);
  return new UsageError(isCall ? `${line} (for a callsign: hamkit call ${first})` : line);
}
