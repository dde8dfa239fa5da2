/**
 * Signed files for LoTW. Certificate and key are of these tests, made with openssl 3 in the forms that .p12 files have: modern (AES), legacy
 * (RC2 and 3DES, as TQSL 2.5 writes) and tqsl (3DES, without a password).
 */
import { createPublicKey, createVerify, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import type { AdifRecord } from "../../src/adif.js";
import { LoginError, ValueError } from "../../src/errors.js";
import { daysToRenewal, lotwMode, openLotwKey, signForLotw } from "../../src/uploads.js";

const file = (name: string) => readFileSync(new URL(name, import.meta.url));
const PASSWORD = "secret-of-test";
const CERTIFICATE = new X509Certificate(file("certificate.pem"));
const KEY = openLotwKey(file("modern.p12"), PASSWORD);
const NOW = new Date("2027-01-01T00:00Z");

function qso(fields: AdifRecord = {}): AdifRecord {
  return { CALL: "W1AW", BAND: "20m", MODE: "CW", QSO_DATE: "20240630", TIME_ON: "1200", ...fields };
}

/** The fields of a file's records, and the text between. */
function recordsOf(bytes: Uint8Array): Record<string, string>[] {
  const text = gunzipSync(bytes).toString("latin1");
  return text.split(/<eor>/i).map((part) => {
    const fields: Record<string, string> = {};
    for (let rest = part; ;) {
      const [tag, name = "", length = "0"] = /<([\w.]+):(\d+)(?::\w+)?>/.exec(rest) ?? [];
      if (tag === undefined) return fields;
      const start = rest.indexOf(tag) + tag.length;
      fields[name] = rest.slice(start, start + Number(length));
      rest = rest.slice(start + Number(length));
    }
  });
}

const sign = (records: readonly AdifRecord[], station = {}) =>
  signForLotw(records, KEY, { station, now: NOW });

describe("a callsign certificate", () => {
  it.each([
    ["modern.p12", PASSWORD],
    ["legacy.p12", PASSWORD],
    ["tqsl.p12", ""],
  ])("is read of a file as %s", (name, password) => {
    const { key, certificate } = openLotwKey(file(name), password);
    expect(certificate).toMatchObject({
      call: "DH1TW",
      entity: 230,
      firstDay: "2020-01-01",
      lastDay: "2030-12-31",
      expires: new Date(CERTIFICATE.validTo),
    });
    expect(Buffer.from(certificate.bytes).equals(CERTIFICATE.raw)).toBe(true);
    expect(createPublicKey(key).equals(CERTIFICATE.publicKey)).toBe(true);
  });

  it("is not opened by another password, nor of another file", () => {
    for (const name of ["modern.p12", "legacy.p12"]) {
      expect(() => openLotwKey(file(name), "wrong")).toThrow(LoginError);
      expect(() => openLotwKey(file(name), "wrong")).toThrow("the password does not open it");
    }
    for (const bytes of [file("certificate.pem"), new Uint8Array(), file("modern.p12").subarray(0, 200)])
      expect(() => openLotwKey(bytes, PASSWORD)).toThrow(ValueError);
  });

  it("says when it is to be renewed", () => {
    const { certificate } = KEY;
    expect(daysToRenewal(certificate, NOW)).toBeUndefined();
    expect(daysToRenewal(certificate, new Date(certificate.expires.getTime() - 10.5 * 86_400_000))).toBe(10);
    const late = new Date(certificate.expires.getTime() + 1000);
    expect(() => signForLotw([qso()], KEY, { now: late })).toThrow(/a certificate that ended on 2126-/);
  });
});

describe("signForLotw", () => {
  const SATELLITE = qso({
    BAND: "70cm",
    BAND_RX: "2m",
    FREQ: "435.15",
    FREQ_RX: "145.93",
    MODE: "SSB",
    SUBMODE: "USB",
    PROP_MODE: "SAT",
    SAT_NAME: "AO-07",
    TIME_ON: "120130",
  });

  it("writes certificate, station and contacts as TQSL does", () => {
    const [signed] = sign([SATELLITE], { GRIDSQUARE: "jn48qm", CQZ: "014", ITUZ: "28" });
    const [head, station, contact] = recordsOf(signed?.bytes ?? new Uint8Array());
    expect(head).toMatchObject({
      TQSL_IDENT: expect.stringMatching(
        /^TQSL V2\.\S+ Lib: V2\.\S+ Config: V11\.\d+ AllowDupes: false$/,
      ) as string,
      Rec_Type: "tCERT",
      CERT_UID: "1",
    });
    expect(Buffer.from(head?.["CERTIFICATE"] ?? "", "base64").equals(CERTIFICATE.raw)).toBe(true);
    expect(station).toEqual({
      Rec_Type: "tSTATION",
      STATION_UID: "1",
      CERT_UID: "1",
      CALL: "DH1TW",
      DXCC: "230",
      CQZ: "14",
      GRIDSQUARE: "JN48QM",
      ITUZ: "28",
    });
    // Of the station in alphabetical order, then band, band of reception, call, frequencies, mode, path, date, time, satellite.
    expect(contact?.["SIGNDATA"]).toBe("14JN48QM2870CM2MW1AW435.15145.93SSBSAT2024-06-3012:01:30ZAO-7");
    expect(contact).toMatchObject({
      QSO_DATE: "2024-06-30",
      QSO_TIME: "12:01:30Z",
      SAT_NAME: "AO-7",
      BAND_RX: "2M",
    });
    const signature = contact?.["SIGN_LOTW_V2.0"] ?? "";
    expect(signature.split("\n").map((line) => line.length)).toEqual([64, 64, 44, 0]);
  });

  it("signs what openssl verifies with the certificate", () => {
    const [signed] = sign([qso(), SATELLITE, qso({ CALL: "ja1abc/1", MODE: "FT4" })]);
    expect(signed?.signed).toEqual([0, 1, 2]);
    const contacts = recordsOf(signed?.bytes ?? new Uint8Array()).filter(
      (each) => each["Rec_Type"] === "tCONTACT",
    );
    expect(contacts.map((each) => each["SIGNDATA"])).toEqual([
      "20MW1AWCW2024-06-3012:00:00Z",
      "70CM2MW1AW435.15145.93SSBSAT2024-06-3012:01:30ZAO-7",
      "20MJA1ABC/1FT42024-06-3012:00:00Z",
    ]);
    for (const contact of contacts) {
      const verify = (text: string) =>
        createVerify("RSA-SHA1")
          .update(text)
          .verify(CERTIFICATE.publicKey, contact["SIGN_LOTW_V2.0"] ?? "", "base64");
      expect(verify(contact["SIGNDATA"] ?? "")).toBe(true);
      expect(verify(`${contact["SIGNDATA"]} `)).toBe(false);
    }
  });

  it.each([
    [
      { QSO_DATE: "20191231" },
      "QSO_DATE: 2019-12-31 is not from 2020-01-01 to 2030-12-31, as the certificate says",
    ],
    [{ QSO_DATE: "20240231" }, 'QSO_DATE: "20240231" is no date'],
    [{ TIME_ON: "2460" }, 'TIME_ON: "2460" is no time'],
    [{ CALL: "NOCALL" }, 'CALL: "NOCALL" is not a callsign'],
    [{ STATION_CALLSIGN: "DH1TW/P" }, 'STATION_CALLSIGN: "DH1TW/P" is not DH1TW of the certificate'],
    [{ MY_DXCC: "281" }, 'MY_DXCC: "281" is not 230 of the certificate'],
    [{ BAND: "11m" }, 'BAND: "11M" is missing, or not LoTW'],
    [{ MODE: "" }, "MODE: missing"],
    [{ PROP_MODE: "SAT" }, "SAT_NAME: missing, though PROP_MODE is SAT"],
    [{ PROP_MODE: "SAT", SAT_NAME: "STARLINK" }, 'SAT_NAME: "STARLINK" is none of LoTW\'s'],
    [{ PROP_MODE: "EME", SAT_NAME: "AO-7" }, 'SAT_NAME: "AO-7", but PROP_MODE is EME'],
  ])("refuses what LoTW would: %j", (fields, reason) => {
    const [signed] = sign([qso(fields)]);
    expect(signed?.signed).toEqual([]);
    expect(signed?.bytes).toHaveLength(0);
    expect(signed?.refused).toEqual([
      {
        index: 0,
        call: qso(fields)["CALL"],
        reason: expect.stringContaining(reason) as string,
      },
    ]);
  });

  it("writes a file for each place", () => {
    const files = sign([
      qso({ MY_GRIDSQUARE: "JN48QM" }),
      qso({ MY_GRIDSQUARE: "JN47" }),
      qso({ CALL: "K1ABC", MY_GRIDSQUARE: "JN48QM" }),
    ]);
    expect(files.map(({ station, signed }) => [station.GRIDSQUARE, signed])).toEqual([
      ["JN48QM", [0, 2]],
      ["JN47", [1]],
    ]);
    expect(() => sign([qso()], { SQUARE: "x" })).toThrow("SQUARE");
  });

  it.each([
    ["MFSK", "FT4", "FT4"],
    ["FT4", undefined, "FT4"],
    ["MFSK", "JS8", "DATA"],
    ["MFSK", undefined, "DATA"],
    ["SSB", "USB", "SSB"],
    ["USB", undefined, "PHONE"],
    ["PSK", "QPSK31", "PSK31"],
    ["DIGITALVOICE", "C4FM", "C4FM"],
    ["DIGITALVOICE", "DMR", "DIGITALVOICE"],
    ["RTTY", "ASCI", "RTTY"],
    ["PKT", undefined, "PACKET"],
    ["SOMETHING", undefined, "DATA"],
    [undefined, undefined, undefined],
  ])("maps %s, %s to %s", (mode, submode, expected) => {
    expect(lotwMode(mode, submode)).toBe(expected);
  });
});
