import { readFileSync } from "node:fs";

import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";

import { CountryFileError } from "../../src/errors.js";
import { parsePlist, scanPlist } from "../../src/country-file/country-file-plist.js";
import { dataPath, hasGolden } from "../golden.js";

/** The records of a property list by a real XML parser, in the scanner's shape. */
function parsedRecords(text: string): unknown[] {
  const parser = new SaxesParser();
  const rows: unknown[] = [];
  const fields = new Map<string, string>();
  let depth = 0;
  let content = "";
  let key = "";
  let name = "";
  parser.on("opentag", (tag) => {
    if (tag.name === "dict") depth++;
    content = "";
  });
  parser.on("text", (part) => {
    content += part;
  });
  parser.on("closetag", (tag) => {
    if (tag.name === "dict" && depth-- === 2) {
      rows.push(toRow(key, fields));
      fields.clear();
    } else if (tag.name === "key" && depth === 1) key = content;
    else if (tag.name === "key") name = content;
    else if (depth === 2) fields.set(name, tag.name === "true" || tag.name === "false" ? tag.name : content);
  });
  parser.write(text).close();
  return rows;
}

function toRow(keys: string, fields: ReadonlyMap<string, string>): unknown {
  const number = (name: string): number => Number.parseFloat(fields.get(name) ?? "");
  return {
    keys: [keys],
    exact: fields.get("ExactCallsign") === "true",
    country: fields.get("Country"),
    adif: fields.has("ADIF") ? number("ADIF") : undefined,
    mainPrefix: fields.get("Prefix"),
    continent: fields.get("Continent"),
    cqz: number("CQZone"),
    ituz: number("ITUZone"),
    latitude: number("Latitude"),
    longitude: number("Longitude") === 0 ? 0 : -number("Longitude"),
  };
}

/** The scanner's records, but for what it works out from the name. */
function scannedRecords(text: string): unknown[] {
  return Array.from(scanPlist(text).rows, (row) => {
    const { isWae: _, ...values } = "problem" in row ? { isWae: false, ...row } : row;
    return values;
  });
}

const USUAL = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
${["9H", "9HA"].map((key) => `\t<key>${key}</key>\n\t<dict>\n\t\t<key>Country</key>\n\t\t<string>A &amp; B</string>\n\t\t<key>CQZone</key>\n\t\t<integer>15</integer>\n\t\t<key>ExactCallsign</key>\n\t\t<false/>\n\t</dict>`).join("\n")}
</dict>
</plist>
`;

const OWN = `<?xml version="1.0"?><plist version="1.0"><dict>${["9H", "DL &amp; so"]
  .map(
    (
      key,
    ) => `<key>${key}</key><dict><key>Country</key><string>A &lt;b&gt; &#233;</string><key>CQZone</key><integer>15</integer>
    <key>ITUZone</key><integer>28</integer><key>Continent</key><string>EU</string><key>Latitude</key><real>0.0</real>
    <key>Longitude</key><real>0.0</real><key>ExactCallsign</key><true/></dict>`,
  )
  .join("\n")}</dict></plist>`;

/** The parser's rows; `undefined` for what it refuses. */
async function parsedOrNone(text: string): Promise<unknown> {
  try {
    return await parsePlist(text, "cty");
  } catch (fault) {
    if (fault instanceof CountryFileError) return undefined;
    throw fault;
  }
}

describe("scanPlist", () => {
  it("reads what the parser reads, or leaves the text to it, whatever is changed in a file", async () => {
    const place = fc.nat({ max: USUAL.length - 1 });
    const piece = fc.constantFrom(
      "",
      "<",
      ">",
      "&",
      "/",
      " ",
      "x",
      "</key>",
      "<key>",
      "</dict>",
      "\r\n",
      "<!---->",
      "&amp;",
      "&#9;",
      "]]>",
      "\u0000",
      "\u00a0",
    );
    let left = 0;
    await fc.assert(
      fc.asyncProperty(place, fc.nat({ max: 12 }), piece, async (start, length, inserted) => {
        const text = USUAL.slice(0, start) + inserted + USUAL.slice(start + length);
        const scan = scanPlist(text);
        const read = [...scan.rows];
        const parsed = await parsedOrNone(text);
        if (!scan.isComplete()) left++;
        expect(scan.isComplete() ? read : parsed).toEqual(parsed);
      }),
      { numRuns: 2000 },
    );
    expect(left).toBeLessThan(1900);
  });

  it("reads the same values as an XML parser", () => {
    expect(scannedRecords(OWN)).toEqual(parsedRecords(OWN));
  });

  it.skipIf(!hasGolden).each(["cty-2014-04.plist", "cty-2023-05.plist"])(
    "reads the same values as an XML parser from all of %s",
    (name) => {
      const text = readFileSync(dataPath(name), "utf8");
      const rows = scannedRecords(text);
      expect(rows.length).toBeGreaterThan(8000);
      expect(rows).toEqual(parsedRecords(text));
    },
  );
});
