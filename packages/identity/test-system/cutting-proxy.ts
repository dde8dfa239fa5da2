/** A proxy to PostgreSQL that closes a connection at a statement, before or after the server received it. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CuttingProxy {
  /** The same address, through it. */
  through(url: string): string;
  /**
   * Closes the connection that sends this text next: instead of forwarding it, or in place of the server's response.
   *
   * @returns Whether it has been closed.
   */
  cutAt(text: string, moment: "before" | "after"): () => boolean;
  remove(): void;
}

/** @param url Where PostgreSQL is. */
export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let next: { readonly text: string; readonly moment: "before" | "after"; isCut: boolean } | undefined;

  const server = createServer((client) => {
    const database = connect(Number(port || 5432), hostname);
    let isLast = false;
    const cut = () => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", cut);
    }
    client.on("data", (data) => {
      if (next?.isCut === false && data.includes(next.text)) {
        next.isCut = true;
        if (next.moment === "before") return cut();
        isLast = true;
      }
      database.write(data);
    });
    database.on("data", (data) => (isLast ? cut() : client.write(data)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const own = (server.address() as AddressInfo).port;
  return {
    through: (given) => given.replace(/@[^/]+\//, `@127.0.0.1:${own}/`),
    cutAt(text, moment) {
      const cutting = { text, moment, isCut: false };
      next = cutting;
      return () => cutting.isCut;
    },
    remove() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
