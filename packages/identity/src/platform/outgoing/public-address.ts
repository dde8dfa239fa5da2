/** Public IP addresses: requests to them can't reach the operator's internal network. */
import { BlockList, isIP } from "node:net";

/** Special-purpose networks: https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Global unicast. */
const GLOBAL_IPV6 = ["2000::/3"];
/** Within it: protocol assignments, documentation, 6to4. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const specialIpv4 = networks("ipv4", SPECIAL_IPV4);
const globalIpv6 = networks("ipv6", GLOBAL_IPV6);
const specialIpv6 = networks("ipv6", SPECIAL_IPV6);

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, "ipv4");
  return family === 6 && globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

function networks(family: "ipv4" | "ipv6", texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", length] = text.split("/");
    list.addSubnet(address, Number(length), family);
  }
  return list;
}
