import { randomBytes } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { encryptFernet, toFernetKey } from "../../src/tokens/fernet.js";
import { decodeTokenPayload, encodeTokenPayload, type TokenPayload } from "../../src/tokens/token-payload.js";

const HEX_ID = fc
  .uint8Array({ minLength: 16, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("hex"));
const AUDIT_ID = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString("base64url"));
/** Ids as this service makes them, ids that operators chose, and texts that look like one of these. */
const ID = fc.oneof(
  HEX_ID,
  AUDIT_ID,
  fc.string({ unit: "grapheme", maxLength: 64 }),
  fc.constantFrom("default", "", "0", "ab", "AB", "abc", "dead-beef", "A".repeat(22), `${"A".repeat(21)}B`),
);
const MOMENT = fc.nat({ max: 2 ** 50 });
/** A moment, or the number of an event of which the moment was forgotten. */
const POSITION = fc.nat({ max: 2 ** 48 });
const METHOD = fc.oneof(
  fc.constantFrom("password", "token", "mapped", "openid", "saml2", "application_credential"),
  ID,
);

const PAYLOAD: fc.Arbitrary<TokenPayload> = fc.record(
  {
    userId: ID,
    methods: fc.array(METHOD, { maxLength: 5 }),
    scope: fc.oneof(
      fc.constant({ kind: "unscoped" } as const),
      fc.constant({ kind: "system" } as const),
      fc.record({ kind: fc.constant("project" as const), projectId: ID }),
      fc.record({ kind: fc.constant("domain" as const), domainId: ID }),
    ),
    auditId: AUDIT_ID,
    auditChainId: AUDIT_ID,
    issuedAt: MOMENT,
    expiresAt: MOMENT,
    federation: fc.record(
      {
        identityProviderId: ID,
        protocolId: ID,
        groupIds: fc.array(ID, { maxLength: 20 }),
        isLocalUser: fc.constant(true),
        unstoredUser: fc.record({ name: ID, domainId: ID }, { noNullPrototype: true }),
      },
      { requiredKeys: ["identityProviderId", "protocolId", "groupIds"], noNullPrototype: true },
    ),
    positions: fc.oneof(
      fc.record({ proof: POSITION, scope: POSITION }),
      POSITION.map((position) => ({ proof: position, scope: position })),
    ),
    delegation: fc.record(
      {
        applicationCredentialId: ID,
        trustId: ID,
        accessToken: fc.record({ id: ID, consumerId: ID }, { noNullPrototype: true }),
        certificateThumbprint: ID,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  {
    requiredKeys: ["userId", "methods", "scope", "auditId", "issuedAt", "expiresAt"],
    noNullPrototype: true,
  },
);

const hexId = (): string => randomBytes(16).toString("hex");
const auditId = (): string => randomBytes(16).toString("base64url");

function passwordPayload(): TokenPayload {
  return {
    userId: hexId(),
    methods: ["password", "token"],
    scope: { kind: "project", projectId: hexId() },
    auditId: auditId(),
    auditChainId: auditId(),
    issuedAt: Date.parse("2026-11-21T01:55:27.123Z"),
    expiresAt: Date.parse("2026-11-21T02:55:27Z"),
    // Those of a token that rests on something read two days before.
    positions: {
      proof: Date.parse("2026-11-21T01:54:00.123Z"),
      scope: Date.parse("2026-11-19T01:54:00.123Z"),
    },
  };
}

function tokenLength(payload: TokenPayload): number {
  return encryptFernet(toFernetKey(Buffer.alloc(32)), encodeTokenPayload(payload), { at: 0 }).length;
}

describe("a token's payload", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(PAYLOAD, (payload) => {
        expect(decodeTokenPayload(encodeTokenPayload(payload))).toEqual(payload);
      }),
      { numRuns: 500 },
    );
  });

  it("is none with a byte more or less, and never makes the reader fail otherwise", () => {
    fc.assert(
      fc.property(PAYLOAD, fc.nat(255), (payload, byte) => {
        const bytes = encodeTokenPayload(payload);
        expect(decodeTokenPayload(Buffer.concat([bytes, Buffer.from([byte])]))).toBeUndefined();
        expect(decodeTokenPayload(bytes.subarray(0, -1))).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (noise) => {
        decodeTokenPayload(Buffer.from([1, ...noise]));
      }),
    );
  });

  it("of another version of the format is none", () => {
    const bytes = encodeTokenPayload(passwordPayload());
    bytes[0] = 2;
    expect(decodeTokenPayload(bytes)).toBeUndefined();
  });

  it.each([256, 512, 2 ** 20, 2 ** 40])("with the flag %i, which no release has, is none", (flag) => {
    const bytes = encodeTokenPayload(passwordPayload());
    // Next to the flags of the payload, in seven bits per byte: without the unknown one, the rest would be read.
    const flags: number[] = [];
    for (let rest = flag + (bytes[1] ?? 0); ; rest = Math.floor(rest / 128)) {
      flags.push((rest % 128) + (rest < 128 ? 0 : 128));
      if (rest < 128) break;
    }
    expect(
      decodeTokenPayload(Buffer.concat([bytes.subarray(0, 1), Buffer.from(flags), bytes.subarray(2)])),
    ).toBeUndefined();
  });

  it("with a method by a number that no release has is none", () => {
    const payload = passwordPayload();
    const bytes = encodeTokenPayload({ ...payload, methods: ["password"] });
    const other = encodeTokenPayload({ ...payload, methods: ["token"] });
    const place = bytes.findIndex((byte, index) => byte !== other[index]);
    bytes[place] = 127;
    expect(decodeTokenPayload(bytes)).toBeUndefined();
  });

  it("has bytes that don't change from release to release", () => {
    const payload: TokenPayload = {
      userId: "0123456789abcdef0123456789abcdef",
      methods: ["password", "corp-sso"],
      scope: { kind: "domain", domainId: "default" },
      auditId: "AAAAAAAAAAAAAAAAAAAAAA",
      issuedAt: 0,
      expiresAt: 300,
    };
    // By hand: version, flags, 16 bytes of hex, two methods (number 1; text of 8 bytes), text of 7 bytes,
    // 0, 300 = 0x2c + 2 * 128, 16 bytes of base64.
    const expected =
      "01 02 41 0123456789abcdef0123456789abcdef 02 01 00 20 636f72702d73736f 1c 64656661756c74 00 ac02 42 " +
      "00".repeat(16);
    expect(encodeTokenPayload(payload).toString("hex")).toBe(expected.replaceAll(" ", ""));
    // Flag 32, and behind all else twice how long before the token the one position is, and the other before that; odd where it is behind.
    const withPositions = ([proof, scope]: readonly [number, number]) =>
      encodeTokenPayload({ ...payload, issuedAt: 300, positions: { proof, scope } }).toString("hex");
    const start = `0122${expected.replaceAll(" ", "").slice(4).replace("00ac0242", "ac02ac0242")}`;
    const positions = [
      [300, 300],
      [299, 300],
      [301, 299],
      [300, 200],
    ] as const;
    expect(positions.map(withPositions)).toEqual(
      ["0000", "0201", "0104", "00c801"].map((packed) => start + packed),
    );
  });

  it("names what it was delegated by behind all else, after a byte of flags", () => {
    const payload = { ...passwordPayload(), methods: ["ec2credential", "oauth1"] };
    const plain = encodeTokenPayload(payload);
    // Methods 9 and 11 of the list, to which releases only append.
    expect(plain.subarray(19, 22).toString("hex")).toBe("02090b");
    const delegation = {
      applicationCredentialId: "ab".repeat(16),
      trustId: "t",
      accessToken: { id: "a", consumerId: "c" },
    };
    const delegated = encodeTokenPayload({ ...payload, delegation });
    expect(delegated[1]).toBe((plain[1] ?? 0) + 64);
    // By hand: 1 + 2 + 4, 16 bytes of hex, text of 1 byte, 2 texts of 1 byte.
    expect(delegated.subarray(plain.length).toString("hex")).toBe(`0741${"ab".repeat(16)}04740204610463`);
    delegated[plain.length] = 23;
    expect(decodeTokenPayload(delegated)).toBeUndefined();
  });

  it("makes tokens of at most 255 characters, as those of a password login are in Keystone", () => {
    const payload = passwordPayload();
    expect(tokenLength(payload)).toBeLessThanOrEqual(220);
    // Keystone's recorded tokens have 183 characters for a project and 162 without one, none of them with a chain.
    const { auditChainId: _, ...first } = payload;
    expect(tokenLength({ ...first, methods: ["password"] })).toBeLessThanOrEqual(183);
    expect(tokenLength({ ...first, scope: { kind: "unscoped" } })).toBeLessThanOrEqual(162);
    expect(tokenLength({ ...first, scope: { kind: "system" } })).toBeLessThanOrEqual(162);
  });

  it("of a federated user with a group is no longer than Keystone's", () => {
    const { auditChainId: _, ...first } = passwordPayload();
    const federation = {
      identityProviderId: "fidp",
      protocolId: "mapped",
      groupIds: [hexId()],
    };
    const payload = { ...first, userId: hexId() + hexId(), methods: ["mapped"], federation };
    expect(tokenLength(payload)).toBeLessThanOrEqual(268);
  });

  it("refuses a moment that is none", () => {
    expect(() => encodeTokenPayload({ ...passwordPayload(), expiresAt: Number.NaN })).toThrow(
      "NaN can't be packed",
    );
  });
});
