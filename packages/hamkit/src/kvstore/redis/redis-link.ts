/** Redis and Valkey as hamkit talks to them, whichever library the connection is of. */

/** A command with its arguments: ["SMEMBERS", "CF_prefix_index_DL"]. */
export type Command = readonly [name: string, ...args: string[]];

export interface Connection {
  /**
   * The replies to commands that are sent together, in their order; an `Error` where the server refused one.
   *
   * @throws The connection failed.
   */
  send(commands: readonly Command[]): Promise<readonly unknown[]>;
}

/** A connection that nobody else uses, so that a transaction on it is undisturbed. It doesn't come back when it is lost. */
export interface OwnConnection extends Connection {
  close(): void;
}

/** A connection to a server or a cluster. */
export interface RedisLink extends Connection {
  /** For messages, without passwords. */
  readonly name: string;
  readonly isCluster: boolean;
  /** What keys in commands have to begin with, because the library doesn't add it by itself. */
  readonly sentPrefix: string;
  /** What keys begin with in the server, for whoever put it there. */
  readonly storedPrefix: string;
  /** The servers that have keys. */
  masters(): Promise<readonly Connection[]>;
  /** A connection of one's own to the server that has this key, as it is in the server. */
  connect(key: string): Promise<OwnConnection>;
}

/**
 * The reply to one command.
 *
 * @throws The server refused it, or the connection failed.
 */
export async function sendOne(connection: Connection, command: Command): Promise<unknown> {
  const [reply] = await connection.send([command]);
  if (reply instanceof Error) throw reply;
  return reply;
}

/** The code that a server's refusals begin with, such as NOSCRIPT; `undefined` for failures of the connection. */
export function refusalCode(failure: unknown): string | undefined {
  return failure instanceof Error ? /^([A-Z][A-Z0-9_]*) /.exec(`${failure.message} `)?.[1] : undefined;
}

/** Replies of promises: what was refused is a reply too, and what failed is thrown. */
export async function repliesOf(pending: Iterable<PromiseLike<unknown>>): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(pending);
  return outcomes.map((outcome) =>
    outcome.status === "fulfilled" ? outcome.value : refusalOf(outcome.reason),
  );
}

/** A refusal as a reply. */
export function refusalOf(failure: unknown): Error {
  if (failure instanceof Error && refusalCode(failure) !== undefined) return failure;
  throw failure;
}

/** The key that a command is about, by which a cluster finds the server. */
export function keyOf([name, ...args]: Command): string {
  return args[placeOfKey(name)] ?? "";
}

/** A command with its key exchanged. */
export function withKey([name, ...args]: Command, key: string): Command {
  return [name, ...args.with(placeOfKey(name), key)];
}

/** Behind a script comes how many keys it has. */
function placeOfKey(name: string): number {
  return name.startsWith("EVAL") ? 2 : 0;
}

/** The one of a cluster's servers that has a key: it alone doesn't point elsewhere. */
export async function ownerOf<Node extends Connection>(key: string, nodes: readonly Node[]): Promise<Node> {
  for (const node of nodes) {
    const [reply] = await node.send([["GET", key]]);
    if (refusalCode(reply) !== "MOVED") return node;
  }
  throw new Error(`no server of the cluster has the key ${key}`);
}

/** A text of a reply, which may come as bytes; `undefined` for none. */
export function toText(reply: unknown): string | undefined {
  if (typeof reply === "string") return reply;
  if (typeof reply === "number") return String(reply);
  return reply instanceof Uint8Array ? new TextDecoder().decode(reply) : undefined;
}

/** A list of a reply, which may come as a set. */
export function toList(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  return reply instanceof Set ? [...reply] : [];
}
