/** A connection to a server that counts how often it goes there and back. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CountingProxy {
  readonly port: number;
  /** Round trips since the last time. */
  roundTrips(): number;
  close(): void;
}

export async function countRoundTrips(port: number): Promise<CountingProxy> {
  const sockets: Socket[] = [];
  let count = 0;
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let isAnswered = true;
    sockets.push(client, upstream);
    client.on("data", (data) => {
      if (isAnswered) count++;
      isAnswered = false;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      isAnswered = true;
      client.write(data);
    });
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    roundTrips() {
      const trips = count;
      count = 0;
      return trips;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
