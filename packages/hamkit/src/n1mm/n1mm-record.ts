/** Contacts of N1MM as fields of ADIF. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { findBand } from "../bands/freq-to-band.js";
import type { N1mmContact } from "./n1mm-message.js";

/** Modes that ADIF has as submodes. */
const SUBMODES: Readonly<Record<string, string>> = {
  USB: "SSB",
  LSB: "SSB",
  PSK31: "PSK",
  PSK63: "PSK",
  PSK125: "PSK",
  FT4: "MFSK",
};

/** Elements with a field of ADIF of the same meaning. */
const FIELDS: Readonly<Record<string, string>> = {
  operator: "OPERATOR",
  snt: "RST_SENT",
  sntnr: "STX",
  rcv: "RST_RCVD",
  rcvnr: "SRX",
  exchange1: "SRX_STRING",
  gridsquare: "GRIDSQUARE",
  section: "ARRL_SECT",
  comment: "COMMENT",
  name: "NAME",
  qth: "QTH",
  power: "RX_PWR",
  prec: "PRECEDENCE",
  ck: "CHECK",
  wpxprefix: "PFX",
  continent: "CONT",
  contestname: "APP_N1MM_CONTEST",
  points: "APP_N1MM_POINTS",
  id: "APP_N1MM_ID",
};

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
  const band = findBand(frequencyHz / 1000)?.adif;
  const main = SUBMODES[mode];
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
  return record;
}
