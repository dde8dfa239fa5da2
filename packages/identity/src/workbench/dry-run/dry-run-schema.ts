/** Schemas of dry runs, lint and replays of mapping rules. */
import { Type } from "typebox";

import { nullable, series } from "../../platform/http/validation/schema-parts.js";
import { LINT_CODES } from "../../mappings/lint/lint-rules.js";
import { PlacedReason } from "../../mappings/mapping.js";
import { CHANGE_KINDS } from "./login-changes.js";

/** Attributes by name. Values that are not strings are ignored. */
const Assertion = Type.Record(Type.String(), Type.Unknown());

/** An assertion as it was received, of the protocol, if it names one. */
export const PastedBody = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 524_288 }),
    identity_provider_id: Type.Optional(Type.String()),
    protocol_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export const PastedResponse = Type.Object({
  /** `json`, `lines`, or a form of a login protocol: `claims`, `jwt`, `saml`. */
  format: Type.String(),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  left_out: series(Type.String()),
});

/** With a protocol, the response also has what a login through it would result in. */
const evaluated = {
  assertion: Assertion,
  identity_provider_id: Type.Optional(Type.String()),
  protocol_id: Type.Optional(Type.String()),
};

export const StoredEvaluation = Type.Object(evaluated, { additionalProperties: false });

const drafted = { rules: Type.Unknown(), schema_version: Type.Optional(Type.Unknown()) };

export const DraftEvaluation = Type.Object({ ...evaluated, ...drafted }, { additionalProperties: false });

const ConditionTrace = Type.Object({
  condition: Type.Integer(),
  type: Type.String(),
  test: Type.String(),
  regex: Type.Boolean(),
  received: nullable(series(Type.String())),
  matched: Type.Boolean(),
  reached: Type.Boolean(),
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
  ignored: series(PlacedReason),
});

const Named = Type.Object({ id: Type.String(), name: Type.String() });
const OfDomain = Type.Object({ id: Type.String(), name: Type.String(), domain_id: Type.String() });

const Target = Type.Object({
  kind: Type.Enum(["project", "domain", "system"]),
  id: nullable(Type.String()),
  name: nullable(Type.String()),
  domain_id: nullable(Type.String()),
  inherited: Type.Boolean(),
});

/** What a login would result in. */
const LoginView = Type.Object({
  user: Type.Object({
    id: Type.String(),
    name: Type.String(),
    email: nullable(Type.String()),
    domain_id: Type.String(),
    type: Type.Enum(["ephemeral", "local"]),
    unique_id: nullable(Type.String()),
    is_new: Type.Boolean(),
  }),
  groups: series(OfDomain),
  missing_groups: series(Type.Object({ name: Type.String(), domain: Type.String(), reason: Type.String() })),
  projects: series(Type.Object({ ...OfDomain.properties, is_new: Type.Boolean(), roles: series(Named) })),
  roles: series(Type.Object({ role: Named, target: Target, through: Named })),
});

const Finding = Type.Object({
  code: Type.Enum([...LINT_CODES]),
  severity: Type.Enum(["error", "warning"]),
  place: Type.String(),
  message: Type.String(),
});

/** The result or the failure of a dry run, and the outcome of each rule. */
export const EvaluationResponse = Type.Object({
  lint: series(Finding),
  login: Type.Optional(nullable(LoginView)),
  refusal: Type.Optional(nullable(Type.Object({ step: Type.String(), reason: Type.String() }))),
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
  warnings: series(PlacedReason),
});

export const DraftLint = Type.Object(drafted, { additionalProperties: false });

const Access = Type.Object({
  rule: Type.Integer(),
  place: Type.String(),
  kind: Type.Enum(["group", "project", "local-user"]),
  id: nullable(Type.String()),
  name: nullable(Type.String()),
  domain_id: nullable(Type.String()),
  exists: Type.Boolean(),
  roles: series(Type.String()),
  is_admin: Type.Boolean(),
  requires: series(Type.String()),
  attributes: series(Type.String()),
  text: Type.String(),
});

/** Findings, and everything that the rules can give, administrators first; `truncated` if it is not everything. */
export const LintResponse = Type.Object({
  lint: series(Finding),
  access: series(Access),
  truncated: Type.Boolean(),
});

export const ReplayBody = Type.Object(
  {
    ...drafted,
    identity_provider_id: Type.Optional(Type.String()),
    protocol_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export const ReplayResponse = Type.Object({
  replay: Type.Object({
    logins: Type.Integer(),
    same: Type.Integer(),
    refused_by_both: Type.Integer(),
    left: Type.Integer(),
    changes: series(
      Type.Object({
        kind: Type.Enum([...CHANGE_KINDS]),
        text: Type.String(),
        count: Type.Integer(),
        role: nullable(Type.String()),
        target: nullable(Target),
      }),
    ),
    details: series(
      Type.Object({
        id: Type.String(),
        identity_provider_id: Type.String(),
        protocol_id: Type.String(),
        recorded_at: Type.String(),
        user: Type.String(),
        changes: series(Type.Integer()),
      }),
    ),
    unrecorded: series(
      Type.Object({
        identity_provider_id: Type.String(),
        protocol_id: Type.String(),
        attributes: series(Type.String()),
      }),
    ),
  }),
});
