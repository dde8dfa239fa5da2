/** Logs of three formats, written without hamkit, and damaged copies of them. */
import type { AdifRecord } from "../../src/adif.js";

export type MadeFormat = "adi" | "adx" | "cabrillo";

/** A log, and what is in it. */
export interface MadeLog {
  readonly format: MadeFormat;
  readonly bytes: Uint8Array;
  readonly records: readonly AdifRecord[];
  /** Where each record ends, in bytes. */
  readonly ends: readonly number[];
}

export interface DamagedLog {
  readonly bytes: Uint8Array;
  /** Name of the damage. */
  readonly damage: string;
  /** The first byte that differs. */
  readonly from: number;
}

export type Random = (below: number) => number;

/** Mulberry32: the same numbers for the same seed. */
export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

const MAX_RECORDS = 30;
const CALLS = ["DL1ABC", "W1AW", "JA1ABC", "VK2ABC/P", "EA8/DH1TW", "ZS1A", "LU1ABC", "K3ABC/4"];
const BANDS = [
  ["80m", "3.525"],
  ["40m", "7.012"],
  ["20m", "14.025"],
  ["10m", "28.074"],
] as const;
const TEXTS = [
  "Köln",
  "東京",
  "a <CALL:3>b",
  "5 < 7 & 8 > 6",
  "two\r\nlines",
  'a "quoted" word',
  "]]>",
  "é",
  "x",
];

export function makeLog(random: Random, format: MadeFormat): MadeLog {
  const records = Array.from({ length: 1 + random(MAX_RECORDS) }, () => makeRecord(random, format));
  const [head, tail, write] = WRITERS[format];
  const encoder = new TextEncoder();
  const pieces = [head, ...records.map(write)].map((text) => encoder.encode(text));
  const ends: number[] = [];
  let length = 0;
  for (const [index, piece] of pieces.entries()) {
    length += piece.length;
    if (index > 0) ends.push(length);
  }
  return { format, records, ends, bytes: joined([...pieces, encoder.encode(tail)]) };
}

function makeRecord(random: Random, format: MadeFormat): AdifRecord {
  const one = <Value>(values: readonly Value[]) => values[random(values.length)] as Value;
  const two = (value: number) => String(value).padStart(2, "0");
  const [BAND, FREQ] = one(BANDS);
  const record = {
    CALL: one(CALLS),
    QSO_DATE: `20${10 + random(15)}${two(1 + random(12))}${two(1 + random(28))}`,
    TIME_ON: `${two(random(24))}${two(random(60))}`,
    BAND,
    FREQ,
    MODE: one(["CW", "RTTY"]),
    RST_SENT: "599",
    RST_RCVD: one(["599", "579"]),
  };
  if (format === "cabrillo") return { ...record, SRX_STRING: String(1 + random(40)).padStart(2, "0") };
  return {
    ...record,
    STATION_CALLSIGN: "DH1TW",
    ...(random(2) === 0 && { NAME: one(TEXTS) }),
    ...(random(2) === 0 && { COMMENT: one(TEXTS) }),
    ...(random(3) === 0 && { GRIDSQUARE: one(["JN48QM", "FN31", "jo62"]) }),
    ...(random(4) === 0 && { APP_MADE_NOTE: one(TEXTS) }),
    ...(random(9) === 0 && { MODE: one(["PH", "20M", "USB"]) }), // to be repaired
  };
}

type Writer = readonly [head: string, tail: string, write: (record: AdifRecord) => string];

const WRITERS: Readonly<Record<MadeFormat, Writer>> = {
  adi: ["Made for a test\n<ADIF_VER:5>3.1.4<EOH>\n", "", adiRecord],
  adx: [
    '<?xml version="1.0" encoding="UTF-8"?>\n<ADX>\n<HEADER><ADIF_VER>3.1.4</ADIF_VER></HEADER>\n<RECORDS>\n',
    "</RECORDS>\n</ADX>\n",
    adxRecord,
  ],
  cabrillo: [
    "START-OF-LOG: 3.0\r\nCONTEST: CQ-WW-CW\r\nCALLSIGN: DH1TW\r\n",
    "END-OF-LOG:\r\n",
    (record) =>
      `QSO: ${kilohertz(record)} ${record["MODE"] === "RTTY" ? "RY" : "CW"} ${dayOf(record)} ${record["TIME_ON"]} DH1TW 599 14 ` +
      `${record["CALL"]} ${record["RST_RCVD"]} ${record["SRX_STRING"]}\r\n`,
  ],
};

const kilohertz = ({ FREQ = "" }: AdifRecord) => String(Math.round(Number(FREQ) * 1000)).padStart(5);
const dayOf = ({ QSO_DATE = "" }: AdifRecord) => QSO_DATE.replace(/^(....)(..)(..)$/, "$1-$2-$3");

function adiRecord(record: AdifRecord): string {
  const fields = Object.entries(record).map(
    ([name, value]) => `<${name}:${new TextEncoder().encode(value).length}>${value}`,
  );
  return `${fields.join(" ")} <EOR>\n`;
}

function adxRecord(record: AdifRecord): string {
  const fields = Object.entries(record).map(([name, value]) => {
    const text = value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll("\r", "&#13;");
    return name === "APP_MADE_NOTE"
      ? `<APP PROGRAMID="MADE" FIELDNAME="NOTE" TYPE="M">${text}</APP>`
      : `<${name}>${text}</${name}>`;
  });
  return `<RECORD>${fields.join("")}</RECORD>\n`;
}

type Damage = (bytes: Uint8Array, from: number, random: Random) => readonly Uint8Array[];

const part = (bytes: Uint8Array, from: number, until?: number) => bytes.subarray(from, until);

const DAMAGES: Readonly<Record<string, Damage>> = {
  cut: (bytes, from) => [part(bytes, 0, from)],
  "a byte changed": (bytes, from, random) => [
    part(bytes, 0, from),
    Uint8Array.of(random(256)),
    part(bytes, from + 1),
  ],
  "bytes lost": (bytes, from, random) => [part(bytes, 0, from), part(bytes, from + 1 + random(40))],
  "bytes added": (bytes, from, random) => [
    part(bytes, 0, from),
    Uint8Array.from({ length: 1 + random(20) }, () => random(256)),
    part(bytes, from),
  ],
  "a part twice": (bytes, from, random) => [part(bytes, 0, from + random(100)), part(bytes, from)],
  "a digit changed": (bytes, from, random) => {
    const digit = bytes.findIndex((byte, index) => index >= from && byte >= 0x30 && byte <= 0x39);
    if (digit < 0) return [bytes];
    return [part(bytes, 0, digit), Uint8Array.of(0x30 + random(10)), part(bytes, digit + 1)];
  },
};

export function damageLog({ bytes }: MadeLog, random: Random): DamagedLog {
  const names = Object.keys(DAMAGES);
  const damage = names[random(names.length)] as string;
  const damaged = joined((DAMAGES[damage] as Damage)(bytes, random(bytes.length), random));
  const first = damaged.findIndex((byte, index) => byte !== bytes[index]);
  return { damage, bytes: damaged, from: first < 0 ? Math.min(damaged.length, bytes.length) : first };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
