import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sends, startFileServer, type FileServer } from "../../../fixtures/file-server.js";
import { ISLANDS, PARKS, RESERVES, SUMMITS } from "../../../references/lists.js";
import { keepFile, temporaryFolder } from "../../public-files.js";
import { hamkit, hamkitJson, type RunOptions } from "../../run-cli.js";

const folder = temporaryFolder();
let withLists: Partial<RunOptions>;
let server: FileServer;

beforeAll(async () => {
  const LISTS = {
    pota: ["https://pota.app/all_parks_ext.csv", PARKS],
    sota: ["https://storage.sota.org.uk/summitslist.csv", SUMMITS],
    wwff: ["https://wwff.co/wwff-data/wwff_directory.csv", RESERVES],
    iota: [
      "https://www.iota-world.org/islands-on-the-air/downloads/download-file.html?path=groups.json",
      ISLANDS,
    ],
  } as const;
  for (const [program, [url, content]] of Object.entries(LISTS))
    await keepFile(folder.path, { name: `references-${program}`, url, content });
  withLists = { env: { HAMKIT_CACHE_DIR: folder.path, NO_COLOR: "1" } };
  server = await startFileServer();
});
afterAll(() => server.close());

describe("hamkit reference", () => {
  it("shows a park", async () => {
    expect(await hamkit(["reference", "us-0001"], withLists)).toEqual({
      exitCode: 0,
      stdout: [
        "US-0001",
        "  Name      Acadia National Park",
        "  Program   POTA",
        "  Location  US-ME",
        "  Position  44.3100° N, 68.2034° W",
        "  Locator   FN54VH",
        "  Counts    yes",
        "",
        "Data: 8 references of POTA, checked 2024-06-30 06:00:00 UTC",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("finds the present reference of a park by its former one", async () => {
    expect((await hamkit(["reference", "K-0001"], withLists)).stdout).toMatch(/^US-0001\n/);
  });

  it("shows height, points and days of a summit", async () => {
    expect((await hamkit(["reference", "W4C/CM-001"], withLists)).stdout).toContain(
      "  Height    1800 m\n  Points    10\n  Counts    no, from 2010-07-01, until 2015-12-31\n",
    );
  });

  it("shows references of several programs as a table, and those not found with the reason", async () => {
    const { stdout, stderr, exitCode } = await hamkit(
      ["reference", "US-0001", "DLFF-0001", "EU-005", "US-9999", "DL1ABC"],
      withLists,
    );
    expect(stdout.split("\n")).toEqual([
      "Reference  Name                  Location  Locator  Counts",
      "US-0001    Acadia National Park  US-ME     FN54VH   yes",
      "DLFF-0001  Nationalpark                    JN48QM   yes",
      "EU-005     Great Britain                   IO85MA   yes",
      'US-9999    reference "US-9999" is not in the list of parks',
      'DL1ABC     reference: "DL1ABC" is not a reference such as US-0001, DM/BW-001, DLFF-0001 or EU-005',
      "",
      "Data: 8 references of POTA, checked 2024-06-30 06:00:00 UTC",
      "Data: 2 references of WWFF, checked 2024-06-30 06:00:00 UTC",
      "Data: 2 references of IOTA, checked 2024-06-30 06:00:00 UTC",
      "",
    ]);
    expect(stderr).toBe("error: no result for 2 of 5 references\n");
    expect(exitCode).toBe(2);
  });

  it("shows the references near a place", async () => {
    const { stdout } = await hamkit(["reference", "--near", "JN48QM", "--limit", "2"], withLists);
    expect(stdout).toBe(
      [
        "Reference  Name                   Distance  Heading   Locator",
        "DE-0001    Park am Wald             0.4 km  104° ESE  JN48QM",
        "US-0001    Acadia National Park  5703.9 km  296° WNW  FN54VH",
        "",
        "Data: 8 references of POTA, checked 2024-06-30 06:00:00 UTC",
        "",
      ].join("\n"),
    );
  });

  it("writes JSON", async () => {
    expect(await hamkitJson(["reference", "DE-0001"], withLists)).toEqual({
      data: {
        pota: {
          source: "https://pota.app/all_parks_ext.csv",
          checkedAt: "2024-06-30T06:00:00.000Z",
          references: 8,
        },
      },
      references: [
        {
          input: "DE-0001",
          program: "pota",
          reference: "DE-0001",
          name: "Park am Wald",
          active: true,
          position: { latitude: 48.52, longitude: 9.38 },
          region: "DE-BW",
          entity: 230,
        },
      ],
    });
    expect(
      await hamkitJson(["reference", "--near", "JN48QM", "--program", "sota", "--limit", "1"], withLists),
    ).toMatchObject({
      references: [{ reference: "DM/BW-001", distanceKm: expect.closeTo(124, -1) as number }],
    });
  });

  it("downloads a list that is not cached, and reads local files and standard input", async () => {
    server.answers = [sends(PARKS)];
    const empty = { env: { HAMKIT_CACHE_DIR: join(folder.path, "empty") } };
    expect((await hamkit(["reference", "DE-0001", "--file", server.url], empty)).exitCode).toBe(0);
    expect(server.requests).toHaveLength(1);
    const file = join(folder.path, "parks.csv");
    await writeFile(file, PARKS);
    const { stdout } = await hamkit(["reference", "-", "--file", file], {
      ...empty,
      stdin: ["DE-0001\nDE-0002\n"],
    });
    expect(stdout).toContain("DE-0002    Verlassener Park  DE-BY     JN48SO   no\n");
  });

  it.each([
    [[], 2, /expected references, or --near with a place/],
    [["DE-0001", "--near", "JN48"], 2, /expected references, or --near with a place/],
    [["DE-0001", "--limit", "3"], 2, /--limit: expected --near/],
    [["--near", "JN48", "--limit", "0"], 2, /Expected an integer from 1/],
    [["DE-0001", "--program", "gma"], 2, /Allowed choices are pota, sota, wwff, iota/],
    [["--near", "JN4"], 2, /--near: "JN4" is not a locator/],
    [["DE-9999"], 1, /reference "DE-9999" is not in the list of parks/],
    [["DE-0001", "--file", "/no/such/file"], 3, /no\/such\/file/],
  ])("rejects %j", async (words, exitCode, message) => {
    const outcome = await hamkit(["reference", ...words], withLists);
    expect(outcome).toMatchObject({ exitCode, stdout: "" });
    expect(outcome.stderr).toMatch(message);
  });

  it("escapes control characters of a list", async () => {
    const file = join(folder.path, "hostile.csv");
    await writeFile(file, PARKS.replace("Acadia", "\u001B[31mAcadia"));
    const { stdout } = await hamkit(["reference", "US-0001", "--file", file]);
    expect(stdout).toContain("\\x1b[31mAcadia");
  });
});
