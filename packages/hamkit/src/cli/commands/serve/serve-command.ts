/** `hamkit serve`: the radio page with a server on this computer, which merges live feeds and watches logs. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import type { Command } from "commander";

import { IOError } from "../../../errors.js";
import { createSpotFilter, type FeedSource } from "../../../feeds.js";
import { locatorToPosition } from "../../../geo/locator.js";
import type { TableSource } from "../../../lookup/source.js";
import { openTable } from "../../databases/callsign-database.js";
import { addDataOptions, type DataOptions } from "../../databases/lookup-options.js";
import { UsageError } from "../../exit-code.js";
import { chooseAwards } from "../../input/award-log.js";
import { integerFrom } from "../../input/integer-option.js";
import { collect, list } from "../../input/list-option.js";
import type { Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { addFeedSourceOptions, type FeedSourceOptions } from "../live/feed-options.js";
import { USUAL_AWARDS } from "../live/spot-needs.js";
import { clusterPassword, sourcesOf, stateWriter } from "../live/spots-feed.js";
import { eventText, startLiveFeed, type LiveFeed } from "./live-feed.js";
import { readPageFiles } from "./page-files.js";
import { startRadioServer } from "./radio-server.js";
import { watchLogs, type WatchedLogs } from "./watched-logs.js";
import { wsjtxSource } from "./wsjtx-source.js";

const EXAMPLES = [
  { line: "hamkit serve", shows: "the page alone" },
  { line: "hamkit serve --connect rbn,pota,sota --login N0CALL", shows: "with live spots" },
  {
    line: "hamkit serve --wsjtx --log mylog.adi --log wsjtx_log.adi",
    shows: "with decodes, and what is needed",
  },
  {
    line: "hamkit serve --address 0.0.0.0 --host shack.local --port 80",
    shows: "for other devices of the network",
  },
];

export function defineServeCommand(command: Command, session: Session): void {
  addDataOptions(command)
    .description(
      "Serves the radio page on this computer, with the spots of live feeds, the decodes of WSJT-X, and what each would be for the " +
        "awards of logs, until it is interrupted. Logs are watched: contacts count as soon as a program has written them. Only pages " +
        "of this server can read from it.",
    )
    .option("--port <number>", "the port of the page; default 8080", integerFrom(0, 65_535))
    .option("--address <address>", "the local address to listen at; default 127.0.0.1: this computer alone")
    .option(
      "--host <name>",
      "a host name by which browsers reach it, besides localhost; can be repeated",
      collect,
    );
  addFeedSourceOptions(command)
    .option(
      "--wsjtx [port]",
      "the decodes of WSJT-X, JTDX and MSHV, which send to this UDP port; default 2237",
      integerFrom(1, 65_535),
    )
    .option("--group <address>", "with --wsjtx: the multicast group that the programs send to")
    .option(
      "--from <locator>",
      "own locator, for distances and headings; the page has it until it is given another",
    )
    .option("--log <path>", "a log in ADIF, Cabrillo, EDI or FLE; can be repeated", collect)
    .option("--award <ids>", "with --log: by these awards, such as dxcc,was or pota", list)
    .option(
      "--page <folder>",
      "the folder of the built page; default: that of the package @hamkit/radio-page",
    )
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (options: ServeOptions) => {
      session.print([`The radio page is at ${await startServing(options, session)}`, "Ctrl+C ends it."]);
      await new Promise(() => {}); // until the process is interrupted
    });
}

export interface ServeOptions extends DataOptions, FeedSourceOptions {
  readonly port?: number;
  readonly address?: string;
  readonly host?: readonly string[];
  readonly wsjtx?: number | true;
  readonly group?: string;
  readonly from?: string;
  readonly log?: readonly string[];
  readonly award?: readonly string[];
  readonly page?: string;
}

const DEFAULT_PORT = 8080;
/** What most operators watch, and squares. */
const AWARDS = [...USUAL_AWARDS, "vucc"];

/** @returns The address of the page. */
export async function startServing(options: ServeOptions, session: Session): Promise<string> {
  const { port = DEFAULT_PORT, address = "127.0.0.1", host = [], from } = options;
  if (from !== undefined) locatorToPosition(from, "--from", "center"); // fail before connecting
  if (options.award !== undefined && options.log === undefined) throw new UsageError("--award needs --log");
  if (options.group !== undefined && options.wsjtx === undefined)
    throw new UsageError("--group needs --wsjtx");
  const files = await readPageFiles(options.page ?? pageFolder(), from);
  const filter = createSpotFilter({ bands: options.band, modes: options.mode });
  const { connect, wsjtx, log } = options;
  // The page alone does not wait for a download.
  const isLive = [connect, wsjtx, log].some((option) => option !== undefined);
  const table = await openTable(isLive ? options : { ...options, offline: true }, session);
  let feed: LiveFeed | undefined;
  const logs = await openLogs(options, table, () =>
    feed?.hub.tell(eventText("logs", { logs: logs?.statuses() ?? [] })),
  );
  session.atEnd(() => logs?.close());
  const sources = [
    ...sourcesOf(options, await clusterPassword(options, session)),
    ...decodesOf(options, { table, logs, warn: session.warn }),
  ];
  const started = startLiveFeed({
    sources,
    table,
    locator: from,
    filter,
    logs: () => logs,
    onState: stateWriter(session),
    warn: session.warn,
  });
  feed = started;
  session.atEnd(() => started.close());
  const server = await startRadioServer({ port, address, hosts: host, files, hub: started.hub, logs });
  session.atEnd(() => server.close());
  return server.url;
}

/** @throws {IOError} A log can't be read at the start; later it may come and go. */
async function openLogs(
  { log = [], award }: ServeOptions,
  table: TableSource,
  onChange: () => void,
): Promise<WatchedLogs | undefined> {
  if (log.length === 0) return undefined;
  const logs = await watchLogs(log, { rules: await chooseAwards(award ?? AWARDS), table, onChange });
  for (const [index, { problem }] of logs.statuses().entries())
    if (problem !== undefined) {
      logs.close();
      throw new IOError(log[index] ?? "", problem);
    }
  return logs;
}

function decodesOf(
  { wsjtx, group }: ServeOptions,
  {
    table,
    logs,
    warn,
  }: {
    readonly table: TableSource;
    readonly logs: WatchedLogs | undefined;
    readonly warn: Session["warn"];
  },
): FeedSource[] {
  if (wsjtx === undefined) return [];
  const onLogged: Parameters<typeof wsjtxSource>[0]["onLogged"] = (record) => logs?.add(record);
  return [
    wsjtxSource({
      table,
      onLogged,
      warn,
      ...(wsjtx !== true && { port: wsjtx }),
      ...(group !== undefined && { group }),
    }),
  ];
}

/** The folder of the package, wherever it is installed. */
function pageFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("@hamkit/radio-page/package.json")), "dist");
  } catch {
    throw new UsageError(
      "the package @hamkit/radio-page is not installed: name the folder of the built page with --page",
    );
  }
}
