/** Implements `hamkit spots --connect`: shows the spots of live feeds, as text, as JSON, and as events. */
import { locatorToPosition } from "../../../geo/locator.js";
import {
  createSpotFilter,
  openFeed,
  type Feed,
  type FeedItem,
  type FeedSpot,
  type SourceState,
} from "../../../feeds.js";
import { openTable } from "../../databases/callsign-database.js";
import { exitCodeOf, problemOf } from "../../exit-code.js";
import { toJson, type Session } from "../../session.js";
import { startEventServer, type EventServer } from "./event-server.js";
import { criteriaOf, sourcesOf, type FeedOptions } from "./feed-options.js";
import { feedTable, failureText, itemText } from "./feed-text.js";

/** The output format. */
interface FeedWriter {
  begin(server: EventServer | undefined): readonly string[];
  spot(spot: FeedSpot): readonly string[];
  item(item: FeedItem, source: string): readonly string[];
}

/** Writes spots until the process is interrupted, standard output is closed, `--count` of them are written, or all sources fail. */
export async function reportFeed(options: FeedOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "--from", "center"); // fail before connecting
    const sources = sourcesOf(options, session.io.env["HAMKIT_CLUSTER_PASSWORD"]);
    const table = await openTable(options, session);
    const filter = createSpotFilter(criteriaOf(options, table));
    const server = options.sse === undefined ? undefined : await startEventServer(options.sse);
    session.atEnd(() => server?.close());
    const writer = json ? jsonWriter : textWriter(options, session);
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
  let dropped = 0;
  for await (const spot of feed) {
    server?.send(spot);
    print(writer.spot(spot));
    if (++written >= count || !(await io.stdout.ready())) return;
    if (feed.dropped > dropped) warn(`${feed.dropped - dropped} spots were dropped: the output is too slow`);
    ({ dropped } = feed);
  }
}

/** What the user may want to change, on standard error. */
function stateWriter({ warn }: Session): (state: SourceState) => void {
  return (state) => {
    if (state.state === "waiting" || state.state === "failed") warn(failureText(state));
  };
}

const jsonWriter: FeedWriter = {
  begin: () => [],
  spot: (spot) => [toJson({ kind: "spot", ...spot }, 0)],
  item: (item, source) =>
    item.kind === "other" || item.kind === "report" ? [] : [toJson({ ...item, source }, 0)],
};

function textWriter({ from }: FeedOptions, { ink, io }: Session): FeedWriter {
  const table = feedTable(from !== undefined, { ink, width: io.stdout.columns });
  return {
    begin: (server) => [...(server === undefined ? [] : [ink("dim", `Events at ${server.url}`)]), table.head],
    spot: (spot) => [table.row({ row: spot })],
    item(item) {
      const text = itemText(item);
      return text === undefined ? [] : [ink("cyan", text)];
    },
  };
}
