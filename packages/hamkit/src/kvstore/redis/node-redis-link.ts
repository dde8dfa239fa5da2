/** Clients of redis (node-redis), versions 4 to 6. */
import {
  keyOf,
  ownerOf,
  refusalCode,
  repliesOf,
  type Command,
  type OwnConnection,
  type RedisLink,
} from "./redis-link.js";
import { createClusterSender, type ClusterNode } from "./redis-slots.js";

/** The used part of a client. */
interface NodeRedisClient {
  readonly options?: NodeRedisOptions | undefined;
  sendCommand(args: readonly string[]): Promise<unknown>;
  multi(): NodeRedisPipeline;
  duplicate(options: object): NodeRedisConnection;
}

interface NodeRedisPipeline {
  addCommand(args: readonly string[]): unknown;
  execAsPipeline(): Promise<unknown[]>;
}

interface NodeRedisConnection extends NodeRedisClient {
  on(event: "error", listener: () => void): unknown;
  connect(): Promise<unknown>;
  /** Since version 5; formerly `disconnect`. */
  destroy?(): void;
  disconnect?(): Promise<void>;
}

interface NodeRedisOptions {
  readonly socket?:
    | { readonly host?: string; readonly port?: number; readonly path?: string; readonly tls?: unknown }
    | undefined;
  readonly database?: number | undefined;
  readonly keyPrefix?: unknown;
}

/** The used part of a cluster client. */
interface NodeRedisCluster {
  readonly masters: readonly NodeRedisNode[];
  readonly _options?: NodeRedisOptions | undefined;
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: readonly string[]): Promise<unknown>;
  nodeClient(node: NodeRedisNode): NodeRedisClient | Promise<NodeRedisClient>;
}

interface NodeRedisNode {
  readonly address: string;
}

/** Whether a value is a client of node-redis. */
export function isNodeRedis(client: object): client is NodeRedisClient | NodeRedisCluster {
  const { sendCommand, multi, duplicate, nodeClient } = client as Record<string, unknown>;
  const isSingle = typeof multi === "function" && typeof duplicate === "function";
  return typeof sendCommand === "function" && (isSingle || typeof nodeClient === "function");
}

export function createNodeRedisLink(client: NodeRedisClient | NodeRedisCluster): RedisLink {
  return "nodeClient" in client ? clusterLink(client) : singleLink(client);
}

function singleLink(client: NodeRedisClient): RedisLink {
  const { keyPrefix } = client.options ?? {};
  const send = (commands: readonly Command[]): Promise<unknown[]> => askAll(client, commands);
  return {
    name: nameOf(client.options),
    isCluster: false,
    ...prefixes(keyPrefix),
    send,
    masters: async () => [{ send }],
    connect: () => connectLike(client),
  };
}

function clusterLink(client: NodeRedisCluster): RedisLink {
  const masters = () =>
    Promise.all(
      client.masters.map(async (node): Promise<ClusterNode & { readonly client: NodeRedisClient }> => {
        const own = await client.nodeClient(node);
        return { client: own, address: node.address, send: (commands) => askAll(own, commands) };
      }),
    );
  return {
    get name() {
      return `Redis Cluster ${client.masters.map(({ address }) => address).join(", ")}`.trim();
    },
    isCluster: true,
    ...prefixes(client._options?.keyPrefix),
    send: createClusterSender({
      masters,
      sendEach: (commands) =>
        repliesOf(
          commands.map((command) => client.sendCommand(keyOf(command), READS.has(command[0]), command)),
        ),
    }),
    masters,
    connect: async (key) => connectLike((await ownerOf(key, await masters())).client),
  };
}

/** Commands that a replica accepts. */
const READS: ReadonlySet<string> = new Set(["GET", "MGET", "SMEMBERS", "EVALSHA_RO", "EVAL_RO"]);

/** Since version 6 a client may have a prefix, which it does not add to raw commands. */
function prefixes(keyPrefix: unknown): { sentPrefix: string; storedPrefix: string } {
  const prefix = typeof keyPrefix === "string" ? keyPrefix : "";
  return { sentPrefix: prefix, storedPrefix: prefix };
}

/** Replies to read commands, which are sent again one by one after an error reply. */
async function askAll(client: NodeRedisClient, commands: readonly Command[]): Promise<unknown[]> {
  try {
    return await pipelined(client, commands);
  } catch (failure) {
    if (refusalCode(failure) === undefined) throw failure;
    return sendAll(client, commands);
  }
}

/** A pipeline is cheaper than single commands, but one error reply rejects all of it. */
async function pipelined(client: NodeRedisClient, commands: readonly Command[]): Promise<unknown[]> {
  if (commands.length < 3) return sendAll(client, commands);
  const pipeline = client.multi();
  for (const command of commands) pipeline.addCommand(command);
  return pipeline.execAsPipeline();
}

function sendAll(client: NodeRedisClient, commands: readonly Command[]): Promise<unknown[]> {
  return repliesOf(commands.map((command) => client.sendCommand(command)));
}

/** Without reconnecting: a transaction must not continue on a new connection. */
async function connectLike(client: NodeRedisClient): Promise<OwnConnection> {
  const own = client.duplicate({
    socket: { ...client.options?.socket, reconnectStrategy: false },
    disableOfflineQueue: true,
  });
  own.on("error", () => undefined);
  await own.connect();
  return {
    // A copy ends at the first error reply.
    send: (commands) => pipelined(own, commands),
    close() {
      if (own.destroy) own.destroy();
      // The connection may be closed already.
      else own.disconnect?.().catch(() => undefined);
    },
  };
}

function nameOf({ socket = {}, database = 0 }: NodeRedisOptions = {}): string {
  const { host = "127.0.0.1", port = 6379, path, tls } = socket;
  return path === undefined ? `${tls ? "rediss" : "redis"}://${host}:${port}/${database}` : `unix:${path}`;
}
