/** Uploads contacts to a service: resumed where it ended, and never again after a failed login. */
import type { AdifRecord } from "../adif/parse-adif.js";
import { ValueError } from "../errors.js";
import { responseText, withoutSecrets } from "../io/download.js";
import { recordsAsAdi } from "./adi-text.js";
import { contactsToSend, uploadKey, type UploadJournal } from "./unsent-contacts.js";
import {
  UPLOAD_SERVICES,
  type UploadAnswer,
  type UploadRequest,
  type UploadService,
  type UploadServiceName,
  type UploadSettings,
} from "./services.js";

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
  /** In the journal, marked in the log, or twice in it. */
  readonly known: number;
  /** Contacts that were refused by themselves. */
  readonly rejected: readonly UploadedContact[];
  /** Why the run ended before all contacts were sent; absent if it did not. */
  readonly stopped?: UploadedContact;
}

const ATTEMPTS = 4;
const FIRST_WAIT_MS = 2000;
const TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 300_000;
/** Of an answer. */
const MAX_ANSWER = 1024 * 1024;
/** Refused one after the other: something is wrong with all of them. */
const MAX_REJECTED_IN_A_ROW = 20;
/** Contacts in a file, about 3 MB: a file and the log are in memory, but not the log twice. */
const MAX_IN_FILE = 10_000;

/**
 * Uploads contacts to a service, one by one; to Club Log several in a file, as it asks for.
 *
 * A duplicate is a success. A failed login ends the run at once: services shut out who repeats it. So do a file that is refused, twenty contacts
 * refused in a row, and a service that does not answer after four attempts.
 *
 * @throws {ValueError} A setting is missing, or the service takes signed files only.
 */
export async function uploadLog(
  records: readonly AdifRecord[],
  options: UploadOptions,
): Promise<UploadResult> {
  const { journal = memoryJournal(), settings } = options;
  const service = requireService(options.service);
  requireSettings(service, settings);
  const wanted = contactsToSend(records, service, journal);
  const batches = batchesOf(records, wanted, service, settings);
  const result = await sendBatches(batches, { ...options, records, service, journal });
  return { service: service.name, known: records.length - wanted.length, ...result };
}

/** Contacts that are sent in one request. */
export interface UploadBatch {
  readonly indices: readonly number[];
  readonly isFile: boolean;
  readonly request: UploadRequest;
}

/** One batch is made when the one before it is sent. */
function* batchesOf(
  records: readonly AdifRecord[],
  wanted: readonly number[],
  service: UploadService,
  settings: UploadSettings,
): Generator<UploadBatch> {
  const { name, request, fileRequest } = service;
  const recordAt = (index: number) => records[index] as AdifRecord;
  if (request === undefined)
    throw new ValueError({
      argument: "service",
      value: name,
      expected: "another one: uploadToLotw signs for LoTW",
    });
  const isFile = fileRequest !== undefined && wanted.length > 1;
  const size = isFile ? MAX_IN_FILE : 1;
  for (let start = 0; start < wanted.length; start += size) {
    const indices = wanted.slice(start, start + size);
    const made = isFile
      ? fileRequest(recordsAsAdi(indices.map(recordAt)), settings)
      : request(recordAt(indices[0] as number), settings);
    yield { indices, isFile, request: addressed(made, { name, isFile, url: settings["url"] }) };
  }
}

/** What `sendBatches` needs. */
interface BatchOptions extends Omit<UploadOptions, "service"> {
  readonly records: readonly AdifRecord[];
  readonly service: UploadService;
}

/** Sends batches, and tells the journal of each contact that was accepted before it sends the next batch. */
export async function sendBatches(
  batches: Iterable<UploadBatch>,
  { records, service, journal, onContact, ...options }: BatchOptions,
): Promise<Pick<UploadResult, "accepted" | "duplicates" | "rejected" | "stopped">> {
  const rejected: UploadedContact[] = [];
  let [accepted, duplicates, inARow] = [0, 0, 0];
  let stopped: UploadedContact | undefined;
  for (const { indices, isFile, request } of batches) {
    if (options.signal?.aborted === true) break;
    const answer = await send(service, request, {
      ...options,
      timeoutMs: isFile ? FILE_TIMEOUT_MS : TIMEOUT_MS,
    });
    const isThere = answer.kind === "accepted" || answer.kind === "duplicate";
    for (const index of indices) {
      if (isThere) journal?.add(uploadKey(service.name, records[index] as AdifRecord));
      onContact?.({ index, ...answer });
    }
    const contact = { index: indices[0] as number, ...answer };
    if (answer.kind === "accepted") accepted += indices.length;
    if (answer.kind === "duplicate") duplicates += indices.length;
    inARow = answer.kind === "rejected" ? inARow + 1 : 0;
    if (answer.kind === "rejected" && !isFile) rejected.push(contact);
    if (!isThere && (isFile || answer.kind !== "rejected" || inARow >= MAX_REJECTED_IN_A_ROW)) {
      stopped = contact;
      break;
    }
  }
  return { accepted, duplicates, rejected, ...(stopped !== undefined && { stopped }) };
}

/** Cloudlog and Wavelog are where their users have them; the others may be asked elsewhere, too, and take files beside that address. */
function addressed(
  request: UploadRequest,
  {
    name,
    isFile,
    url = "",
  }: { readonly name: UploadServiceName; readonly isFile: boolean; readonly url?: string | undefined },
): UploadRequest {
  if (url === "" || name === "cloudlog" || name === "wavelog") return request;
  return { ...request, url: isFile ? new URL(request.url.replace(/^.*\//, ""), url).href : url };
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
  { title, settings: names, secrets }: Pick<UploadService, "secrets" | "settings" | "title">,
  settings: UploadSettings,
): void {
  for (const name of names)
    if ((settings[name] ?? "") === "")
      throw new ValueError({
        argument: `settings.${name}`,
        value: undefined,
        expected: `the ${secrets.includes(name) ? "secret" : "setting"} ${name} of ${title}`,
      });
  if ((settings["url"] ?? "") !== "") requireAddress(settings["url"] as string);
}

/** A password in an address would be in messages of the network. */
function requireAddress(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hasAccount = url !== undefined && (url.username !== "" || url.password !== "");
  if (url !== undefined && /^https?:$/.test(url.protocol) && !hasAccount) return;
  const expected = "an address such as https://log.example.org, without account and password";
  // A text that is no address may have a password, too.
  throw new ValueError({ argument: "settings.url", value: "***", expected });
}

function memoryJournal(): UploadJournal {
  const keys = new Set<string>();
  return { has: (key) => keys.has(key), add: (key) => void keys.add(key) };
}

/** Sends a request, again after a failure that may pass. Secrets are removed from what the service says. */
export async function send(
  service: Pick<UploadService, "attempts" | "read" | "secrets">,
  request: UploadRequest,
  { settings, fetch: sendRequest = fetch, wait = sleep, signal, timeoutMs }: SendOptions,
): Promise<UploadAnswer> {
  const { attempts = ATTEMPTS } = service;
  const secrets = service.secrets.flatMap((name) => settings[name] ?? []);
  for (let attempt = 1; ; attempt++) {
    const answer = await sendOnce(service, request, { fetch: sendRequest, timeoutMs, secrets });
    if (answer.kind !== "unavailable" || attempt >= attempts || signal?.aborted === true) return answer;
    await wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}

interface SendOptions extends Pick<UploadOptions, "settings" | "fetch" | "wait" | "signal"> {
  readonly timeoutMs: number;
}

async function sendOnce(
  { read }: Pick<UploadService, "read">,
  { url, body, headers = {} }: UploadRequest,
  { fetch: sendRequest, timeoutMs, secrets }: OneAttempt,
): Promise<UploadAnswer> {
  try {
    const response = await sendRequest(url, {
      method: "POST",
      body,
      headers: { "user-agent": "hamkit", ...headers },
      // A password is not sent to where an answer points.
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { status } = response;
    if (status >= 300 && status < 400)
      return { kind: "unavailable", reason: `HTTP ${status}: the service has moved` };
    const text = await responseText(response, MAX_ANSWER);
    // Removed before the reason is shortened, which could leave a part of a secret.
    const { reason } = read(status, withoutSecrets(text, secrets));
    return { kind: read(status, text).kind, reason };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { kind: "unavailable", reason: withoutSecrets(reason, secrets) };
  }
}

interface OneAttempt {
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly secrets: readonly string[];
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
