import { describe, expect, it } from "vitest";

import { addressList, clientAddress, type TrustedProxies } from "../../src/platform/trusted-proxies.js";

const trustedIn = (list: string) => addressList.parse(list) as TrustedProxies;
const isTrusted = trustedIn("10.0.0.0/8, 192.0.2.7 fd00::/8,::1");

describe("trusted proxies", () => {
  it.each([
    ["10.1.2.3", true],
    ["::ffff:10.1.2.3", true],
    ["11.0.0.1", false],
    ["192.0.2.7", true],
    ["192.0.2.8", false],
    ["fd12::1", true],
    ["fe80::1", false],
    ["::1", true],
    ["", false],
    ["somewhere", false],
  ])("%s: %s", (address, expected) => {
    expect(isTrusted(address)).toBe(expected);
  });

  it("are none by default", () => {
    expect(trustedIn("")("127.0.0.1")).toBe(false);
  });

  it.each([
    "10.0.0.0/33",
    "::/129",
    "10.0.0",
    "localhost",
    "10.0.0.0/",
    "10.0.0.0/8/8",
    "::ffff:10.0.0.0/104",
  ])("are not a list with %s", (entry) => {
    expect(addressList.parse(`::1,${entry}`)).toBeUndefined();
  });
});

describe("the address of a client", () => {
  it.each([
    ["the peer's, without a proxy", "198.51.100.1", undefined, "198.51.100.1"],
    ["the peer's, whatever it claims, if it isn't trusted", "198.51.100.1", "203.0.113.9", "198.51.100.1"],
    ["what a trusted proxy says", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["the last that no trusted proxy wrote", "10.0.0.1", "1.1.1.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"],
    ["the first proxy's, if all are trusted", "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["the proxy's, if it says nothing", "10.0.0.1", "", "10.0.0.1"],
    ["the proxy's, if X-Forwarded-For is malformed", "10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"],
    ["in IPv4 where it is one", "::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
    ["without its port", "10.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
    ["without its brackets", "10.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
  ])("is %s", (_, peer, forwardedFor, expected) => {
    expect(clientAddress({ peer, forwardedFor }, isTrusted)).toBe(expected);
  });
});
