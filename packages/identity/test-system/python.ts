/** Runs scripts in Debian's Python with Debian's packages. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a script of this folder answers to a question. */
export function askPython(script: string, question: unknown): unknown {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { status, stdout, stderr } = spawnSync("/usr/bin/python3", [path], {
    input: JSON.stringify(question),
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}
