/** What roles ask of the features that own users, groups, projects and domains. Each `get` throws where there is nothing. */

export interface Users {
  getUser(id: string): Promise<Owned>;
}

export interface Groups {
  getGroup(id: string): Promise<Owned>;
}

export interface Projects {
  /** `domainId` is `null` for a domain that is asked about as a project. */
  getProject(id: string): Promise<{ readonly id: string; readonly domainId: string | null }>;
  getDomain(id: string): Promise<{ readonly id: string }>;
}

interface Owned {
  readonly id: string;
  readonly domainId: string;
}
