/** Costly rejections of a mapping are cached. */
import { describe, expect, it } from "vitest";

import { createRefusedAssertions } from "../../../src/federation/mapped/mapped-user.js";
import { asVerified } from "../../../src/federation/assertion-verifier.js";

const of = (name: string, protocolId = "p") =>
  asVerified({
    identityProviderId: "idp",
    protocolId,
    remoteId: undefined,
    attributes: { name },
    expiresAt: undefined,
  });

describe("cached rejections", () => {
  const time = { now: 0, revision: 0 };
  const create = () =>
    createRefusedAssertions({ clock: { now: () => time.now }, revision: () => time.revision });

  it("hold for the same assertion of the same protocol, for a minute, and until something changes", () => {
    const refused = create();
    refused.add(of("a"), new Error("too many"));
    expect(() => refused.check(of("a"))).toThrow("too many");
    expect(() => refused.check(of("b"))).not.toThrow();
    expect(() => refused.check(of("a", "other"))).not.toThrow();
    time.now += 60_000;
    expect(() => refused.check(of("a"))).not.toThrow();
    refused.add(of("a"), new Error("too many"));
    time.revision++;
    expect(() => refused.check(of("a"))).not.toThrow();
  });

  it("are a thousand: the oldest goes first", () => {
    const refused = create();
    for (let index = 0; index <= 1000; index++) refused.add(of(`${index}`), new Error(`${index}`));
    expect(() => refused.check(of("0"))).not.toThrow();
    expect(() => refused.check(of("1"))).toThrow("1");
    expect(() => refused.check(of("1000"))).toThrow("1000");
  });
});
