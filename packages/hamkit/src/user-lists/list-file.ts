/** Loads a user list from its service or from a local file, and decodes its text. */
import { ArgumentTypeError, IOError } from "../errors.js";
import { defaultLogger, type Logger } from "../io/default-logger.js";
import { download } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { checkTimeout } from "../io/timeout.js";

/** The source of a list, and the logger for skipped entries. */
export interface UserListOptions {
  /** Address of the list (http or https); default: that of the service. */
  readonly url?: string;
  /** A local copy of the list, in the service's format; no request is made then. */
  readonly filename?: string;
  /** Receives one warning per call if entries were skipped; default: Node's process warnings. */
  readonly logger?: Logger;
  /** Idle timeout of each of up to three attempts, in milliseconds; default 10000. */
  readonly timeoutMs?: number;
}

/** The content of a list. */
export interface ListFile {
  /** Its address or path, for messages. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** A list that a service publishes. */
export interface PublishedList<Users> {
  /** Address at the service. */
  readonly url: string;
  /**
   * Parses a file that is neither empty nor a web page.
   *
   * @throws {IOError} @throws {UserListError} The file is not this list, or is damaged.
   */
  readonly read: (file: ListFile, logger: Logger) => Users | Promise<Users>;
}

/** The lists have 1 to 3 MB (2024). */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;

/**
 * Loads and parses a list from its service, or from the source in the options.
 *
 * @throws {IOError} It can't be loaded, or is not a list.
 * @throws {UserListError} It is not this list.
 * @throws {ArgumentTypeError} @throws {ValueError} An option is invalid.
 */
export async function getUsers<Users>(list: PublishedList<Users>, options: UserListOptions): Promise<Users> {
  checkOptions(options);
  const { url = list.url, filename, timeoutMs, logger = defaultLogger } = options;
  const content = filename === undefined ? await downloadList(url, timeoutMs) : await readBytes(filename);
  return readUsers(list, { name: filename ?? url, content }, logger);
}

/**
 * Parses a list.
 *
 * @throws {IOError} It is empty, a web page, or another file.
 * @throws {UserListError} It is not this list.
 */
export async function readUsers<Users>(
  { read }: PublishedList<Users>,
  file: ListFile,
  logger: Logger,
): Promise<Users> {
  const first = file.content.find((byte) => !BLANKS.has(byte));
  if (first === undefined) throw new IOError(file.name, "the list is empty");
  if (first === LESS_THAN) throw new IOError(file.name, "expected the list, found a web page");
  return read(file, logger);
}

/** Decodes UTF-8, or Windows-1252 if the bytes are not UTF-8: some services still write that. */
export function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

const LESS_THAN = 60;
/** Tab, line ends, space, and the three bytes of the byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf]);

async function downloadList(url: string, timeoutMs: number | undefined): Promise<Uint8Array> {
  // An invalid address is not worth a retry, and an address must not open local files.
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new IOError(url, "not an http or https address");
  const result = await download(url, {
    ...(timeoutMs !== undefined && { timeoutMs }),
    maxBytes: MAX_LIST_BYTES,
  });
  if (result.kind === "unchanged")
    throw new IOError(url, "the server responded with HTTP 304 to an unconditional request");
  return result.content;
}

function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new ArgumentTypeError({ argument: "options", value: options, expected: "an object" });
  const { url, filename, timeoutMs }: { url?: unknown; filename?: unknown; timeoutMs?: unknown } = options;
  for (const [argument, value] of Object.entries({ url, filename })) {
    if (value !== undefined && typeof value !== "string")
      throw new ArgumentTypeError({ argument, value, expected: "a string" });
  }
  checkTimeout(timeoutMs);
}
