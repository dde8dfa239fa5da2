/**
 * Whose word about a client's address counts. A proxy in front of the service is the peer of every connection: without its
 * word one wrong guesser would lock out everybody, and with anybody's word each guess could claim another address.
 */
import { BlockList, isIP } from "node:net";

/** `IDENTITY_TRUSTED_PROXIES` is no list of networks. */
export class TrustedProxiesError extends Error {
  override readonly name = "TrustedProxiesError";
  readonly code = "trusted-proxies/malformed";
  readonly entry: string;

  constructor(entry: string) {
    super(
      `IDENTITY_TRUSTED_PROXIES: ${JSON.stringify(entry)} is no address and no network such as 10.0.0.0/8 or fd00::/8`,
    );
    this.entry = entry;
  }
}

/** Tells whether an address belongs to a proxy that is trusted. */
export type TrustedProxies = (address: string) => boolean;

/**
 * The proxies that a list of addresses and networks names, separated by commas or blanks; nobody if it is empty.
 *
 * @throws {TrustedProxiesError} An entry is neither.
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  const entries = text.split(/[\s,]+/).filter((each) => each !== "");
  if (entries.length === 0) return () => false;
  const list = new BlockList();
  for (const entry of entries) addTo(list, entry);
  return (address) => {
    const plain = plainAddress(address);
    return plain !== undefined && list.check(plain, familyOf(plain));
  };
}

function addTo(list: BlockList, entry: string): void {
  const [, address = "", length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const plain = plainAddress(address);
  const most = plain === undefined ? 0 : familyOf(plain) === "ipv4" ? 32 : 128;
  const bits = length === undefined ? most : Number(length);
  // A network within ::ffff:0:0/96 is one of IPv4, and has 96 bits more.
  const isMapped = plain !== undefined && plain !== address && length !== undefined;
  if (plain === undefined || bits > most || isMapped) throw new TrustedProxiesError(entry);
  list.addSubnet(plain, bits, familyOf(plain));
}

/**
 * The address of the client: the peer's, unless the peer is a trusted proxy, and then what it says in X-Forwarded-For, from
 * the last entry on back to the first that no trusted proxy wrote.
 *
 * @param peer The other end of the connection.
 * @param forwardedFor The header, several of them joined by commas; `undefined` if there is none.
 * @returns An address without port, in IPv4 where it is one written in IPv6.
 */
export function clientAddress(
  { peer, forwardedFor = "" }: { readonly peer: string; readonly forwardedFor?: string | undefined },
  isTrusted: TrustedProxies,
): string {
  let client = plainAddress(peer) ?? peer;
  for (const entry of forwardedFor.split(",").toReversed()) {
    if (!isTrusted(client)) break;
    const next = plainAddress(withoutPort(entry.trim()));
    // What can't be read says nothing about who comes before it either.
    if (next === undefined) break;
    client = next;
  }
  return client;
}

/** `[::1]:80`, `[::1]` and `192.0.2.1:80`: without port and brackets. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
}

/** An address as it is compared; `undefined` if the text is none. */
function plainAddress(text: string): string | undefined {
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1];
  const plain = mapped ?? text.replace(/%.*$/, "");
  return isIP(plain) === 0 ? undefined : plain;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
