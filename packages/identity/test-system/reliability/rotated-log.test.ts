/** A log file that is copied and truncated while the service writes to it, and the end of a process by an uncaught error. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, copyFileSync, openSync, readFileSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { startService } from "../service-process.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-identity-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A service whose output is appended to a file, as by `>>`. */
const startLogging = (path: string, env = {}) =>
  startService({
    databaseUrl: `sqlite:${join(folder, "identity.db")}`,
    folder,
    env: { IDENTITY_LOG_LEVEL: "info", ...env },
    through: ["/bin/sh", "-c", `exec "$@" >> ${path} 2>> ${path}.errors`, "sh"],
  });

const linesIn = (path: string) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly path?: string });

it.each([1, 2])(
  "a log that is copied and truncated has each line once, with %i worker(s)",
  async (workers) => {
    const path = join(folder, "log");
    const service = await startLogging(path, { IDENTITY_WORKERS: String(workers) });
    const paths = Array.from({ length: 200 }, (_, number) => `/v3/none/${number}`);
    for (const [number, each] of paths.entries()) {
      await (await fetch(service.url + each)).text();
      if (number !== 99) continue;
      // A request has its line after its response: one that is written between copy and truncation would be lost.
      await expect.poll(() => linesIn(path).map((line) => line.path)).toContain(each);
      copyFileSync(path, `${path}.1`);
      truncateSync(path);
    }
    await service.stop();
    const logged = [`${path}.1`, path].map((file) => linesIn(file).flatMap((line) => line.path ?? []));
    expect(logged.flat().filter((each) => paths.includes(each))).toEqual(paths);
    expect(logged[1]?.length).toBeGreaterThan(0);
  },
);

it("an uncaught error ends the process after the lines that were kept for a slow reader", async () => {
  const log = join(folder, "log");
  const pipe = join(folder, "pipe");
  await once(spawn("mkfifo", [pipe]), "exit");
  const throwing = "process.on('SIGUSR2', () => { throw new Error('uncaught, for the test'); })";
  // Opened for both directions: it is never closed for the writer, and nothing is read at first.
  const reader = openSync(pipe, "r+");
  const service = await startLogging(pipe, {
    NODE_OPTIONS: `--import "data:text/javascript,${throwing}"`,
  });
  const paths = Array.from({ length: 1000 }, (_, number) => `/v3/none/${number}`);
  for (const each of paths) await (await fetch(service.url + each)).text();
  const copy = spawn("cat", [pipe], { stdio: ["ignore", openSync(log, "w"), "inherit"] });
  process.kill(service.pid, "SIGUSR2");
  await expect.poll(() => readFileSync(`${pipe}.errors`, "utf8")).toContain("uncaught, for the test");
  await service.kill();
  closeSync(reader);
  await once(copy, "exit");
  expect(linesIn(log).flatMap((line) => paths.filter((each) => each === line.path))).toEqual(paths);
});
