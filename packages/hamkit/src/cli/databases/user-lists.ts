/** The three user lists as the command line asks them. */
import { CARDSITE } from "../../user-lists/card-service.js";
import { MAX_LIST_BYTES, readUsers, type PublishedList } from "../../user-lists/list-file.js";
import { LOGSITE } from "../../user-lists/log-service.js";
import type { LogsiteUser } from "../../user-lists/log-service-record.js";
import { LOGBOOK } from "../../user-lists/logbook.js";
import { problemOf, type Problem } from "../exit-code.js";
import { openPublicFile, type OpenedFile, type PublicFile, type PublicFileOptions } from "./public-file.js";
import type { Session } from "../session.js";
import { listTitle, type ListName } from "./user-list-names.js";

/** What a list tells of one of its users; of the logbook and the card service, a part of what the log service does. */
export type ListedUser = Readonly<LogsiteUser>;

/** Finds what a list tells of a call, which is in upper case; `undefined` for one that is not in it. */
export type FindUser = (call: string) => ListedUser | undefined;

/** A list, or why there is none. */
export type ListOutcome =
  | { readonly name: ListName; readonly file: OpenedFile<FindUser> }
  | { readonly name: ListName; readonly error: Problem };

/** Gets a list. A failure is an outcome, since the others may be had. */
export async function openUserList(
  name: ListName,
  options: PublicFileOptions,
  session: Session,
): Promise<ListOutcome> {
  const list = LISTS[name];
  const file: PublicFile<FindUser> = {
    title: listTitle(name),
    cacheName: `${name}-users`,
    url: list.url,
    maxAgeMs: DAY_MS,
    maxBytes: MAX_LIST_BYTES,
    read: (path, content) => readUsers(list, { name: path, content }, session),
  };
  try {
    return { name, file: await openPublicFile(file, options, session) };
  } catch (failure) {
    return { name, error: problemOf(failure) };
  }
}

/** The services renew their lists once a day, or once a week. */
const DAY_MS = 24 * 60 * 60 * 1000;

const LISTS: Readonly<Record<ListName, PublishedList<FindUser>>> = {
  logbook: searched(LOGBOOK, (users) => (call) => {
    const lastupload = users[call];
    return lastupload && { lastupload };
  }),
  logsite: searched(LOGSITE, (users) => (call) => users[call]),
  cardsite: searched(CARDSITE, (users) => {
    const members = new Set(users);
    return (call) => (members.has(call) ? {} : undefined);
  }),
};

/** The same list, with its users behind a function. */
function searched<Users>(
  { url, read }: PublishedList<Users>,
  finderOf: (users: Users) => FindUser,
): PublishedList<FindUser> {
  return { url, read: async (file, logger) => finderOf(await read(file, logger)) };
}
