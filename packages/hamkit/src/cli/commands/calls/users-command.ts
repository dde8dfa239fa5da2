/** `hamkit users`: searches callsigns in the user lists of the log service, the card service and the logbook. */
import { InvalidArgumentError, Option, type Command } from "commander";

import { homeCall } from "../../../callsign/home-call.js";
import { CallsignError } from "../../../errors.js";
import { MAX_AGE_MS } from "../../../io/cache-ages.js";
import { CARDSITE } from "../../../user-lists/card-service.js";
import { MAX_LIST_BYTES, readUsers, type PublishedList } from "../../../user-lists/list-file.js";
import { LOGSITE, type LogsiteUser } from "../../../user-lists/log-service.js";
import { LOGBOOK } from "../../../user-lists/logbook.js";
import {
  ageText,
  openPublicFile,
  type OpenedFile,
  type PublicFile,
  type PublicFileOptions,
} from "../../databases/public-file.js";
import {
  errorLines,
  isFailure,
  worstExitCode,
  type QueryResult,
  UsageError,
  type Problem,
  problemOf,
} from "../../exit-code.js";
import { withInputLines } from "../../input/input-lines.js";
import { momentText } from "../../input/moment.js";
import type { Session, Report } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { layOutCard, layOutTable, type Column } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit users W1AW", shows: "one callsign: a card" },
  { line: "hamkit users W1AW DH1TW DL1ABC", shows: "several: a table" },
  { line: "hamkit users W1AW --list logbook", shows: "only in the list of the logbook" },
  { line: "hamkit users W1AW --logbook-from users.csv", shows: "with a local copy of that list" },
  { line: "hamkit users - --offline < calls.txt", shows: "one callsign per line, without network" },
];

export function defineUsersCommand(command: Command, session: Session): void {
  command
    .description(
      "Searches callsigns in the user lists of the logbook (lotw.arrl.org), the log service (clublog.org) and the " +
        "card service (eqsl.cc), and shows their last upload. Downloaded lists are cached for a day.",
    )
    .argument("<call...>", "callsigns; - reads them from standard input, one per line")
    .addOption(listOption())
    .option("--logbook-from <path>", "file or http address of the logbook's list (CSV)")
    .option("--logsite-from <path>", "file or http address of the log service's list (zip)")
    .option("--cardsite-from <path>", "file or http address of the card service's list (text)")
    .option("--offline", "use the cached lists, whatever their age, without network access")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (calls: string[], options: UsersOptions) => {
      session.present(await reportUsers(calls, options, session), options);
    });
}

/** `--list`, which can be repeated. */
function listOption(): Option {
  return new Option("--list <name>", "search only this list; can be repeated")
    .choices(LIST_NAMES)
    .argParser((text: string, before: readonly ListName[] | undefined) => {
      const name = LIST_NAMES.find((known) => known === text);
      if (name === undefined) throw new InvalidArgumentError(`Allowed choices are ${LIST_NAMES.join(", ")}.`);
      return [...(before ?? []), name];
    });
}

interface UsersOptions {
  readonly list?: readonly ListName[];
  readonly logbookFrom?: string;
  readonly logsiteFrom?: string;
  readonly cardsiteFrom?: string;
  readonly offline?: boolean;
  readonly json?: boolean;
}

/** Whether a list contains a call, with its data; `null` if the list is not available. */
type Listing = ({ readonly listed: boolean } & ListedUser) | null;

/** A call that a list contains, or may contain. Lists that were not searched are absent. */
interface SearchedCall extends Partial<Record<ListName, Listing>> {
  /** The call as it was given. */
  readonly input: string;
  /** The call in upper case, trimmed, as it was searched for. */
  readonly call: string;
}

/** Searches calls in the lists; "-" stands for the calls on standard input. */
async function reportUsers(
  words: readonly string[],
  options: UsersOptions,
  session: Session,
): Promise<Report> {
  const names = namesOf(options);
  const inputs = await withInputLines(words, session.io.stdin);
  const lists = await Promise.all(
    names.map((name) =>
      openUserList(name, { from: options[`${name}From`], offline: options.offline }, session),
    ),
  );
  const calls = inputs.map((input) => searchCall(input, lists));
  const failures = lists.flatMap(({ name, ...list }) =>
    "error" in list ? [{ input: name, error: list.error }] : [],
  );
  return {
    document: { lists: Object.fromEntries(lists.map(listDocument)), calls },
    lines: () => textOf(calls, lists, session),
    errors: [...failures.map(listErrorLine), ...errorLines(calls, "callsigns")],
    exitCode: worstExitCode([...calls, ...failures]),
  };
}

/** The lists to search, in the order of the output. */
function namesOf(options: UsersOptions): readonly ListName[] {
  const names = LIST_NAMES.filter((name) => options.list?.includes(name) ?? true);
  const unused = LIST_NAMES.find((name) => options[`${name}From`] !== undefined && !names.includes(name));
  if (unused !== undefined)
    throw new UsageError(`--${unused}-from: the list ${unused} is not searched; add --list ${unused}`);
  return names;
}

function searchCall(input: string, lists: readonly ListOutcome[]): QueryResult<SearchedCall> {
  const call = input.trim().toUpperCase();
  const listings = lists.map((list) => [list.name, listingOf(call, list)] as const);
  if (listings.some(([, listing]) => listing === null || listing.listed)) {
    return { input, call, ...Object.fromEntries(listings) };
  }
  const home = listedHomeCall(call, lists);
  const hint = home === undefined ? "" : `; ${home} is listed`;
  return {
    input,
    error: {
      code: "lookup/no-match",
      message: `callsign ${JSON.stringify(input)} is not in any list${hint}`,
    },
  };
}

function listingOf(call: string, list: ListOutcome): Listing {
  if ("error" in list) return null;
  const user = list.file.value(call);
  return { listed: user !== undefined, ...user };
}

/** The home call, if a list contains it: a hint to search for DL1ABC instead of DL1ABC/P. */
function listedHomeCall(call: string, lists: readonly ListOutcome[]): string | undefined {
  try {
    const home = homeCall(call);
    return lists.some((list) => listingOf(home, list)?.listed) ? home : undefined;
  } catch (failure) {
    if (failure instanceof CallsignError) return undefined;
    throw failure;
  }
}

function listErrorLine({ input, error }: { readonly input: ListName; readonly error: Problem }): string {
  return `${listTitle(input)} is not available: ${error.message}`;
}

function listDocument(list: ListOutcome): readonly [ListName, object] {
  if ("error" in list) return [list.name, { error: list.error }];
  const { name: source, checkedAt = null } = list.file;
  return [list.name, { source, checkedAt }];
}

function textOf(
  calls: readonly QueryResult<SearchedCall>[],
  lists: readonly ListOutcome[],
  { ink, io }: Session,
): string[] {
  const [first] = calls;
  const available = lists.filter((list) => "file" in list);
  if (first === undefined || available.length === 0) return [];
  const ages = available.map(({ name, file }) => `${SERVICE_TITLES[name].toLowerCase()} ${ageText(file)}`);
  const footer = ["", ink("dim", `Lists: ${ages.join(", ")}`)];
  if (calls.length === 1) {
    return isFailure(first) ? [] : [...layOutCard(first.call, cardOf(first, lists), ink), ...footer];
  }
  const rows = calls.map((call) =>
    isFailure(call) ? { first: call.input, remark: call.error.message } : { row: call },
  );
  const { lines, omitted } = layOutTable(rows, columnsOf(lists), { ink, width: io.stdout.columns });
  const note = omitted.length > 0 ? ["", ink("dim", `Columns omitted: ${omitted.join(", ")}`)] : [];
  return [...lines, ...note, ...footer];
}

type Entry = readonly [label: string, value: string];

function cardOf(call: SearchedCall, lists: readonly ListOutcome[]): Entry[] {
  return lists.flatMap(({ name }): Entry[] => {
    const listing = call[name] ?? null;
    return [[SERVICE_TITLES[name], listingText(name, listing)], ...detailsOf(name, listing)];
  });
}

function listingText(name: ListName, listing: Listing): string {
  if (listing === null) return "unknown: the list is not available";
  if (!listing.listed) return "not listed";
  if (name === "cardsite") return "listed, authenticity guaranteed";
  return listing.lastupload ? `last upload ${momentText(listing.lastupload)}` : "listed, no upload";
}

/** Details that only the log service has. */
function detailsOf(name: ListName, listing: Listing): Entry[] {
  if (name !== "logsite" || !listing?.listed) return [];
  const { firstqso, lastqso, "last-logbook": lastLogbook, locator, oqrs } = listing;
  const entries: readonly (readonly [string, string | undefined])[] = [
    ["  First contact", firstqso && momentText(firstqso)],
    ["  Last contact", lastqso && momentText(lastqso)],
    ["  To the logbook", lastLogbook && momentText(lastLogbook)],
    ["  Locator", locator],
    ["  Card requests", oqrs === undefined ? undefined : oqrs ? "online (OQRS)" : "not online"],
  ];
  return entries.filter((entry): entry is Entry => entry[1] !== undefined);
}

const COLUMNS: Readonly<Record<ListName, readonly Column<SearchedCall>[]>> = {
  logbook: [{ title: "Logbook", cell: ({ logbook = null }) => uploadText(logbook) }],
  logsite: [
    { title: "Log service", cell: ({ logsite = null }) => uploadText(logsite) },
    { title: "First contact", cell: ({ logsite }) => dayText(logsite?.firstqso), dispensable: 2 },
    { title: "Last contact", cell: ({ logsite }) => dayText(logsite?.lastqso), dispensable: 3 },
    { title: "Locator", cell: ({ logsite }) => logsite?.locator ?? "", dispensable: 1 },
    { title: "Card requests", cell: ({ logsite }) => (logsite?.oqrs ? "online" : ""), dispensable: 4 },
  ],
  cardsite: [{ title: "Card service", cell: ({ cardsite = null }) => uploadText(cardsite) }],
};

function columnsOf(lists: readonly ListOutcome[]): Column<SearchedCall>[] {
  return [{ title: "Call", cell: ({ call }) => call }, ...lists.flatMap(({ name }) => COLUMNS[name])];
}

/** The day of the last upload; without one, whether the call is listed. */
function uploadText(listing: Listing): string {
  if (listing === null) return "?";
  if (!listing.listed) return "no";
  return listing.lastupload ? dayText(listing.lastupload) : "yes";
}

function dayText(moment: Date | undefined): string {
  return moment === undefined ? "" : moment.toISOString().slice(0, 10);
}

/** A user of a list. The logbook and the card service have a part of the fields of the log service. */
type ListedUser = Readonly<LogsiteUser>;

/** The user of a call in upper case; `undefined` for a call that is not in the list. */
type FindUser = (call: string) => ListedUser | undefined;

/** A list, or the error of opening it. */
type ListOutcome =
  | { readonly name: ListName; readonly file: OpenedFile<FindUser> }
  | { readonly name: ListName; readonly error: Problem };

/** Opens a list. A failure is returned, because the other lists may be available. */
async function openUserList(
  name: ListName,
  options: PublicFileOptions,
  session: Session,
): Promise<ListOutcome> {
  const list = LISTS[name];
  const file: PublicFile<FindUser> = {
    title: listTitle(name),
    cacheName: `${name}-users`,
    url: list.url,
    maxAgeMs: MAX_AGE_MS.userLists,
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

/** In the order of reports. */
const LIST_NAMES = ["logbook", "logsite", "cardsite"] as const;

/** A list on the command line and in JSON. */
type ListName = (typeof LIST_NAMES)[number];

/** The service of a list, for reports. */
const SERVICE_TITLES: Readonly<Record<ListName, string>> = {
  logbook: "Logbook",
  logsite: "Log service",
  cardsite: "Card service",
};

/** Name of a list in messages: "the list of the logbook". */
function listTitle(name: ListName): string {
  return `the list of the ${SERVICE_TITLES[name].toLowerCase()}`;
}
