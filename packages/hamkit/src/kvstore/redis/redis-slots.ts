/**
 * Which server of a cluster has a key.
 *
 * The libraries find that out for each command by itself, which makes pipelines impossible. Here the commands for each
 * server go together, and only those that a server points elsewhere go the library's way.
 *
 * @see https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/ "Key distribution model", "Hash tags"
 */
import { keyOf, refusalCode, toList, toText, type Command, type Connection } from "./redis-link.js";

const SLOTS = 16_384;

/** A server of a cluster that has keys. */
export interface ClusterNode extends Connection {
  /** Host and port, as the cluster calls it. */
  readonly address: string;
}

export interface ClusterSenderDeps {
  readonly masters: () => Promise<readonly ClusterNode[]>;
  /** The library's own way to the right server, with all its redirections. */
  readonly sendEach: (commands: readonly Command[]) => Promise<readonly unknown[]>;
}

/** The slot of a key: of its hash tag alone, where it has one. */
export function slotOf(key: string): number {
  return crc16(new TextEncoder().encode(hashTagOf(key) || key)) % SLOTS;
}

/** Whether all keys that begin with this text have the same slot. */
export function hasHashTag(start: string): boolean {
  return hashTagOf(start) !== "";
}

/** What stands between the first brace and the next closing one. */
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

/** Refusals of a server that isn't, or not yet, or not any more, the right one. */
const ELSEWHERE: ReadonlySet<string | undefined> = new Set(["MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN"]);

/** A function that sends commands to the servers that have their keys, all at once. */
export function createClusterSender({ masters, sendEach }: ClusterSenderDeps): Connection["send"] {
  let owners: Promise<readonly (ClusterNode | undefined)[]> | undefined;

  /** The replies of one server, or of the library where the server fails. */
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
    // A cluster that is not connected yet has no servers to be known.
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

    const elsewhere = [...replies.keys()].filter((place) => ELSEWHERE.has(refusalCode(replies[place])));
    if (elsewhere.length > 0) {
      owners = undefined;
      put(elsewhere, await sendEach(at(elsewhere)));
    }
    return replies;
  };
}

/** The server of each slot; none where the cluster calls it otherwise than the library does. */
async function ownersOf(
  masters: ClusterSenderDeps["masters"],
): Promise<readonly (ClusterNode | undefined)[]> {
  const nodes = await masters();
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
