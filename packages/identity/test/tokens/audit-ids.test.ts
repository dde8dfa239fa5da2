import { expect, it } from "vitest";

import { auditChainOf, auditIdsOf, newAuditId } from "../../src/tokens/audit-ids.js";

it("are 16 bytes in base64url, and never given again", () => {
  const ids = new Set(Array.from({ length: 1000 }, newAuditId));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{21}[AQgw]$/);
});

it("name the chain of a token, which is its own if it is the first", () => {
  expect(auditChainOf({ auditId: "first" })).toBe("first");
  expect(auditChainOf({ auditId: "second", auditChainId: "first" })).toBe("first");
  expect(auditIdsOf({ auditId: "first" })).toEqual(["first"]);
  expect(auditIdsOf({ auditId: "second", auditChainId: "first" })).toEqual(["second", "first"]);
});
