/** Receives the messages of N1MM Logger+ and programs that send the same. */
import type { IOError } from "../errors.js";
import { createQueue } from "../io/bounded-queue.js";
import { requireInteger } from "../io/sockets/socket-option.js";
import { openUdpSocket, type UdpEndpoint } from "../io/sockets/udp-socket.js";
import { decodeN1mm } from "./decode-n1mm.js";
import type { N1mmMessage } from "./n1mm-message.js";

/** Options of `listenN1mm`. */
export interface ListenN1mmOptions {
  /** The UDP port that N1MM sends to; default 12060; 0 for any free one. */
  readonly port?: number;
  /** The local address to receive at; default `127.0.0.1`; `0.0.0.0` for all, which broadcasts need. */
  readonly address?: string;
  /** Messages that wait for a slow reader, from 1; default 10000. Beyond that the oldest are dropped, and counted. */
  readonly maxQueued?: number;
  /** Closes the listener. */
  readonly signal?: AbortSignal;
}

/** A received message. */
export interface ReceivedN1mm {
  /** Also other and invalid ones. */
  readonly message: N1mmMessage;
  /** Address and port of the sender. */
  readonly sender: UdpEndpoint;
  /** When it arrived. */
  readonly time: Date;
}

/** An open listener: an iterable of messages in the order of their arrival. The end of a loop doesn't close it. */
export interface N1mmListener extends AsyncIterable<ReceivedN1mm> {
  /** Address and port at which it receives. */
  readonly local: UdpEndpoint;
  /** The number of messages that a slow reader lost. */
  readonly dropped: number;
  /** Closes the socket and ends the iteration after the messages that wait. Safe to call twice. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 12_060;

/**
 * Listens to N1MM Logger+: opens a UDP socket, and sends nothing. Needs Node, or a runtime with its `node:dgram`.
 *
 * @throws {ValueError} `port` or `maxQueued` is not an integer in its range.
 * @throws {IOError} The port is in use, the address is not one of this computer, or the runtime has no UDP. The iteration throws it if the
 *   socket fails.
 * @example
 * const listener = await listenN1mm({ port: 0 });
 * listener.local.address; // => "127.0.0.1"
 * await listener.close();
 * for await (const { message } of listener) console.log(message.kind); // ends at once: it is closed
 */
export async function listenN1mm(options: ListenN1mmOptions = {}): Promise<N1mmListener> {
  const { port = DEFAULT_PORT, address = "127.0.0.1", maxQueued = 10_000, signal } = options;
  requireInteger("port", port, { min: 0, max: 65_535 });
  requireInteger("maxQueued", maxQueued, { min: 1, max: Number.MAX_SAFE_INTEGER });
  signal?.throwIfAborted();
  const queue = createQueue<ReceivedN1mm>(maxQueued);
  const socket = await openUdpSocket({
    port,
    address,
    onPacket: (bytes, sender) => queue.push({ message: decodeN1mm(bytes), sender, time: new Date() }),
    onFailure: (failure: IOError) => queue.end(failure),
  });
  const close = async () => {
    await socket.close();
    queue.end();
  };
  signal?.addEventListener("abort", () => void close(), { once: true });
  if (signal?.aborted === true) await close();
  return {
    local: socket.local,
    get dropped() {
      return queue.dropped;
    },
    close,
    [Symbol.asyncIterator]: () => ({ next: () => queue.next() }),
  };
}
