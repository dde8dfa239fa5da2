/** Projects, which own resources of the cloud, and domains, which own users, groups and projects. */
import { Type } from "typebox";

import { changedOptions, extraOf, type Attributes, type Mutable } from "../platform/attributes.js";
import { declareFields, type ItemOf } from "../platform/database/fields.js";
import type { Links } from "../platform/http/links.js";
import { nullable } from "../platform/http/validation/schema-parts.js";
import { PROJECT_MEMBERS } from "./project-schema.js";

export const projectFields = declareFields({
  id: Type.String(),
  name: Type.String(),
  /** `null` for a domain. */
  domain_id: nullable(Type.String()),
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  /** The domain for a top-level project, `null` for a domain. */
  parent_id: nullable(Type.String()),
  is_domain: Type.Boolean(),
});

/** A project, or a domain as the API of projects shows it. */
export interface Project extends ItemOf<typeof projectFields> {
  readonly options: Attributes;
  readonly extra: Attributes;
  readonly tags: readonly string[];
}

/** A domain as the API of domains shows it. */
export type Domain = Omit<Project, "domainId" | "parentId" | "isDomain">;

export function toDomain(project: Project): Domain {
  const { domainId: _domainId, parentId: _parentId, isDomain: _isDomain, ...domain } = project;
  return domain;
}

/** The domain of a project, or of a domain: itself. */
export function domainOf({ id, domainId }: Project): string {
  return domainId ?? id;
}

/** A change of an existing project. */
export interface AttributeChange {
  readonly name?: string;
  readonly description?: string | null;
  readonly enabled?: boolean;
  readonly options?: Attributes;
  readonly tags?: readonly string[];
}

/** The attributes of a new project. */
export interface NewAttributes extends AttributeChange {
  readonly name: string;
}

type Place = Pick<Project, "id" | "domainId" | "parentId" | "isDomain">;

const DEFAULTS = { name: "", description: "", enabled: true, options: {}, tags: [], extra: {} };

/** A project with defaults. */
export function newProject(place: Place, attributes: NewAttributes): Project {
  return changedProject({ ...DEFAULTS, ...place }, attributes);
}

/** The project after a change. */
export function changedProject(project: Project, change: AttributeChange): Project {
  const { name, description, enabled, options, tags } = change;
  return {
    ...project,
    name: name === undefined ? project.name : name.trim(),
    description: description === undefined ? project.description : description,
    enabled: enabled ?? project.enabled,
    options: changedOptions(project.options, options),
    tags: tags ?? project.tags,
    extra: { ...project.extra, ...extraOf({ ...change }, PROJECT_MEMBERS) },
  };
}

/** Projects and domains in responses. */
export function projectView(project: Project, links: Links) {
  return { ...projectMembers(project), links: { self: links.self("/v3/projects", project.id) } };
}

/** The view of a project without its links. */
export function projectMembers(project: Project) {
  const { extra, tags, options } = project;
  return { ...extra, ...projectFields.view(project), tags: [...tags], options: { ...options } };
}

export function domainView({ extra, id, name, description, enabled, tags, options }: Domain, links: Links) {
  return {
    ...extra,
    id,
    name,
    description,
    enabled,
    tags: [...tags],
    options: { ...options },
    links: { self: links.self("/v3/domains", id) },
  };
}

/** For checks of what may be changed or deleted. */
export function mutableOf(project: Project): Mutable {
  return { kind: kindOfProject(project), id: project.id, options: project.options };
}

export function kindOfProject({ isDomain }: Project): "domain" | "project" {
  return isDomain ? "domain" : "project";
}

/** As in Keystone, consumers hear of a change of a domain as one of a project too. */
export function eventKindsOf(project: Project): readonly ("domain" | "project")[] {
  return project.isDomain ? ["project", "domain"] : ["project"];
}
