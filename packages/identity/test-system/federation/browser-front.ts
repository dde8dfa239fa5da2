/** An HTTPS reverse proxy for tests with a browser. */
import { readFileSync } from "node:fs";
import {
  createServer,
  request as requestHttp,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";

import { makeCertificate } from "../certificates.js";
import { freePort } from "../free-port.js";

export interface Front {
  readonly url: string;
  leadTo(url: string): void;
  close(): Promise<void>;
}

/** @param folder Where the certificate is made. */
export async function openFront(scheme: "http" | "https", folder: string): Promise<Front> {
  let goal = "";
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    const { method, headers } = request;
    const onward = requestHttp(goal + (request.url ?? ""), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  };
  const { cert, key } = makeCertificate({ folder, name: "front" });
  const files = { cert: readFileSync(cert), key: readFileSync(key) };
  const server = scheme === "https" ? createTlsServer(files, pass) : createServer(pass);
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    leadTo: (url) => void (goal = url),
    close: () => closed(server),
  };
}

export async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}
