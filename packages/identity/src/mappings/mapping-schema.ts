/** Schemas of mappings in requests and responses. Rules are validated when they are compiled. */
import { Type, type Static, type TSchema, type TUnsafe } from "typebox";

import { bodyOf, nullable, openObject, SelfLink } from "../platform/http/validation/schema-parts.js";

// As in Keystone, unknown members of the body and of the mapping are ignored.
export const MappingBody = openObject({
  mapping: openObject({
    rules: Type.Optional(Type.Unknown()),
    schema_version: Type.Optional(Type.Unknown()),
  }),
});
export type MappingDraft = Static<typeof MappingBody>["mapping"];

/** A list that is not modified. */
function series<Item extends TSchema>(item: Item): TUnsafe<readonly Static<Item>[]> {
  return Type.Unsafe<readonly Static<Item>[]>(Type.Array(item));
}

const Place = Type.Object({ place: Type.String(), reason: Type.String() });

const view = {
  id: Type.String(),
  rules: Type.Array(Type.Object({})),
  schema_version: Type.String(),
  links: SelfLink,
};
export const MappingView = Type.Object(view);

/** The response to a change has `warnings` where rules leave domains to the assertion; Keystone has no such member. */
export const CheckedMappingView = Type.Object({ ...view, warnings: Type.Optional(series(Place)) });

/** Attributes by name. Values that are not strings are ignored. */
const Assertion = Type.Record(Type.String(), Type.Unknown());

export const StoredEvaluation = bodyOf("assertion", Assertion);

export const DraftEvaluation = Type.Object(
  { assertion: Assertion, rules: Type.Unknown(), schema_version: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
);

const ConditionTrace = Type.Object({
  condition: Type.Integer(),
  type: Type.String(),
  test: Type.String(),
  regex: Type.Boolean(),
  received: nullable(series(Type.String())),
  matched: Type.Boolean(),
  reason: Type.String(),
  index: nullable(Type.Integer()),
  passed: nullable(series(Type.String())),
});

const ValueTrace = Type.Object({
  place: Type.String(),
  template: Type.String(),
  from: series(Type.Integer()),
  value: Type.String(),
  note: nullable(Type.String()),
});

const RuleTrace = Type.Object({
  rule: Type.Integer(),
  matched: Type.Boolean(),
  conditions: series(ConditionTrace),
  values: series(ValueTrace),
  ignored: series(Place),
});

/** The result or the failure of a dry run, and the outcome of each rule. */
export const EvaluationResponse = Type.Object({
  result: nullable(
    Type.Object({
      user: Type.Object({}),
      group_ids: series(Type.Unknown()),
      group_names: series(Type.Unknown()),
      projects: series(Type.Unknown()),
    }),
  ),
  error: nullable(Type.Object({ reason: Type.String(), message: Type.String() })),
  trace: series(RuleTrace),
  warnings: series(Place),
});
