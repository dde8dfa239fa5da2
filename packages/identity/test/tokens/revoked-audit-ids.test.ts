import { randomBytes } from "node:crypto";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createRevokedAuditIds } from "../../src/tokens/revoked-audit-ids.js";

const auditIds = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => base64url(bytes));

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

const NEW_ID = () => base64url(randomBytes(16));

describe("revoked audit ids", () => {
  it("are those that were added behind the pruned position, as in a map", () => {
    const steps = fc.array(
      fc.record({ auditId: auditIds, position: fc.integer({ min: 1, max: 50 }), prunedTo: fc.nat(50) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, fc.array(auditIds), (taken, others) => {
        const revoked = createRevokedAuditIds();
        const expected = new Map<string, number>();
        for (const { auditId, position, prunedTo } of taken) {
          revoked.add(auditId, position);
          expected.set(auditId, Math.max(position, expected.get(auditId) ?? 0));
          revoked.prune(prunedTo);
          for (const [id, at] of expected) if (at <= prunedTo) expected.delete(id);
        }
        for (const id of [...others, ...taken.map(({ auditId }) => auditId)])
          expect(revoked.has(id)).toBe(expected.has(id));
        expect(revoked.size).toBe(expected.size);
      }),
    );
  });

  it("are 100,000 and no others, whatever is pruned", () => {
    const revoked = createRevokedAuditIds();
    const ids = Array.from({ length: 100_000 }, NEW_ID);
    for (const [index, id] of ids.entries()) revoked.add(id, index + 1);
    expect(revoked.size).toBe(100_000);
    expect(ids.every((id) => revoked.has(id))).toBe(true);
    expect(Array.from({ length: 100_000 }, NEW_ID).some((id) => revoked.has(id))).toBe(false);
    revoked.prune(99_990);
    expect(ids.filter((id) => revoked.has(id))).toEqual(ids.slice(99_990));
    expect(revoked.size).toBe(10);
  });

  it.each(["", "audit-1", "a".repeat(21), "a".repeat(23), `=${"a".repeat(21)}`, `é${"a".repeat(21)}`])(
    "have no place for %j, which is no 16 bytes in base64url",
    (text) => {
      const revoked = createRevokedAuditIds();
      expect(revoked.add(text, 1)).toBe(false);
      expect(revoked.has(text)).toBe(false);
    },
  );
});
