/** Signs contacts and uploads them to LoTW: one file for each place of the own station. */
import type { AdifRecord } from "../../adif/parse-adif.js";
import { LOTW } from "../services.js";
import { contactsToSend } from "../unsent-contacts.js";
import {
  sendBatches,
  type UploadBatch,
  type UploadedContact,
  type UploadOptions,
  type UploadResult,
} from "../upload-log.js";
import { findLotwCertificate, type LotwCertificate } from "./lotw-certificate.js";
import { openPkcs12 } from "./pkcs12.js";
import { signLog, type LotwSigner, type LotwStation, type SignedLog } from "./tq8.js";

/** Days before its end from which a certificate is to be renewed. */
const RENEWAL_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** What signs without a place: each contact has its own. */
export type LotwKey = Omit<LotwSigner, "station">;

/**
 * Opens a callsign certificate that TQSL saved.
 *
 * @param file The content of the `.p12` file.
 * @throws {LoginError} The password does not open it.
 * @throws {ValueError} It is no such file.
 */
export function openLotwKey(file: Uint8Array, password: string): LotwKey {
  const { key, certificates } = openPkcs12(file, password);
  return { key, certificate: findLotwCertificate(certificates) };
}

/** Days until a certificate ends, if it is to be renewed; `undefined` if that has time. */
export function daysToRenewal({ expires }: LotwCertificate, now = new Date()): number | undefined {
  const days = Math.floor((expires.getTime() - now.getTime()) / DAY_MS);
  return days < RENEWAL_DAYS ? days : undefined;
}

/** A file for LoTW, with the place that it is signed for. */
export interface LotwFile extends SignedLog {
  readonly station: LotwStation;
}

/**
 * Signs contacts, in one file for each place.
 *
 * @param station Fields of the place, instead of those that the contacts have (`MY_GRIDSQUARE`, `MY_CQ_ZONE`, `MY_STATE`...).
 * @throws {ValueError} The certificate has expired.
 */
export function signForLotw(
  records: readonly AdifRecord[],
  key: LotwKey,
  { station = {}, now }: { readonly station?: LotwStation; readonly now?: Date } = {},
): readonly LotwFile[] {
  const groups = new Map<string, { readonly place: LotwStation; readonly indices: number[] }>();
  for (const [index, record] of records.entries()) {
    const place = { ...stationOf(record, key.certificate.entity), ...station };
    const name = JSON.stringify(place);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { place, indices: [index] });
    else group.indices.push(index);
  }
  return Array.from(groups.values(), ({ place, indices }): LotwFile => {
    const file = signLog(
      indices.map((index) => records[index] as AdifRecord),
      { ...key, station: place },
      now,
    );
    return {
      bytes: file.bytes,
      station: place,
      signed: file.signed.map((index) => indices[index] as number),
      refused: file.refused.map(({ index, call, reason }) => ({
        index: indices[index] as number,
        call,
        reason,
      })),
    };
  });
}

const USA = new Set([291, 110, 6]);
const CANADA = 1;

/** The place of a contact's own station. */
function stationOf(record: AdifRecord, entity: number): LotwStation {
  const value = (name: string) => (record[name] ?? "").trim();
  const fields: Record<string, string> = {
    GRIDSQUARE: value("MY_GRIDSQUARE"),
    CQZ: value("MY_CQ_ZONE"),
    ITUZ: value("MY_ITU_ZONE"),
    IOTA: value("MY_IOTA"),
    US_STATE: USA.has(entity) ? value("MY_STATE") : "",
    US_COUNTY: USA.has(entity) ? value("MY_CNTY").replace(/^[A-Za-z]{2},\s*/, "") : "",
    CA_PROVINCE: entity === CANADA ? value("MY_STATE") : "",
  };
  return Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ""));
}

/** Options of `uploadToLotw`. */
export interface LotwUploadOptions extends Omit<UploadOptions, "service" | "settings"> {
  readonly key: LotwKey;
  readonly station?: LotwStation | undefined;
  /** Instead of LoTW's address. */
  readonly url?: string | undefined;
  readonly now?: Date | undefined;
}

/**
 * Signs contacts and uploads them. LoTW processes files later: an accepted one may still have contacts that it does not take.
 *
 * @throws {ValueError} The certificate has expired.
 */
export async function uploadToLotw(
  records: readonly AdifRecord[],
  { key, station, url, now, ...options }: LotwUploadOptions,
): Promise<UploadResult> {
  const wanted = contactsToSend(records, LOTW, options.journal);
  const files = signForLotw(
    wanted.map((index) => records[index] as AdifRecord),
    key,
    { ...(station !== undefined && { station }), ...(now !== undefined && { now }) },
  );
  const refused = files.flatMap(({ refused: contacts }) =>
    contacts.map(({ index, reason }): UploadedContact => ({
      index: wanted[index] as number,
      kind: "rejected",
      reason,
    })),
  );
  const batches = files.flatMap(({ bytes, signed }): UploadBatch[] => {
    const request = LOTW.fileRequest(new Blob([bytes]));
    const indices = signed.map((index) => wanted[index] as number);
    return signed.length === 0
      ? []
      : [{ indices, isFile: true, request: { ...request, ...(url !== undefined && { url }) } }];
  });
  const result = await sendBatches(batches, { ...options, records, service: LOTW, settings: {} });
  return {
    service: "lotw",
    known: records.length - wanted.length,
    ...result,
    rejected: [...refused, ...result.rejected],
  };
}
