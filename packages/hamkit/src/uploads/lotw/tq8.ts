/**
 * Signed files for LoTW (.tq8), as TQSL writes them.
 *
 * A contact's signature covers the values of the station and of the contact, in upper case and in the order of TQSL's configuration
 * (sigspec LOTW 2.0), by RSA with SHA-1.
 */
import type { AdifRecord } from "../../adif/parse-adif.js";
import { bandOfRecord } from "../../bands/record-band.js";
import { ValueError } from "../../errors.js";
import { gzip, nodeCrypto, type PrivateKey } from "../../io/node-crypto.js";
import { lotwSatelliteName } from "../../satellites/satellite-names.js";
import { showValue } from "../../show-value.js";
import type { LotwCertificate } from "./lotw-certificate.js";
import { lotwMode } from "./lotw-modes.js";

/** The place of a station, under TQSL's names. */
export interface LotwStation {
  readonly GRIDSQUARE?: string;
  readonly CQZ?: string;
  readonly ITUZ?: string;
  readonly IOTA?: string;
  readonly US_STATE?: string;
  /** The name alone, without the state. */
  readonly US_COUNTY?: string;
  readonly CA_PROVINCE?: string;
  readonly RU_OBLAST?: string;
  readonly JA_PREFECTURE?: string;
  readonly JA_CITY_GUN_KU?: string;
  readonly CN_PROVINCE?: string;
  readonly AU_STATE?: string;
  readonly FI_KUNTA?: string;
}

/** What signs. */
export interface LotwSigner {
  readonly key: PrivateKey;
  readonly certificate: LotwCertificate;
  readonly station: LotwStation;
}

/** A contact that is not signed, and why. */
export interface RefusedContact {
  /** Index of the record, from 0. */
  readonly index: number;
  readonly call: string;
  readonly reason: string;
}

/** A signed file. */
export interface SignedLog {
  /** gzip; empty if no contact was signed. */
  readonly bytes: Uint8Array;
  /** Indices of the records that were signed. */
  readonly signed: readonly number[];
  readonly refused: readonly RefusedContact[];
}

/** Names of the station's fields in the order of the signed text. */
const STATION_FIELDS: readonly (keyof LotwStation)[] = [
  "AU_STATE",
  "CA_PROVINCE",
  "CN_PROVINCE",
  "CQZ",
  "FI_KUNTA",
  "GRIDSQUARE",
  "IOTA",
  "ITUZ",
  "JA_CITY_GUN_KU",
  "JA_PREFECTURE",
  "RU_OBLAST",
  "US_COUNTY",
  "US_STATE",
];

/** Fields of a contact in the order of the signed text. */
const SIGNED = [
  "BAND",
  "BAND_RX",
  "CALL",
  "FREQ",
  "FREQ_RX",
  "MODE",
  "PROP_MODE",
  "QSO_DATE",
  "QSO_TIME",
  "SAT_NAME",
] as const;

type LotwContact = Partial<Record<(typeof SIGNED)[number], string>>;

/** The order in the file. */
const WRITTEN = [
  "CALL",
  "BAND",
  "MODE",
  "FREQ",
  "FREQ_RX",
  "BAND_RX",
  "PROP_MODE",
  "SAT_NAME",
  "QSO_DATE",
  "QSO_TIME",
] as const;

const PROPAGATIONS = "AS AUE AUR BS ECH EME ES F2 FAI ION IRL MS RS SAT TEP TR".split(" ");

/**
 * Signs contacts.
 *
 * @param records Fields of ADIF; contacts that LoTW would refuse are left out and named.
 * @throws {ValueError} The certificate has expired, or a field of the station is none of LoTW's.
 */
export function signLog(
  records: readonly AdifRecord[],
  { key, certificate, station }: LotwSigner,
  now = new Date(),
): SignedLog {
  if (certificate.expires <= now) {
    const day = certificate.expires.toISOString().slice(0, 10);
    throw new ValueError({
      argument: "p12",
      value: `a certificate that ended on ${day}`,
      expected: "a valid one: renew it in TQSL",
    });
  }
  const fields = stationFields(station);
  const place = fields.map(([, value]) => value).join("");
  const { createSign } = nodeCrypto();
  const signed: number[] = [];
  const refused: RefusedContact[] = [];
  const texts: string[] = [];
  for (const [index, record] of records.entries()) {
    const contact = contactOf(record, certificate);
    if (typeof contact === "string") {
      refused.push({ index, call: record["CALL"] ?? "", reason: contact });
      continue;
    }
    const data = place + SIGNED.map((name) => (contact[name] ?? "").toUpperCase()).join("");
    const signature = createSign("RSA-SHA1").update(data).sign(key).toString("base64");
    texts.push(contactText(contact, { data, signature }));
    signed.push(index);
  }
  const head = [
    field("TQSL_IDENT", "TQSL V2.7.5 Lib: V2.6 Config: V11.20 AllowDupes: false"),
    "",
    field("Rec_Type", "tCERT"),
    field("CERT_UID", "1"),
    field("CERTIFICATE", lines64(Buffer.from(certificate.bytes).toString("base64"))),
    "<eor>",
    "",
    field("Rec_Type", "tSTATION"),
    field("STATION_UID", "1"),
    field("CERT_UID", "1"),
    field("CALL", certificate.call),
    field("DXCC", String(certificate.entity)),
    ...fields.map(([name, value]) => field(name, value)),
    "<eor>",
    "",
    "",
  ].join("\n");
  return { bytes: signed.length === 0 ? new Uint8Array() : gzip(head + texts.join("")), signed, refused };
}

/** In the order of the signed text, as it is signed. */
function stationFields(station: LotwStation): readonly (readonly [name: string, value: string])[] {
  const unknown = Object.keys(station).find((name) => !STATION_FIELDS.includes(name as keyof LotwStation));
  if (unknown !== undefined)
    throw new ValueError({
      argument: "station",
      value: unknown,
      expected: `one of ${STATION_FIELDS.join(", ")}`,
    });
  return STATION_FIELDS.flatMap((name) => {
    const value = (station[name] ?? "").trim().toUpperCase();
    if (value === "") return [];
    // Zones are numbers.
    return [[name, name === "CQZ" || name === "ITUZ" ? String(Number(value)) : value] as const];
  });
}

/** A contact as LoTW has it, or why it is not signed. */
function contactOf(record: AdifRecord, certificate: LotwCertificate): LotwContact | string {
  const value = (name: string) => (record[name] ?? "").trim().toUpperCase();
  const call = value("CALL");
  if (!/^(?=.*\d)(?=.*[A-Z])[A-Z\d/]{3,20}$/.test(call)) return `CALL: ${showValue(call)} is not a callsign`;
  const own = value("STATION_CALLSIGN");
  if (own !== "" && own !== certificate.call)
    return `STATION_CALLSIGN: ${showValue(own)} is not ${certificate.call} of the certificate`;
  const entity = value("MY_DXCC");
  if (entity !== "" && Number(entity) !== certificate.entity)
    return `MY_DXCC: ${showValue(entity)} is not ${certificate.entity} of the certificate`;
  const moment = momentOf(value("QSO_DATE"), value("TIME_ON"));
  if (typeof moment === "string") return moment;
  if (moment.date < certificate.firstDay || moment.date > certificate.lastDay)
    return `QSO_DATE: ${moment.date} is not from ${certificate.firstDay} to ${certificate.lastDay}, as the certificate says`;
  const band = lotwBand(value("BAND"), value("FREQ"));
  if (band === undefined) return `BAND: ${showValue(value("BAND"))} is missing, or not LoTW's`;
  const mode = lotwMode(record["MODE"], record["SUBMODE"]);
  if (mode === undefined) return "MODE: missing";
  const path = pathOf(record);
  if (typeof path === "string") return path;
  const bandRx = lotwBand(value("BAND_RX"), value("FREQ_RX"));
  return {
    CALL: call,
    BAND: band,
    MODE: mode,
    ...(isFrequency(value("FREQ")) && { FREQ: value("FREQ") }),
    ...(isFrequency(value("FREQ_RX")) && { FREQ_RX: value("FREQ_RX") }),
    ...(bandRx !== undefined && { BAND_RX: bandRx }),
    ...path,
    QSO_DATE: moment.date,
    QSO_TIME: moment.time,
  };
}

/** A day that the calendar has. */
function isDay(text: string): boolean {
  const moment = new Date(`${text}T00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

function momentOf(day: string, hour: string): { date: string; time: string } | string {
  const [, year, month, date] = /^(\d{4})(\d\d)(\d\d)$/.exec(day) ?? [];
  const text = `${year}-${month}-${date}`;
  if (year === undefined || !isDay(text)) return `QSO_DATE: ${showValue(day)} is no date as 20240630`;
  const [, hours, minutes, seconds = "00"] = /^([01]\d|2[0-3])([0-5]\d)([0-5]\d)?$/.exec(hour) ?? [];
  if (hours === undefined) return `TIME_ON: ${showValue(hour)} is no time as 1259`;
  return { date: text, time: `${hours}:${minutes}:${seconds}Z` };
}

const BANDS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  (
    "2190M 630M 160M 80M 60M 40M 30M 20M 17M 15M 12M 10M 6M 4M 2M 1.25M 70CM 33CM 23CM 13CM 9CM 6CM 3CM 1.25CM 6MM 4MM 2.5MM 2MM 1MM " +
    "SUBMM"
  ).split(" "),
);

/** `undefined` for bands that LoTW does not take. */
function lotwBand(band: string, megahertz: string): string | undefined {
  const name = bandOfRecord(band, megahertz).toUpperCase();
  return BANDS.has(name) ? name : undefined;
}

function isFrequency(text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0;
}

function pathOf(record: AdifRecord): Pick<LotwContact, "PROP_MODE" | "SAT_NAME"> | string {
  const mode = (record["PROP_MODE"] ?? "").trim().toUpperCase();
  const name = (record["SAT_NAME"] ?? "").trim();
  if (mode !== "SAT" && name === "") return PROPAGATIONS.includes(mode) ? { PROP_MODE: mode } : {};
  if (mode !== "SAT" && mode !== "") return `SAT_NAME: ${showValue(name)}, but PROP_MODE is ${mode}`;
  if (name === "") return "SAT_NAME: missing, though PROP_MODE is SAT";
  const satellite = lotwSatelliteName(name);
  return satellite === undefined
    ? `SAT_NAME: ${showValue(name)} is none of LoTW's`
    : { PROP_MODE: "SAT", SAT_NAME: satellite };
}

interface Signature {
  readonly data: string;
  /** In base64. */
  readonly signature: string;
}

function contactText(contact: LotwContact, { data, signature }: Signature): string {
  const text = lines64(signature);
  return [
    field("Rec_Type", "tCONTACT"),
    field("STATION_UID", "1"),
    ...WRITTEN.flatMap((name) => (contact[name] === undefined ? [] : [field(name, contact[name])])),
    `<SIGN_LOTW_V2.0:${text.length}:6>${text}`,
    field("SIGNDATA", data),
    "<eor>",
    "",
    "",
  ].join("\n");
}

function field(name: string, value: string): string {
  return `<${name}:${value.length}>${value}`;
}

/** Lines of 64 characters, each with its end. */
function lines64(text: string): string {
  return text.replaceAll(/.{1,64}/g, "$&\n");
}
