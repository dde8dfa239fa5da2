/**
 * Trusted proxies, and the client address from X-Forwarded-For. Behind a proxy all connections have one peer: if the header were
 * ignored, one attacker would exhaust the limits of all clients; if every peer were trusted, an attacker could forge addresses.
 */
import { BlockList, isIP, isIPv4 } from "node:net";

import type { OptionParser } from "./option-parsers.js";

/** Whether an address is that of a trusted proxy. */
export type TrustedProxies = (address: string) => boolean;

/** Addresses and networks, separated by commas or white space. An empty list trusts no address. */
export const addressList: OptionParser<TrustedProxies> = {
  expected: "a list of addresses and networks such as 127.0.0.1,10.0.0.0/8",
  parse(given) {
    const entries = given.split(/[\s,]+/).filter((each) => each !== "");
    const list = new BlockList();
    if (!entries.every((entry) => addTo(list, entry))) return undefined;
    return (address) => {
      const plain = entries.length === 0 ? undefined : plainAddress(address);
      return plain !== undefined && list.check(plain, familyOf(plain));
    };
  },
};

/** @returns Whether the entry is an address or a network. */
function addTo(list: BlockList, entry: string): boolean {
  const [, address = "", length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  const maxBits = familyOf(plain) === "ipv4" ? 32 : 128;
  const bits = length === undefined ? maxBits : Number(length);
  // The prefix length of a network within ::ffff:0:0/96 is ambiguous.
  const isMapped = plain !== address && length !== undefined;
  if (bits > maxBits || isMapped) return false;
  list.addSubnet(plain, bits, familyOf(plain));
  return true;
}

/**
 * The address of the client: the peer's or, if the peer is a trusted proxy, the last entry of X-Forwarded-For that is not a
 * trusted proxy.
 *
 * @param peer The remote address of the connection.
 * @param forwardedFor The header, several joined by commas.
 * @returns An address without port; IPv4-mapped addresses as IPv4.
 */
export function clientAddress(
  { peer, forwardedFor }: { readonly peer: string; readonly forwardedFor?: string | undefined },
  isTrusted: TrustedProxies,
): string {
  let client = plainAddress(peer) ?? peer;
  if (forwardedFor === undefined) return client;
  for (const entry of forwardedFor.split(",").toReversed()) {
    if (!isTrusted(client)) break;
    const next = plainAddress(withoutPort(entry.trim()));
    // Entries before a malformed one are not trustworthy.
    if (next === undefined) break;
    client = next;
  }
  return client;
}

/** Strips port and brackets: `[::1]:80`, `[::1]`, `192.0.2.1:80`. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, "$1");
}

/** An address without zone and IPv4 mapping; `undefined` if the text is not an address. */
function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1];
  const plain = mapped ?? text.replace(/%.*$/, "");
  return isIP(plain) === 0 ? undefined : plain;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
