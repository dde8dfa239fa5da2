/** Opens the three user lists for the command line. */
import { CARDSITE } from "../../user-lists/card-service.js";
import { MAX_LIST_BYTES, readUsers, type PublishedList } from "../../user-lists/list-file.js";
import { LOGSITE } from "../../user-lists/log-service.js";
import type { LogsiteUser } from "../../user-lists/log-service-record.js";
import { LOGBOOK } from "../../user-lists/logbook.js";
import { problemOf, type Problem } from "../exit-code.js";
import { openPublicFile, type OpenedFile, type PublicFile, type PublicFileOptions } from "./public-file.js";
import type { Session } from "../session.js";
import { listTitle, type ListName } from "./user-list-names.js";

/** A user of a list. The logbook and the card service have a part of the fields of the log service. */
export type ListedUser = Readonly<LogsiteUser>;

/** The user of a call in upper case; `undefined` for a call that is not in the list. */
export type FindUser = (call: string) => ListedUser | undefined;

/** A list, or the error of opening it. */
export type ListOutcome =
  | { readonly name: ListName; readonly file: OpenedFile<FindUser> }
  | { readonly name: ListName; readonly error: Problem };

/** Opens a list. A failure is returned, because the other lists may be available. */
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

/** The services publish their lists daily or weekly. */
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

/** The list with a function that finds its users. */
function searched<Users>(
  { url, read }: PublishedList<Users>,
  finderOf: (users: Users) => FindUser,
): PublishedList<FindUser> {
  return { url, read: async (file, logger) => finderOf(await read(file, logger)) };
}
