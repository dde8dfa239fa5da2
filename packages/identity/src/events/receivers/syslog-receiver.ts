/** A syslog server as a receiver of events: RFC 5424 over TCP (RFC 6587, octet counting) or TLS (RFC 5425). */
import { readFileSync } from "node:fs";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { formatTimestamp } from "../../platform/clock.js";
import { eventTypeOf, type EventRecord } from "../event-record.js";
import { eventView } from "../event-view.js";
import type { EventReceiver } from "./receiver.js";

export interface SyslogSettings {
  /** `tcp://HOST:PORT` or `tls://HOST:PORT`. */
  readonly url: string;
  /** Certificate authorities in PEM; the public ones, if left out. */
  readonly caFile?: string | undefined;
  /** Of this process. */
  readonly hostName: string;
}

const PORTS = { "tcp:": 601, "tls:": 6514 } as const;
/** Without any progress of the connection. */
const STALL_MS = 10_000;
/** Of the facility 13, "log audit": 6 is informational, 4 a warning. */
const PRIORITIES = { success: 13 * 8 + 6, failure: 13 * 8 + 4 } as const;
/** RFC 5424, section 6.2.7. */
const MAX_MSGID = 32;

/**
 * A connection for each batch: syslog has no confirmations, and only a server that has read all answers the end of a connection by its own.
 */
export function createSyslogReceiver({ url, caFile, hostName }: SyslogSettings): EventReceiver {
  return {
    name: "syslog",
    async send(events) {
      const socket = open(url, caFile);
      try {
        await delivered(socket, events.map((event) => frameOf(event, hostName)).join(""));
      } finally {
        socket.destroy();
      }
    },
    async close() {},
  };
}

function open(url: string, caFile: string | undefined): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  const address = { host, port: port === "" ? PORTS[protocol as keyof typeof PORTS] : Number(port) };
  if (protocol === "tcp:") return connectTcp(address);
  return connectTls({
    ...address,
    ...(isIP(host) === 0 && { servername: host }),
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
  });
}

/** @throws {Error} The server could not be reached, or ended the connection before it had all. */
function delivered(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    socket.on("error", reject);
    socket.setTimeout(STALL_MS, () =>
      reject(new Error(`the syslog server took nothing for ${STALL_MS / 1000} s`)),
    );
    socket.on("end", () => {
      if (isSent) resolve();
      else reject(new Error("the syslog server ended the connection"));
    });
    socket.on("close", () => reject(new Error("the connection to the syslog server was closed")));
    // What it says is read, so that its end is seen.
    socket.resume();
    socket.end(text, () => {
      isSent = true;
    });
  });
}

function frameOf(event: EventRecord, hostName: string): string {
  const message = syslogMessage(event, hostName);
  return `${message.length} ${message}`;
}

/** A message of ASCII alone, which needs no byte order mark: the event as JSON. */
export function syslogMessage(event: EventRecord, hostName: string): string {
  const view = eventView(event) as { readonly outcome: keyof typeof PRIORITIES };
  const type = eventTypeOf(event.event)
    .replace(/^identity\./, "")
    .replaceAll(" ", "_");
  const json = JSON.stringify(view).replaceAll(/[^ -~]/g, escaped);
  const head = [
    `<${PRIORITIES[view.outcome]}>1`,
    formatTimestamp(event.at),
    nameOf(hostName),
    "hamkit-identity",
    String(process.pid),
    type.slice(0, MAX_MSGID),
    "-",
  ];
  return `${head.join(" ")} ${json}`;
}

/** RFC 5424, section 6.2.4. */
function nameOf(hostName: string): string {
  const name = hostName.replaceAll(/[^!-~]/g, "").slice(0, 255);
  return name === "" ? "-" : name;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
