/** The requests of the recordings, sent again to a service by the tools beside the checkout, and what differs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { runProgram } from "../run-program.js";

const shared = fileURLToPath(new URL("../../../../../shared/identity/", import.meta.url));
const RECORDER = join(shared, "tools/record_golden.py");
const COMPARER = join(shared, "tools/compare.py");
const PYTHON = "/usr/bin/python3";

/** How long the recorder may take. */
const RECORDING_MS = 240_000;

/** Whether tools and recordings are there. */
export const hasRecorder: boolean = existsSync(RECORDER);

/** A request that is answered in another way than a real Keystone did. */
export interface Difference {
  /** The name of the recorded request. */
  readonly request: string;
  /** What differs: a status, the body, headers, or `missing` where the recorder did not get there. */
  readonly kind: "status" | "body" | "headers" | "missing";
  /** Wanted and got, for whoever reads a failure. */
  readonly details: string;
}

export interface Replay {
  /** Files to compare, in the order of the recording, such as `02_auth_tokens`. */
  readonly files: readonly string[];
  /** The file behind the last of them: where it begins, the recorder may be ended. `undefined` has it go to its own end. */
  readonly stopAt: string | undefined;
  /** Settings of the recorder, such as how it sends assertions. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Sends the requests to a service that has just been started for the first time, and compares the answers. */
export async function replay(
  url: string,
  { files, stopAt, env }: Replay,
): Promise<Map<string, Difference[]>> {
  const folder = await mkdtemp(join(tmpdir(), "hamkit-recording-"));
  try {
    await record(url, folder, { stopAt, env });
    const found = new Map<string, Difference[]>();
    for (const file of files) found.set(file, await differencesIn(folder, file));
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The recorder writes each answer at once, and fails where a resource that it needs can't be created. */
async function record(
  url: string,
  folder: string,
  { stopAt, env }: Pick<Replay, "stopAt" | "env">,
): Promise<void> {
  const child = spawn(PYTHON, [RECORDER, "all"], {
    env: { ...process.env, ...env, KS_BASE: url, KS_OUT: folder, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: "ignore",
  });
  const ended = once(child, "close");
  const deadline = Date.now() + RECORDING_MS;
  const isThere = () => stopAt !== undefined && existsSync(join(folder, `${stopAt}.jsonl`));
  while (child.exitCode === null && Date.now() < deadline && !isThere()) await delay(50);
  child.kill("SIGKILL");
  await ended;
}

async function differencesIn(folder: string, file: string): Promise<Difference[]> {
  const recording = join(shared, "golden/head");
  const { output } = await runProgram([PYTHON, COMPARER, recording, folder, file, "-v"]);
  if (!output.startsWith("  ") && !output.startsWith(`${file}.jsonl: `)) throw new Error(output);
  if (output.includes("not recorded")) return [{ request: "all", kind: "missing", details: output }];
  // Each begins in the third column; what follows it is further to the right.
  return output
    .split(/^ {2}(?! )/m)
    .slice(1)
    .map(differenceIn);
}

/** `02_auth_tokens.jsonl status 201 -> 401: POST /v3/auth/tokens [auth: by user id] got {...}`, or `... missing: NAME` */
function differenceIn(text: string): Difference {
  const missing = / missing: (.*)/.exec(text)?.[1];
  if (missing !== undefined) return { request: missing, kind: "missing", details: "" };
  const parts =
    /^\S+ (status|body|headers)[^:]*: \S+ .*? \[(.*?)\](?: got |\n {6}want | \S[^:\n]*: want |$)/.exec(text);
  if (parts === null) throw new Error(`not understood: ${text}`);
  const [, kind = "", request = ""] = parts;
  return { request, kind: kind as Difference["kind"], details: text };
}
