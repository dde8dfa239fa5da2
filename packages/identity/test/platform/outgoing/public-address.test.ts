/** Public and private addresses. */
import { describe, expect, it } from "vitest";

import { isPublicAddress } from "../../../src/platform/outgoing/outgoing-requests.js";

describe("an address on the internet", () => {
  it.each([
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::8a",
  ])("is %s", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ["this network", "0.0.0.0"],
    ["private", "10.1.2.3"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["shared among a provider's customers", "100.64.0.1"],
    ["loopback", "127.0.0.1"],
    ["link-local, of clouds' metadata", "169.254.169.254"],
    ["multicast", "224.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["loopback in IPv6", "::ffff:127.0.0.1"],
    ["on the internet, but written in IPv6", "::ffff:8.8.8.8"],
    ["private by translation", "64:ff9b::a00:1"],
    ["private by tunnel", "2002:a00:1::"],
    ["private by tunnel", "2001:0:a00:1::"],
    ["local", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["for documentation", "2001:db8::1"],
    ["none", "localhost"],
    ["none", "2130706433"],
  ])("is not one that is %s: %s", (_, address) => expect(isPublicAddress(address)).toBe(false));
});
