/** Connects to the services that the user has turned on, from the browser alone. Runs in the worker. */
import {
  activatorSource,
  openFeed,
  pskReporterSource,
  type FeedSource,
  type SourceState,
} from "hamkit/feeds";

import { countryTable } from "../worker/country-table.js";
import { toLiveSpot, type LiveOutput, type LiveRequest, type SourceView } from "./live-spot.js";

/** Memory for duplicates, in spots. */
const MAX_REMEMBERED = 20_000;
const MAX_QUEUED = 5000;

let count = 0;

export async function readDirectly(
  { sources, locator }: Extract<LiveRequest, { readonly kind: "direct" }>,
  { signal, send, sendSpot }: LiveOutput,
): Promise<void> {
  const list = await sourcesOf(sources);
  send({
    kind: "sources",
    sources: list.map(({ name }) => ({ source: name, state: "connecting" })),
  });
  if (list.length === 0) return;
  const feed = openFeed(list, {
    table: await countryTable(),
    locator,
    signal,
    maxRemembered: MAX_REMEMBERED,
    maxQueued: MAX_QUEUED,
    onState: (state) => send({ kind: "source", source: viewOf(state) }),
  });
  for await (const spot of feed) sendSpot(toLiveSpot(spot, ++count, undefined));
}

async function sourcesOf({
  pskReporter,
  pota,
}: Extract<LiveRequest, { readonly kind: "direct" }>["sources"]): Promise<FeedSource[]> {
  const list: FeedSource[] = [];
  if (pskReporter !== undefined) {
    const { url, band, receiverGrid } = pskReporter;
    // The build for browsers has no other export.
    const { default: mqtt } = await import("mqtt");
    list.push(pskReporterSource({ url, filter: { band, receiverGrid }, connect: mqtt.connect }));
  }
  if (pota !== undefined) list.push(activatorSource("POTA", { url: pota.url }));
  return list;
}

function viewOf(state: SourceState): SourceView {
  return {
    source: state.source,
    state: state.state,
    ...(state.state === "waiting" && { retryAt: Date.now() + state.delayMs }),
    ...("error" in state && {
      problem: state.error instanceof Error ? state.error.message : String(state.error),
    }),
  };
}
