/** The network of a client, for limits that its addresses share. */
import { isIPv6 } from "node:net";

/**
 * The network that an attempt is counted for: an IPv4 address, or the /56 of an IPv6 address, which providers assign to one
 * customer (RFC 6177). IPv4 addresses embedded in IPv6 (`::ffff:0:0/96`, `64:ff9b::/96`) count as IPv4.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const groups = groupsOf(address);
  // RFC 6052: IPv4 clients of an IPv6-only service.
  if (groups.slice(0, 6).join(":") === "64:ff9b:0:0:0:0")
    return groups
      .slice(6)
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
      .join(".");
  const fourth = (Number.parseInt(groups[3] ?? "0", 16) & 0xff00).toString(16);
  return `${groups.slice(0, 3).join(":")}:${fourth}::/56`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail = ""] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const before = partsOf(head);
  const after = partsOf(tail);
  return [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
}

function partsOf(text: string): string[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return group.replace(/^0+(?=.)/, "");
    // A trailing IPv4 address is two groups.
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)];
  });
}
