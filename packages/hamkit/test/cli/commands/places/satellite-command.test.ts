import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { hamkit, hamkitJson } from "../../run-cli.js";

const ISS = `ISS (ZARYA)
1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927
2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537
`;

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  file = join(folder, "iss.txt");
  await writeFile(file, ISS);
});
afterAll(() => rm(folder, { recursive: true }));

describe("hamkit satellite", () => {
  it("lists the passes of a day in JSON", async () => {
    const words = ["satellite", "passes", "--from", "JN48QM", "--file", file, "--at", "2008-09-20T12:26"];
    const document = (await hamkitJson(words)) as { passes: { rise: { time: string } }[] };
    expect(document.passes).toHaveLength(6);
    expect(document.passes[0]?.rise.time).toMatch(/^2008-09-20T18:17:59/);
  });

  it("shifts frequencies by Doppler", async () => {
    const at = ["--at", "2008-09-20T19:55", "--downlink", "145.8", "--uplink", "435"];
    const words = ["satellite", "look", "25544", "--from", "48.52,9.375", "--file", file, ...at];
    const { satellites } = (await hamkitJson(words)) as {
      satellites: { rangeRateKmS: number; downlinkMHz: number; uplinkMHz: number }[];
    };
    const shift = (satellites[0]?.rangeRateKmS ?? 0) / 299_792.458;
    expect(satellites[0]?.downlinkMHz).toBeCloseTo(145.8 * (1 - shift), 6);
    expect(satellites[0]?.uplinkMHz).toBeCloseTo(435 * (1 + shift), 6);
  });

  it("warns of old elements, and rejects what is no satellite or place", async () => {
    const place = ["--from", "JN48QM", "--file", file];
    const old = await hamkit(["satellite", "look", "ISS", ...place, "--at", "2008-10-20"]);
    expect(old.stderr).toContain("elements of 1 of 1 satellites are up to 29 days from the moment asked for");
    expect((await hamkit(["satellite", "look", "AO-7", ...place])).exitCode).toBe(2);
    expect((await hamkit(["satellite", "look", "ISS", "--from", "x", "--file", file])).exitCode).not.toBe(0);
    expect((await hamkit(["satellite", "passes", "--from", "JN48QM", "--at", "x"])).exitCode).toBe(2);
    expect((await hamkit(["satellite", "list", "--offline"])).exitCode).not.toBe(0);
  });
});
