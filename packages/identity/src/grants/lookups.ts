/** Lookups of the actors and targets of grants. Each `get` throws a NotFoundError. */

export interface UserLookup {
  getUser(id: string): Promise<DomainMember>;
}

export interface GroupLookup {
  getGroup(id: string): Promise<DomainMember>;
}

export interface ProjectLookup {
  /** `domainId` is `null` for a domain. */
  getProject(id: string): Promise<{ readonly id: string; readonly domainId: string | null }>;
  getDomain(id: string): Promise<{ readonly id: string }>;
}

interface DomainMember {
  readonly id: string;
  readonly domainId: string;
}
