/** Callbooks as a source: services with data of the owner of a callsign, asked for each callsign within a session. */
import { ValueError } from "../errors.js";
import { checkTimeout } from "../io/timeout.js";
import { serviceCallsign, stationCallsigns } from "../lookup/service-callsign.js";
import type { ServiceSource } from "../lookup/source.js";
import { showValue } from "../show-value.js";
import { createCallbookClient, type CallbookClientOptions } from "./callbook-client.js";
import { readFields, type FieldsResult } from "./callbook-fields.js";
import { HAMQTH_URL, hamqthService } from "./callbook-hamqth.js";
import { QRZ_URL, qrzService } from "./callbook-qrz.js";
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import type { CallbookService } from "./callbook-service.js";

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
