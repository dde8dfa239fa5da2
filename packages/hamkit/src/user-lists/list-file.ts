/** Getting the file of a list, from its service or from a copy on this machine, and its text. */
import { ArgumentTypeError, IOError } from "../errors.js";
import { defaultLogger, type Logger } from "../io/default-logger.js";
import { download } from "../io/download.js";
import { readBytes } from "../io/file.js";
import { checkTimeout } from "../io/timeout.js";

/** Where a list comes from, and who is told what of it could not be read. */
export interface UserListOptions {
  /** Where the list is asked for (http or https); the service's own address when left out. */
  readonly url?: string;
  /** A copy of the list on this machine, as the service sends it; nobody is asked then. */
  readonly filename?: string;
  /** Is told, once a call, of what was left out; Node's process warnings are when this is left out. */
  readonly logger?: Logger;
  /** How long nothing may come before a try is given up, of up to three, in milliseconds; 10000 when left out. */
  readonly timeoutMs?: number;
}

/** A list as it came. */
export interface ListFile {
  /** Its address or path, for messages. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** A list that a service publishes. */
export interface PublishedList<Users> {
  /** Where the service has it. */
  readonly url: string;
  /**
   * Finds the users in a file that is neither empty nor a web page.
   *
   * @throws {IOError} @throws {UserListError} The file is another one, or damaged.
   */
  readonly read: (file: ListFile, logger: Logger) => Users | Promise<Users>;
}

/** The lists have 1 to 3 MB by now. */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;

/**
 * The users of a list, which is got from its service or as the options say.
 *
 * @throws {IOError} It can't be had, or is no list.
 * @throws {UserListError} It is not this list.
 * @throws {ArgumentTypeError} @throws {ValueError} The options can't be used.
 */
export async function getUsers<Users>(list: PublishedList<Users>, options: UserListOptions): Promise<Users> {
  checkOptions(options);
  const { url = list.url, filename, timeoutMs, logger = defaultLogger } = options;
  const content = filename === undefined ? await downloadList(url, timeoutMs) : await readBytes(filename);
  return readUsers(list, { name: filename ?? url, content }, logger);
}

/**
 * The users in a list's file.
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
  if (first === LESS_THAN) throw new IOError(file.name, "this is a web page, not the list");
  return read(file, logger);
}

/** The text in UTF-8, or in Windows-1252 where it can't be UTF-8: some services still write that. */
export function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

const LESS_THAN = 60;
/** Tab, ends of lines, the blank, and the three bytes of the byte order mark. */
const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf]);

async function downloadList(url: string, timeoutMs: number | undefined): Promise<Uint8Array> {
  // Trying again can't help an address that is none, and a list's address shall not open files of this machine.
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new IOError(url, "not an http address");
  const answer = await download(url, {
    ...(timeoutMs !== undefined && { timeoutMs }),
    maxBytes: MAX_LIST_BYTES,
  });
  if (answer.kind === "unchanged")
    throw new IOError(url, "the server says unchanged, but was not asked that");
  return answer.content;
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
