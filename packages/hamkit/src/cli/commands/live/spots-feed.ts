/** `hamkit spots --connect`: sources, criteria, and the spots of live feeds as text, as JSON, and as events. */
import { locatorToPosition } from "../../../geo/locator.js";
import {
  createSpotFilter,
  openFeed,
  type Feed,
  type FeedItem,
  type FeedSpot,
  type SourceState,
  activatorSource,
  clusterSource,
  eventStreamSource,
  pskReporterSource,
  rbnSource,
  type FeedSource,
  type PskReporterFilter,
  type SpotCriteria,
} from "../../../feeds.js";
import { openTable } from "../../databases/callsign-database.js";
import { exitCodeOf, problemOf, UsageError } from "../../exit-code.js";
import { toJson, type Session } from "../../session.js";
import type { FeedSourceOptions } from "./feed-options.js";
import { dropWarning } from "./drop-warning.js";
import { startEventServer, type EventServer, type EventAddress } from "./event-server.js";
import { identify } from "../../../lookup/identify.js";
import type { TableSource } from "../../../lookup/source.js";
import { CLUSTER_PASSWORD, readSettings } from "../../databases/credentials.js";
import type { DataOptions, LookupOptions } from "../../databases/lookup-options.js";
import { openTextTable, type Column, type OpenTable } from "../../terminal/text-table.js";
import { toPrintable, type Ink } from "../../terminal/terminal.js";
import { openNeeds, type NeedOptions, type NeedReader } from "./spot-needs.js";
import { clockText, kilohertzText } from "./spot-text.js";

/** The output format. */
interface FeedWriter {
  begin(server: EventServer | undefined): readonly string[];
  /** Nothing for a spot that is not needed, with `--needed`. */
  spot(spot: FeedSpot): readonly string[];
  item(item: FeedItem, source: string): readonly string[];
}

/** Writes spots until the process is interrupted, standard output is closed, `--count` of them are written, or all sources fail. */
export async function reportFeed(options: FeedOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "--from", "center"); // fail before connecting
    const sources = sourcesOf(options, await clusterPassword(options, session));
    const table = await openTable(options, session);
    const filter = createSpotFilter(criteriaOf(options, table));
    const server = options.sse === undefined ? undefined : await startEventServer(options.sse);
    session.atEnd(() => server?.close());
    const needsOf = await openNeeds(options, table, session);
    const writer = json ? jsonWriter(options, needsOf) : textWriter(options, session, needsOf);
    session.print(writer.begin(server));
    const feed = openFeed(sources, {
      table,
      locator: options.from,
      filter,
      onItem: (item, source) => session.print(writer.item(item, source)),
      onState: stateWriter(session),
    });
    session.atEnd(() => feed.close());
    await writeSpots({ feed, writer, server }, options, session);
  } catch (failure) {
    if (!json) throw failure;
    // One line like all others, for consumers that parse line by line.
    const error = problemOf(failure);
    session.print([toJson({ error }, 0)]);
    session.finish(exitCodeOf(error));
  }
}

interface FeedOutput {
  readonly feed: Feed;
  readonly writer: FeedWriter;
  readonly server: EventServer | undefined;
}

async function writeSpots(
  { feed, writer, server }: FeedOutput,
  { count = Infinity }: FeedOptions,
  { io, print, warn }: Session,
): Promise<void> {
  let written = 0;
  const warnOfDropped = dropWarning(feed, { what: "spots", reader: "the output", warn });
  for await (const spot of feed) {
    const lines = writer.spot(spot);
    if (lines.length === 0) continue;
    server?.send(spot);
    print(lines);
    if (++written >= count || !(await io.stdout.ready())) return;
    warnOfDropped();
  }
}

/** What the user may want to change, on standard error. */
export function stateWriter({ warn }: Session): (state: SourceState) => void {
  return (state) => {
    if (state.state === "waiting" || state.state === "failed") warn(failureText(state));
  };
}

function jsonWriter({ needed = false }: FeedOptions, needsOf: NeedReader | undefined): FeedWriter {
  return {
    begin: () => [],
    spot(spot) {
      const needs = needsOf?.(spot).needs;
      if (needed && needs?.length === 0) return [];
      return [toJson({ kind: "spot", ...spot, ...(needs !== undefined && { needs }) }, 0)];
    },
    item: (item, source) =>
      item.kind === "other" || item.kind === "report" ? [] : [toJson({ ...item, source }, 0)],
  };
}

function textWriter(
  { from, needed = false }: FeedOptions,
  { ink, io }: Session,
  needsOf: NeedReader | undefined,
): FeedWriter {
  const shown = { hasDistance: from !== undefined, hasNeeds: needsOf !== undefined };
  const table = feedTable(shown, { ink, width: io.stdout.columns });
  return {
    begin: (server) => [...(server === undefined ? [] : [ink("dim", `Events at ${server.url}`)]), table.head],
    spot(spot) {
      const found = needsOf?.(spot);
      return needed && found?.needs.length === 0 ? [] : [table.row({ row: { ...spot, needs: found?.text } })];
    },
    item(item) {
      const text = itemText(item);
      return text === undefined ? [] : [ink("cyan", text)];
    },
  };
}

export interface FeedOptions extends LookupOptions, NeedOptions, FeedSourceOptions {
  readonly from?: string;
  readonly json?: boolean;
  readonly dxContinent?: readonly string[];
  readonly dxEntity?: readonly string[];
  readonly spotterContinent?: readonly string[];
  readonly spotterEntity?: readonly string[];
  readonly match?: readonly string[];
  readonly skimmer?: boolean;
  readonly count?: number;
  readonly sse?: EventAddress;
}

/** Sources without an address. */
const NAMED: Readonly<Record<string, (options: FeedSourceOptions, url: string | undefined) => FeedSource>> = {
  rbn: (options) => rbnSource({ call: loginOf(options, "rbn") }),
  "rbn-ft8": (options) => rbnSource({ call: loginOf(options, "rbn-ft8"), mode: "ft8" }),
  pskreporter: (options, url) => pskReporterSource({ filter: reporterFilters(options), url }),
  pota: (_, url) => activatorSource("POTA", { url }),
  sota: (_, url) => activatorSource("SOTA", { url }),
  wwff: (_, url) => activatorSource("WWFF", { url }),
};

/** A named source at another address: `pota=http://127.0.0.1:8081/spots`. */
const MIRROR = /^(pskreporter|pota|sota|wwff)=(\S+)$/i;

/** A host, or an address in brackets, and a port. */
const HOST = /^(?:\[([0-9A-F:.]+)\]|([^\s:/@]+))(?::([0-9]{1,5}))?$/i;

/**
 * The sources that `--connect` names.
 *
 * @param password Not of the command line, which other users can read.
 * @throws {UsageError} A name is none of a source, or an option that it needs is missing.
 */
export function sourcesOf(options: FeedSourceOptions, password: string | undefined): FeedSource[] {
  return (options.connect ?? []).map((text) => {
    const [, name = text, url] = MIRROR.exec(text) ?? [];
    const named = Object.hasOwn(NAMED, name.toLowerCase()) ? NAMED[name.toLowerCase()] : undefined;
    if (named !== undefined) return named(options, url);
    if (/^https?:\/\//i.test(text)) return eventStreamSource({ url: text });
    const [, address, host = address, port] = HOST.exec(text) ?? [];
    if (host === undefined) {
      const names = Object.keys(NAMED).join(", ");
      throw new UsageError(`'${text}' is no source: write HOST, HOST:PORT, an http address, or ${names}`);
    }
    return clusterSource({
      host,
      port: port === undefined ? undefined : Number(port),
      call: loginOf(options, text),
      password,
      commands: options.command,
      name: text,
    });
  });
}

/** The password of a cluster, if it is set; few have one. */
export async function clusterPassword(
  { login, credentials }: Pick<FeedSourceOptions & DataOptions, "login" | "credentials">,
  { io }: Session,
): Promise<string | undefined> {
  return login === undefined
    ? undefined
    : (await readSettings(io, [CLUSTER_PASSWORD], credentials))[CLUSTER_PASSWORD];
}

function loginOf({ login }: FeedSourceOptions, source: string): string {
  if (login !== undefined) return login;
  throw new UsageError(`${source} asks for a callsign: add --login CALL`);
}

/** PSK Reporter has too many reports to receive all of them. */
function reporterFilters({ band = [], mode = [] }: FeedSourceOptions): PskReporterFilter[] {
  if (band.length === 0 && mode.length === 0) {
    throw new UsageError("pskreporter has hundreds of reports a second: add --band or --mode");
  }
  const modes = mode.length === 0 ? [undefined] : mode;
  return (band.length === 0 ? [undefined] : band).flatMap((oneBand) =>
    modes.map((oneMode) => ({ band: oneBand, mode: oneMode })),
  );
}

/** @throws {UsageError} An entity is neither a code nor a call or prefix that the table knows. */
function criteriaOf(options: FeedOptions, table: TableSource): SpotCriteria {
  return {
    bands: options.band,
    modes: options.mode,
    dxContinents: options.dxContinent,
    dxEntities: options.dxEntity?.map((text) => entityCode(text, table)),
    spotterContinents: options.spotterContinent,
    spotterEntities: options.spotterEntity?.map((text) => entityCode(text, table)),
    calls: options.match,
    skimmer: options.skimmer,
  };
}

function entityCode(text: string, table: TableSource): number {
  if (/^[0-9]{1,3}$/.test(text)) return Number(text);
  const now = Date.now();
  const found = identify(text, { table });
  const record = found.kind === "identified" ? found.record : table.prefix(text.toUpperCase(), now);
  if (record !== undefined) return record.adif;
  throw new UsageError(`'${text}' is no entity: write ADIF's code, a prefix or a callsign`);
}

/** A spot, and what it would be for a log. */
type ShownSpot = FeedSpot & { readonly needs?: string | undefined };

const COLUMNS: readonly (Column<ShownSpot> & {
  readonly needsDistance?: true;
  readonly isNeeds?: true;
})[] = [
  { title: "Time", cell: ({ time }) => clockText(time), usualWidth: 5 },
  { title: "kHz", cell: ({ frequencyKHz }) => kilohertzText(frequencyKHz), align: "right", usualWidth: 9 },
  {
    title: "Mode",
    cell: ({ mode = "", modeAssumed }) => (modeAssumed ? `(${mode})` : mode),
    usualWidth: 6,
    dispensable: 3,
  },
  { title: "DX", cell: ({ dx }) => dx, usualWidth: 10 },
  { title: "Country", cell: ({ dxStation }) => dxStation?.country ?? "unknown", usualWidth: 22 },
  {
    title: "CQ",
    cell: ({ dxStation }) =>
      dxStation?.cqz === undefined || dxStation.cqz === 0 ? "" : String(dxStation.cqz),
    align: "right",
    dispensable: 4,
  },
  {
    title: "km",
    cell: ({ dxStation }) => dxStation?.distanceKm?.toFixed(0) ?? "",
    align: "right",
    usualWidth: 5,
    needsDistance: true,
  },
  {
    title: "Deg",
    cell: ({ dxStation }) =>
      dxStation?.heading === undefined ? "" : String(Math.round(dxStation.heading) % 360),
    align: "right",
    dispensable: 5,
    needsDistance: true,
  },
  { title: "Spotter", cell: spotterText, usualWidth: 10 },
  { title: "Needed", cell: ({ needs = "" }) => needs, usualWidth: 14, isNeeds: true },
  { title: "Source", cell: ({ source }) => source, usualWidth: 12, dispensable: 1 },
  { title: "Comment", cell: commentText, dispensable: 2 },
];

/** @param width Of the terminal; columns that don't fit are left out. */
export function feedTable(
  { hasDistance, hasNeeds }: { readonly hasDistance: boolean; readonly hasNeeds: boolean },
  { ink, width }: { readonly ink: Ink; readonly width: number | undefined },
): OpenTable<ShownSpot> {
  return openTextTable(
    COLUMNS.filter(
      ({ needsDistance, isNeeds }) =>
        (hasDistance || needsDistance === undefined) && (hasNeeds || isNeeds === undefined),
    ),
    { ink, width },
  );
}

function spotterText({ spotter = "", skimmer }: FeedSpot): string {
  return skimmer && spotter !== "" ? `${spotter}-#` : spotter;
}

/** An end of an activation, references of activators, and the report where the comment has none. */
function commentText({ comment, references = [], snrDb, qrt }: FeedSpot): string {
  const added = references.filter((reference) => !comment.includes(reference.replace(/^\S+ /, "")));
  const report = comment === "" && snrDb !== undefined ? [`${snrDb} dB`] : [];
  const end = qrt === true && !/\bQRT\b/i.test(comment) ? ["QRT"] : [];
  return [...end, ...added, ...report, comment].filter((part) => part !== "").join("  ");
}

/** A report of solar activity, an announcement or a message; `undefined` for what is not shown. */
function itemText(item: FeedItem): string | undefined {
  switch (item.kind) {
    case "wwv":
      return toPrintable(
        `${clockText(item.at)}  WWV by ${item.from}: solar flux ${item.sfi}, A ${item.a}, K ${item.k}, ${item.text}`,
      );
    case "wcy":
      return toPrintable(
        `${clockText(item.at)}  WCY by ${item.from}: solar flux ${item.sfi}, A ${item.a}, K ${item.k} (expected ${item.expK}), ` +
          `sunspots ${item.r}, sun ${item.sa}, field ${item.gmf}, aurora ${item.aurora}`,
      );
    case "announcement":
    case "talk":
      return toPrintable(`To ${item.to} de ${item.from}: ${item.text}`);
    default:
      return undefined;
  }
}

/** Why a source is not connected. */
function failureText(state: Extract<SourceState, { readonly error: unknown }>): string {
  const reason = messageOf(state.error);
  return state.state === "failed"
    ? reason
    : `${reason}; next attempt in ${Math.ceil(state.delayMs / 1000)} s`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
