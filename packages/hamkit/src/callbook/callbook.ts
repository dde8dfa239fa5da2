/** Callbooks as a source: services with data of the owner of a callsign, asked for each callsign within a session. */
import { ValueError } from "../errors.js";
import { checkTimeout } from "../io/timers.js";
import { serviceCallsign, stationCallsigns } from "../lookup/service-callsign.js";
import type { ServiceSource } from "../lookup/source.js";
import { showValue } from "../show-value.js";
import { createCallbookClient, type CallbookClientOptions } from "./callbook-client.js";
import {
  readFields,
  type FieldsResult,
  CALLSIGN,
  FLAG,
  NUMBER,
  TEXT,
  WEST_TIME_ZONE,
  type FieldRow,
  CALLSIGNS,
  DATE,
  TIME_ZONE,
} from "./callbook-fields.js";
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import { type CallbookService, callbookUrl, AGENT } from "./callbook-service.js";

/** QRZ.com, which needs a subscription, or HamQTH.com, which is free of charge. */
export type CallbookName = "qrz" | "hamqth";

export interface CallbookOptions extends Omit<CallbookClientOptions, "service" | "account"> {
  /** QRZ.com when left out. */
  readonly service?: CallbookName | undefined;
  /** Base of the service's addresses, such as `https://www.hamqth.com/`; the service's own when left out. */
  readonly url?: string | undefined;
  /** Version of QRZ's interface; 1.3.3 when left out. */
  readonly apiv?: string | undefined;
  readonly username?: string | undefined;
  readonly pwd?: string | undefined;
}

/** A callbook as a source. */
export type CallbookSource = ServiceSource<CallbookRecord, CallbookEntity> &
  Required<Pick<ServiceSource<CallbookRecord, CallbookEntity>, "exact" | "entity">>;

/**
 * A callbook as a source. It sends no request before the first lookup, and equal concurrent lookups share one request.
 *
 * A callsign is looked up as given, then without suffixes that leave the station where it is. The home call is not tried: the
 * entry of DH1TW would place HC2/DH1TW in Germany. The data is current, whatever the timestamp.
 *
 * @throws {ValueError} An option is missing or invalid: callbook, account, address or timeout.
 */
export function createCallbook(options: CallbookOptions): CallbookSource {
  const { warn, timeoutMs, retryDelayMs } = options;
  checkTimeout(timeoutMs);
  const service = serviceOf(options);
  const account = accountOf(options, service);
  const client = createCallbookClient({ service, account, warn, timeoutMs, retryDelayMs });

  function checked<Found>(entry: string, { found, unexpected }: FieldsResult<Found>): Found {
    const values = unexpected.map(
      ({ key, text, expected }) => `${key} ${showValue(text)}, which is not ${expected}`,
    );
    if (values.length > 0) warn(`${service.title}, ${entry}: kept as text: ${values.join("; ")}`);
    return Object.freeze(found);
  }

  async function lookUpCallsign(callsign: string): Promise<CallbookRecord | undefined> {
    const elements = await client.callsign(callsign);
    return elements && checked(callsign, readFields(elements, service.callsign.rows));
  }

  async function lookUpEntity(adif: number): Promise<CallbookEntity | undefined> {
    const elements = await client.entity(adif);
    return elements && checked(`entity ${adif}`, readFields(elements, service.entity.rows));
  }

  return {
    kind: "service",
    name: service.title,
    async identify(text) {
      for (const match of stationCallsigns(text)) {
        const record = await lookUpCallsign(match);
        if (record)
          return { kind: "identified", record, matchedBy: "callsign", match, source: service.title };
      }
      return { kind: "unknown" };
    },
    async exact(text) {
      const callsign = serviceCallsign(text);
      return callsign === undefined ? undefined : lookUpCallsign(callsign);
    },
    entity: async (adif) => (Number.isSafeInteger(adif) && adif > 0 ? lookUpEntity(adif) : undefined),
  };
}

const CALLBOOKS: Readonly<Record<CallbookName, (options: CallbookOptions) => CallbookService>> = {
  qrz: ({ url = QRZ_URL, apiv = "1.3.3" }) => qrzService(`${baseOf(url)}${versionOf(apiv)}/`),
  hamqth: ({ url = HAMQTH_URL }) => hamqthService(baseOf(url)),
};

function serviceOf(options: CallbookOptions): CallbookService {
  const { service = "qrz" } = options;
  if (Object.hasOwn(CALLBOOKS, service)) return CALLBOOKS[service](options);
  const expected = `a callbook of this version: ${Object.keys(CALLBOOKS).join(", ")}`;
  throw new ValueError({ argument: "callbook", value: service, expected });
}

function accountOf({ username, pwd }: CallbookOptions, { title }: CallbookService) {
  if (typeof username !== "string" || username.trim() === "")
    throw new ValueError({
      argument: "username",
      value: username,
      expected: `the name of an account at ${title}`,
    });
  // The message never shows the value, which may be the password.
  if (typeof pwd !== "string" || pwd === "")
    throw new ValueError({
      argument: "pwd",
      value: undefined,
      expected: `the password of an account at ${title}`,
    });
  return { username, pwd };
}

function versionOf(apiv: string): string {
  if (/^\w+(?:\.\w+)*$/.test(apiv)) return apiv;
  throw new ValueError({ argument: "apiv", value: apiv, expected: "a version such as 1.3.3, or current" });
}

/** The address with a slash at its end. */
function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain =
    parsed?.username === "" && parsed.password === "" && parsed.search === "" && parsed.hash === "";
  if (isPlain && /^https?:$/.test(parsed.protocol)) return parsed.href.replace(/\/*$/, "/");
  // The message does not show a password.
  const value = parsed?.password ? "an address with a password" : url;
  throw new ValueError({ argument: "url", value, expected: "an http: or https: address without parameters" });
}

// The callbook of HamQTH.com, which is free of charge.
//
// Links to messengers and social networks are left out. Offsets from UTC are hours behind it: -1 in Prague.
// See HamQTH, "For application developers", XML version 2.8.

const HAMQTH_URL = "https://www.hamqth.com/";

function hamqthService(base: string): CallbookService {
  const callbook = `${base}xml.php`;
  return {
    title: "HamQTH",
    root: "hamqth",
    loginAddress: ({ username, pwd }) => callbookUrl(callbook, { u: username, p: pwd }),
    callsignAddress: (callsign, key) => callbookUrl(callbook, { id: key, callsign, prg: AGENT }),
    entityAddress: (adif) => callbookUrl(`${base}dxcc.php`, { callsign: String(adif) }),
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

// The callbook of QRZ.com.
// See QRZ XML Logbook Data, specification 1.34.

const QRZ_URL = "https://xmldata.qrz.com/xml/";

/** @param base The address with the version of the interface. */
function qrzService(base: string): CallbookService {
  return {
    title: "QRZ",
    root: "qrzdatabase",
    loginAddress: ({ username, pwd }) => callbookUrl(base, { username, password: pwd, agent: AGENT }),
    callsignAddress: (callsign, key) => callbookUrl(base, { s: key, callsign }),
    entityAddress: (adif, key) => callbookUrl(base, { s: key, dxcc: String(adif) }),
    session: { section: "session", key: "key" },
    errors: {
      sessionExpired: /session timeout|invalid session/i,
      notFound: /^(?:not found|no dxcc information)/i,
      // QRZ reports "Connection refused" to users that it locks out for a day.
      refused: /password|user|account|login|refused|denied|blocked|locked/i,
    },
    callsign: { section: "callsign", rows: QRZ_CALLSIGN_ROWS },
    entity: { section: "dxcc", rows: QRZ_ENTITY_ROWS, isFree: false },
  };
}

const QRZ_CALLSIGN_ROWS: readonly FieldRow<CallbookRecord>[] = [
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

const QRZ_ENTITY_ROWS: readonly FieldRow<CallbookEntity>[] = [
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
