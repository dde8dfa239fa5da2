/** Receives the datagrams of WSJT-X and its kin, and sends messages to the instances. */
import { ArgumentTypeError, ValueError, type IOError } from "../errors.js";
import { requireInteger } from "../io/sockets/socket-option.js";
import { openUdpSocket, type UdpEndpoint, type UdpSocket } from "../io/sockets/udp-socket.js";
import { createQueue, type Queue } from "../io/bounded-queue.js";
import { decodeDatagram, encodeDatagram } from "./datagrams/datagram-codec.js";
import type { Datagram, Decode, OutgoingMessage, WsjtxColor } from "./datagrams/datagram.js";

/** Options of `listenWsjtx`. */
export interface ListenWsjtxOptions {
  /** The UDP port that the programs send to; default 2237; 0 for any free one. */
  readonly port?: number;
  /** The local address to receive at; default `127.0.0.1`; `0.0.0.0` for all. Not together with `group`. */
  readonly address?: string;
  /** The multicast group that the programs send to, such as `224.0.0.1`: several listeners can share one. */
  readonly group?: string;
  /** The local address of the network interface for the group; default: all interfaces, the loopback interface included. */
  readonly networkInterface?: string;
  /** Datagrams that wait for a slow reader, from 1; default 10000. Beyond that the oldest are dropped, and counted. */
  readonly maxQueued?: number;
  /** Closes the listener. */
  readonly signal?: AbortSignal;
}

/** A received datagram. */
export interface ReceivedDatagram {
  /** Also unknown and invalid ones. */
  readonly datagram: Datagram;
  /** Address and port of the sender. */
  readonly sender: UdpEndpoint;
  /** When it arrived. */
  readonly time: Date;
}

/** Options of a reply. */
export interface ReplyOptions {
  /** The sum of the held keys: 2 shift, 4 control, 8 alt, 16 meta, 32 keypad, 64 group switch; default 0. */
  readonly modifiers?: number;
}

/** Options of stopping a transmission. */
export interface HaltTxOptions {
  /** `true`: the current transmission ends as usual, and none follows; default `false`. */
  readonly autoTxOnly?: boolean;
}

/** A callsign and its colors. */
export interface Highlight {
  /** `CLEARALL!` removes all highlights. */
  readonly callsign: string;
  /** Default none; without both colors the highlight is removed. */
  readonly background?: WsjtxColor | null;
  readonly foreground?: WsjtxColor | null;
  /** `true`: only in the last period; default `false`. */
  readonly lastOnly?: boolean;
}

/**
 * An open listener: an iterable of datagrams in the order of their arrival. The end of a loop doesn't close it, and the next loop
 * continues. The methods send to the address from which the last datagram of the instance came.
 */
export interface WsjtxListener extends AsyncIterable<ReceivedDatagram> {
  /** Address and port at which it receives. */
  readonly local: UdpEndpoint;
  /** The number of datagrams that a slow reader lost. */
  readonly dropped: number;
  /** The ids of the instances heard so far, the last 1000. */
  readonly instances: readonly string[];
  /**
   * Answers a decode, as a double click on it would. WSJT-X ignores a reply whose members are not those of a decode that it shows.
   *
   * @throws {ValueError} No datagram of the instance was received, or a member is not valid.
   * @throws {IOError} The datagram can't be sent; so for all methods.
   */
  reply(decode: Decode, options?: ReplyOptions): Promise<void>;
  /** Has an instance stop to transmit. */
  haltTx(id: string, options?: HaltTxOptions): Promise<void>;
  /** Highlights a callsign in the window of decodes of an instance. */
  highlight(id: string, highlight: Highlight): Promise<void>;
  /** Sends any message to the instance `message.id`, in the schema that the instance understands unless the message has one. */
  send(message: OutgoingMessage): Promise<void>;
  /** Closes the socket and ends the iteration after the datagrams that wait. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Listens to WSJT-X, JTDX or MSHV: opens a UDP socket. Needs Node, or a runtime with its `node:dgram`.
 *
 * The listener sends nothing by itself.
 *
 * @throws {ValueError} `port` or `maxQueued` is not an integer in its range, or `group` is not a multicast address.
 * @throws {IOError} The port is in use, the address is not one of this computer, or the group can't be joined; or the runtime has
 *   no UDP. The iteration throws it if the socket fails.
 * @example
 * const listener = await listenWsjtx({ port: 0 });
 * listener.local.address; // => "127.0.0.1"
 * await listener.close();
 * for await (const { datagram } of listener) console.log(datagram.kind); // ends at once: it is closed
 */
export async function listenWsjtx(options: ListenWsjtxOptions = {}): Promise<WsjtxListener> {
  const { port = DEFAULT_PORT, address = "127.0.0.1", group, networkInterface, signal } = options;
  const { maxQueued = 10_000 } = options;
  requireInteger("port", port, { min: 0, max: 65_535 });
  requireInteger("maxQueued", maxQueued, { min: 1, max: Number.MAX_SAFE_INTEGER });
  if (group !== undefined) requireGroup(group, options.address);
  signal?.throwIfAborted();

  const queue = createQueue<ReceivedDatagram>(maxQueued);
  const instances = createInstances();
  const socket = await openUdpSocket({
    port,
    address,
    group,
    networkInterface,
    onPacket(bytes, sender) {
      const datagram: Datagram =
        bytes.length > MAX_BYTES ? { kind: "invalid", reason: "too long" } : decodeDatagram(bytes);
      instances.heard(datagram, sender);
      queue.push({ datagram, sender, time: new Date() });
    },
    onFailure: (failure: IOError) => queue.end(failure),
  });
  const listener = createListener(socket, queue, instances);
  signal?.addEventListener("abort", () => void listener.close(), { once: true });
  if (signal?.aborted === true) await listener.close();
  return listener;
}

/** The longest ones, logged contacts in ADIF, have some hundred bytes; floods must not fill the memory while they wait. */
const MAX_BYTES = 8192;

/** The port of WSJT-X's own settings. */
const DEFAULT_PORT = 2237;

function createListener(
  socket: UdpSocket,
  queue: Queue<ReceivedDatagram>,
  instances: Instances,
): WsjtxListener {
  const send = async (message: OutgoingMessage): Promise<void> => {
    if (typeof message !== "object" || message === null) {
      throw new ArgumentTypeError({ argument: "message", value: message, expected: "a message with a kind" });
    }
    const { endpoint, schema } = instances.find(message.id);
    await socket.send(encodeDatagram({ schema, ...message }), endpoint);
  };
  return {
    local: socket.local,
    get dropped() {
      return queue.dropped;
    },
    get instances() {
      return instances.ids();
    },
    send,
    reply: async (
      { id, timeMs, snr, deltaTime, deltaFrequencyHz, mode, message, lowConfidence },
      more = {},
    ) =>
      send({
        kind: "reply",
        id,
        timeMs,
        snr,
        deltaTime,
        deltaFrequencyHz,
        mode,
        message,
        lowConfidence: lowConfidence ?? false,
        modifiers: more.modifiers ?? 0,
      }),
    haltTx: async (id, { autoTxOnly = false } = {}) => send({ kind: "haltTx", id, autoTxOnly }),
    highlight: async (id, { callsign, background = null, foreground = null, lastOnly = false }) =>
      send({ kind: "highlightCallsign", id, callsign, background, foreground, highlightLast: lastOnly }),
    async close() {
      await socket.close();
      queue.end();
    },
    [Symbol.asyncIterator]: () => ({ next: () => queue.next() }),
  };
}

/** IPv4 224.0.0.0/4 and IPv6 ff00::/8. */
function requireGroup(group: unknown, address: string | undefined): void {
  const isGroup =
    typeof group === "string" &&
    /^(?:2(?:2[4-9]|3\d)(?:\.\d{1,3}){3}|ff[0-9a-f]{2}:[0-9a-f:.%\w]+)$/i.test(group);
  if (!isGroup) throw new ValueError({ argument: "group", value: group, expected: "a multicast address" });
  if (address === undefined) return;
  const expected = "left out together with group: set networkInterface instead";
  throw new ValueError({ argument: "address", value: address, expected });
}

interface Instance {
  readonly endpoint: UdpEndpoint;
  readonly schema: number;
}

interface Instances {
  /** Takes note of the sender of a datagram. */
  heard(datagram: Datagram, endpoint: UdpEndpoint): void;
  /** @throws {ValueError} No datagram of the instance was received. */
  find(id: unknown): Instance;
  ids(): readonly string[];
}

/** Anyone can send ids. */
const MAX_INSTANCES = 1000;

/** The highest schema of this implementation, and the one that every program understands. */
const MAX_SCHEMA = 3;
const MIN_SCHEMA = 2;

function createInstances(): Instances {
  const instances = new Map<string, Instance>();
  return {
    heard(datagram, endpoint) {
      if (datagram.kind === "invalid" || datagram.id === null) return;
      const { id } = datagram;
      const schema =
        datagram.kind === "heartbeat"
          ? Math.max(MIN_SCHEMA, Math.min(datagram.maxSchema ?? MIN_SCHEMA, MAX_SCHEMA))
          : (instances.get(id)?.schema ?? MIN_SCHEMA);
      instances.delete(id); // the least recently heard one is the first
      instances.set(id, { endpoint, schema });
      const [oldest] = instances.keys();
      if (instances.size > MAX_INSTANCES && oldest !== undefined) instances.delete(oldest);
    },
    find(id) {
      const instance = typeof id === "string" ? instances.get(id) : undefined;
      if (instance !== undefined) return instance;
      const heard =
        instances.size === 0 ? "none so far" : Array.from(instances.keys()).slice(0, 5).join(", ");
      throw new ValueError({ argument: "id", value: id, expected: `an instance that was heard (${heard})` });
    },
    ids: () => [...instances.keys()],
  };
}
