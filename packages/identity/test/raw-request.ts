/** Requests whose target is sent as it is: clients of HTTP would correct it. */
import { connect, type AddressInfo } from "node:net";

import type { HttpServer } from "../src/platform/http/http-server.js";

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export interface RawRequest {
  readonly method: string;
  /** One byte per character. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to a server that listens. */
export async function rawRequest(
  { server }: HttpServer,
  { method, target, headers = {} }: RawRequest,
): Promise<RawResponse> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "host: localhost",
    "connection: close",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // Not ended here: a server of Node's may close such a connection before it answers.
  socket.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const [head = "", body = ""] = Buffer.concat(chunks)
    .toString()
    .split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(" ")[1]), head, body };
}
