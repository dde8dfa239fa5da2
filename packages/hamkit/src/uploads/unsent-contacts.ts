/** Which contacts a service does not have yet, by the log and by what it accepted before. */
import type { AdifRecord } from "../adif/parse-adif.js";
import type { UploadService } from "./services.js";

/** Remembers what a service has accepted. */
export interface UploadJournal {
  /** Whether a contact was accepted. */
  has(key: string): boolean;
  /** Called for each contact that was accepted, before the next request. */
  add(key: string): void;
}

/** Indices of the contacts that are not marked in the log, in the journal, or in the log before. */
export function contactsToSend(
  records: readonly AdifRecord[],
  service: UploadService,
  journal: UploadJournal | undefined,
): number[] {
  const seen = new Set<string>();
  return records.flatMap((record, index) => {
    const key = uploadKey(service.name, record);
    if (isUploaded(record, service) || seen.has(key) || journal?.has(key) === true) return [];
    seen.add(key);
    return [index];
  });
}

/** Whether the log says that the service has a contact. */
function isUploaded(record: AdifRecord, { statusField }: UploadService): boolean {
  return record[statusField]?.toUpperCase() === "Y";
}

/** A contact in a journal: service, own call, call, band, mode, date and time. */
export function uploadKey(service: string, record: AdifRecord): string {
  const fields = ["STATION_CALLSIGN", "CALL", "BAND", "FREQ", "MODE", "SUBMODE", "QSO_DATE", "TIME_ON"];
  return [
    service,
    ...fields.map((name) => (record[name] ?? "").trim().toUpperCase().replaceAll(/\s+/g, "_")),
  ].join(" ");
}
