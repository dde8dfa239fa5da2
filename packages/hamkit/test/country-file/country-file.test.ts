import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { ArgumentTypeError, CountryFileError } from "../../src/errors.js";
import { identify } from "../../src/lookup/identify.js";
import { readCsv } from "../../src/country-file/country-file.js";
import {
  createCountryFile,
  loadEmbeddedCountryFile,
  type CountryFile,
} from "../../src/country-file/country-file.js";
import { dataPath, hasGolden } from "../golden.js";
import { SMALL_FILE, smallTable } from "../fixtures/small-table.js";
import { cpuMs } from "../fixtures/cpu-time.js";

const SMALL = readFileSync(SMALL_FILE, "utf8");
const NOW = Date.UTC(2024, 0, 1);

const MALTA_PLIST = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${plistRecord("9H")}
</dict>
</plist>
`;
const MALTA_CSV = "9H,Malta,257,EU,15,28,35.88,-14.42,-1.0,9H =9H1XYZ/P(16)[29]<35.90/-14.50>{AF}~2.0~;\n";

function plistRecord(key: string, change: Partial<Record<string, string>> = {}): string {
  const values: Record<string, string | undefined> = {
    Country: "<string>Malta</string>",
    Prefix: "<string>9H</string>",
    ADIF: "<integer>257</integer>",
    CQZone: "<integer>15</integer>",
    ITUZone: "<integer>28</integer>",
    Continent: "<string>EU</string>",
    Latitude: "<real>35.88</real>",
    Longitude: "<real>-14.42</real>",
    GMTOffset: "<real>-1.0</real>",
    ExactCallsign: "<false/>",
    ...change,
  };
  const fields = Object.entries(values).map(([name, value]) =>
    value ? `\t\t<key>${name}</key>\n\t\t${value}\n` : "",
  );
  return `\t<key>${key}</key>\n\t<dict>\n${fields.join("")}\t</dict>`;
}

function plist(...records: string[]): string {
  return MALTA_PLIST.replace(plistRecord("9H"), () => records.join("\n"));
}

async function faultOf(content: string | Uint8Array, name = "cty"): Promise<CountryFileError> {
  const failure: unknown = await createCountryFile(content, { name }).catch((error: unknown) => error);
  if (!(failure instanceof CountryFileError)) throw new Error("The content was accepted");
  return failure;
}

describe("createCountryFile", () => {
  it("reads cty.dat, and turns longitudes east positive", async () => {
    const table = await smallTable();
    expect(table.prefix("DL", NOW)).toEqual({
      country: "Fed. Rep. of Germany",
      adif: 230,
      cqz: 14,
      ituz: 28,
      continent: "EU",
      latitude: 51,
      longitude: 10,
    });
    expect(table).toMatchObject({
      name: "small-cty.dat VER20250607",
      date: "2025-06-07",
      release: "VER20250607",
      skipped: 0,
    });
  });

  it("reads what a prefix or call has of its own", async () => {
    const table = await smallTable();
    expect(table.prefix("W6", NOW)).toMatchObject({ cqz: 3, ituz: 6, latitude: 37.6, longitude: -91.87 });
    expect(table.exact("KL7FQR", NOW)).toMatchObject({
      cqz: 4,
      ituz: 7,
      latitude: 44.3,
      longitude: -78.32,
      continent: "NA",
    });
  });

  it("lets entities of the WAE list replace the keys of the entity they lie in, wherever they stand in the file", async () => {
    const table = await smallTable();
    expect(table.prefix("IT9", NOW)).toMatchObject({ country: "Sicily", adif: 248 });
    expect(table.exact("IQ9XX", NOW)).toMatchObject({ country: "Sicily", adif: 248 });
    expect(table.prefix("I", NOW)).toMatchObject({ country: "Italy", adif: 248 });
  });

  it.each([
    ["plist", MALTA_PLIST],
    ["csv", MALTA_CSV],
    ["csv with a byte order mark and CR LF", `\uFEFF${MALTA_CSV.replace("\n", "\r\n")}`],
    ["dat", "Malta: 15: 28: EU: 35.88: -14.42: -1.0: 9H:\r\n  9H;\r\n"],
    ["plist without a declaration, on one line", MALTA_PLIST.replaceAll(/^<[?!].*\n|\s*\n\s*/gm, "")],
  ])("tells %s by its content, as text and as bytes", async (_, content) => {
    const record = {
      country: "Malta",
      adif: 257,
      cqz: 15,
      ituz: 28,
      continent: "EU",
      latitude: 35.88,
      longitude: 14.42,
    };
    for (const form of [content, new TextEncoder().encode(content)]) {
      expect((await createCountryFile(form)).prefix("9H", NOW)).toEqual(record);
    }
  });

  it("has entities of the main prefix, and of the DXCC list where the WAE list has its own", async () => {
    const table = await smallTable();
    expect(table.entity(291)).toEqual({
      deleted: false,
      country: "United States",
      longitude: -91.87,
      latitude: 37.6,
      cqz: 5,
      prefix: "K",
      continent: "NA",
    });
    expect(table.entity(248)).toMatchObject({ country: "Italy", prefix: "I" });
    expect(table.entity(1)).toBeUndefined();
  });

  it("leaves a bad record out, tells of it and counts it: one renamed country breaks the whole library in the peer", async () => {
    const warnings: string[] = [];
    const content = SMALL.replace("Latvia:", "Livonia:")
      .replace("  YL:", "  YLX:")
      .replace("W7(3)[6]", "W7(41)[6]")
      .replace("UA4W(17)[30]", "UA4W<100/30>")
      .replace(",RT9V(18)[31]", ",R?V,=RT9V(x)");
    const table = await createCountryFile(content, {
      name: "cty.dat",
      warn: (message) => warnings.push(message),
    });
    expect(warnings).toEqual([
      "cty.dat: left out a record: key W7: expected a CQ zone from 1 to 40, found 41",
      "cty.dat: left out a record: key UA4W: expected a latitude from -90 to 90, found 100",
      expect.stringMatching(/line \d+: expected a prefix or call with zones, found "R\?V"/),
      "cty.dat: left out a record: key RT9V: expected a CQ zone from 1 to 40, found NaN",
      'cty.dat: left out a record: key YL: expected a country whose ADIF code is known, found "Livonia"',
    ]);
    expect(table.skipped).toBe(5);
    expect(table.prefix("DL", NOW)?.adif).toBe(230);
    expect(table.prefix("YL", NOW)).toBeUndefined();
  });

  it("knows countries by former names, by names cut at the ampersand and by main prefix", async () => {
    const codeOf = async (country: string, prefix?: string): Promise<number | undefined> => {
      const record = plistRecord("ZZ", {
        Country: `<string>${country}</string>`,
        ADIF: "",
        Prefix: prefix && `<string>${prefix}</string>`,
      });
      return (await createCountryFile(plist(plistRecord("9H", { ADIF: "" }), record))).prefix("ZZ", NOW)
        ?.adif;
    };
    expect(await codeOf("Swaziland")).toBe(468);
    expect(await codeOf("Turks ")).toBe(89);
    expect(await codeOf("Trindade ")).toBe(273);
    expect(await codeOf("Trinidad &amp; Tobago")).toBe(90);
    expect(await codeOf("Bear Island")).toBe(259);
    expect(await codeOf("Renamed", "DL")).toBe(230);
    expect(await codeOf("Renamed")).toBeUndefined();
  });

  it("reads records of a property list that are laid out in another way than the ones before", async () => {
    const odd = `<key>9HA</key><!-- another hand --><dict><key>Extra</key><array><dict><key>x</key><string/></dict></array>
      <key>ExactCallsign</key><true/><key>Longitude</key><real>-14</real><key>Latitude</key><integer>36</integer>
      <key>Continent</key><string>EU</string><key>CQZone</key><integer>15</integer><key>ITUZone</key><integer>28</integer>
      <key>ADIF</key><integer>257</integer><key>Country</key><string>Malta &#38; &#x47;ozo</string></dict>`;
    const table = await createCountryFile(
      plist(plistRecord("9H"), plistRecord("9HB"), odd, plistRecord("9HC"), plistRecord("9HD")),
    );
    expect(table.exact("9HA", NOW)).toMatchObject({ country: "Malta & Gozo", latitude: 36, longitude: 14 });
    expect(["9H", "9HB", "9HC", "9HD"].map((key) => table.prefix(key, NOW)?.country)).toEqual(
      Array(4).fill("Malta"),
    );
  });

  it("passes over a value that is no dictionary", async () => {
    const table = await createCountryFile(
      plist("<key>9X</key><array><string>a</string></array>", plistRecord("9H")),
    );
    expect(table.skipped).toBe(1);
    expect(table.prefix("9H", NOW)?.country).toBe("Malta");
  });

  it.each([
    ["nothing", "", "found nothing"],
    ["an HTML page", "<!DOCTYPE html><html><body>Sorry</body></html>", "found an HTML page"],
    ["other XML", "<?xml version='1.0'?><clublog/>", "found XML or HTML"],
    ["other text", "CALL,2024-01-01,00:00:00\n", 'found text that begins with "CALL,2024'],
    ["a zip archive", "PK\u0003\u0004", "found a zip archive; unpack it"],
    ["a binary property list", "bplist00", "found a binary property list"],
    ["a compressed file", "\u001F\u008B\u0008", "found a compressed file"],
  ])("refuses %s, and says what was expected", async (_, content, found) => {
    const fault = await faultOf(content, "cty.plist");
    expect(fault.message).toContain("cty.plist: expected a country file: cty.plist, cty.dat or cty.csv");
    expect(fault.message).toContain(found);
  });

  it("refuses a property list that ends anywhere before its end, with the line and the key before", async () => {
    const whole = plist(plistRecord("9H"), plistRecord("9HA"));
    const start = whole.indexOf("<dict>") + 1;
    for (let length = start; length < whole.trimEnd().length; length += 3) {
      await expect(createCountryFile(whole.slice(0, length))).rejects.toBeInstanceOf(CountryFileError);
    }
    const fault = await faultOf(whole.slice(0, whole.lastIndexOf("<key>CQZone")), "half.plist");
    expect(fault).toMatchObject({ code: "country-file/unreadable", file: "half.plist", line: 36 });
    expect(fault.message).toBe(
      "half.plist, line 36: expected <key> or </dict> after key 9HA, found the end of the file",
    );
  });

  it("refuses a cty.dat and a cty.csv that end before a semicolon", async () => {
    const dat = await faultOf(SMALL.slice(0, SMALL.indexOf("KL,NL")), "cty.dat");
    expect(dat.message).toBe(
      "cty.dat, line 13: expected an entity's prefixes up to a semicolon, found the end of the file",
    );
    const csv = await faultOf(`${MALTA_CSV}DL,Germany,230,EU,14,28,51,-10,-1,DL DA`, "cty.csv");
    expect(csv.message).toBe("cty.csv, line 2: expected a semicolon at the end of the line, found none");
  });

  it("refuses a file in which no record can be read", async () => {
    const fault = await faultOf(plist(plistRecord("9H", { CQZone: "<integer>0</integer>" })), "cty.plist");
    expect(fault.message).toBe(
      "cty.plist: expected prefixes and calls, found 1 unreadable records and 0 others",
    );
  });

  it("refuses a file of which most can't be read", async () => {
    const bad = Array.from({ length: 3 }, (_, index) =>
      plistRecord(`9Z${index}`, { CQZone: "<integer>0</integer>" }),
    );
    const fault = await faultOf(plist(plistRecord("9H"), ...bad), "cty.plist");
    expect(fault.message).toBe(
      "cty.plist: expected prefixes and calls, found 3 unreadable records and 1 others",
    );
  });

  it("takes no missing coordinate for 0", async () => {
    const rows = [
      "9H,Malta,257,EU,15,28,,-14.42,-1.0,9H;",
      "DL,Germany,230,EU,14,28,51,-10,-1,DL DA =DL1X<12/>;",
    ];
    const table = await createCountryFile(rows.join("\n"));
    expect(table.skipped).toBe(2);
    expect([table.prefix("9H", NOW), table.exact("DL1X", NOW)]).toEqual([undefined, undefined]);
  });

  it("takes no key for a list of keys, none for the entity, and none that no callsign is as long as", async () => {
    const keys = ["9H", "9HA", "9HB", "9A DL", "", "A".repeat(31)];
    const table = await createCountryFile(plist(...keys.map((key) => plistRecord(key))));
    expect([table.size, table.skipped]).toEqual([3, 3]);
    expect(table.prefix("DL", NOW)).toBeUndefined();
  });

  it("warns of ten bad records, and then of their number", async () => {
    const warnings: string[] = [];
    const keys = Array.from({ length: 30 }, (_, index) => `9H${index}`);
    const bad = keys.slice(0, 14).map((key) => plistRecord(key, { ITUZone: "<integer>91</integer>" }));
    const good = keys.slice(14).map((key) => plistRecord(key));
    await createCountryFile(plist(...bad, ...good), {
      name: "cty",
      warn: (message) => warnings.push(message),
    });
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe("cty: left out 14 records in all");
  });

  it("reads a record with a huge comment, or with thousands of fields", async () => {
    const comment = plistRecord("9HA").replace("<dict>", `<dict><!--${"x".repeat(1_000_000)}-->`);
    const fields = Array.from(
      { length: 20_000 },
      (_, index) => `<key>f${index}</key><string>x</string>`,
    ).join("");
    const wide = plistRecord("9HB").replace("<dict>", `<dict>${fields}`);
    expect((await createCountryFile(plist(comment, wide, plistRecord("9H")))).size).toBe(3);
  });

  it.each([
    ["many comments", "<!-- -->".repeat(100_000)],
    ["many blanks", " ".repeat(1_000_000)],
    ["many small entities", "A: 1: 1: EU: 1: 1: 1: A:;\n".repeat(50_000)],
    ["many colons", ":".repeat(1_000_000)],
    ["an open tag", `<plist><dict>${"<key>".repeat(100_000)}`],
  ])("refuses %s in a moment", async (_, content) => {
    const start = cpuMs();
    await expect(createCountryFile(content)).rejects.toBeInstanceOf(CountryFileError);
    expect(cpuMs() - start).toBeLessThan(5000);
  });

  it("refuses what is neither text nor bytes", async () => {
    await expect(createCountryFile(5 as unknown as string)).rejects.toBeInstanceOf(ArgumentTypeError);
  });

  it("expands no entities but those of XML, whether they are declared or names of objects", async () => {
    const named = plist(plistRecord("9H", { Country: "<string>&constructor;</string>" }));
    const bomb = plist(plistRecord("9H", { Country: "<string>&lol;</string>" })).replace(
      /<!DOCTYPE[^>]*>/,
      '<!DOCTYPE plist [<!ENTITY lol "lolololol">]>',
    );
    const outside = bomb.replace('"lolololol"', 'SYSTEM "file:///etc/passwd"');
    for (const content of [named, bomb, outside])
      expect((await faultOf(content, "cty.plist")).message).toMatch(
        /^cty\.plist, line 8: expected XML after key 9H, found undefined entity/,
      );
  });

  it.each([
    ["an unknown entity", "<string>Malta &eacute;</string>"],
    ["an ampersand", "<string>Trinidad & Tobago</string>"],
    ["a character that may not be in XML", "<string>Malta\u0001</string>"],
    ["a reference to such a character", "<string>Malta&#1;</string>"],
    ["the end of CDATA", "<string>Malta]]></string>"],
    ["another end tag", "<string>Malta</integer>"],
  ])("refuses a property list with %s, with the line", async (_, Country) => {
    const fault = await faultOf(plist(plistRecord("9H"), plistRecord("9HA", { Country })), "cty.plist");
    expect(fault.message).toMatch(/^cty\.plist, line \d+: expected .* after key 9HA, found /);
    expect(fault.line).toBeGreaterThan(28);
  });
});

describe("loadEmbeddedCountryFile", () => {
  it("has a date, all of the DXCC list that is current, and well-known calls", async () => {
    const table = await loadEmbeddedCountryFile();
    expect(table.date).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(table.name).toBe(`embedded country file ${table.release}`);
    expect(table.skipped).toBe(0);
    const current = Array.from({ length: 600 }, (_, code) => code).filter((code) => table.entity(code));
    expect(current).toHaveLength(340); // the DXCC list has had 340 entities since 2018
    const zones = ["DH1TW", "W1AW", "JA1ABC", "VK3ABC", "ZS1A"].map((callsign) => {
      const answer = identify(callsign, { table });
      return answer.kind === "identified"
        ? [answer.record.adif, answer.record.cqz, answer.record.ituz]
        : answer.kind;
    });
    expect(zones).toEqual([
      [230, 14, 28],
      [291, 5, 8],
      [339, 25, 45],
      [150, 30, 59],
      [462, 38, 57],
    ]);
  });
});

describe.skipIf(!hasGolden)("the country file of May 2023", () => {
  const read = (name: string): Promise<CountryFile> =>
    createCountryFile(readFileSync(dataPath(name)), { name });
  const at = new Date(NOW);

  /** Keys of the cty.dat of that day which its cty.plist lacks. */
  const NOT_IN_THE_PLIST = /^(?:EF6|WH7K|R[CJMU]4I|U[CI]4I|UA4H|R[AC]9J|UA8J)/;

  /** What all three formats have, though they spell some names differently. */
  function essence(callsign: string, table: CountryFile): unknown {
    const answer = identify(callsign, { table, at });
    if (answer.kind !== "identified") return answer.kind;
    const { adif, cqz, ituz, continent } = answer.record;
    return [adif, cqz, ituz, continent];
  }

  it("makes the same of cty.dat as of cty.plist for real callsigns", async () => {
    const [list, dat] = await Promise.all([read("cty-2023-05.plist"), read("cty.dat")]);
    expect([list.skipped, dat.skipped]).toEqual([0, 0]);
    const calls = readFileSync(dataPath("MASTER.SCP"), "latin1").split(/\r?\n/);
    const different = calls.filter(
      (callsign) => String(essence(callsign, dat)) !== String(essence(callsign, list)),
    );
    expect(calls.length).toBeGreaterThan(85_000);
    expect(different.filter((callsign) => !NOT_IN_THE_PLIST.test(callsign))).toEqual([]);
  });

  it("makes the same of cty.csv, which lists fewer calls, as of cty.dat for every prefix", async () => {
    const [dat, csv] = await Promise.all([read("cty.dat"), read("cty.csv")]);
    expect(csv.skipped).toBe(0);
    const prefixes = [...readCsv(readFileSync(dataPath("cty.csv"), "utf8"), "cty.csv")].flatMap((row) =>
      "keys" in row && !row.exact ? row.keys.slice() : [],
    );
    const zones = (table: CountryFile, prefix: string): unknown => {
      const { adif, cqz, ituz, latitude, longitude } = table.prefix(prefix, NOW) ?? {};
      return [adif, cqz, ituz, latitude, longitude];
    };
    expect(prefixes.length).toBeGreaterThan(7000);
    for (const prefix of prefixes) expect([prefix, zones(csv, prefix)]).toEqual([prefix, zones(dat, prefix)]);
  });
});
