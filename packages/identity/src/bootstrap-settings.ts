/** What a bootstrap creates, with the options of `keystone-manage bootstrap`. */
import { INTERFACES, type EndpointInterface } from "./catalog/endpoint.js";

export interface BootstrapSettings {
  /** The administrator, in domain `default`. */
  readonly username: string;
  /** The administrator's project, in domain `default`. */
  readonly projectName: string;
  /** The administrator's role in the project and in the system. */
  readonly roleName: string;
  /** The identity service in the catalog. */
  readonly serviceName: string;
  /** The region of its endpoints; by default that of existing ones, else {@link DEFAULT_REGION}. */
  readonly regionId: string | undefined;
  /** Endpoint URLs by interface. If empty, a first start uses the service's public URL for all. */
  readonly urls: Readonly<Partial<Record<EndpointInterface, string>>>;
  /** Whether created roles get the option `immutable`. */
  readonly hasImmutableRoles: boolean;
}

/** The options given to `bootstrap`. */
export interface RequestedBootstrap {
  readonly settings: BootstrapSettings;
  readonly password: string | undefined;
  /** Whether any option, or its variable, is given. */
  readonly isGiven: boolean;
}

export const DEFAULT_REGION = "RegionOne";

/** What `serve` creates on a first start. */
export const DEFAULT_BOOTSTRAP: BootstrapSettings = {
  username: "admin",
  projectName: "admin",
  roleName: "admin",
  serviceName: "keystone",
  regionId: undefined,
  urls: {},
  hasImmutableRoles: true,
};

/** Initial roles; each implies the next. */
export const DEFAULT_ROLES = ["admin", "manager", "member", "reader"] as const;
export const SERVICE_ROLE = "service";

type Implication = readonly [prior: string, implied: string];

/**
 * The initial roles, and their implications. As in Keystone, a role with a custom name implies `manager`; `admin` is created in
 * any case, because the policy requires it.
 */
export function rolesFor({ roleName }: BootstrapSettings): {
  readonly names: readonly string[];
  readonly implications: readonly Implication[];
} {
  const [admin, manager, member, reader] = DEFAULT_ROLES;
  const names = new Set([...DEFAULT_ROLES, SERVICE_ROLE, roleName]);
  const implications: Implication[] = [
    [admin, manager],
    [manager, member],
    [member, reader],
  ];
  const isOther = names.size > DEFAULT_ROLES.length + 1;
  return { names: [...names], implications: isOther ? [...implications, [roleName, manager]] : implications };
}

/** The endpoint URLs of a first start. */
export function firstUrls({ urls }: BootstrapSettings, publicUrl: string): BootstrapSettings["urls"] {
  if (Object.keys(urls).length > 0) return urls;
  return Object.fromEntries(INTERFACES.map((type) => [type, `${publicUrl}/v3/`]));
}
