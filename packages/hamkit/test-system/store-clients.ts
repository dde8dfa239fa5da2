/** Every client that hamkit accepts, in the versions that it says it does. */
import * as ioredis6 from "ioredis";
import * as ioredis5 from "ioredis-5";
import * as redis6 from "redis";
import * as redis4 from "redis-4";
import * as redis5 from "redis-5";

/** A connected client, and its end. */
export interface OpenClient {
  readonly client: object;
  readonly close: () => void;
}

export interface ClientLibrary {
  readonly name: string;
  readonly single: (url: string, options?: object) => Promise<OpenClient>;
  readonly cluster: (ports: readonly number[], options?: object) => Promise<OpenClient>;
}

export const LIBRARIES: readonly ClientLibrary[] = [
  ioredis("ioredis 6", ioredis6),
  ioredis("ioredis 5", ioredis5),
  nodeRedis("redis 6", redis6),
  nodeRedis("redis 5", redis5),
  nodeRedis("redis 4", redis4),
];

/** The library of a name. */
export function library(name: string): ClientLibrary {
  const found = LIBRARIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  return found;
}

/** What the versions have in common. */
interface Ioredis {
  readonly Redis: new (url: string, options: object) => IoredisClient;
  readonly Cluster: new (nodes: readonly object[], options: object) => IoredisClient;
}

interface IoredisClient {
  on(event: "error", listener: () => void): unknown;
  ping(): Promise<unknown>;
  disconnect(): void;
}

function ioredis(name: string, exports: unknown): ClientLibrary {
  const { Redis, Cluster } = exports as Ioredis;
  return {
    name,
    async single(url, options = {}) {
      const client = new Redis(url, options);
      client.on("error", ignore);
      await client.ping();
      return { client, close: () => client.disconnect() };
    },
    async cluster(ports, options = {}) {
      const client = new Cluster(
        ports.map((port) => ({ host: "127.0.0.1", port })),
        options,
      );
      client.on("error", ignore);
      return { client, close: () => client.disconnect() };
    },
  };
}

/** What the versions have in common. */
interface NodeRedis {
  readonly createClient: (options: object) => NodeRedisClient;
  readonly createCluster: (options: object) => NodeRedisClient;
}

interface NodeRedisClient {
  on(event: "error", listener: () => void): unknown;
  connect(): Promise<unknown>;
  disconnect?(): Promise<unknown>;
  destroy?(): unknown;
}

function nodeRedis(name: string, exports: unknown): ClientLibrary {
  const { createClient, createCluster } = exports as NodeRedis;
  const opened = async (client: NodeRedisClient): Promise<OpenClient> => {
    client.on("error", ignore);
    await client.connect();
    return {
      client,
      close() {
        if (client.destroy) client.destroy();
        else client.disconnect?.().catch(ignore);
      },
    };
  };
  return {
    name,
    single: (url, options) => opened(createClient({ url, ...options })),
    cluster: (ports, options) =>
      opened(
        createCluster({ rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })), ...options }),
      ),
  };
}

/** Lost connections are told to every listener; the tests look at what the calls say. */
function ignore(): void {}
