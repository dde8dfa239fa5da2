/** Payloads of Keystone's tokens: each version by the layout of Keystone's token_formatters.py. */
import { describe, expect, it } from "vitest";

import { decodeKeystonePayload } from "../../../src/tokens/imported/keystone-payload.js";
import { pack, pairOf, type Packable } from "./keystone-token.js";

const METHODS = ["password", "token", "application_credential", "totp", "oauth1", "mapped"];
const [PASSWORD, TOKEN, APPLICATION_CREDENTIAL, OAUTH1, MAPPED] = [1, 2, 4, 16, 32];
const USER = "9d35d6febf904f7a937751a90a383413";
const FEDERATED_USER = "decc39ea7cd5fff02d5219144d799f9f3c2af834747a35bf557d66ac3186b0fd";
const PROJECT = "57d8be6faf064c45ba1d901ee94fdef9";
const OTHER = "0000000000000000000000000000000f";
const AUDIT = Buffer.from("bAdnCQaXRIqQJLzVeJ3-7Q", "base64url");
const ISSUED = Date.parse("2026-11-22T06:04:38Z");
const EXPIRY = { double: ISSUED / 1000 + 3600 };
const COMMON = {
  userId: USER,
  methods: ["password"],
  auditId: "bAdnCQaXRIqQJLzVeJ3-7Q",
  issuedAt: ISSUED,
  expiresAt: ISSUED + 3_600_000,
};
const FEDERATION = { identityProviderId: "corp", protocolId: "mapped", groupIds: [OTHER, "staff"] };
const GROUPS = [pairOf(OTHER), pairOf("staff")];

const decode = (payload: Packable, authMethods: readonly string[] = METHODS) =>
  decodeKeystonePayload(pack(payload), { authMethods, issuedAt: ISSUED });

describe("a payload of Keystone", () => {
  it.each<[string, Packable, object]>([
    ["0: unscoped", [0, pairOf(USER), PASSWORD, EXPIRY, [AUDIT]], { ...COMMON, scope: { kind: "unscoped" } }],
    [
      "1: the default domain",
      [1, pairOf(USER), PASSWORD, "default", EXPIRY, [AUDIT]],
      { ...COMMON, scope: { kind: "domain", domainId: "default" } },
    ],
    [
      "1: a domain",
      [1, pairOf(USER), PASSWORD, Buffer.from(OTHER, "hex"), EXPIRY, [AUDIT]],
      { ...COMMON, scope: { kind: "domain", domainId: OTHER } },
    ],
    [
      "2: a project",
      [2, pairOf(USER), PASSWORD, pairOf(PROJECT), EXPIRY, [AUDIT]],
      { ...COMMON, scope: { kind: "project", projectId: PROJECT } },
    ],
    [
      "3: a trust",
      [3, pairOf(USER), PASSWORD, pairOf(PROJECT), EXPIRY, [AUDIT], Buffer.from(OTHER, "hex")],
      { ...COMMON, scope: { kind: "project", projectId: PROJECT }, delegation: { trustId: OTHER } },
    ],
    [
      "4: a federated user",
      [4, pairOf(FEDERATED_USER), MAPPED, GROUPS, pairOf("corp"), "mapped", EXPIRY, [AUDIT]],
      {
        ...COMMON,
        userId: FEDERATED_USER,
        methods: ["mapped"],
        scope: { kind: "unscoped" },
        federation: FEDERATION,
      },
    ],
    [
      "5: a federated user in a project",
      [
        5,
        pairOf(FEDERATED_USER),
        MAPPED + TOKEN,
        pairOf(PROJECT),
        GROUPS,
        pairOf("corp"),
        "mapped",
        EXPIRY,
        [AUDIT],
      ],
      {
        ...COMMON,
        userId: FEDERATED_USER,
        methods: ["mapped", "token"],
        scope: { kind: "project", projectId: PROJECT },
        federation: FEDERATION,
      },
    ],
    [
      "6: a federated user in a domain",
      [6, pairOf(FEDERATED_USER), MAPPED, pairOf(OTHER), GROUPS, pairOf("corp"), "mapped", EXPIRY, [AUDIT]],
      {
        ...COMMON,
        userId: FEDERATED_USER,
        methods: ["mapped"],
        scope: { kind: "domain", domainId: OTHER },
        federation: FEDERATION,
      },
    ],
    [
      "7: OAuth 1.0a",
      [7, pairOf(USER), OAUTH1, pairOf(PROJECT), pairOf(OTHER), EXPIRY, [AUDIT]],
      {
        ...COMMON,
        methods: ["oauth1"],
        scope: { kind: "project", projectId: PROJECT },
        delegation: { accessToken: { id: OTHER, consumerId: "" } },
      },
    ],
    [
      "8: the system",
      [8, pairOf(USER), PASSWORD, "all", EXPIRY, [AUDIT]],
      { ...COMMON, scope: { kind: "system" } },
    ],
    [
      "9: an application credential",
      [9, pairOf(USER), APPLICATION_CREDENTIAL, pairOf(PROJECT), EXPIRY, [AUDIT], pairOf(OTHER)],
      {
        ...COMMON,
        methods: ["application_credential"],
        scope: { kind: "project", projectId: PROJECT },
        delegation: { applicationCredentialId: OTHER },
      },
    ],
    [
      "10: a client certificate",
      [10, pairOf(USER), 0, pairOf(PROJECT), [false, null], EXPIRY, [AUDIT], [false, "thumb"]],
      {
        ...COMMON,
        methods: [],
        scope: { kind: "project", projectId: PROJECT },
        delegation: { certificateThumbprint: "thumb" },
      },
    ],
  ])("of version %s", (_, payload, expected) => {
    expect(decode(payload)).toEqual(expected);
    // As msgpack wrote bytes before its release 1.0.
    expect(
      decodeKeystonePayload(pack(payload, "before 1.0"), { authMethods: METHODS, issuedAt: ISSUED }),
    ).toEqual(expected);
  });

  it("names the chain of a rescoped token, and its methods from the last of the list to the first", () => {
    const chain = Buffer.from("NW3pL5X3SOWOsvFByExA8A", "base64url");
    expect(decode([0, pairOf(USER), PASSWORD + TOKEN, EXPIRY, [AUDIT, chain]])).toMatchObject({
      methods: ["token", "password"],
      auditId: "bAdnCQaXRIqQJLzVeJ3-7Q",
      auditChainId: "NW3pL5X3SOWOsvFByExA8A",
    });
  });

  it("names the methods of Debian's packages that are in no list", () => {
    const of = (sum: number) => decode([0, pairOf(USER), sum, EXPIRY, [AUDIT]])?.methods;
    expect(of(2 ** 32)).toEqual(["ec2credential"]);
    expect(of(2 ** 33 + APPLICATION_CREDENTIAL)).toEqual(["oauth2_credential", "application_credential"]);
  });

  it("is rejected with a method that is not in the list", () => {
    expect(decode([0, pairOf(USER), 64, EXPIRY, [AUDIT]])).toBeUndefined();
    expect(decode([0, pairOf(USER), MAPPED, EXPIRY, [AUDIT]], METHODS.slice(0, 5))).toBeUndefined();
    expect(decode([0, pairOf(USER), 2 ** 34, EXPIRY, [AUDIT]])).toBeUndefined();
    expect(decode([0, pairOf(USER), { double: 1.5 }, EXPIRY, [AUDIT]])).toBeUndefined();
  });

  it.each<[string, Packable]>([
    ["an unknown version", [11, pairOf(USER), PASSWORD, EXPIRY, [AUDIT]]],
    ["a value too few", [2, pairOf(USER), PASSWORD, EXPIRY, [AUDIT]]],
    ["a value too many", [0, pairOf(USER), PASSWORD, EXPIRY, [AUDIT], 1]],
    ["no audit id", [0, pairOf(USER), PASSWORD, EXPIRY, []]],
    ["a short id", [0, [true, Buffer.from([1, 2])], PASSWORD, EXPIRY, [AUDIT]]],
    ["no user", [0, [false, null], PASSWORD, EXPIRY, [AUDIT]]],
    ["another system", [8, pairOf(USER), PASSWORD, "some", EXPIRY, [AUDIT]]],
    ["an expiry that is not a number", [0, pairOf(USER), PASSWORD, { double: NaN }, [AUDIT]]],
    ["a text instead of an array", "text"],
    ["arrays nested too deeply", [0, [[[[[1]]]]]]],
  ])("is rejected with %s", (_, payload) => {
    expect(decode(payload)).toBeUndefined();
  });

  it("is rejected if truncated anywhere, or followed by bytes", () => {
    const bytes = pack([2, pairOf(USER), PASSWORD, pairOf(PROJECT), EXPIRY, [AUDIT]]);
    const context = { authMethods: METHODS, issuedAt: ISSUED };
    expect(decodeKeystonePayload(bytes, context)).toBeDefined();
    for (let length = 0; length < bytes.length; length++)
      expect(decodeKeystonePayload(bytes.subarray(0, length), context)).toBeUndefined();
    expect(decodeKeystonePayload(Buffer.concat([bytes, Buffer.from([0])]), context)).toBeUndefined();
  });
});
