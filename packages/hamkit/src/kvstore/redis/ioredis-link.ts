/** Clients of ioredis, versions 5 and 6, and of libraries with the same methods. */
import {
  keyOf,
  ownerOf,
  refusalOf,
  repliesOf,
  withKey,
  type Command,
  type OwnConnection,
  type RedisLink,
} from "./redis-link.js";
import { createClusterSender, type ClusterNode } from "./redis-slots.js";

/** The used part of a client. */
interface IoredisClient {
  readonly options: IoredisOptions;
  readonly isCluster?: false | undefined;
  call(name: string, ...args: string[]): Promise<unknown>;
  pipeline(): IoredisPipeline;
  duplicate(options: object): IoredisConnection;
}

interface IoredisPipeline {
  call(name: string, ...args: string[]): unknown;
  exec(): Promise<readonly (readonly [failure: Error | null, reply: unknown])[] | null>;
}

interface IoredisConnection extends IoredisClient {
  on(event: "error", listener: () => void): unknown;
  connect(): Promise<unknown>;
  disconnect(): void;
}

interface IoredisOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly path?: string | undefined;
  readonly db?: number | undefined;
  readonly keyPrefix?: unknown;
  readonly tls?: unknown;
}

/** The used part of a cluster client. */
interface IoredisCluster {
  readonly options: IoredisOptions;
  readonly isCluster: true;
  call(name: string, ...args: string[]): Promise<unknown>;
  nodes(role: "master"): IoredisClient[];
}

/** Whether a value is a client of ioredis. */
export function isIoredis(client: object): client is IoredisClient | IoredisCluster {
  const { call, pipeline, nodes, options, isCluster } = client as Record<string, unknown>;
  const has = typeof call === "function" && typeof options === "object" && options !== null;
  return has && (isCluster === true ? typeof nodes === "function" : typeof pipeline === "function");
}

export function createIoredisLink(client: IoredisClient | IoredisCluster): RedisLink {
  return client.isCluster === true ? clusterLink(client) : singleLink(client);
}

function singleLink(client: IoredisClient): RedisLink {
  const send = (commands: readonly Command[]): Promise<unknown[]> => sendAll(client, commands);
  return {
    name: nameOf(client.options),
    isCluster: false,
    // The library adds the prefix to every key.
    sentPrefix: "",
    storedPrefix: prefixOf(client),
    send,
    masters: async () => [{ send }],
    connect: () => connectLike(client),
  };
}

function clusterLink(client: IoredisCluster): RedisLink {
  const prefix = prefixOf(client);
  // The client adds its prefix to every key, the connections to its nodes don't.
  const unprefixed = (command: Command): Command => withKey(command, keyOf(command).slice(prefix.length));
  const masters = async () => (await mastersOf(client)).map(toNode);
  return {
    get name() {
      const addresses = client.nodes("master").map(({ options }) => addressOf(options));
      return `Redis Cluster ${addresses.join(", ")}`.trim();
    },
    isCluster: true,
    sentPrefix: prefix,
    storedPrefix: prefix,
    send: createClusterSender({
      masters,
      sendEach: (commands) => repliesOf(commands.map((command) => client.call(...unprefixed(command)))),
    }),
    masters,
    connect: async (key) => connectLike((await ownerOf(key, await masters())).client),
  };
}

function toNode(client: IoredisClient): ClusterNode & { readonly client: IoredisClient } {
  return { client, address: addressOf(client.options), send: (commands) => sendAll(client, commands) };
}

function prefixOf({ options }: IoredisClient | IoredisCluster): string {
  return typeof options.keyPrefix === "string" ? options.keyPrefix : "";
}

/** The masters are known after the first command. */
async function mastersOf(client: IoredisCluster): Promise<IoredisClient[]> {
  if (client.nodes("master").length === 0) await client.call("PING");
  return client.nodes("master");
}

/** A pipeline is cheaper than many calls, but not than one or two. */
async function sendAll(client: IoredisClient, commands: readonly Command[]): Promise<unknown[]> {
  if (commands.length < 3) return repliesOf(commands.map((command) => client.call(...command)));
  const pipeline = client.pipeline();
  for (const command of commands) pipeline.call(...command);
  // A lost connection is in the results too, as the failure of each command.
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([failure, reply]) => (failure ? refusalOf(failure) : reply));
}

/** Without reconnecting: a transaction must not continue on a new connection. */
async function connectLike(client: IoredisClient): Promise<OwnConnection> {
  const own = client.duplicate({
    lazyConnect: true,
    retryStrategy: () => null,
    reconnectOnError: null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    enableAutoPipelining: false,
  });
  own.on("error", () => undefined);
  await own.connect();
  return { send: (commands) => sendAll(own, commands), close: () => own.disconnect() };
}

function nameOf(options: IoredisOptions): string {
  return options.path === undefined || options.path === null
    ? `${options.tls ? "rediss" : "redis"}://${addressOf(options)}/${options.db ?? 0}`
    : `unix:${options.path}`;
}

function addressOf({ host = "127.0.0.1", port = 6379 }: IoredisOptions): string {
  return `${host}:${port}`;
}
