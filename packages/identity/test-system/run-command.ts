import { fileURLToPath } from "node:url";

import { runProgram } from "./run-program.js";

/** The built command line. */
export const MAIN = fileURLToPath(new URL("../dist/hamkit-identity.js", import.meta.url));

/** Runs `hamkit-identity`. @returns What it printed. @throws It failed. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { exit, output, errors } = await runProgram([process.execPath, MAIN, ...args], { env });
  if (exit !== 0) throw new Error(`hamkit-identity ${args.join(" ")}: ${exit}\n${output}${errors}`);
  return output;
}
