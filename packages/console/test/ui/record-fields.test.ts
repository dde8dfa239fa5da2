import { expect, it } from "vitest";

import { faultOf, type RecordField } from "../../src/ui/forms/record-fields.ts";

it("requires at least one of several choices", () => {
  const roles: RecordField = { key: "roles", kind: "choices", label: "Roles", required: true, options: [] };
  expect(faultOf(roles, [])).toBe("Roles: none is chosen; at least one is required");
  expect(faultOf(roles, ["reader"])).toBeUndefined();
  expect(faultOf({ ...roles, required: false }, [])).toBeUndefined();
});
