/** Who may send cards through the card service with its guarantee that sender and call are genuine. */
import { IOError } from "../errors.js";
import type { Logger } from "../io/default-logger.js";
import { getUsers, textOf, type ListFile, type PublishedList, type UserListOptions } from "./list-file.js";
import { noOmissions, omit, warnOfOmissions, type Omissions } from "./omissions.js";

/** The list that the card service publishes. */
export const CARDSITE: PublishedList<string[]> = {
  url: "http://www.eqsl.cc/QSLCard/DownloadedFiles/AGMemberlist.txt",
  read: readCardsite,
};

/** What the first line begins with: "List of AG members as of 11-Oct-2014 15:00 UTC". */
const HEADING = "LIST OF ";

/** The longest entries have 15 characters, to which the service cuts them. */
const MAX_LENGTH = 30;

/** What no entry has, though they have nearly everything else: `2EØFVL`, `KA9ADD @`, `G4HBI\M`. */
// Control characters are what is looked for.
// oxlint-disable-next-line no-control-regex
const NEVER_IN_ENTRIES = /[\u0000-\u001f<>{}]/;

/** A call without doubt: without one of these, a text is no list of calls. */
const PLAIN_CALL = /^(?=.*[0-9])(?=.*[A-Z])[A-Z0-9/-]{3,}$/;

/**
 * The card service's members whose identity it has checked ("authenticity guaranteed").
 *
 * The service's list has a line per member, under a heading. Members enter whatever they like, so an entry may be the
 * call of a listener, or one with a remark: each line is one entry, in capitals, without the blanks around it.
 *
 * @param options Where the list comes from; the service itself when left out.
 * @returns The entries in the order of the list.
 * @throws {IOError} The network, the server or the file failed, or it is not the list: empty, a web page, or text without
 *   calls. `cause` has the failure itself.
 * @throws {ArgumentTypeError} @throws {ValueError} The options can't be used.
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
      `this is no list of calls${omissions.first === "" ? "" : `: ${omissions.first}`}`,
    );
  warnOfOmissions(logger, name, "lines", omissions);
  return users;
}

interface Reading {
  readonly users: string[];
  readonly omissions: Omissions;
}

function readLines(text: string): Reading {
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
