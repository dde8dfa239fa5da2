/** Which addresses anybody on the internet could ask as well: asking them for somebody reveals nothing of the network here. */
import { BlockList, isIP } from "node:net";

/** Networks that are not on the internet, or lead elsewhere than they seem: https://www.iana.org/assignments/iana-ipv4-special-registry */
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

/** All that is given out on the internet; everything else is special. */
const GIVEN_IPV6 = ["2000::/3"];
/** But for tunnels to IPv4 addresses, and documentation. */
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

const specialIpv4 = networks("ipv4", SPECIAL_IPV4);
const givenIpv6 = networks("ipv6", GIVEN_IPV6);
const specialIpv6 = networks("ipv6", SPECIAL_IPV6);

/** Whether the text is an address on the internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, "ipv4");
  return family === 6 && givenIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
}

function networks(family: "ipv4" | "ipv6", texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", length] = text.split("/");
    list.addSubnet(address, Number(length), family);
  }
  return list;
}
