/**
 * Sends commands to the servers of a cluster that have their keys.
 *
 * The client libraries route each command by itself, which rules out pipelines. Here the commands for each server are sent
 * together, and only redirected ones are sent by the library.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ "Key distribution model", "Hash tags"
 */
import { keyOf, refusalCode, toList, toText, type Command, type Connection } from "./redis-link.js";

const SLOTS = 16_384;

/** A master of a cluster. */
export interface ClusterNode extends Connection {
  /** Host and port, as the cluster reports them. */
  readonly address: string;
}

export interface ClusterSenderDeps {
  readonly masters: () => Promise<readonly ClusterNode[]>;
  /** Sends each command by the library, which follows redirections. */
  readonly sendEach: (commands: readonly Command[]) => Promise<readonly unknown[]>;
}

/** The slot of a key, or of its hash tag if it has one. */
export function slotOf(key: string): number {
  return crc16(new TextEncoder().encode(hashTagOf(key) || key)) % SLOTS;
}

/** Whether all keys that begin with this text have the same slot. */
export function hasHashTag(start: string): boolean {
  return hashTagOf(start) !== "";
}

/** The text between the first opening brace and the next closing one. */
function hashTagOf(key: string): string {
  return /^[^{]*\{([^}]*)\}/.exec(key)?.[1] ?? "";
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xff_ff) ^ (CRC_TABLE[(crc >> 8) ^ byte] ?? 0);
  return crc;
}

const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x80_00 ? 0x10_21 : 0);
  return crc;
});

/** Error codes of a server that does not have the key. */
const REDIRECTIONS: ReadonlySet<string | undefined> = new Set(["MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN"]);

/** A function that sends commands to the servers of their keys concurrently. */
export function createClusterSender({ masters, sendEach }: ClusterSenderDeps): Connection["send"] {
  let owners: Promise<readonly (ClusterNode | undefined)[]> | undefined;

  /** The replies of one server, or of the library if the server fails. */
  async function sendTo(
    node: ClusterNode | undefined,
    commands: readonly Command[],
  ): Promise<readonly unknown[]> {
    if (node === undefined) return sendEach(commands);
    try {
      return await node.send(commands);
    } catch {
      owners = undefined;
      return sendEach(commands);
    }
  }

  return async (commands) => {
    const known = await (owners ??= ownersOf(masters));
    // Before the connection is established, the servers are unknown.
    if (known.length === 0) owners = undefined;
    const places = new Map<ClusterNode | undefined, number[]>();
    for (const [place, command] of commands.entries()) {
      const node = known[slotOf(keyOf(command))];
      const those = places.get(node);
      if (those === undefined) places.set(node, [place]);
      else those.push(place);
    }
    const replies: unknown[] = [];
    const put = (there: readonly number[], some: readonly unknown[]): void => {
      for (const [index, place] of there.entries()) replies[place] = some[index];
    };
    const at = (there: readonly number[]): Command[] =>
      there.flatMap((place) => commands.slice(place, place + 1));
    await Promise.all(Array.from(places, async ([node, there]) => put(there, await sendTo(node, at(there)))));

    const redirected = [...replies.keys()].filter((place) => REDIRECTIONS.has(refusalCode(replies[place])));
    if (redirected.length > 0) {
      owners = undefined;
      put(redirected, await sendEach(at(redirected)));
    }
    return replies;
  };
}

/** The server of each slot; none where no server answers, or cluster and library report different addresses. */
async function ownersOf(
  masters: ClusterSenderDeps["masters"],
): Promise<readonly (ClusterNode | undefined)[]> {
  // A failure must not be kept: the library finds the servers again when they are back.
  const nodes = await masters().catch(() => []);
  const owners: (ClusterNode | undefined)[] = [];
  const [ranges] = (await nodes[0]?.send([["CLUSTER", "SLOTS"]]).catch(() => [])) ?? [];
  for (const range of toList(ranges)) {
    const [first, last, master] = toList(range);
    const [host, port] = toList(master).map(toText);
    const node = nodes.find(({ address }) => address === `${host}:${port}`);
    for (let slot = Number(first); slot <= Number(last); slot++) owners[slot] = node;
  }
  return owners;
}
