import { spawnSync } from "node:child_process";

import { expect, it } from "vitest";

const MODULE = new URL("../../dist/platform/heap-growth.js", import.meta.url).href;
const LIMIT = `(await import("${MODULE}")).limitHeapGrowth();`;

/** The space of new objects in megabytes, after work that leaves half of them alive for a while, in a process of its own. */
function newSpaceAfter(script: string): number {
  const work = `const kept = []; for (let i = 0; i < 3e6; i++) kept[i % 40_000] = { i };`;
  const space = `getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size`;
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { once } from "node:events";
    import { Worker } from "node:worker_threads";
    const thread = async (code) => once(new Worker(new URL(\`data:text/javascript,\${code}\`)), "exit");
    ${script} ${work} console.log(${space} / 2 ** 20);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return Number(stdout);
}

it("keeps the space of new objects small, also after the start of a thread that does the same", () => {
  expect(newSpaceAfter(LIMIT)).toBeLessThanOrEqual(4);
  expect(newSpaceAfter(`${LIMIT} await thread(${JSON.stringify(LIMIT)});`)).toBeLessThanOrEqual(4);
});

it("grows to 8 MB once where the service starts", () => {
  const grow = `(await import("${MODULE}")).growNewSpace();`;
  expect(newSpaceAfter(`${LIMIT} ${grow}`)).toBe(8);
});

it("is needed in the process, and in each thread", () => {
  expect(newSpaceAfter("")).toBeGreaterThan(8);
  expect(newSpaceAfter(`${LIMIT} await thread("");`)).toBeGreaterThan(8);
});
