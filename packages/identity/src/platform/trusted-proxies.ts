/**
 * Trusted proxies, and the client address from X-Forwarded-For. Behind a proxy all connections have one peer: if the header were
 * ignored, one attacker would exhaust the limits of all clients; if every peer were trusted, an attacker could forge addresses.
 */
import { BlockList, isIP } from "node:net";

/** An entry of a list of proxies is invalid. */
export class TrustedProxiesError extends Error {
  override readonly name = "TrustedProxiesError";
  readonly code = "trusted-proxies/malformed";
  readonly entry: string;

  constructor(entry: string) {
    super(
      `IDENTITY_TRUSTED_PROXIES: ${JSON.stringify(entry)} is not an IP address or a network such as 10.0.0.0/8 or fd00::/8`,
    );
    this.entry = entry;
  }
}

/** Whether an address is that of a trusted proxy. */
export type TrustedProxies = (address: string) => boolean;

/**
 * Parses addresses and networks, separated by commas or white space. An empty list trusts no address.
 *
 * @throws {TrustedProxiesError}
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
  const maxBits = plain === undefined ? 0 : familyOf(plain) === "ipv4" ? 32 : 128;
  const bits = length === undefined ? maxBits : Number(length);
  // The prefix length of a network within ::ffff:0:0/96 is ambiguous.
  const isMapped = plain !== undefined && plain !== address && length !== undefined;
  if (plain === undefined || bits > maxBits || isMapped) throw new TrustedProxiesError(entry);
  list.addSubnet(plain, bits, familyOf(plain));
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
  { peer, forwardedFor = "" }: { readonly peer: string; readonly forwardedFor?: string | undefined },
  isTrusted: TrustedProxies,
): string {
  let client = plainAddress(peer) ?? peer;
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
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1];
  const plain = mapped ?? text.replace(/%.*$/, "");
  return isIP(plain) === 0 ? undefined : plain;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
