/** Schemas of domains, projects and tags in requests and responses. */
import { Type, type Static } from "typebox";

import { BooleanParameter } from "../platform/http/query.js";
import {
  bodyOf,
  Id,
  listOf,
  nullable,
  openObject,
  PAGE_PARAMETERS,
  queryOf,
  SelfLink,
} from "../platform/http/validation/schema-parts.js";

/** Of names of projects; fewer than of other resources. */
export const MAX_NAME_CHARACTERS = 64;

export const ProjectName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_CHARACTERS,
  pattern: String.raw`[\S]+`,
});

export const TagName = Type.String({ minLength: 1, maxLength: 255, pattern: "^[^,/]*$" });
export const Tags = Type.Array(TagName, { maxItems: 80, uniqueItems: true });

const Options = Type.Object(
  { immutable: Type.Optional(nullable(Type.Boolean())) },
  { additionalProperties: false },
);

const common = {
  enabled: Type.Optional(Type.Boolean()),
  tags: Type.Optional(Tags),
  options: Type.Optional(Options),
};
const domainAttributes = { ...common, description: Type.Optional(nullable(Type.String({ maxLength: 255 }))) };

export const NewProject = bodyOf(
  "project",
  openObject({
    ...common,
    name: ProjectName,
    description: Type.Optional(nullable(Type.String())),
    domain_id: Type.Optional(nullable(Id)),
    parent_id: Type.Optional(nullable(Id)),
    is_domain: Type.Optional(Type.Boolean()),
  }),
);
export type NewProject = Static<typeof NewProject>["project"];

export const ProjectChange = bodyOf(
  "project",
  openObject({
    ...common,
    name: Type.Optional(ProjectName),
    description: Type.Optional(nullable(Type.String())),
    // These can't be changed: they are compared.
    id: Type.Optional(Type.Unknown()),
    domain_id: Type.Optional(Type.Unknown()),
    parent_id: Type.Optional(Type.Unknown()),
    is_domain: Type.Optional(Type.Unknown()),
  }),
);
export type ProjectChange = Static<typeof ProjectChange>["project"];

export const NewDomain = bodyOf(
  "domain",
  openObject({ name: ProjectName, ...domainAttributes, explicit_domain_id: Type.Optional(Id) }),
);
export type NewDomain = Static<typeof NewDomain>["domain"];

export const DomainChange = bodyOf(
  "domain",
  openObject({ name: Type.Optional(ProjectName), ...domainAttributes }, { minProperties: 1 }),
);
export type DomainChange = Static<typeof DomainChange>["domain"];

const view = {
  id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  tags: Type.Array(Type.String()),
  options: Type.Record(Type.String(), Type.Unknown()),
  links: SelfLink,
};

export const ProjectView = openObject({
  ...view,
  domain_id: nullable(Type.String()),
  parent_id: nullable(Type.String()),
  is_domain: Type.Boolean(),
});
export const ProjectList = listOf("projects", ProjectView);

/** Ids of ancestors or descendants, nested. */
const IdTree = nullable(Type.Record(Type.String(), Type.Unknown()));
const Relatives = Type.Optional(Type.Union([Type.Array(bodyOf("project", ProjectView)), IdTree]));
export const ProjectInTree = openObject({
  ...ProjectView.properties,
  parents: Relatives,
  subtree: Relatives,
});

export const DomainView = openObject(view);

const named = { name: Type.Optional(ProjectName), enabled: Type.Optional(BooleanParameter) };
export const DomainListQuery = Type.Object({ ...queryOf(...PAGE_PARAMETERS).properties, ...named });
export const ProjectListQuery = Type.Object({
  ...queryOf("parent_id", "tags", "tags-any", "not-tags", "not-tags-any", ...PAGE_PARAMETERS).properties,
  ...named,
  domain_id: Type.Optional(Id),
  is_domain: Type.Optional(BooleanParameter),
});

export const TagList = bodyOf("tags", Tags);
export const TagListResponse = Type.Object({ links: SelfLink, tags: Type.Array(Type.String()) });

/** Members of a body that are not stored as attributes of the client. */
export const PROJECT_MEMBERS = [
  "id",
  "name",
  "domain_id",
  "parent_id",
  "is_domain",
  "enabled",
  "description",
  "options",
  "tags",
  "explicit_domain_id",
  "extra",
  "links",
  "parents",
  "subtree",
];
