/** Starts HAProxy with `deploy/haproxy.cfg`, before replicas on this computer. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished } from "vitest";

import { freePort } from "../free-port.js";

const CONFIGURATION = fileURLToPath(new URL("../../../../deploy/haproxy.cfg", import.meta.url));

/** How long it takes until HAProxy sends requests to a replica that is ready again: `inter * rise`, and a margin. */
export const HAPROXY_RISE_MS = 1500;

/**
 * Starts it until the end of the test, and waits until it serves.
 *
 * @param ports Of the replicas, at most three.
 * @returns Its URL.
 */
export async function startHaproxy(folder: string, ports: readonly number[]): Promise<string> {
  const port = await freePort();
  const path = join(folder, "haproxy.cfg");
  const text = (await readFile(CONFIGURATION, "utf8"))
    .replace("127.0.0.1:8080", `127.0.0.1:${port}`)
    .replaceAll(/^.*server \w+ 127\.0\.0\.1:500(\d)\n/gm, (line, at: string) => {
      const replica = ports[Number(at) - 1];
      return replica === undefined ? "" : line.replace(`:500${at}`, `:${replica}`);
    });
  await writeFile(path, text);
  const checked = spawnSync("/usr/sbin/haproxy", ["-c", "-f", path], { encoding: "utf8" });
  expect([checked.status, checked.stderr]).toEqual([0, expect.not.stringContaining("ALERT")]);
  const haproxy = spawn("/usr/sbin/haproxy", ["-db", "-f", path], { stdio: "ignore" });
  const ended = once(haproxy, "close");
  onTestFinished(async () => {
    haproxy.kill("SIGKILL");
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const isServing = () =>
    fetch(`${url}/v3`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isServing, { timeout: 20_000 }).toBe(true);
  return url;
}
