import { describe, expect, it } from "vitest";

import { IOError } from "../../../src/errors.js";
import type { Command } from "../../../src/kvstore/redis/redis-link.js";
import {
  createClusterSender,
  hasHashTag,
  slotOf,
  type ClusterNode,
} from "../../../src/kvstore/redis/redis-slots.js";

describe("the slot of a key", () => {
  // CLUSTER KEYSLOT of Redis 7.0.
  it.each([
    ["123456789", 12_739],
    ["foo", 12_182],
    ["CF_prefix_index_DL", 6446],
    ["{cty}CF_prefix_index_DL", 10_520],
    ["{cty}", 10_520],
    ["cty", 10_520],
    ["a{}b", 13_694],
    ["a{{b}}c", 6215],
    ["Ünïcode", 11_467],
  ])("is as the cluster reckons it: %s", (key, slot) => {
    expect(slotOf(key)).toBe(slot);
  });

  it("is the same for all keys behind a hash tag", () => {
    expect(["{cty}CF_", "x{1}_"].every((start) => hasHashTag(start))).toBe(true);
    expect(["CF_", "{}CF_", "{CF_", "}{"].some((start) => hasHashTag(start))).toBe(false);
  });
});

describe("commands in a cluster", () => {
  /** Two servers with half the slots each; `answer` of the second can be exchanged. */
  function cluster(answer: (command: Command) => unknown) {
    const sent: string[] = [];
    const node = (port: number, reply: (command: Command) => unknown): ClusterNode => ({
      address: `127.0.0.1:${port}`,
      async send(commands) {
        sent.push(`${port}: ${commands.map((command) => command.join(" ")).join(", ")}`);
        return commands.map((command) =>
          command[0] === "CLUSTER"
            ? [
                [0, 8191, ["127.0.0.1", 1, "id"]],
                [8192, 16_383, ["127.0.0.1", 2, "id"]],
              ]
            : reply(command),
        );
      },
    });
    const nodes = [node(1, ([, key]) => `1 has ${key}`), node(2, answer)];
    const send = createClusterSender({
      masters: async () => nodes,
      sendEach: async (commands) => commands.map(([, key]) => `found ${key}`),
    });
    return { send, sent };
  }

  it("go to the server of their key, those for the same one together", async () => {
    const { send, sent } = cluster(([, key]) => `2 has ${key}`);
    // Slots 8579, 12182, 866 and 15495 by CLUSTER KEYSLOT.
    const keys = ["k0", "foo", "hello", "a"];
    expect(await send(keys.map((key) => ["GET", key]))).toEqual(
      keys.map((key) => `${slotOf(key) < 8192 ? 1 : 2} has ${key}`),
    );
    expect(sent.length).toBe(3);
  });

  it("go the library's way where a server points elsewhere, or fails", async () => {
    for (const answer of [
      () => new Error("MOVED 12182 127.0.0.1:3"),
      () => new Error("ASK 12182 127.0.0.1:3"),
      () => {
        throw new IOError("2", "gone");
      },
    ]) {
      const { send } = cluster(answer);
      expect(
        await send([
          ["GET", "foo"],
          ["GET", "hello"],
        ]),
      ).toEqual(["found foo", "1 has hello"]);
    }
  });

  it("find the servers again after none was reachable (a failure was kept, and each later lookup failed)", async () => {
    let isReachable = false;
    const send = createClusterSender({
      masters: async () => {
        if (!isReachable) throw new IOError("cluster", "Connection is closed.");
        return [{ address: "127.0.0.1:1", send: async () => [[]] }];
      },
      sendEach: async () => {
        if (!isReachable) throw new IOError("cluster", "gone");
        return ["found"];
      },
    });
    await expect(send([["GET", "foo"]])).rejects.toThrow("gone");
    isReachable = true;
    expect(await send([["GET", "foo"]])).toEqual(["found"]);
  });

  it("keep other refusals", async () => {
    const refusal = new Error("WRONGTYPE Operation against a key holding the wrong kind of value");
    const { send } = cluster(() => refusal);
    expect(await send([["GET", "foo"]])).toEqual([refusal]);
  });
});
