/** The member list of the card service (authenticity guaranteed): download and parsing. */
import { IOError } from "../errors.js";
import type { Logger } from "../io/default-logger.js";
import {
  getUsers,
  textOf,
  type ListFile,
  type PublishedList,
  type UserListOptions,
  noOmissions,
  omit,
  warnOfOmissions,
  type Omissions,
} from "./list-file.js";

/** The list that the card service publishes. */
export const CARDSITE: PublishedList<string[]> = {
  url: "http://www.eqsl.cc/QSLCard/DownloadedFiles/AGMemberlist.txt",
  read: readCardsite,
};

/** Begin of the first line: "List of AG members as of 11-Oct-2014 15:00 UTC". */
const HEADING = "LIST OF ";

/** The service truncates entries to 15 characters. */
const MAX_LENGTH = 30;

/** Characters that never occur in entries, which may contain nearly any other: `2EØFVL`, `KA9ADD @`, `G4HBI\M`. */
// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const NEVER_IN_ENTRIES = /[\u0000-\u001f<>{}]/;

/** A regular call: a text without any is not a list of calls. */
const PLAIN_CALL = /^(?=.*[0-9])(?=.*[A-Z])[A-Z0-9/-]{3,}$/;

/**
 * The card service's members whose identity it has checked ("authenticity guaranteed").
 *
 * The service's list has a heading and one line per member. Members enter free text, so an entry may be the call of a
 * listener or a call with a remark: each line is one entry, in upper case and trimmed.
 *
 * @param options The source of the list; default: the service.
 * @returns The entries in the order of the list.
 * @throws {IOError} The network, the server or the file failed, or the content is not the list: empty, a web page, or text
 *   without calls. `cause` has the original error.
 * @throws {ArgumentTypeError} @throws {ValueError} An option is invalid.
 * @example
 * async function isMember(callsign: string): Promise<boolean> {
 *   const members = new Set(await getCardsiteUsers());
 *   return members.has(callsign.toUpperCase());
 * }
 */
export async function getCardsiteUsers(options: UserListOptions = {}): Promise<string[]> {
  return getUsers(CARDSITE, options);
}

function readCardsite({ name, content }: ListFile, logger: Logger): string[] {
  const { users, omissions } = readLines(textOf(content));
  if (omissions.count >= users.length || !users.some((entry) => PLAIN_CALL.test(entry)))
    throw new IOError(
      name,
      `the content is not a list of calls${omissions.first === "" ? "" : `: ${omissions.first}`}`,
    );
  warnOfOmissions(logger, name, "lines", omissions);
  return users;
}

function readLines(text: string): { readonly users: string[]; readonly omissions: Omissions } {
  const users: string[] = [];
  const omissions = noOmissions();
  const lines = text.toUpperCase().split("\n");
  for (const [index, line] of lines.entries()) {
    const entry = line.trim();
    if (entry === "" || (users.length === 0 && entry.startsWith(HEADING))) continue;
    if (entry.length <= MAX_LENGTH && !NEVER_IN_ENTRIES.test(entry)) users.push(entry);
    else omit(omissions, `line ${index + 1}`, entry);
  }
  return { users, omissions };
}
