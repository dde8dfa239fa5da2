/** Projects, which own what users make in the cloud, and domains, which own users and projects. */
import type { Attributes } from "../platform/attributes.js";

/** A project, or a domain as its clients see it when they ask for projects. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** `null` for a domain. */
  readonly domainId: string | null;
  /** The domain for a project at the top of it, `null` for a domain. */
  readonly parentId: string | null;
  readonly isDomain: boolean;
  readonly enabled: boolean;
  readonly description: string | null;
  /** Those that have a value. */
  readonly options: Attributes;
  readonly extra: Attributes;
  readonly tags: readonly string[];
}

/** A domain for those who ask for domains: a project without a place. */
export type Domain = Omit<Project, "domainId" | "parentId" | "isDomain">;

export function toDomain(project: Project): Domain {
  const { domainId: _domainId, parentId: _parentId, isDomain: _isDomain, ...domain } = project;
  return domain;
}

/** The domain of a project, or of a domain: itself. */
export function domainOf({ id, domainId }: Project): string {
  return domainId ?? id;
}

/** The domain that is there from the beginning, and meant where none is named. */
export const DEFAULT_DOMAIN_ID = "default";
