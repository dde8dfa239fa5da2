/** Doubles of the feeds on real sockets, and `hamkit serve` as a process of its own. */
import { spawn, type ChildProcess } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { encodeDatagram, type OutgoingMessage } from "../../hamkit/src/wsjtx.js";
import { startClusterServer } from "../../hamkit/test/fixtures/cluster-server.js";

const program = fileURLToPath(new URL("../../hamkit/dist/cli/main.js", import.meta.url));

/** A line of a cluster. */
export function dxLine(spotter: string, kHz: number, dx: string, comment = "cq"): string {
  const time = new Date().toISOString().slice(11, 16).replace(":", "");
  return `DX de ${`${spotter}:`.padEnd(11)}${kHz.toFixed(1).padStart(8)}  ${dx.padEnd(13)}${comment.padEnd(31)}${time}Z`;
}

export interface Cluster {
  readonly address: string;
  /** Sends lines to all that are logged in. */
  send(...lines: readonly string[]): void;
  /** Clients that are logged in. */
  readonly clients: number;
  close(): Promise<void>;
}

export async function startCluster(): Promise<Cluster> {
  const loggedIn = new Set<{ write(text: string): unknown }>();
  const server = await startClusterServer((socket) => {
    socket.write("login: ");
    socket.once("data", () => {
      socket.write("Hello, this is a node\r\nN0CALL de NODE 22-Mar-2026 1201Z >\r\n");
      loggedIn.add(socket);
    });
    socket.on("close", () => loggedIn.delete(socket));
  });
  return {
    address: `127.0.0.1:${server.port}`,
    send(...lines) {
      const text = lines.map((line) => `${line}\r\n`).join("");
      for (const socket of loggedIn) socket.write(text);
    },
    get clients() {
      return loggedIn.size;
    },
    close: () => server.close(),
  };
}

export interface Parks {
  readonly url: string;
  readonly requests: number;
  close(): Promise<void>;
}

/** A server of POTA's spots, which pages of other sites may read. */
export async function startParks(spots: readonly object[]): Promise<Parks> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.writeHead(200, { "content-type": "application/json", "access-control-allow-origin": "*" });
    response.end(JSON.stringify(spots));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/spot/activator`,
    get requests() {
      return requests;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export function parkSpot(activator: string, reference: string): object {
  return {
    spotId: 1,
    activator,
    frequency: "14062.5",
    mode: "CW",
    reference,
    spotTime: new Date().toISOString().slice(0, 19),
    spotter: "W8EKM",
    comments: "CQ",
    name: "A park",
    grid6: "EN72um",
    latitude: 42.5,
    longitude: -84.3,
  };
}

/** Sends datagrams as WSJT-X does. */
export async function sendDecodes(port: number, ...messages: readonly string[]): Promise<void> {
  const status = {
    kind: "status",
    id: "WSJT-X",
    dialFrequencyHz: 14_074_000,
    mode: "FT8",
    dxCall: "",
    report: "",
    txMode: "FT8",
    txEnabled: false,
    transmitting: false,
    decoding: true,
    rxDf: 1500,
    txDf: 1500,
    deCall: "DH1TW",
    deGrid: "JN48QM",
    dxGrid: "",
  } as const satisfies OutgoingMessage;
  const decodes = messages.map(
    (message, index) =>
      ({
        kind: "decode",
        id: "WSJT-X",
        new: true,
        timeMs: 43_215_000,
        snr: -10 - index,
        deltaTime: 0.2,
        deltaFrequencyHz: 400 + 50 * index,
        mode: "~",
        message,
        lowConfidence: false,
        offAir: false,
      }) as const satisfies OutgoingMessage,
  );
  const socket = createSocket("udp4");
  for (const datagram of [status, ...decodes])
    await new Promise((resolve) => {
      socket.send(encodeDatagram(datagram), port, "127.0.0.1", resolve);
    });
  socket.close();
}

/** A port that was free a moment ago. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket("udp4");
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return port;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  readonly process: ChildProcess;
  /** Ends the process, and waits for it. */
  stop(): Promise<void>;
}

export async function serve(...words: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [program, "serve", "--offline", ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HAMKIT_CACHE_DIR: "" },
  });
  let text = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString();
      const [, found] = /page is at (\S+)/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.stderr.on("data", (bytes: Uint8Array) => (text += Buffer.from(bytes).toString()));
    child.once("exit", () => reject(new Error(`hamkit serve ended: ${text}`)));
  });
  return {
    url,
    port: Number(new URL(url).port),
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
