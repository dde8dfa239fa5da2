import fc from "fast-check";
import { SaxesParser } from "saxes";
import { describe, expect, it } from "vitest";

import { parseFeedLine, type SpotItem } from "../../../src/feeds.js";
import { cpuMs } from "../../fixtures/cpu-time.js";

const now = new Date("2026-03-22T12:00:00Z");

function details(comment: string, spotter = "DH1TW"): Partial<SpotItem> {
  const item = parseFeedLine(`DX de ${spotter}: 14250.0 IZ3WUW ${comment} 1429Z`, { now });
  if (item.kind !== "spot") throw new Error(`no spot: ${comment}`);
  return item;
}

describe("parseFeedLine", () => {
  it("has the moment of a line without a date: the nearest to now", () => {
    expect(parseFeedLine("DX de DH1TW: 14250.0 W1AW x 2358Z", { now })).toMatchObject({
      time: "2358",
      at: new Date("2026-03-22T23:58:00Z"),
    });
    const midnight = new Date("2026-03-22T00:01:00Z");
    expect(parseFeedLine("DX de DH1TW: 14250.0 W1AW x 2358Z", { now: midnight })).toMatchObject({
      at: new Date("2026-03-21T23:58:00Z"),
    });
  });

  it.each([
    ["IO91<TR>JO22", { grids: ["IO91", "JO22"] }],
    ["el86xq <es> en80", { grids: ["EL86XQ", "EN80"] }],
    ["JO22 <> RR", {}],
    ["JN48QM tropo JO31", { grids: ["JN48QM", "JO31"] }],
    ["JN48QM JO31", {}],
    ["DLFF0123, dm/bw001", { references: ["WWFF DLFF-0123", "SOTA DM/BW-001"] }],
    ["IOTA EU005", { references: ["IOTA EU-005"] }],
    ["EU005 in FT4000", {}],
    ["POTA DE0123", { references: ["POTA DE-0123"] }],
    ["POTA US-1234 US-5678,CA-0001", { references: ["POTA US-1234", "POTA US-5678", "POTA CA-0001"] }],
    ["K-1234", { references: ["POTA K-1234"] }],
    ["IC-7300 FT-1000 rig", {}],
    ["pota de-0123", { references: ["POTA DE-0123"] }],
    ["SOTA w4c/cm-001", { references: ["SOTA W4C/CM-001"] }],
    ["iota EU-005 tnx", { references: ["IOTA EU-005"] }],
    ["KFF-2482 + US-2482", { references: ["WWFF KFF-2482", "POTA US-2482"] }],
    ["B/G-0123", { references: ["WWBOTA B/G-0123"] }],
    ["XX-005 QO-100", {}],
    ["QSX 260", { qsxKHz: 14_260 }],
    ["UP 5-10", { qsxKHz: 14_255 }],
    ["up", {}],
  ])("reads the comment %j", (comment, expected) => {
    const { grids, references, qsxKHz } = details(comment);
    expect({ grids, references, qsxKHz }).toEqual({
      grids: undefined,
      references: undefined,
      qsxKHz: undefined,
      ...expected,
    });
  });

  it.each([
    ["CW    24 dB  22 WPM  NCDXF B", { skimmer: true, wpm: 22, snrDb: 24, spotType: "NCDXF B" }],
    ["RTTY  15 dB  45 BPS  CQ", { skimmer: true, bps: 45, spotType: "CQ" }],
    ["FT8   -12 dB  JO31  CQ", { skimmer: true, snrDb: -12, grid: "JO31", spotType: "CQ" }],
    ["FT8   -18 dB  EM12", { skimmer: true, snrDb: -18, grid: "EM12" }],
    ["CW  28dB Q:9* Z:5,15,20", { skimmer: true, quality: 9, zones: [5, 15, 20] }],
    ["CW  28dB Q:2+", { skimmer: true, quality: 2 }],
  ])("reads the skimmer's report %j", (comment, expected) => {
    expect(details(comment, "W3LPL-#")).toMatchObject(expected);
  });

  it("takes a spotter for a skimmer whose comment is a skimmer's, as where a node writes -@", () => {
    expect(details("CW    24 dB  22 WPM  CQ", "W3LPL-@")).toMatchObject({ spotter: "W3LPL", skimmer: true });
    for (const comment of ["FT8 -12 dB CQ", "FT8 -12 dB JO62", "CW 12 dB 25 WPM"])
      expect(details(comment, "W3LPL")).not.toHaveProperty("skimmer");
  });

  it.each([
    [
      "PC23^19-Sep-1997^18^86^4^0^No Storms^DL0XYZ^DB0XYZ^H1^~",
      { kind: "wwv", frame: "PC23", date: "1997-09-19" },
    ],
    ["PC93^GB7DJK^3601^W1AW^G1TLH^*^hello^^203.0.113.7^H99^", { kind: "talk", frame: "PC93", to: "W1AW" }],
    ["PC92^GB7DJK^3600^K^5GB7DJK:5457:1^1^H99^", { kind: "other", frame: "PC92" }],
    ["PC61^14025.0^VP8ABC", { kind: "unknown" }],
    ["W1AW de DH1TW: hi", { kind: "talk", from: "DH1TW", to: "W1AW", text: "hi" }],
    ["To ALL de DH1TW <1044Z> : hi", { kind: "announcement", to: "ALL", from: "DH1TW", text: "hi" }],
    [
      "20260322_120015 -15  0.2  178 ~ CQ K1ABC FN42",
      { kind: "decode", mode: "FT8", df: 178, message: "CQ K1ABC FN42" },
    ],
    ["260231_120015    14.074 Rx FT8      0  0.0 1500 CQ K1ABC FN42", { kind: "unknown" }],
    [
      "SPOT,W3LPL-#,14031.0,TF3Y,FT8,-16,dB,CQ,2152Z",
      { kind: "spot", skimmer: true, snrDb: -16, spotType: "CQ" },
    ],
    ["SPOT,W3LPL-#,14031.0,TF3Y", { kind: "unknown" }],
    ["SPOT,W3LPL-# 1.0 W1AW,14031.0,TF3Y,CW,16,dB,22,WPM,CQ,2152Z", { kind: "unknown" }],
  ])("reads %s", (line, expected) => {
    expect(parseFeedLine(line, { now })).toMatchObject(expected);
  });

  it("reads JSON as text, and payloads that are text", () => {
    const payload = { f: 14_074_000, md: "ft8", t: 1_662_407_712, sc: "<PJ4/K1ABC>", rc: "k1ra-pi" };
    const expected = { kind: "report", sender: "PJ4/K1ABC", receiver: "K1RA-PI", mode: "FT8" };
    expect(parseFeedLine(JSON.stringify(payload))).toMatchObject(expected);
    expect(parseFeedLine({ payload: JSON.stringify(payload) })).toMatchObject(expected);
    const { sc: _sc, rc: _rc, ...rest } = payload;
    const topic = "pskr/filter/v2/20m/FT8/PJ4.K1ABC/K1RA-PI/null/null/null/null";
    expect(parseFeedLine({ topic, payload: rest })).toMatchObject(expected);
  });

  it.each([
    { activator: "K1ABC" },
    { activator: "K1ABC", frequency: "x", reference: "US-0001", spotTime: "2026-08-15T16:04:15" },
    { activator: "K1ABC", frequency: "14025", reference: "US-0001", spotTime: "yesterday" },
    { activator: { toString: 1 }, frequency: [], reference: {}, spotTime: 5 },
    { activatorCallsign: "K1ABC", frequency: "-14", summitCode: "X", timeStamp: "2026-02-26T17:51:41" },
    { activator: "K1ABC", frequency_khz: Number.NaN, reference: "KFF-1", spot_time: 1 },
    { payload: null },
    { payload: "null" },
    { sc: "K1ABC", f: 1e15, t: 1, md: "FT8" },
    [],
    {},
  ])("takes %j for unknown", (raw) => {
    expect(parseFeedLine(raw)).toEqual({ kind: "unknown" });
  });

  it.each([
    `<receptionReport frequency="7075672" flowStartSeconds="1556312703" />`,
    `<activeReceiver callsign="K1ABC" />`,
    `<receptionReport`,
    `<${"a ".repeat(9000)}`,
    `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`,
    `{`,
    "x".repeat(1_000_000),
  ])("takes %.40s for unknown", (raw) => {
    expect(parseFeedLine(raw)).toEqual({ kind: "unknown" });
  });

  it("reads attributes with entities, in single quotes, and with a bracket", () => {
    const element = `<receptionReport receiverCallsign='A&amp;B>' senderCallsign="K1ABC" frequency="7075672" flowStartSeconds="1556312703" mode="FT8"/>`;
    expect(parseFeedLine(element)).toMatchObject({
      sender: "K1ABC",
      receiver: "A&B>",
      frequencyHz: 7_075_672,
    });
  });

  it("takes no element that an XML parser refuses", () => {
    const whole = `<receptionReport receiverCallsign='A&amp;B>' senderCallsign="K1ABC" frequency="7075672" flowStartSeconds="1556312703" mode="FT8" />`;
    const piece = fc.constantFrom(
      "",
      "<",
      ">",
      "&",
      '"',
      "'",
      "/",
      " ",
      "x",
      "=",
      "&#65;",
      "&#1;",
      "&eacute;",
      "\u0001",
      "\u00a0",
      "a:b='c'",
      "mode",
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.nat({ max: whole.length }), fc.nat({ max: 6 }), piece, (start, length, inserted) => {
        const text = whole.slice(0, start) + inserted + whole.slice(start + length);
        if (parseFeedLine(text).kind === "unknown") return;
        taken++;
        expect(() => new SaxesParser({ xmlns: true }).write(text.trim()).close()).not.toThrow();
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it("has text members without control characters", () => {
    const item = parseFeedLine({
      activator: "K1ABC",
      frequency: "14025",
      reference: "US-0001",
      spotTime: "2026-08-15T16:04:15",
      comments: "a\u001b[2Jb\u202ec\nd",
      name: "\u0007x",
    });
    expect(item).toMatchObject({ comment: "a [2Jb c d", name: "x" });
  });

  it("throws for other values only, whatever is in a line", () => {
    for (const raw of [undefined, null, 5, true]) {
      expect(() => parseFeedLine(raw as unknown as string)).toThrow("raw: ");
    }
    expect(() => parseFeedLine("x", { now: new Date(Number.NaN) })).toThrow("now: ");
    const start = fc.constantFrom(
      "DX de ",
      "CC11^",
      "PC61^",
      "To ALL de ",
      "WWV de ",
      "SPOT,",
      "{",
      "<receptionReport ",
      "",
    );
    fc.assert(
      fc.property(start, fc.string({ unit: "binary", maxLength: 200 }), (head, tail) => {
        expect(typeof parseFeedLine(head + tail, { now }).kind).toBe("string");
      }),
    );
    fc.assert(
      fc.property(
        fc.object({
          key: fc.constantFrom("activator", "frequency", "payload", "sc", "f", "t", "__proto__", "mode"),
        }),
        (raw) => {
          expect(typeof parseFeedLine(raw).kind).toBe("string");
        },
      ),
    );
  });

  it("takes linear time for hostile lines", () => {
    const hostile = [
      `DX de W1AW: 14025.0 JA1ABC ${"POTA US-1 ".repeat(95)} 1201Z`,
      `DX de W1AW: 14025.0 JA1ABC ${"JO22<".repeat(180)} 1201Z`,
      `W1AW de ${" ".repeat(900)}`,
      `14025.0 W1AW 1-Jan-2026 0001Z ${"<".repeat(900)}`,
      `<receptionReport ${'a="" '.repeat(3900)}`,
      `<receptionReport ${" a".repeat(9000)}`,
      JSON.stringify({ activatorCallsign: "K1ABC", summitDetails: ", 1m".repeat(240) }),
    ];
    const started = cpuMs();
    for (const line of hostile) for (let count = 0; count < 100; count++) parseFeedLine(line, { now });
    expect(cpuMs() - started).toBeLessThan(3000);
  });
});
