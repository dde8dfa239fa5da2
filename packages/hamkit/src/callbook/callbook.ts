/** Callbooks: services that tell who has a callsign. They are asked call by call, within a session. */
import { ValueError } from "../errors.js";
import { checkTimeout } from "../io/timeout.js";
import { serviceCallsign, stationCallsigns } from "../lookup/service-callsign.js";
import type { ServiceSource } from "../lookup/source.js";
import { showValue } from "../show-value.js";
import { createCallbookClient, type CallbookClientOptions } from "./callbook-client.js";
import { readFields, type Reading } from "./callbook-fields.js";
import { HAMQTH_URL, hamqthService } from "./callbook-hamqth.js";
import { QRZ_URL, qrzService } from "./callbook-qrz.js";
import type { CallbookEntity, CallbookRecord } from "./callbook-record.js";
import type { CallbookService } from "./callbook-service.js";

/** The callbooks that can be asked: QRZ.com, with a subscription, and HamQTH.com, free of charge. */
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

/** What a callbook can be asked. */
export type CallbookSource = ServiceSource<CallbookRecord, CallbookEntity> &
  Required<Pick<ServiceSource<CallbookRecord, CallbookEntity>, "exact" | "entity">>;

/**
 * A callbook. Nothing is asked before the first look-up, and look-ups of the same at the same time share one request.
 *
 * A callsign is asked as it is, then without suffixes that leave the station where it is; not by its home call: the entry
 * of DH1TW would tell of HC2/DH1TW that it is in Germany. The answers are those of today, whatever the time asked for.
 *
 * @throws {ValueError} There is no such callbook, no name or password of an account, or the address or time can't be used.
 */
export function createCallbook(options: CallbookOptions): CallbookSource {
  const { warn, timeoutMs, retryDelayMs } = options;
  checkTimeout(timeoutMs);
  const service = serviceOf(options);
  const account = accountOf(options, service);
  const client = createCallbookClient({ service, account, warn, timeoutMs, retryDelayMs });

  function told<Found>(about: string, { found, odd }: Reading<Found>): Found {
    const values = odd.map(
      ({ key, text, expected }) => `${key} ${showValue(text)}, which is not ${expected}`,
    );
    if (values.length > 0) warn(`${service.title}, ${about}: kept as text: ${values.join("; ")}`);
    return Object.freeze(found);
  }

  async function lookUpCallsign(callsign: string): Promise<CallbookRecord | undefined> {
    const elements = await client.callsign(callsign);
    return elements && told(callsign, readFields(elements, service.callsign.rows));
  }

  async function lookUpEntity(adif: number): Promise<CallbookEntity | undefined> {
    const elements = await client.entity(adif);
    return elements && told(`entity ${adif}`, readFields(elements, service.entity.rows));
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
  // Whatever was given, it was meant to be a password.
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
  // An address with an account in it is not shown.
  const value = parsed?.password ? "an address with a password" : url;
  throw new ValueError({ argument: "url", value, expected: "an http: or https: address without parameters" });
}
