/** Contacts of N1MM as fields of ADIF. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { findBand } from "../bands/freq-to-band.js";
import { contestOfN1mm } from "./n1mm-contests.js";
import type { N1mmContact } from "./n1mm-message.js";

/** Modes that ADIF has as submodes, after their mode. */
const SUBMODES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  [
    "SSB USB LSB",
    "PSK PSK31 PSK63 PSK125 PSK250 QPSK31 QPSK63 QPSK125 QPSK250",
    "MFSK MFSK8 MFSK16 FT4 FST4 JS8 Q65",
    "HELL FMHELL HELL80",
    "THRB THRBX",
  ].flatMap((line) => {
    const [mode = "", ...submodes] = line.split(" ");
    return submodes.map((submode) => [submode, mode] as const);
  }),
);

/** Bands in MHz, for contacts without a frequency. */
const BANDS: Readonly<Record<string, string>> = {
  "1.8": "160m",
  "3.5": "80m",
  "5": "60m",
  "7": "40m",
  "10": "30m",
  "14": "20m",
  "18": "17m",
  "21": "15m",
  "24": "12m",
  "28": "10m",
  "50": "6m",
  "70": "4m",
  "144": "2m",
  "420": "70cm",
};

/** Elements with a field of ADIF of the same meaning. */
const FIELDS: Readonly<Record<string, string>> = {
  operator: "OPERATOR",
  snt: "RST_SENT",
  sntnr: "STX",
  rcv: "RST_RCVD",
  rcvnr: "SRX",
  exchangel: "SRX_STRING", // N1MM's documentation spells it so, and programs do that follow it
  exchange1: "SRX_STRING",
  gridsquare: "GRIDSQUARE",
  comment: "COMMENT",
  name: "NAME",
  qth: "QTH",
  prec: "PRECEDENCE",
  ck: "CHECK",
  wpxprefix: "PFX",
  continent: "CONT",
  contestname: "APP_N1MM_CONTEST",
  points: "APP_N1MM_POINTS",
  id: "APP_N1MM_ID",
};

/** Contests whose stations send a section of ARRL or RAC. */
const WITH_SECTIONS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ARRL-FIELD-DAY",
  "ARRL-SS-CW",
  "ARRL-SS-SSB",
  "ARRL-160",
]);

/** Numbers of which 0 is none. */
const NUMBERS: ReadonlySet<string> = /* @__PURE__ */ new Set(["sntnr", "rcvnr", "ck"]);

/**
 * The contact of a message as fields of ADIF.
 *
 * @example
 * const message = decodeN1mm("<contactinfo><call>W1AW</call><mycall>DH1TW</mycall><timestamp>2024-06-30 12:00:00</timestamp><txfreq>1420500</txfreq><mode>USB</mode><snt>59</snt><sntnr>0</sntnr></contactinfo>");
 * message.kind === "contactinfo" && recordOfN1mm(message); // => { CALL: "W1AW", STATION_CALLSIGN: "DH1TW", QSO_DATE: "20240630", TIME_ON: "120000", BAND: "20m", FREQ: "14.205", MODE: "SSB", SUBMODE: "USB", RST_SENT: "59" }
 */
export function recordOfN1mm({
  call,
  time,
  mode,
  myCall,
  frequencyHz,
  rxFrequencyHz,
  fields,
}: N1mmContact): AdifRecord {
  const stamp = time.toISOString();
  const band = findBand(frequencyHz / 1000)?.adif ?? BANDS[(fields["band"] ?? "").replace(",", ".")];
  const main = SUBMODES.get(mode);
  const record: AdifRecord = { CALL: call };
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== "") record[name] = value;
  };
  add("STATION_CALLSIGN", myCall);
  add("QSO_DATE", stamp.slice(0, 10).replaceAll("-", ""));
  add("TIME_ON", stamp.slice(11, 19).replaceAll(":", ""));
  add("BAND", band);
  if (frequencyHz > 0) add("FREQ", String(frequencyHz / 1_000_000));
  if (rxFrequencyHz > 0 && rxFrequencyHz !== frequencyHz) add("FREQ_RX", String(rxFrequencyHz / 1_000_000));
  add("MODE", main ?? mode);
  if (main !== undefined) add("SUBMODE", mode);
  for (const [element, field] of Object.entries(FIELDS)) {
    const value = fields[element];
    if (value !== undefined && !(NUMBERS.has(element) && Number(value) === 0)) add(field, value);
  }
  const contest = contestOfN1mm(fields["contestname"] ?? "");
  const { section, power = "" } = fields;
  add("CONTEST_ID", contest);
  // What it is depends on the contest: a section, a state, an area.
  add(WITH_SECTIONS.has(contest ?? "") ? "ARRL_SECT" : "APP_N1MM_SECTION", section);
  add(/^\d+(?:\.\d+)?$/.test(power) ? "RX_PWR" : "APP_N1MM_POWER", power);
  // An X-QSO, which does not count.
  if (fields["isclaimedqso"] === "0") add("APP_N1MM_ISCLAIMEDQSO", "0");
  return record;
}
