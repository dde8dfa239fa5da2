/** Implements `hamkit wsjtx`: looks up and writes each decode when it arrives. */
import { locatorToPosition } from "../../../geo/locator.js";
import {
  listenWsjtx,
  type ListenWsjtxOptions,
  type ReceivedDatagram,
  type WsjtxListener,
} from "../../../wsjtx.js";
import { openTable } from "../../databases/callsign-database.js";
import type { DataOptions } from "../../databases/lookup-options.js";
import { exitCodeOf, problemOf } from "../../exit-code.js";
import { toJson, type Session } from "../../session.js";
import { readWorkedStations } from "../logs/worked-stations.js";
import { createDecodeLookup, type DecodeLookup, type HeardStation } from "./wsjtx-decodes.js";
import { decodeHead, decodeRow, loggedText, newOneText, statusText } from "./wsjtx-text.js";

export interface WsjtxOptions extends DataOptions {
  readonly from?: string;
  readonly log?: string;
  readonly port?: number;
  readonly address?: string;
  readonly group?: string;
  readonly interface?: string;
  readonly count?: number;
  readonly json?: boolean;
}

/** The lines of a datagram. */
type Writer = (received: ReceivedDatagram, heard: HeardStation | undefined) => readonly string[];

/** Writes decodes until the process is interrupted, standard output is closed, or `--count` of them are written. */
export async function reportWsjtx(options: WsjtxOptions, session: Session): Promise<void> {
  const { json = false } = options;
  try {
    if (options.from !== undefined) locatorToPosition(options.from, "--from", "center"); // fail before listening
    const table = await openTable(options, session);
    const worked = options.log === undefined ? undefined : await readWorkedStations(options.log, table);
    const listener = await listenWsjtx(listenOptions(options));
    session.atEnd(() => listener.close());
    if (!json)
      session.print([
        session.ink("dim", listeningText(listener, options)),
        session.ink("bold", decodeHead()),
      ]);
    const lookup = createDecodeLookup({ table, from: options.from, worked });
    await writeDatagrams(
      { listener, lookup, write: json ? jsonWriter : textWriter(session) },
      options,
      session,
    );
  } catch (failure) {
    if (!json) throw failure;
    // One line like all others, for consumers that parse line by line.
    const error = problemOf(failure);
    session.print([toJson({ error }, 0)]);
    session.finish(exitCodeOf(error));
  }
}

function listenOptions({
  port,
  address,
  group,
  interface: networkInterface,
}: WsjtxOptions): ListenWsjtxOptions {
  return {
    ...(port !== undefined && { port }),
    ...(address !== undefined && { address }),
    ...(group !== undefined && { group }),
    ...(networkInterface !== undefined && { networkInterface }),
  };
}

function listeningText({ local }: WsjtxListener, { group }: WsjtxOptions): string {
  return `Listening on UDP port ${local.port} of ${group ?? local.address}`;
}

interface Task {
  readonly listener: WsjtxListener;
  readonly lookup: DecodeLookup;
  readonly write: Writer;
}

async function writeDatagrams(
  { listener, lookup, write }: Task,
  { count = Infinity }: WsjtxOptions,
  { io, print }: Session,
): Promise<void> {
  let decodes = 0;
  for await (const received of listener) {
    const { datagram, time } = received;
    lookup.observe(datagram);
    const isDecode = datagram.kind === "decode" || datagram.kind === "wsprDecode";
    print(write(received, isDecode ? lookup.lookUp(datagram, time) : undefined));
    if (isDecode) decodes++;
    if (decodes >= count || !(await io.stdout.ready())) return;
  }
}

function jsonWriter({ datagram, sender, time }: ReceivedDatagram, heard: HeardStation | undefined): string[] {
  const start = { ...datagram, sender, received: time.toISOString() };
  if (heard === undefined) return [toJson(start, 0)];
  const { parsed, band = null, record, distanceKm = null, heading = null, newOnes = null } = heard;
  const station =
    record === undefined
      ? null
      : {
          country: record.country,
          adif: record.adif,
          continent: record.continent,
          cqz: record.cqz,
          ituz: record.ituz ?? null,
          distanceKm,
          heading,
        };
  return [toJson({ ...start, parsed, band, station, newOnes }, 0)];
}

/** Status lines are written when what they show changes; other datagrams than decodes and logged contacts are not shown. */
function textWriter({ ink, warn }: Session): Writer {
  let lastStatus = "";
  let hasWarned = false;
  return ({ datagram, sender }, heard) => {
    if (heard !== undefined) {
      const mark = newOneText(heard);
      const row = decodeRow(heard);
      return [mark === "" ? row.trimEnd() : `${row}  ${ink("green", mark)}`];
    }
    if (datagram.kind === "invalid" && !hasWarned) {
      hasWarned = true;
      warn(`a datagram from ${sender.address}:${sender.port} is not one of WSJT-X: ${datagram.reason}`);
    }
    if (datagram.kind === "qsoLogged") return [ink("cyan", loggedText(datagram))];
    if (datagram.kind !== "status") return [];
    const text = statusText(datagram);
    if (text === lastStatus) return [];
    lastStatus = text;
    return [ink("dim", text)];
  };
}
