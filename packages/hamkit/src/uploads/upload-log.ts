/** Uploads contacts to a service: one at a time, resumed where it ended, and never again after a failed login. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { ValueError } from "../errors.js";
import { withoutSecrets } from "../io/download.js";
import {
  UPLOAD_SERVICES,
  type UploadAnswer,
  type UploadRequest,
  type UploadService,
  type UploadServiceName,
  type UploadSettings,
} from "./services.js";

/** Remembers what a service has accepted. */
export interface UploadJournal {
  /** Whether a contact was accepted. */
  has(key: string): boolean;
  /** Called after each contact that was accepted, before the next one is sent. */
  add(key: string): void;
}

/** A contact that was sent. */
export interface UploadedContact extends UploadAnswer {
  /** Index of the record, from 0. */
  readonly index: number;
}

/** Options of `uploadLog`. */
export interface UploadOptions {
  readonly service: UploadServiceName;
  readonly settings: UploadSettings;
  /** Contacts in it are not sent again; in memory when left out. */
  readonly journal?: UploadJournal | undefined;
  /** Called for each contact that was sent. */
  readonly onContact?: ((contact: UploadedContact) => void) | undefined;
  /** Stops before the next contact. */
  readonly signal?: AbortSignal | undefined;
  /** Sends requests; for tests and proxies. */
  readonly fetch?: typeof fetch | undefined;
  /** Waits before an attempt is repeated. */
  readonly wait?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** What became of an upload. */
export interface UploadResult {
  readonly service: UploadServiceName;
  readonly accepted: number;
  readonly duplicates: number;
  /** In the journal, or marked in the log. */
  readonly known: number;
  readonly rejected: readonly UploadedContact[];
  /** Why the run ended before all contacts were sent; absent if it did not. */
  readonly stopped?: UploadedContact;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 2000;
const TIMEOUT_MS = 60_000;
/** Of an answer. */
const MAX_ANSWER = 1024 * 1024;
/** Refused one after the other: something is wrong with all of them. */
const MAX_REJECTED_IN_A_ROW = 20;

/**
 * Uploads contacts to a service that takes them one by one.
 *
 * A duplicate is a success. A failed login ends the run at once: services shut out who repeats it. So do twenty contacts refused in a row, and a
 * service that does not answer after four attempts.
 *
 * @throws {ValueError} A setting is missing, or the service takes files only.
 */
export async function uploadLog(
  records: readonly AdifRecord[],
  options: UploadOptions,
): Promise<UploadResult> {
  const { journal = memoryJournal(), settings, onContact, signal } = options;
  const service = requireService(options.service);
  requireSettings(service, settings);
  if (service.request === undefined)
    throw new ValueError({
      argument: "service",
      value: service.name,
      expected: "another one: uploadToLotw signs for LoTW",
    });
  const rejected: UploadedContact[] = [];
  let [accepted, duplicates, known, inARow] = [0, 0, 0, 0];
  let stopped: UploadedContact | undefined;
  for (const [index, record] of records.entries()) {
    const key = uploadKey(service.name, record);
    if (isUploaded(record, service) || journal.has(key)) {
      known++;
      continue;
    }
    if (signal?.aborted === true) break;
    const contact = {
      index,
      ...(await send(service, addressed(service.request(record, settings), options), options)),
    };
    onContact?.(contact);
    const { kind } = contact;
    inARow = kind === "rejected" ? inARow + 1 : 0;
    if (kind === "accepted" || kind === "duplicate") {
      journal.add(key);
      if (kind === "accepted") accepted++;
      else duplicates++;
    } else if (kind === "rejected") rejected.push(contact);
    if (kind === "login-failed" || kind === "unavailable" || inARow >= MAX_REJECTED_IN_A_ROW) {
      stopped = contact;
      break;
    }
  }
  return {
    service: service.name,
    accepted,
    duplicates,
    known,
    rejected,
    ...(stopped !== undefined && { stopped }),
  };
}

/** Cloudlog and Wavelog are where their users have them; the others may be asked elsewhere, too. */
function addressed(request: UploadRequest, { service, settings }: UploadOptions): UploadRequest {
  if (service === "cloudlog" || service === "wavelog" || (settings["url"] ?? "") === "") return request;
  return { ...request, url: settings["url"] as string };
}

export function requireService(name: UploadServiceName): UploadService {
  if (Object.hasOwn(UPLOAD_SERVICES, name)) return UPLOAD_SERVICES[name];
  throw new ValueError({
    argument: "service",
    value: name,
    expected: Object.keys(UPLOAD_SERVICES).join(", "),
  });
}

export function requireSettings(
  { title, settings: names, secrets }: UploadService,
  settings: UploadSettings,
): void {
  for (const name of names)
    if ((settings[name] ?? "") === "")
      throw new ValueError({
        argument: `settings.${name}`,
        value: undefined,
        expected: `the ${secrets.includes(name) ? "secret" : "setting"} ${name} of ${title}`,
      });
}

/** Whether the log says that the service has a contact. */
export function isUploaded(record: AdifRecord, { statusField }: UploadService): boolean {
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

function memoryJournal(): UploadJournal {
  const keys = new Set<string>();
  return { has: (key) => keys.has(key), add: (key) => void keys.add(key) };
}

/** Sends a request, again after a failure that may pass. Secrets are removed from what the service says. */
export async function send(
  service: UploadService,
  request: UploadRequest,
  { settings, fetch: sendRequest = fetch, wait = sleep, signal }: Omit<UploadOptions, "service">,
): Promise<UploadAnswer> {
  const secrets = service.secrets.flatMap((name) => settings[name] ?? []);
  for (let attempt = 1; ; attempt++) {
    const answer = await sendOnce(service, request, sendRequest);
    const safe = { ...answer, reason: withoutSecrets(answer.reason, secrets) };
    if (safe.kind !== "unavailable" || attempt === ATTEMPTS || signal?.aborted === true) return safe;
    await wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}

async function sendOnce(
  { read }: UploadService,
  { url, body, headers = {} }: UploadRequest,
  sendRequest: typeof fetch,
): Promise<UploadAnswer> {
  try {
    const response = await sendRequest(url, {
      method: "POST",
      body,
      headers: { "user-agent": "hamkit", ...headers },
      // A password is not sent to where an answer points.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status >= 300 && response.status < 400)
      return { kind: "unavailable", reason: `HTTP ${response.status}: the service has moved` };
    const text = await response.text();
    return read(response.status, text.slice(0, MAX_ANSWER));
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { kind: "unavailable", reason: cause instanceof Error ? cause.message : String(cause) };
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
