/** A proxy to PostgreSQL that can become a black hole: it forwards nothing, and closes nothing. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface BlackHole {
  /** The same address, through it. */
  through(url: string): string;
  /** From now on nothing gets through, on connections that are there or come. */
  open(): void;
  /** From now on nothing gets through on connections that come; those that are there go on. */
  openForNew(): void;
  /** Forwards new connections. Earlier connections stay dead, as behind a firewall that lost its state. */
  close(): void;
  /** Has the connections die that are there, and no others. */
  kill(): void;
  /** How many connections were made so far. */
  connections(): number;
  remove(): void;
}

/** @param url Where PostgreSQL is. */
export async function startBlackHole(url: string): Promise<BlackHole> {
  const { hostname, port } = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  const everything: Socket[] = [];
  let isOpen = false;
  let count = 0;
  const server = createServer({ pauseOnConnect: true }, (client) => {
    count++;
    everything.push(client);
    client.on("error", () => {});
    if (isOpen) return;
    const database = connect(Number(port || 5432), hostname);
    everything.push(database);
    const pair = [client, database] as const;
    pairs.add(pair);
    client
      .on("data", (data) => database.write(data))
      .on("close", () => pairs.has(pair) && database.destroy());
    database
      .on("error", () => {})
      .on("data", (data) => client.write(data))
      .on("close", () => pairs.has(pair) && client.destroy());
    client.resume();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const own = (server.address() as AddressInfo).port;
  const kill = () => {
    for (const pair of pairs) {
      pairs.delete(pair);
      for (const socket of pair) socket.removeAllListeners("data").pause();
    }
  };
  return {
    through: (given) => given.replace(/@[^/]+\//, `@127.0.0.1:${own}/`),
    open() {
      isOpen = true;
      kill();
    },
    openForNew() {
      isOpen = true;
    },
    close() {
      isOpen = false;
    },
    kill,
    connections: () => count,
    remove() {
      server.close();
      for (const socket of everything) socket.destroy();
    },
  };
}
