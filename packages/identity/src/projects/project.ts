/** Projects, which own resources of the cloud, and domains, which own users, groups and projects. */
import type { Attributes } from "../platform/attributes.js";

/** A project, or a domain as the API of projects shows it. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** `null` for a domain. */
  readonly domainId: string | null;
  /** The domain for a top-level project, `null` for a domain. */
  readonly parentId: string | null;
  readonly isDomain: boolean;
  readonly enabled: boolean;
  readonly description: string | null;
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
