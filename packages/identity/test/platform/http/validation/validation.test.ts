import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import { schemaFault, type Schema } from "../../../../src/platform/http/validation/schema-fault.js";
import { SchemaError } from "../../../../src/platform/http/validation/validation.js";
import { goldenRows, hasGolden } from "../../../golden.js";

const UUID = Type.String({
  title: "uuid",
  pattern: "^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$",
});
const nullable = (type: string, more: object = {}) => Type.Unsafe({ type: [type, "null"], ...more });

const REGISTERED_LIMITS = {
  type: "object",
  properties: {
    registered_limits: {
      type: "array",
      items: {
        type: "object",
        properties: {
          service_id: UUID,
          region_id: nullable("string", { minLength: 1 }),
          resource_name: Type.String({ minLength: 1, maxLength: 255 }),
          default_limit: Type.Integer({ minimum: -1, maximum: 2 ** 31 - 1 }),
          description: nullable("string"),
        },
        additionalProperties: false,
        required: ["service_id", "resource_name", "default_limit"],
      },
      minItems: 1,
    },
  },
  required: ["registered_limits"],
  additionalProperties: false,
};

function messageOf(schema: object, value: unknown): string | undefined {
  const fault = schemaFault(schema as Schema, value);
  return fault === undefined ? undefined : new SchemaError(fault).message;
}

describe("what is wrong with a value", () => {
  it.each([
    [Type.Union([Type.Integer(), Type.Null()]), "5", "'5' is not of type 'integer', 'null'"],
    [Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]), -1, "-1 is less than the minimum of 0"],
    [Type.Integer({ maximum: 9 }), 10, "10 is greater than the maximum of 9"],
    [Type.Boolean(), null, "None is not of type 'boolean'"],
    [Type.Literal("x"), "y", "'x' was expected"],
    [Type.Unsafe({ enum: [true, "yes"] }), "no", "'no' is not one of [True, 'yes']"],
    [Type.String({ pattern: "^a+$" }), "b", "'b' does not match '^a+$'"],
    [UUID, "x", "'x' is not a 'uuid'"],
    [Type.String({ maxLength: 2 }), "👍👍👍", "'👍👍👍' is too long"],
    [Type.Array(Type.String(), { uniqueItems: true }), ["a", "a"], "['a', 'a'] has non-unique elements"],
    [Type.Object({}, { minProperties: 1 }), {}, "{} does not have enough properties"],
    [
      Type.Object({}, { additionalProperties: false }),
      { a: 1, b: 2 },
      "Additional properties are not allowed ('a', 'b' were unexpected)",
    ],
    [
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1, b: 2 },
      "{'a': 1, 'b': 2} is valid under each of {'required': ['a']}, {'required': ['b']}",
    ],
    [
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { c: null },
      "{'c': None} is not valid under any of the given schemas",
    ],
  ])("is told as Python tells it: %j %j", (schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message);
  });

  it("names the innermost field, and shows its value", () => {
    const schema = Type.Object({ list: Type.Array(Type.Object({ n: Type.Integer() })) });
    expect(messageOf(schema, { list: [{ n: 1 }, { n: "two" }] })).toBe(
      "Invalid input for field/attribute n. Value: two. 'two' is not of type 'integer'",
    );
  });

  it.each([
    ["it's", `"it's"`],
    [`it's "so"`, `'it\\'s "so"'`],
    ["a\nb\u0000\u200b\\", String.raw`'a\nb\x00\u200b\\'`],
  ])("quotes %j as Python does", (value, quoted) => {
    expect(messageOf(Type.Integer(), value)).toBe(`${quoted} is not of type 'integer'`);
  });

  it("is short, however long the value", () => {
    const value = Object.fromEntries(Array.from({ length: 100_000 }, (_, key) => [key, "x".repeat(10)]));
    expect(messageOf(Type.Object({ a: Type.Integer() }), { a: value })?.length).toBeLessThan(10_000);
  });

  it.each([
    [{ type: "a", x: 1 }, "Invalid input for field/attribute x. Value: 1. 1 is not of type 'string'"],
    [{ type: "c" }, "Invalid input for field/attribute type. Value: c. 'c' is not one of ['a', 'b']"],
    [{ x: "1" }, "'type' is a required property"],
    [[], "[] is not of type 'object', 'null'"],
  ])("is told of the kind that %j claims to be", (value, message) => {
    const kind = (type: string) => Type.Object({ type: Type.Literal(type), x: Type.String() });
    expect(messageOf(Type.Union([kind("a"), kind("b"), Type.Null()]), value)).toBe(message);
  });

  it.runIf(hasGolden)("is what Keystone said of every registered limit that it refused", () => {
    const refused = goldenRows("head", "08_registered_limits").filter(
      ({ method, path, status, request_body_is_raw: isRaw, request_body: body }) =>
        method === "POST" &&
        path === "/v3/registered_limits" &&
        status === 400 &&
        !isRaw &&
        isObject(body) &&
        schemaFault(REGISTERED_LIMITS, body) !== undefined,
    );
    expect(refused.length).toBeGreaterThan(30);
    const theirs = refused.map(({ name, response_body: body }) => ({
      name,
      message: (body as { error: { message: string } }).error.message,
    }));
    const ours = refused.map(({ name, request_body: body }) => ({
      name,
      message: messageOf(REGISTERED_LIMITS, body),
    }));
    expect(ours).toEqual(theirs);
  });
});

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
