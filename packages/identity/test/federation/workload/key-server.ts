/** A provider that publishes keys. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

import type { SERVER } from "./authority.js";

/** A provider with a discovery document and keys at `/keys`. */
export async function serve(keys: () => object, tls?: typeof SERVER) {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const documents: Record<string, object> = {
      "/.well-known/openid-configuration": { issuer: url, jwks_uri: `${url}/keys` },
      "/keys": keys(),
    };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(documents[path] ?? {}));
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
