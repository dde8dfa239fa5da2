/**
 * The callbook of QRZ.com.
 *
 * @see QRZ XML Logbook Data, specification 1.34.
 */
import { CALLSIGNS, DATE, FLAG, NUMBER, TEXT, TIME_ZONE, type FieldRow } from "./callbook-fields.js";
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import { addressOf, AGENT, type CallbookService } from "./callbook-service.js";

export const QRZ_URL = "https://xmldata.qrz.com/xml/";

/** @param base The address with the version of the interface. */
export function qrzService(base: string): CallbookService {
  return {
    title: "QRZ",
    root: "qrzdatabase",
    loginAddress: ({ username, pwd }) => addressOf(base, { username, password: pwd, agent: AGENT }),
    callsignAddress: (callsign, key) => addressOf(base, { s: key, callsign }),
    entityAddress: (adif, key) => addressOf(base, { s: key, dxcc: String(adif) }),
    session: { section: "session", key: "key" },
    errors: {
      sessionExpired: /session timeout|invalid session/i,
      notFound: /^(?:not found|no dxcc information)/i,
      // QRZ reports "Connection refused" to users that it locks out for a day.
      refused: /password|user|account|login|refused|denied|blocked|locked/i,
    },
    callsign: { section: "callsign", rows: CALLSIGN_ROWS },
    entity: { section: "dxcc", rows: ENTITY_ROWS, isFree: false },
  };
}

const CALLSIGN_ROWS: readonly FieldRow<CallbookRecord>[] = [
  ["call", "callsign", TEXT],
  ["xref", "xref", TEXT],
  ["aliases", "aliases", CALLSIGNS],
  ["dxcc", "adif", NUMBER],
  ["attn", "attn", TEXT],
  ["nickname", "nickname", TEXT],
  ["fname", "fname", TEXT],
  ["name", "name", TEXT],
  ["name_fmt", "name_fmt", TEXT],
  ["addr1", "addr1", TEXT],
  ["addr2", "addr2", TEXT],
  ["state", "state", TEXT],
  ["zip", "zipcode", TEXT],
  ["country", "country", TEXT],
  ["land", "country", TEXT],
  ["ccode", "ccode", NUMBER],
  ["lat", "latitude", NUMBER],
  ["lon", "longitude", NUMBER],
  ["grid", "locator", TEXT],
  ["county", "county", TEXT],
  ["fips", "fips", TEXT],
  ["land", "land", TEXT],
  ["efdate", "efdate", DATE],
  ["expdate", "expdate", DATE],
  ["p_call", "p_call", TEXT],
  ["class", "license_class", TEXT],
  ["codes", "codes", TEXT],
  ["qslmgr", "qslmgr", TEXT],
  ["email", "email", TEXT],
  ["url", "url", TEXT],
  ["u_views", "u_views", NUMBER],
  ["bio", "bio", TEXT],
  ["biodate", "biodate", DATE],
  ["image", "image", TEXT],
  ["imageinfo", "imageinfo", TEXT],
  ["serial", "serial", NUMBER],
  ["moddate", "moddate", DATE],
  ["msa", "msa", NUMBER],
  ["areacode", "areacode", NUMBER],
  ["timezone", "timezone", TEXT],
  ["gmtoffset", "gmtoffset", TIME_ZONE],
  ["dst", "dst", FLAG],
  ["eqsl", "eqsl", FLAG],
  ["mqsl", "mqsl", FLAG],
  ["cqzone", "cqz", NUMBER],
  ["ituzone", "ituz", NUMBER],
  ["born", "born", NUMBER],
  ["user", "user", TEXT],
  ["lotw", "lotw", FLAG],
  ["iota", "iota", TEXT],
  ["geoloc", "geoloc", TEXT],
];

const ENTITY_ROWS: readonly FieldRow<CallbookEntity>[] = [
  ["dxcc", "adif", NUMBER],
  ["cc", "cc", TEXT],
  ["ccc", "ccc", TEXT],
  ["name", "country", TEXT],
  ["continent", "continent", TEXT],
  ["ituzone", "ituz", NUMBER],
  ["cqzone", "cqz", NUMBER],
  ["timezone", "timezone", TIME_ZONE],
  ["lat", "latitude", NUMBER],
  ["lon", "longitude", NUMBER],
  ["notes", "notes", TEXT],
];
