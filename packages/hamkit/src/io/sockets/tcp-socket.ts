/** TCP connections as text, with IOError for failures. */
import { IOError, TimeoutError } from "../../errors.js";
import { nodeModule } from "../node-modules.js";

export interface TcpOptions {
  readonly host: string;
  readonly port: number;
  /** Time for the connection to open. */
  readonly timeoutMs: number;
  /** Closes the connection, also while it opens. */
  readonly signal: AbortSignal;
  /** Called with what arrives, a character for each byte. */
  readonly onText: (text: string) => void;
  /** Called at most once, when the other side closes the connection, or it fails; not after `close`. */
  readonly onEnd: (failure: IOError) => void;
}

/** An open connection. */
export interface TcpSocket {
  /** Sends text, a byte for each character. */
  write(text: string): void;
  /** Closes the connection at once. Safe to call twice. */
  close(): void;
}

/**
 * Opens a connection.
 *
 * @throws {TimeoutError} It didn't open in time.
 * @throws {IOError} The host can't be reached; or the runtime has no TCP, as a browser.
 * @throws The reason of the signal, if it is aborted.
 */
export function openTcpSocket(options: TcpOptions): Promise<TcpSocket> {
  const { host, port, timeoutMs, signal, onText, onEnd } = options;
  const name = `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const net = nodeModule("node:net");
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port, noDelay: true, keepAlive: true });
    socket.setEncoding("latin1");
    let isOpening = true;
    const close = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      socket.removeAllListeners();
      socket.on("error", () => {}); // of what was still under way
      socket.destroy();
    };
    const fail = (failure: unknown) => {
      close();
      if (isOpening) reject(failure);
      else onEnd(failure as IOError);
    };
    const abort = () => {
      close();
      if (isOpening) reject(signal.reason);
    };
    const timer = setTimeout(
      () => fail(new TimeoutError(name, `the connection did not open within ${timeoutMs} ms`)),
      timeoutMs,
    );
    signal.addEventListener("abort", abort, { once: true });
    socket.on("error", (cause) => fail(new IOError(name, messageOf(cause), { cause })));
    socket.on("close", () => fail(new IOError(name, "the connection was closed")));
    socket.on("data", (text: string | Uint8Array) => onText(String(text)));
    socket.on("connect", () => {
      clearTimeout(timer);
      isOpening = false;
      resolve({ write: (text) => void socket.write(text, "latin1"), close });
    });
  });
}

/** If several addresses of a host failed, the error has a code and no message. */
function messageOf(cause: Error): string {
  return cause.message || ("code" in cause ? String(cause.code) : "the connection failed");
}
