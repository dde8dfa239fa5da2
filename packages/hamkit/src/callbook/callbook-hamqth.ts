/**
 * The callbook of HamQTH.com, which is free of charge.
 *
 * Links to messengers and social networks are left out. Offsets from UTC are hours behind it: -1 in Prague.
 *
 * @see HamQTH, "For application developers", XML version 2.8.
 */
import { CALLSIGN, FLAG, NUMBER, TEXT, WEST_TIME_ZONE, type FieldRow } from "./callbook-fields.js";
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import { addressOf, AGENT, type CallbookService } from "./callbook-service.js";

export const HAMQTH_URL = "https://www.hamqth.com/";

export function hamqthService(base: string): CallbookService {
  const callbook = `${base}xml.php`;
  return {
    title: "HamQTH",
    root: "hamqth",
    loginAddress: ({ username, pwd }) => addressOf(callbook, { u: username, p: pwd }),
    callsignAddress: (callsign, key) => addressOf(callbook, { id: key, callsign, prg: AGENT }),
    entityAddress: (adif) => addressOf(`${base}dxcc.php`, { callsign: String(adif) }),
    session: { section: "session", key: "session_id" },
    errors: {
      sessionExpired: /session does not exist|session expired/i,
      notFound: /not found/i,
      refused: /password|user|account|login|denied|blocked|locked/i,
    },
    callsign: { section: "search", rows: CALLSIGN_ROWS },
    // The same address looks up callsigns, so the response must repeat the code.
    entity: { section: "dxcc", rows: ENTITY_ROWS, isFree: true, echo: "adif" },
  };
}

const CALLSIGN_ROWS: readonly FieldRow<CallbookRecord>[] = [
  ["callsign", "callsign", CALLSIGN],
  ["nick", "nickname", TEXT],
  ["qth", "qth", TEXT],
  ["country", "land", TEXT],
  ["adif", "adif", NUMBER],
  ["itu", "ituz", NUMBER],
  ["cq", "cqz", NUMBER],
  ["grid", "locator", TEXT],
  ["adr_name", "name", TEXT],
  [["adr_street1", "adr_street2", "adr_street3"], "addr1", TEXT],
  ["adr_city", "addr2", TEXT],
  ["adr_zip", "zipcode", TEXT],
  ["adr_country", "country", TEXT],
  ["country", "country", TEXT],
  ["adr_adif", "ccode", NUMBER],
  ["district", "district", TEXT],
  ["us_state", "state", TEXT],
  ["us_county", "county", TEXT],
  ["oblast", "oblast", TEXT],
  ["dok", "dok", TEXT],
  ["iota", "iota", TEXT],
  ["qsl_via", "qslmgr", TEXT],
  ["lotw", "lotw", FLAG],
  ["eqsl", "eqsl", FLAG],
  ["qsl", "bqsl", FLAG],
  ["qsldirect", "mqsl", FLAG],
  ["email", "email", TEXT],
  ["birth_year", "born", NUMBER],
  ["lic_year", "licensed", NUMBER],
  ["web", "url", TEXT],
  ["picture", "image", TEXT],
  ["latitude", "latitude", NUMBER],
  ["longitude", "longitude", NUMBER],
  ["continent", "continent", TEXT],
  ["utc_offset", "gmtoffset", WEST_TIME_ZONE],
];

const ENTITY_ROWS: readonly FieldRow<CallbookEntity>[] = [
  ["adif", "adif", NUMBER],
  ["name", "country", TEXT],
  ["continent", "continent", TEXT],
  ["waz", "cqz", NUMBER],
  ["itu", "ituz", NUMBER],
  ["utc", "timezone", WEST_TIME_ZONE],
  ["lat", "latitude", NUMBER],
  ["lng", "longitude", NUMBER],
];
