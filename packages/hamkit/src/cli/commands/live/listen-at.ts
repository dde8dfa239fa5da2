/** Opens the port of a server of this computer. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { IOError } from "../../../errors.js";

/** Connections, those that have sent no request included. */
const MAX_CONNECTIONS = 200;

export interface ListeningServer {
  readonly url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** @throws {IOError} The port is in use, or the address is not one of this computer. */
export async function listenAt(
  server: Server,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<ListeningServer> {
  server.maxConnections = MAX_CONNECTIONS;
  const name = `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new IOError(name, cause.message, { cause })));
    server.listen(port, address, resolve);
  });
  return {
    url: name.replace(/:\d+\/$/, `:${(server.address() as AddressInfo).port}/`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
