import { Type } from "typebox";
import { expect, it } from "vitest";

import type { OpenApiSchema } from "../../../src/platform/api-document/openapi-types.js";
import { schemaMembers, typeText } from "../../../src/platform/api-document/schema-text.js";
import { nullable, openObject } from "../../../src/platform/http/validation/schema-parts.js";

it.each([
  [Type.String(), "text"],
  [Type.String({ minLength: 1, maxLength: 255 }), "text, 1 to 255 characters"],
  [Type.String({ minLength: 2, pattern: "^a" }), "text, at least 2 characters, matching ^a"],
  [nullable(Type.String({ maxLength: 64 })), "text, at most 64 characters, or null"],
  [Type.Integer({ minimum: -1, maximum: 9 }), "whole number, -1 to 9"],
  [Type.Boolean(), "true or false"],
  [Type.Unsafe({ type: "string", enum: ["admin", "public"] }), '"admin", "public"'],
  [Type.Union([Type.Literal("a"), Type.Literal("b")]), '"a", or "b"'],
  [Type.Array(Type.String(), { minItems: 1 }), "list of: text, at least 1 items"],
  [openObject({ a: Type.String() }), "object, which may have other members"],
  [Type.Object({}), "object"],
  [Type.Unsafe({ type: ["string", "null"] }), "text or null"],
  [Type.Unknown(), "anything"],
])("puts %j in words", (schema, text) => {
  expect(typeText(schema as OpenApiSchema)).toBe(text);
});

it("lists the members of objects, in lists and under conditions too", () => {
  const part = Type.Object({ id: Type.Optional(Type.String({ description: "made here" })) });
  const schema = Type.Object({ things: Type.Array(nullable(part)) });
  expect(schemaMembers(schema as OpenApiSchema)).toEqual([
    { name: "things", depth: 0, isRequired: true, type: "list of: object, or null", description: undefined },
    { name: "id", depth: 1, isRequired: false, type: "text", description: "made here" },
  ]);
});
