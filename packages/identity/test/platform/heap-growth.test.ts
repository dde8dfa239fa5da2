import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

const MODULE = new URL("../../dist/platform/heap-growth.js", import.meta.url).href;
const LIMIT = `(await import("${MODULE}")).limitHeapGrowth();`;

/**
 * The space of new objects in megabytes, after work that leaves half of them alive for a while, in a process of its own.
 *
 * @param result The value to return instead, an expression.
 */
async function newSpaceAfter(script: string, result = "newSpace()"): Promise<number> {
  const work = `const kept = []; for (let i = 0; i < 3e6; i++) kept[i % 40_000] = { i };`;
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { once } from "node:events";
    import { setTimeout as delay } from "node:timers/promises";
    import { Worker } from "node:worker_threads";
    const newSpace = () => {
      // Collecting, Node 24 adds pages for a moment.
      gc({ type: "minor" });
      return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size / 2 ** 20;
    };
    const thread = async (code) => once(new Worker(new URL(\`data:text/javascript,\${code}\`)), "exit");
    ${script} ${work} console.log(${result});`;
  const options = ["--expose-gc", "--input-type=module", "--eval", program];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, options);
  expect(stderr).toBe("");
  return Number(stdout);
}

it.concurrent("keeps the space of new objects small, also after the start of a thread that does the same", async () => {
  expect(await newSpaceAfter(LIMIT)).toBeLessThanOrEqual(4);
  expect(await newSpaceAfter(`${LIMIT} await thread(${JSON.stringify(LIMIT)});`)).toBeLessThanOrEqual(4);
});

describe("the space of a service", () => {
  const keep = `${LIMIT} (await import("${MODULE}")).adaptHeapToLoad();`;
  const idle = `await delay(6000); gc(); await delay(100); gc();`;
  const busy = `for (const end = performance.now() + 2500; performance.now() < end; await delay(1)) while (performance.now() % 20 > 1);`;

  /** Node 26 does not count pages that have not been used yet. */
  const isGrown = (megabytes: number) => megabytes > 3 && megabytes <= 4;

  it.concurrent("is grown to 4 MB at the start, and larger it does not get", async () => {
    expect(await newSpaceAfter(keep)).toSatisfy(isGrown);
  });

  it.concurrent("is shrunk by V8 when the process is idle, and grown again when it is busy", async () => {
    const [small, grown] = await Promise.all([
      newSpaceAfter(`${keep} ${idle} const small = newSpace();`, "small"),
      newSpaceAfter(`${keep} ${idle} ${busy}`),
    ]);
    expect(small).toBeLessThan(4);
    expect(grown).toSatisfy(isGrown);
  });
});

it.concurrent("is needed in the process, and before Node 24 in each thread", async () => {
  expect(await newSpaceAfter("")).toBeGreaterThan(8);
  const isKept = (await newSpaceAfter(`${LIMIT} await thread("");`)) < 8;
  expect(isKept).toBe(Number(process.versions.node.split(".")[0]) >= 24);
});
