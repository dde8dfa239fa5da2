import { describe, expect, it } from "vitest";

import { networkOf } from "../../src/platform/client-network.js";

describe("the network of an address", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:0::/56"],
    ["2001:db8:1:ff::1", "2001:db8:1:0::/56"],
    ["2001:db8:1:100::1", "2001:db8:1:100::/56"],
    ["2001:0DB8:1:abcd::9", "2001:db8:1:ab00::/56"],
    ["2001:db8::1", "2001:db8:0:0::/56"],
    ["::1", "0:0:0:0::/56"],
    ["fe80::1%eth0", "fe80:0:0:0::/56"],
    ["64:ff9b::192.0.2.1", "192.0.2.1"],
    ["64:ff9b::c000:201", "192.0.2.1"],
  ])("of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
