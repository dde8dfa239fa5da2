/** The decodes of WSJT-X, JTDX and MSHV as a source of spots. */
import { parseAdif, type AdifRecord } from "../../../adif.js";
import type { FeedSource, FeedSpot } from "../../../feeds.js";
import type { TableSource } from "../../../lookup/source.js";
import { listenWsjtx, type ListenWsjtxOptions } from "../../../wsjtx.js";
import { dropWarning } from "../live/drop-warning.js";
import { createDecodeLookup, type HeardStation } from "../live/wsjtx-decodes.js";

export interface WsjtxSourceOptions extends ListenWsjtxOptions {
  readonly table: TableSource;
  /** Called with each contact that the program logs. */
  readonly onLogged: (record: AdifRecord) => void;
  /** Called with what has to be said, such as that datagrams were dropped. */
  readonly warn: (message: string) => void;
}

const NAME = "WSJT-X";
const GRID = /^[A-R]{2}\d{2}(?:[A-X]{2})?$/i;

export function wsjtxSource({ table, onLogged, warn, ...options }: WsjtxSourceOptions): FeedSource {
  return {
    name: NAME,
    async connect({ signal, onOpen, onSpot }) {
      const lookup = createDecodeLookup({ table, from: undefined, worked: undefined });
      const listener = await listenWsjtx({ ...options, signal });
      const warnOfDropped = dropWarning(listener, {
        what: "datagrams of WSJT-X",
        reader: "this computer",
        warn,
      });
      onOpen();
      for await (const { datagram, time } of listener) {
        warnOfDropped();
        lookup.observe(datagram);
        if (datagram.kind === "loggedAdif" && datagram.adif !== null)
          for (const record of parseAdif(datagram.adif).records) onLogged(record);
        // What is replayed was heard before.
        if (datagram.kind !== "decode" || !datagram.new) continue;
        const spot = spotOf(lookup.lookUp(datagram, time), time);
        if (spot !== undefined) onSpot(spot);
      }
    },
  };
}

/** Before the first status the frequency is not known. */
function spotOf({ decode, text, call, grid, status, band }: HeardStation, time: Date): FeedSpot | undefined {
  if (call === undefined || status === undefined || decode.kind !== "decode") return undefined;
  const { dialFrequencyHz, mode, deCall, deGrid } = status;
  return {
    source: NAME,
    time,
    frequencyKHz: (dialFrequencyHz + decode.deltaFrequencyHz) / 1000,
    ...(band !== undefined && { band }),
    ...(mode && { mode: mode.toUpperCase() }),
    dx: call.toUpperCase(),
    ...(deCall && { spotter: deCall.toUpperCase() }),
    skimmer: true,
    comment: text.trim().replaceAll(/\s+/g, " "),
    snrDb: decode.snr,
    ...(grid !== undefined && GRID.test(grid) && { dxGrid: grid.toUpperCase() }),
    ...(deGrid && GRID.test(deGrid) && { spotterGrid: deGrid.toUpperCase() }),
  };
}
