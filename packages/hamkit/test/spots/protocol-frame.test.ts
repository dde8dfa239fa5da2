import { describe, expect, it } from "vitest";

import { decodeSpot } from "../../src/spots/decode-spot.js";

describe("a PC11 frame", () => {
  const line = "PC11^14010.0^R155AP^11-Apr-2014^1711Z^ CW 20 dB ^R9CAC-#^RN6BN^H95^~";

  it("is a spot with its date and its node", () => {
    expect(decodeSpot(line)).toEqual({
      kind: "spot",
      format: "pc11",
      spotter: "R9CAC",
      skimmer: true,
      frequency: 14010,
      dx: "R155AP",
      comment: "CW 20 dB",
      mode: "CW",
      snr: 20,
      time: new Date("2014-04-11T17:11:00Z"),
      node: "RN6BN",
      hops: 95,
      line,
    });
  });

  it("may end behind the node", () => {
    expect(decodeSpot("PC11^14010.0^R155AP^11-Apr-2014^1711Z^^R9CAC^RN6BN")).toMatchObject({ node: "RN6BN" });
  });

  it.each([
    ["a field is missing", "PC11^14010.0^R155AP^11-Apr-2014^1711Z^^R9CAC"],
    ["there is only a frequency", "PC11^14010.0"],
    ["there is no frequency", "PC11^x^R155AP^11-Apr-2014^1711Z^^R9CAC^RN6BN^H95^~"],
    ["the day doesn't exist", "PC11^14010.0^R155AP^31-Apr-2014^1711Z^^R9CAC^RN6BN^H95^~"],
    ["the time doesn't exist", "PC11^14010.0^R155AP^11-Apr-2014^2511Z^^R9CAC^RN6BN^H95^~"],
    ["the time has no Z", "PC11^14010.0^R155AP^11-Apr-2014^1711^^R9CAC^RN6BN^H95^~"],
    ["the DX call is missing", "PC11^14010.0^^11-Apr-2014^1711Z^^R9CAC^RN6BN^H95^~"],
    ["the spotter is missing", "PC11^14010.0^R155AP^11-Apr-2014^1711Z^^ ^RN6BN^H95^~"],
    ["it is another frame", "PC92^GB7DJK^3600^K^5GB7DJK:5457:1^1^H99^"],
    ["its type is longer", "PC112^14010.0^R155AP^11-Apr-2014^1711Z^^R9CAC^RN6BN^H95^~"],
  ])("is unknown where %s", (_, text) => {
    expect(decodeSpot(text)).toEqual({ kind: "unknown", line: text });
  });
});

describe("a PC26 frame", () => {
  it("is a spot that was merged, without hops", () => {
    const spot = decodeSpot("PC26^7005.0^JA1NUT^22-Mar-2026^1300Z^ ^W6ABC^N6WS^ ^~");
    expect(spot).toMatchObject({ format: "pc26", dx: "JA1NUT", comment: "", node: "N6WS" });
    expect(spot).not.toHaveProperty("hops");
  });
});

describe("frames of announcements and messages", () => {
  it.each([
    ["PC12^W1AW^*^Hello all^ ^K1TTT^0^H30^~", { kind: "announcement", from: "W1AW", to: "*", node: "K1TTT" }],
    ["PC12^w1aw^SYSOP^Hello^*^K1TTT^0^H30^~", { kind: "announcement", from: "W1AW", to: "SYSOP" }],
    ["PC93^GB7DJK^3601^*^G1TLH^*^hello^^203.0.113.7^H99^", { kind: "announcement", from: "G1TLH", to: "*" }],
    ["PC93^GB7DJK^3601^LOCAL^G1TLH^*^hello^^203.0.113.7^H99^", { kind: "announcement", to: "LOCAL" }],
    ["PC93^GB7DJK^3601^W1AW^G1TLH^*^hello^^203.0.113.7^H99^", { kind: "talk", from: "G1TLH", to: "W1AW" }],
    ["PC10^G1TLH^W1AW^hello^*^ ^GB7DJK^~", { kind: "talk", from: "G1TLH", to: "W1AW", text: "hello" }],
    ["PC10^G1TLH^K1TTT^hello^*^W1AW^GB7DJK^~", { kind: "talk", from: "G1TLH", to: "W1AW", text: "hello" }],
  ])("%s", (text, expected) => {
    expect(decodeSpot(text)).toMatchObject({ ...expected, line: text });
  });

  it.each([
    "PC12^W1AW^*^Hello all",
    "PC12^W1AW^*^ ^ ^K1TTT^0^H30^~",
    "PC12^^*^Hello^ ^K1TTT^0^H30^~",
    "PC93^GB7DJK^3601^*^G1TLH",
    "PC93^GB7DJK^3601^*^$^*^hello^^203.0.113.7^H99^",
    "PC10^G1TLH^W1AW^hello",
  ])("are unknown where they are damaged: %s", (text) => {
    expect(decodeSpot(text)).toEqual({ kind: "unknown", line: text });
  });
});

describe("a PC61 frame", () => {
  const frame = (ip: string): string => `PC61^14030.5^ZF2NUE^11-Apr-2014^1711Z^^ND4X^W4NJA^${ip}^H96^~`;

  it.each([
    ["72.51.152.150", "72.51.152.150"],
    ["2a00,1450,4001,81b,,200e", "2a00:1450:4001:81b::200e"],
    ["2001:db8::1", "2001:db8::1"],
    ["", undefined],
    ["not an address", undefined],
  ])("has the spotter's address: %j", (text, ip) => {
    const spot = decodeSpot(frame(text));
    expect(spot).toMatchObject({ kind: "spot", format: "pc61", spotter: "ND4X", frequency: 14030.5 });
    expect("ip" in spot ? spot.ip : undefined).toBe(ip);
  });

  it("is unknown without the field for it", () => {
    expect(decodeSpot("PC61^14030.5^ZF2NUE^11-Apr-2014^1711Z^^ND4X^W4NJA").kind).toBe("unknown");
  });
});

describe("a PC23 frame", () => {
  const line = "PC23^19-Sep-1997^18^86^4^0^No Storms^DL0XYZ^DB0XYZ^H1^~";

  it("is WWV's report, which the peer never reads", () => {
    expect(decodeSpot(line)).toEqual({
      kind: "wwv",
      format: "pc23",
      reporter: "DL0XYZ",
      time: new Date("1997-09-19T18:00:00Z"),
      solarFlux: 86,
      aIndex: 4,
      kIndex: 0,
      forecast: "No Storms",
      node: "DB0XYZ",
      line,
    });
  });

  it.each([
    "PC23^120^2^DL0XYZ^5^130^2^no^DB0XYZ^1.2.3.4",
    "PC23^19-Sep-1997^24^86^4^0^test^DL0XYZ^DB0XYZ^H1^~",
    "PC23^19-Sep-1997^720^86^4^0^test^DL0XYZ^DB0XYZ^H1^~", // 30 days later, on the 19th again
    "PC23^19-Sep-1997^18^-86^4^0^test^DL0XYZ^DB0XYZ^H1^~",
    "PC23^19-Sep-1997^18^86^4^^test^DL0XYZ^DB0XYZ^H1^~",
    "PC23^19-Sep-1997^18^86^4^0^test^DL0XYZ",
    "PC23^",
  ])("is unknown where its fields make no sense: %j", (text) => {
    expect(decodeSpot(text).kind).toBe("unknown");
  });
});

describe("a PC27 frame", () => {
  it("is a WWV report that was merged", () => {
    expect(decodeSpot("PC27^19-Sep-1997^18^86^4^0^No Storms^DL0XYZ^DB0XYZ^ ^~")).toMatchObject({
      kind: "wwv",
      format: "pc27",
      time: new Date("1997-09-19T18:00:00Z"),
      solarFlux: 86,
      node: "DB0XYZ",
    });
  });
});

describe("a PC73 frame", () => {
  const line = "PC73^ 1-Mar-2024^12^ 141^ 5^2^0^126^eru^qui^no^DK0WCY-2^DB0SUE-7^H20^~";

  it("is DK0WCY's report", () => {
    expect(decodeSpot(line)).toEqual({
      kind: "wcy",
      format: "pc73",
      reporter: "DK0WCY-2",
      time: new Date("2024-03-01T12:00:00Z"),
      solarFlux: 141,
      aIndex: 5,
      kIndex: 2,
      expectedKIndex: 0,
      sunspots: 126,
      solarActivity: "eru",
      geomagneticField: "qui",
      aurora: "no",
      node: "DB0SUE-7",
      line,
    });
  });

  it("is unknown where its fields make no sense", () => {
    expect(decodeSpot(line.replace("^126^", "^x^")).kind).toBe("unknown");
    expect(decodeSpot(line.replace("^12^", "^99^")).kind).toBe("unknown");
    expect(decodeSpot("PC73^1-Mar-2024^12^141^5^2^0^126^eru^qui^no^DK0WCY-2").kind).toBe("unknown");
  });
});
