import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ReferenceListError } from "../../src/errors.js";
import { readReferences, type Reference, type ReferenceProgram } from "../../src/references.js";
import { createCsvScanner } from "../../src/references/read-references.js";
import { ISLANDS, PARKS, RESERVES, SUMMITS } from "./lists.js";
import { cpuMs } from "../fixtures/cpu-time.js";

const now = new Date("2024-06-30T12:00:00Z");

async function read(
  program: ReferenceProgram,
  source: Parameters<typeof readReferences>[1],
): Promise<Reference[]> {
  return collect(readReferences(program, source, { now }));
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function* inPieces(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

describe("readReferences", () => {
  it("reads parks", async () => {
    const parks = await read("pota", PARKS);
    expect(parks).toHaveLength(8);
    expect(parks[0]).toEqual({
      program: "pota",
      reference: "US-0001",
      name: "Acadia National Park",
      active: true,
      position: { latitude: 44.31, longitude: -68.2034 },
      region: "US-ME",
      entity: 291,
    });
    expect(parks[1]).toMatchObject({ name: 'Trail, "the long one"', region: "US-CA,US-NV" });
    expect(parks[3]).toMatchObject({ reference: "DE-0002", active: false });
    expect(parks[7]).toMatchObject({ reference: "ZZ-0001", position: undefined, region: undefined });
  });

  it("reads summits after the title, with the days on which they count", async () => {
    expect(await read("sota", SUMMITS)).toEqual([
      {
        program: "sota",
        reference: "DM/BW-001",
        name: "Feldberg",
        active: true,
        position: { latitude: 47.8744, longitude: 8.0043 },
        region: "Germany (Low Mountains), Baden-Württemberg",
        heightM: 1493,
        points: 10,
        from: "2008-05-01",
      },
      {
        program: "sota",
        reference: "W4C/CM-001",
        name: 'Camp "Wildcat"',
        active: false,
        position: { latitude: 35.7, longitude: -82.2 },
        region: "USA - Carolinas, Mountains, Central",
        heightM: 1800,
        points: 10,
        from: "2010-07-01",
        until: "2015-12-31",
      },
    ]);
  });

  it("reads nature reserves after the introduction, with line ends inside of quotes", async () => {
    const reserves = await read("wwff", RESERVES);
    expect(reserves[0]).toMatchObject({
      reference: "DLFF-0001",
      active: true,
      position: { latitude: 48.53, longitude: 9.39 },
      entity: 230,
      from: "2010-01-01",
      until: undefined,
    });
    expect(reserves[1]).toMatchObject({ active: false, position: undefined, until: "2020-12-31" });
  });

  it("reads island groups, whose position is the middle of their rectangle, also across the 180th meridian", async () => {
    expect(await read("iota", ISLANDS)).toEqual([
      {
        program: "iota",
        reference: "EU-005",
        name: "Great Britain",
        active: true,
        position: { latitude: 55, longitude: -3 },
        entity: 223,
      },
      {
        program: "iota",
        reference: "OC-016",
        name: "Viti Levu",
        active: true,
        position: { latitude: -17, longitude: 179 },
      },
    ]);
  });

  it("places a group whose middle has more decimals than its edges", async () => {
    const [group] = JSON.parse(ISLANDS) as object[];
    const edges = { latitude_min: "1.1", latitude_max: "2.2", longitude_min: "0.1", longitude_max: "0.3" };
    const [{ position } = { position: undefined }] = await read(
      "iota",
      JSON.stringify([{ ...group, ...edges }]),
    );
    expect(position?.latitude).toBeCloseTo(1.65, 9);
    expect(position?.longitude).toBeCloseTo(0.2, 9);
  });

  it("rejects other arguments with the argument's name", async () => {
    const next = (...args: unknown[]) =>
      readReferences(...(args as Parameters<typeof readReferences>)).next();
    await expect(next("toString", PARKS)).rejects.toThrow(
      'program: "toString" is not one of pota, sota, wwff',
    );
    await expect(next("pota")).rejects.toThrow("source: undefined is not text, bytes");
    await expect(next("pota", 5)).rejects.toThrow("source: 5 is not text, bytes");
    await expect(next("pota", PARKS, { now: new Date(Number.NaN) })).rejects.toThrow("now: an invalid Date");
  });

  it.each([1, 2, 3, 7, 100])("reads the same from pieces of %i bytes", async (length) => {
    expect(await read("pota", inPieces(PARKS, length))).toEqual(await read("pota", PARKS));
    expect(await read("sota", inPieces(SUMMITS, length))).toEqual(await read("sota", SUMMITS));
    expect(await read("wwff", inPieces(RESERVES, length))).toEqual(await read("wwff", RESERVES));
    expect(await read("iota", inPieces(ISLANDS, length))).toEqual(await read("iota", ISLANDS));
  });

  it("reads a byte order mark, CR LF and a last line without an end", async () => {
    const text = `\uFEFF${PARKS.trimEnd().replaceAll("\n", "\r\n")}`;
    expect(await read("pota", new TextEncoder().encode(text))).toEqual(await read("pota", PARKS));
  });

  it("skips rows without a valid reference, and reports their number", async () => {
    let skipped = 0;
    const onSkipped = (count: number): void => {
      skipped = count;
    };
    const csv = `${PARKS}"Total","8","","","","","",""\n`;
    const parks = await collect(readReferences("pota", csv, { onSkipped }));
    expect({ parks: parks.length, skipped }).toEqual({ parks: 8, skipped: 1 });
  });

  it.each([
    ["a web page", "pota", "<html><body>Maintenance</body></html>"],
    ["another list", "sota", PARKS],
    ["nothing", "wwff", ""],
    ["a header alone", "pota", PARKS.split("\n")[0] ?? ""],
    ["rows without references", "pota", `${PARKS.split("\n")[0]}\n${'"x","y"\n'.repeat(5)}`],
    ["an endless row", "pota", `${PARKS}"${"x".repeat(100_000)}`],
    ["JSON that is no array", "iota", "{}"],
    ["text instead of JSON", "iota", PARKS],
  ] as const)("rejects %s", async (_, program, text) => {
    await expect(read(program, text)).rejects.toThrow(ReferenceListError);
  });

  it("reads no further than one piece ahead, however long the list is", async () => {
    const [header, row] = PARKS.split("\n");
    let sent = 0;
    async function* manyRows(): AsyncGenerator<string> {
      yield `${header}\n`;
      for (let i = 0; i < 300; i++, sent += 500) yield `${row}\n`.repeat(500); // 12 MB
    }
    let count = 0;
    for await (const { name } of readReferences("pota", manyRows())) {
      if (name === "Acadia National Park") count++;
      if (count > sent + 500 || count < sent - 500) throw new Error(`reference ${count} of ${sent} rows`);
    }
    expect(count).toBe(150_000);
  });
});

describe("the CSV scanner", () => {
  const scan = (text: string, length: number): string[][] => {
    const scanner = createCsvScanner(() => {
      throw new Error("too long");
    });
    const rows: string[][] = [];
    for (let at = 0; at < text.length; at += length) rows.push(...scanner.write(text.slice(at, at + length)));
    return [...rows, ...scanner.end()];
  };

  it("reads what RFC 4180 writes, in pieces of any length", () => {
    const field = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "é", " "), maxLength: 6 });
    const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 9 }), fc.boolean(), (table, length, endsWithNewline) => {
        const lines = table.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(","));
        expect(scan(lines.join("\r\n") + (endsWithNewline ? "\r\n" : ""), length)).toEqual(table);
      }),
    );
  });

  it("keeps quotes inside of fields", () => {
    expect(scan('Camp "Wildcat",5" pipe\n"Old" fort,"a ""b"" c"', 4)).toEqual([
      ['Camp "Wildcat"', '5" pipe'],
      ['Old" fort', 'a "b" c'],
    ]);
  });

  it("takes linear time for lines without commas, and for open quotes", () => {
    const started = cpuMs();
    expect(scan("x\n".repeat(500_000), 65_536)).toHaveLength(500_000);
    expect(() => scan(`"${'""'.repeat(500_000)}`, 65_536)).toThrow("too long");
    expect(cpuMs() - started).toBeLessThan(3000);
  });
});
