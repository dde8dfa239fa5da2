/** Connects to nodes of a DX cluster, and to skimmer servers that speak the same. */
import { TimeoutError, ValueError, IOError, LoginError } from "../../errors.js";
import { openTcpSocket, type TcpSocket } from "../../io/sockets/tcp-socket.js";
import { checkTimeout } from "../../io/timers.js";
import { parseFeedLine } from "../lines/parse-feed-line.js";
import type { FeedHandlers, FeedSource } from "./feed-source.js";
import { createTelnetText } from "./telnet-text.js";

/** Options of `clusterSource`. */
export interface ClusterSourceOptions {
  /** Host name or address of the node. */
  readonly host: string;
  /** Default 7300. */
  readonly port?: number | undefined;
  /** The own call, for the login. */
  readonly call: string;
  /** The password, for nodes that ask for one. */
  readonly password?: string | undefined;
  /** Lines to send after the login, such as `set/ve7cc` or `show/dx 50`. */
  readonly commands?: readonly string[] | undefined;
  /** The name of the source; default `HOST:PORT`. */
  readonly name?: string | undefined;
  /**
   * Without any data for this time the connection counts as lost; default 10 minutes. After half of it a blank line is sent, which
   * makes a node answer with its prompt.
   */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_PORT = 7300;
const CONNECT_TIMEOUT_MS = 15_000;
/** Nodes prompt at once; slow ones look up the host's name first. */
const PROMPT_TIMEOUT_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 600_000;

/**
 * A node of a DX cluster as a source for `openFeed`: DXSpider, AR-Cluster and CC Cluster. Needs Node, or a runtime with its
 * `node:net`.
 *
 * The connection is not encrypted: a password can be read on the way.
 *
 * @throws {ValueError} The host or the call is not valid, the port is not an integer from 1 to 65535, the password or a command has
 *   control characters, or the time is not positive.
 * @example
 * const source = clusterSource({ host: "cluster.example.net", call: "N0CALL", commands: ["set/ve7cc"] });
 * source.name; // => "cluster.example.net:7300"
 */
export function clusterSource(options: ClusterSourceOptions): FeedSource {
  const { host, port = DEFAULT_PORT, password, commands = [] } = options;
  const call = requireText("call", options.call, /^(?=.*[0-9])[A-Z0-9/-]{3,20}$/i, "a callsign");
  requireText("host", host, /^[^\s/@]{1,255}$/, "a host name or an address");
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ValueError({ argument: "port", value: port, expected: "an integer from 1 to 65535" });
  }
  for (const command of commands) requireText("commands", command, LINE, "a line of ASCII characters");
  if (password !== undefined && !(typeof password === "string" && LINE.test(password))) {
    throw new ValueError({ argument: "password", value: "***", expected: "a line of ASCII characters" });
  }
  checkTimeout(options.timeoutMs);
  const name = options.name ?? `${host}:${port}`;
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  return {
    name,
    connect: (handlers) => runConnection({ host, port, call, password, commands, name, timeoutMs }, handlers),
  };
}

/** Servers of the Reverse Beacon Network. */
const RBN_PORTS = { cw: 7000, ft8: 7001 } as const;

/** Options of `rbnSource`. */
export interface RbnSourceOptions {
  /** The own call, for the login. */
  readonly call: string;
  /** `cw`: CW and RTTY, the default; `ft8`: FT8 and FT4. */
  readonly mode?: "cw" | "ft8" | undefined;
  /** Default `telnet.reversebeacon.net`. */
  readonly host?: string | undefined;
}

/**
 * The Reverse Beacon Network as a source for `openFeed`: what skimmers all over the world decode, up to thousands of spots a minute.
 *
 * @throws {ValueError} The call or the mode is not valid.
 * @example
 * rbnSource({ call: "N0CALL", mode: "ft8" }).name; // => "RBN FT8"
 */
export function rbnSource({
  call,
  mode = "cw",
  host = "telnet.reversebeacon.net",
}: RbnSourceOptions): FeedSource {
  const port: number | undefined = Object.hasOwn(RBN_PORTS, mode) ? RBN_PORTS[mode] : undefined;
  if (port === undefined) throw new ValueError({ argument: "mode", value: mode, expected: '"cw" or "ft8"' });
  return clusterSource({ host, port, call, name: `RBN ${mode.toUpperCase()}` });
}

/** Printable ASCII: a line end would begin another command. */
const LINE = /^[ -~]{1,200}$/;

function requireText(argument: string, value: unknown, form: RegExp, expected: string): string {
  if (typeof value === "string" && form.test(value)) return value;
  throw new ValueError({ argument, value, expected });
}

interface Connection {
  readonly host: string;
  readonly port: number;
  readonly call: string;
  readonly password: string | undefined;
  readonly commands: readonly string[];
  readonly name: string;
  readonly timeoutMs: number;
}

function runConnection(connection: Connection, handlers: FeedHandlers): Promise<void> {
  const { host, port, name, timeoutMs } = connection;
  const { signal } = handlers;
  return new Promise((resolve, reject) => {
    let socket: TcpSocket | undefined;
    const end = (failure?: unknown) => {
      silence.stop();
      signal.removeEventListener("abort", onAbort);
      socket?.close();
      if (failure === undefined) resolve();
      else reject(failure);
    };
    const onAbort = () => end();
    const guard = (task: () => void) => {
      try {
        task();
      } catch (failure) {
        end(failure);
      }
    };
    const send = (line: string) => socket?.write(`${line}\r\n`);
    const login = createLogin({ ...connection, send, onDone: () => handlers.onOpen() });
    const telnet = createTelnetText((text) => socket?.write(text));
    const silence = watchSilence({
      timeoutMs,
      earlyMs: () => (login.isDone ? timeoutMs / 2 : Math.min(PROMPT_TIMEOUT_MS, timeoutMs / 2)),
      onEarly: () => guard(() => (login.isDone ? send("") : login.onSilence())),
      onTimeout: () => end(new TimeoutError(name, `no data received for ${timeoutMs} ms`)),
    });

    const onLine = (line: string) => {
      const item = parseFeedLine(withoutPrompt(line), { now: handlers.now() });
      if (item.kind === "spot") login.onSpot();
      else if (!login.isDone) login.onLine(line);
      if (item.kind !== "unknown") handlers.onItem(item);
    };
    const onText = (text: string) => {
      for (const line of telnet.read(text)) {
        if (signal.aborted) return;
        onLine(line);
      }
      if (!login.isDone && login.onRest(telnet.rest)) telnet.clearRest();
      silence.restart();
    };
    const open = async () => {
      socket = await openTcpSocket({
        host,
        port,
        timeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
        signal,
        onText: (text) => guard(() => onText(text)),
        onEnd: end,
      });
      silence.restart();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    open().catch(end);
  });
}

interface SilenceOptions {
  readonly timeoutMs: number;
  /** When to do something about it. */
  readonly earlyMs: () => number;
  readonly onEarly: () => void;
  readonly onTimeout: () => void;
}

/** Timers that begin anew with each piece of data. Once stopped, they don't. */
function watchSilence({ timeoutMs, earlyMs, onEarly, onTimeout }: SilenceOptions): {
  restart(): void;
  stop(): void;
} {
  let early: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  const clear = () => {
    clearTimeout(early);
    clearTimeout(late);
  };
  return {
    restart() {
      clear();
      if (isStopped) return;
      early = setTimeout(onEarly, earlyMs());
      late = setTimeout(onTimeout, timeoutMs);
    },
    stop() {
      isStopped = true;
      clear();
    },
  };
}

// The login dialogue of cluster nodes and skimmer servers: answers their prompts, and notices rejections.

interface LoginOptions {
  /** Names the node in messages. */
  readonly name: string;
  readonly call: string;
  readonly password: string | undefined;
  /** Lines to send after the login. */
  readonly commands: readonly string[];
  readonly send: (line: string) => void;
  /** Called once: the node accepted the login, and the commands were sent. */
  readonly onDone: () => void;
}

interface Login {
  readonly isDone: boolean;
  /** A complete line. @throws {LoginError} The node rejects the login. */
  onLine(line: string): void;
  /**
   * The text of a line that has no end yet: prompts have none.
   *
   * @returns Whether it was answered, so that the line ends there.
   * @throws {LoginError} The node rejects the login.
   */
  onRest(text: string): boolean;
  /** The node sent a spot, so it accepted the login. */
  onSpot(): void;
  /** Nothing arrived for a while: some nodes don't prompt. */
  onSilence(): void;
}

const CALL_PROMPT = /(?:login|call ?-?(?:sign)?|user ?-?(?:name|id)?)(?: please)? ?[:?>] ?$/i;
const PASSWORD_PROMPT = /(?:password|passwd|passcode) ?[:?>] ?$/i;
/** `N0CALL de GB7DJK 22-Mar-2026 1201Z dxspider >`, also with the call in brackets. Calls have a digit, unlike DX. */
const NODE_PROMPT =
  /^ {0,10}\(?(?=[A-Z/-]*[0-9])[A-Z0-9/-]{3,20}\)? de (?=[A-Z/-]*[0-9])[A-Z0-9/-]{3,20} [^>]{0,80}> */i;
const REJECTED = /^(?:sorry\b|login (?:incorrect|failed)|access denied|.{0,40}\b(?:invalid|illegal) call)/i;
/** A rejection that ends by itself. */
const TRANSIENT = /already|too many|busy|full|try again/i;

/** Prompts are short: the end of a flood without line ends is enough. */
const MAX_PROMPT_LENGTH = 200;

/** The line without the prompt of a node before it: some nodes send no line end after their prompts. */
function withoutPrompt(line: string): string {
  return line.includes(">") ? line.replace(NODE_PROMPT, "") : line;
}

function createLogin({ name, call, password, commands, send, onDone }: LoginOptions): Login {
  let state: "connected" | "call sent" | "password sent" | "done" = "connected";
  const finish = () => {
    if (state === "done") return;
    state = "done";
    for (const command of commands) send(command);
    onDone();
  };
  const sendCall = () => {
    state = "call sent";
    send(call);
  };
  let answered = "";
  /** Returns whether it was answered. A node's prompt isn't, and more can follow it. */
  const onPrompt = (text: string): boolean => {
    if (state !== "connected" && NODE_PROMPT.test(text)) {
      finish();
      return false;
    }
    if (PASSWORD_PROMPT.test(text)) {
      if (state === "password sent") throw new LoginError(name, "the node rejected the password");
      if (password === undefined) throw new LoginError(name, `the node asks for a password of ${call}`);
      state = "password sent";
      send(password);
    } else if (CALL_PROMPT.test(text)) {
      // A greeting can end like a prompt, so that only the same one counts.
      if (state !== "connected" && text.trim() !== answered) return false;
      if (state !== "connected") throw new LoginError(name, `the node did not accept the call ${call}`);
      answered = text.trim();
      sendCall();
    } else return false;
    return true;
  };
  const onText = (text: string) => state !== "done" && onPrompt(text.slice(-MAX_PROMPT_LENGTH));
  return {
    get isDone() {
      return state === "done";
    },
    onLine(line) {
      if (state !== "connected" && state !== "done" && REJECTED.test(line)) {
        const reason = `the node rejected the login of ${call}: ${printable(line)}`;
        throw TRANSIENT.test(line) ? new IOError(name, reason) : new LoginError(name, reason);
      }
      onText(line);
    },
    onRest: onText,
    onSpot: finish,
    onSilence() {
      if (state === "connected") sendCall();
      else finish();
    },
  };
}

function printable(line: string): string {
  return line.slice(0, MAX_PROMPT_LENGTH).replaceAll(/\p{C}/gu, " ").trim();
}
