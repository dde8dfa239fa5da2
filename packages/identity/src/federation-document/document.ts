/** The federation document: the schema of its sections, in which everything is named and nothing has an id of the database. */
import { Type, type Static } from "typebox";

import { Name, nullable } from "../platform/http/validation/schema-parts.js";
import { RemoteId } from "../identity-providers/identity-provider.js";
import { Amount, Description } from "../limits/registered-limit.js";
import { ProjectName, Tags } from "../projects/project-schema.js";

/** The version of this form. */
export const DOCUMENT_VERSION = 1;

/** Sections whose entries are deleted where the document asks for it. Domains, projects, services and regions never are. */
export const PRUNABLE = [
  "groups",
  "roles",
  "grants",
  "registered_limits",
  "limits",
  "mappings",
  "identity_providers",
  "protocols",
  "service_providers",
] as const;
export type Prunable = (typeof PRUNABLE)[number];

const closed = { additionalProperties: false } as const;
const DomainName = ProjectName;
const Flag = Type.Optional(Type.Boolean());
const Text = Type.Optional(nullable(Type.String()));
const Chosen = Type.String({ minLength: 1, maxLength: 64 });

/** A group, or a role of a domain. */
const InDomain = Type.Object({ name: Name, domain: DomainName }, closed);
export type InDomain = Static<typeof InDomain>;
const ProjectReference = Type.Object({ name: ProjectName, domain: DomainName }, closed);
/** A global role by its name. */
const RoleReference = Type.Union([Name, InDomain]);
export type RoleReference = Static<typeof RoleReference>;

const Domain = Type.Object(
  {
    name: DomainName,
    description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    enabled: Flag,
    tags: Type.Optional(Tags),
    immutable: Flag,
  },
  closed,
);
export type DomainEntry = Static<typeof Domain>;

const Project = Type.Object(
  {
    domain: DomainName,
    name: ProjectName,
    /** The project above it, in the same domain. */
    parent: Type.Optional(nullable(ProjectName)),
    description: Text,
    enabled: Flag,
    tags: Type.Optional(Tags),
    immutable: Flag,
  },
  closed,
);
export type ProjectEntry = Static<typeof Project>;

const Group = Type.Object({ domain: DomainName, name: Name, description: Text }, closed);
export type GroupInDocument = Static<typeof Group>;

const Role = Type.Object(
  {
    name: Name,
    /** Left out for a global role. */
    domain: Type.Optional(DomainName),
    description: Text,
    immutable: Flag,
    /** Left out, implications are not touched. */
    implies: Type.Optional(Type.Array(RoleReference, { uniqueItems: true })),
  },
  closed,
);
export type RoleEntry = Static<typeof Role>;

const Grant = Type.Object(
  {
    group: InDomain,
    role: RoleReference,
    project: Type.Optional(ProjectReference),
    domain: Type.Optional(DomainName),
    system: Type.Optional(Type.Literal("all")),
    inherited: Flag,
  },
  closed,
);
export type GrantEntry = Static<typeof Grant>;

const ServiceName = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 255 }),
    name: Type.Optional(Type.String({ maxLength: 255 })),
  },
  closed,
);
export type ServiceName = Static<typeof ServiceName>;

const Service = Type.Object({ ...ServiceName.properties, enabled: Flag }, closed);
export type ServiceEntry = Static<typeof Service>;

const RegionId = Type.String({ minLength: 1, maxLength: 255 });
const Region = Type.Object(
  {
    id: RegionId,
    parent: Type.Optional(nullable(RegionId)),
    description: Type.Optional(Type.String({ maxLength: 255 })),
  },
  closed,
);
export type RegionEntry = Static<typeof Region>;

const resource = {
  service: ServiceName,
  region: Type.Optional(nullable(RegionId)),
  resource: Name,
};
const RegisteredLimit = Type.Object(
  { ...resource, default: Amount, description: Type.Optional(Description) },
  closed,
);
export type RegisteredLimitEntry = Static<typeof RegisteredLimit>;

const Limit = Type.Object(
  {
    project: Type.Optional(ProjectReference),
    domain: Type.Optional(DomainName),
    ...resource,
    limit: Amount,
    description: Type.Optional(Description),
  },
  closed,
);
export type LimitInDocument = Static<typeof Limit>;

const Mapping = Type.Object(
  {
    id: Chosen,
    schema_version: Type.Optional(Type.String()),
    rules: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  closed,
);
export type MappingEntry = Static<typeof Mapping>;

const Protocol = Type.Object(
  {
    id: Chosen,
    mapping: Chosen,
    remote_id_attribute: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
    /** As in requests, with references instead of secrets. Their schema is that of the type. */
    settings: Type.Optional(nullable(Type.Object({ type: Type.String() }, { additionalProperties: true }))),
  },
  closed,
);
export type ProtocolEntry = Static<typeof Protocol>;

const IdentityProvider = Type.Object(
  {
    id: Chosen,
    /** The domain of its users. */
    domain: DomainName,
    enabled: Flag,
    description: Text,
    authorization_ttl: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }))),
    remote_ids: Type.Optional(Type.Array(RemoteId, { uniqueItems: true })),
    authorized_domains: Type.Optional(
      nullable(Type.Array(DomainName, { uniqueItems: true, maxItems: 1000 })),
    ),
    /** Left out, protocols are not touched. */
    protocols: Type.Optional(Type.Array(Protocol)),
  },
  closed,
);
export type IdentityProviderEntry = Static<typeof IdentityProvider>;

const Address = Type.String({ maxLength: 225, pattern: "^[a-zA-Z0-9+.-]+:.+" });
const ServiceProvider = Type.Object(
  {
    id: Chosen,
    auth_url: Address,
    sp_url: Address,
    enabled: Flag,
    description: Text,
    relay_state_prefix: Type.Optional(Type.String()),
  },
  closed,
);
export type ServiceProviderEntry = Static<typeof ServiceProvider>;

/** The names of the sections. */
export const SECTIONS = [
  "domains",
  "projects",
  "groups",
  "roles",
  "grants",
  "services",
  "regions",
  "registered_limits",
  "limits",
  "mappings",
  "identity_providers",
  "service_providers",
] as const;
export type Section = (typeof SECTIONS)[number];

export const FederationDocument = Type.Object(
  {
    version: Type.Literal(DOCUMENT_VERSION),
    prune: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(Type.Enum([...PRUNABLE]), { uniqueItems: true })]),
    ),
    domains: Type.Optional(Type.Array(Domain)),
    projects: Type.Optional(Type.Array(Project)),
    groups: Type.Optional(Type.Array(Group)),
    roles: Type.Optional(Type.Array(Role)),
    grants: Type.Optional(Type.Array(Grant)),
    services: Type.Optional(Type.Array(Service)),
    regions: Type.Optional(Type.Array(Region)),
    registered_limits: Type.Optional(Type.Array(RegisteredLimit)),
    limits: Type.Optional(Type.Array(Limit)),
    mappings: Type.Optional(Type.Array(Mapping)),
    identity_providers: Type.Optional(Type.Array(IdentityProvider)),
    service_providers: Type.Optional(Type.Array(ServiceProvider)),
  },
  closed,
);
export type FederationDocument = Static<typeof FederationDocument>;
