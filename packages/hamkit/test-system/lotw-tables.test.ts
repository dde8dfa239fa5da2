/** What hamkit knows of LoTW, compared with the configuration of Debian's trustedqsl, which is the last word. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { lotwSatelliteName } from "../src/satellites.js";
import { lotwMode, openLotwKey, signForLotw } from "../src/uploads.js";

const config = readFileSync("/usr/share/TrustedQSL/config.xml", "utf8");
const section = (name: string) => new RegExp(`<${name}>([^]*?)</${name}>`).exec(config)?.[1] ?? "";
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), (match) => match.slice(1));

const key = openLotwKey(
  readFileSync(new URL("../test/uploads/modern.p12", import.meta.url)),
  "secret-of-test",
);

describe("TQSL's configuration", () => {
  it("maps modes of ADIF as hamkit does", () => {
    const modes = all(section("adifmap"), /adif-mode="([^"]*)"(?: adif-submode="([^"]*)")? mode="([^"]*)"/g);
    expect(modes.length).toBeGreaterThanOrEqual(150);
    const other = modes.filter(([mode, submode, lotw]) => lotwMode(mode, submode) !== lotw);
    expect(other).toEqual([]);
  });

  it("has hamkit's names of satellites", () => {
    const names = all(section("satellites"), /<satellite\b[^>]* name="([^"]*)"/g).flat();
    expect(names.length).toBeGreaterThan(80);
    expect(names.filter((name) => lotwSatelliteName(name) !== name)).toEqual([]);
  });

  it("has hamkit's bands", () => {
    const bands = all(section("bands"), />([\d.A-Z]+)<\/band>/g).flat();
    expect(bands.length).toBe(30);
    const contact = { CALL: "W1AW", MODE: "CW", QSO_DATE: "20240630", TIME_ON: "1200" };
    const [file] = signForLotw(
      bands.map((band) => Object.assign({ BAND: band ?? "" }, contact)),
      key,
      { now: new Date("2027-01-01") },
    );
    expect(file?.refused).toEqual([]);
  });

  it("signs the fields in the order of hamkit", () => {
    const spec = /<sigspec name="LOTW" version="2\.0">([^]*?)<\/sigspec>/.exec(config)?.[1] ?? "";
    const names = (part: string) =>
      all(new RegExp(`<${part}>([^]*?)</${part}>`).exec(spec)?.[1] ?? "", /<([A-Z_]+)\b/g).flat();
    // Parks are not offered.
    const station = names("tSTATION").filter((name) => !name.endsWith("PARK"));
    expect(station.length).toBe(13);
    const value = (name: string | undefined, index: number) =>
      /^(?:CQZ|ITUZ)$/.test(name ?? "") ? `${10 + index}` : `<${name}>`;
    const fields = Object.fromEntries(station.map((name, index) => [name, value(name, index)]));
    const contact = {
      BAND: "70CM",
      BAND_RX: "2M",
      CALL: "W1AW",
      FREQ: "435.1",
      FREQ_RX: "145.9",
      MODE: "CW",
      PROP_MODE: "SAT",
      SAT_NAME: "AO-7",
    };
    const [file] = signForLotw([{ ...contact, QSO_DATE: "20240630", TIME_ON: "1200" }], key, {
      station: fields,
      now: new Date("2027-01-01"),
    });
    const text = gunzipSync(file?.bytes ?? new Uint8Array()).toString();
    const signed: Record<string, string> = { ...contact, QSO_DATE: "2024-06-30", QSO_TIME: "12:00:00Z" };
    const expected = [
      ...station.map((name, index) => value(name, index)),
      ...names("tCONTACT").map((name) => signed[name ?? ""] ?? "?"),
    ].join("");
    expect(/<SIGNDATA:\d+>(.*)/.exec(text)?.[1]).toBe(expected);
  });
});
