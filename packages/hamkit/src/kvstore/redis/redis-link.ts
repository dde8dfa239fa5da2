/** The interface to Redis and Valkey that the adapters of client libraries implement. */

/** A command with its arguments: ["SMEMBERS", "CF_prefix_index_DL"]. */
export type Command = readonly [name: string, ...args: string[]];

export interface Connection {
  /**
   * Sends commands together. The replies are in their order; an error reply is an `Error`.
   *
   * @throws The connection failed.
   */
  send(commands: readonly Command[]): Promise<readonly unknown[]>;
}

/** An exclusive connection for a transaction. It does not reconnect. */
export interface OwnConnection extends Connection {
  close(): void;
}

/** A connection to a server or a cluster. */
export interface RedisLink extends Connection {
  /** For messages, without passwords. */
  readonly name: string;
  readonly isCluster: boolean;
  /** The key prefix of commands, if the library does not add it. */
  readonly sentPrefix: string;
  /** The key prefix in the server. */
  readonly storedPrefix: string;
  /** The servers with keys. */
  masters(): Promise<readonly Connection[]>;
  /** An exclusive connection to the server of a key, which includes the prefix. */
  connect(key: string): Promise<OwnConnection>;
}

/**
 * The reply to one command.
 *
 * @throws The reply is an error, or the connection failed.
 */
export async function sendOne(connection: Connection, command: Command): Promise<unknown> {
  const [reply] = await connection.send([command]);
  if (reply instanceof Error) throw reply;
  return reply;
}

/** The code of an error reply, such as NOSCRIPT; `undefined` for failures of the connection. */
export function refusalCode(failure: unknown): string | undefined {
  return failure instanceof Error ? /^([A-Z][A-Z0-9_]*) /.exec(`${failure.message} `)?.[1] : undefined;
}

/** The replies of promises. Error replies are returned, failures of the connection thrown. */
export async function repliesOf(pending: Iterable<PromiseLike<unknown>>): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(pending);
  return outcomes.map((outcome) =>
    outcome.status === "fulfilled" ? outcome.value : refusalOf(outcome.reason),
  );
}

/** Returns an error reply, and throws any other failure. */
export function refusalOf(failure: unknown): Error {
  if (failure instanceof Error && refusalCode(failure) !== undefined) return failure;
  throw failure;
}

/** The key of a command, which decides its server in a cluster. */
export function keyOf([name, ...args]: Command): string {
  return args[indexOfKey(name)] ?? "";
}

/** The command with another key. */
export function withKey([name, ...args]: Command, key: string): Command {
  return [name, ...args.with(indexOfKey(name), key)];
}

/** In script commands the number of keys precedes them. */
function indexOfKey(name: string): number {
  return name.startsWith("EVAL") ? 2 : 0;
}

/** The server of a cluster that has a key: the only one without a redirection. */
export async function ownerOf<Node extends Connection>(key: string, nodes: readonly Node[]): Promise<Node> {
  for (const node of nodes) {
    const [reply] = await node.send([["GET", key]]);
    if (refusalCode(reply) !== "MOVED") return node;
  }
  throw new Error(`no server of the cluster has the key ${key}`);
}

/** The text of a reply, which may be bytes; `undefined` for another type. */
export function toText(reply: unknown): string | undefined {
  if (typeof reply === "string") return reply;
  if (typeof reply === "number") return String(reply);
  return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : undefined;
}

/** The list of a reply, which may be a set. */
export function toList(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  return reply instanceof Set ? [...reply] : [];
}
