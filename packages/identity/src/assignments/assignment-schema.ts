/** Schemas of role assignments in requests and responses. */
import { Type, type Static } from "typebox";

import { Id, nullable } from "../platform/http/validation/schema-parts.js";

const Flag = Type.Optional(
  Type.String({ description: "Given is enough, with any value but `0`, or with none." }),
);

export const AssignmentListQuery = Type.Object({
  "user.id": Type.Optional(Type.String()),
  "group.id": Type.Optional(Type.String()),
  "role.id": Type.Optional(Type.String()),
  "scope.project.id": Type.Optional(Id),
  "scope.domain.id": Type.Optional(Id),
  "scope.system": Type.Optional(Type.String({ description: "`all`; anything else is as good as none." })),
  "scope.OS-INHERIT:inherited_to": Type.Optional(
    Type.String({ description: "`projects` for what is inherited, anything else for what is not." }),
  ),
  effective: Flag,
  include_names: Flag,
  include_subtree: Flag,
  limit: Type.Optional(Type.String()),
  marker: Type.Optional(Type.String({ description: "From the link to the next page." })),
});
export type AssignmentListQuery = Static<typeof AssignmentListQuery>;

const NamedDomain = Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) });
const NamedResource = Type.Object({
  id: Type.String(),
  name: Type.Optional(Type.String()),
  domain: Type.Optional(NamedDomain),
});

export const AssignmentView = Type.Object({
  role: NamedResource,
  user: Type.Optional(NamedResource),
  group: Type.Optional(NamedResource),
  scope: Type.Object({
    project: Type.Optional(NamedResource),
    domain: Type.Optional(NamedDomain),
    system: Type.Optional(Type.Object({ all: Type.Literal(true) })),
    "OS-INHERIT:inherited_to": Type.Optional(Type.Literal("projects")),
  }),
  links: Type.Object({
    assignment: Type.String(),
    membership: Type.Optional(Type.String()),
    prior_role: Type.Optional(Type.String()),
  }),
});
export type AssignmentView = Static<typeof AssignmentView>;

export const AssignmentList = Type.Object({
  role_assignments: Type.Array(AssignmentView),
  links: Type.Object({ next: nullable(Type.String()), self: Type.String(), previous: Type.Null() }),
  truncated: Type.Optional(Type.Boolean()),
});
