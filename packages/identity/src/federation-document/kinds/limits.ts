/** Services and regions as far as limits need them, registered limits, and limits of projects and domains. */
import type { LimitDocument } from "../../limits/transfer/limit-document.js";
import { WHOLE_LIST } from "../../platform/database/table.js";
import type {
  FederationDocument,
  LimitInDocument,
  RegionEntry,
  RegisteredLimitEntry,
  ServiceEntry,
  ServiceName,
} from "../document.js";
import { changedMembers, located, nameIn, type Kind, type KindContext, type Located } from "../kind.js";

const serviceText = ({ type, name = "" }: ServiceName): string =>
  nameIn(name === "" ? undefined : type, name === "" ? type : name);

export const serviceKind: Kind<ServiceEntry> = {
  kind: "service",
  prunedAs: undefined,
  keys: ["type", "name"],
  defaults: { enabled: true },
  actions: {
    create: "identity:create_service",
    update: "identity:update_service",
    delete: "identity:delete_service",
  },
  entriesOf: ({ services }) => located("services", services),
  nameOf: serviceText,
  async stored({ services }) {
    return (await services.services.list(WHOLE_LIST)).map((service) => ({
      entry: {
        type: service.type,
        ...(service.name !== "" && { name: service.name }),
        enabled: service.enabled,
      },
      ids: { service_id: service.id },
      change: ({ entry: { enabled = true } }) => services.services.update(service.id, { enabled }),
      delete: () => services.services.delete(service.id),
    }));
  },
  create: async ({ services }, { entry: { type, name = "", enabled = true } }) => ({
    service_id: (await services.services.create({ type, name, enabled })).id,
  }),
};

export const regionKind: Kind<RegionEntry> = {
  kind: "region",
  prunedAs: undefined,
  keys: ["id"],
  defaults: { parent: null, description: "" },
  actions: {
    create: "identity:create_region",
    update: "identity:update_region",
    delete: "identity:delete_region",
  },
  entriesOf: ({ regions }) => located("regions", regions),
  nameOf: ({ id }) => id,
  async stored({ services }) {
    return (await services.regions.list(WHOLE_LIST)).map(({ id, parentRegionId, description }) => ({
      entry: { id, parent: parentRegionId, description },
      ids: { region_id: id },
      change: ({ entry }, changed) => {
        const { parent = null, description: text = "" } = entry;
        return services.regions.update(id, {
          ...changedMembers({ description: text }, changed),
          ...(changed.has("parent") && { parent_region_id: parent }),
        });
      },
      delete: () => services.regions.delete(id),
    }));
  },
  create: async ({ services }, { entry: { id, parent = null, description = "" } }) => ({
    region_id: (await services.regions.create({ id, parent_region_id: parent, description })).id,
  }),
};

const resourceText = ({
  service,
  region,
  resource,
}: Pick<LimitInDocument, "service" | "region" | "resource">): string =>
  `${resource} of ${serviceText(service)}${region === undefined || region === null ? "" : ` in ${region}`}`;

/** Limits of a document are applied together ({@link applyLimits}): their trees are checked when all are stored. */
const together = async (): Promise<void> => {};

function leaveOut({ limitChanges }: KindContext, { id }: { readonly id: string }): void {
  limitChanges.deleted.add(id);
  limitChanges.isChanged = true;
}

export const registeredLimitKind: Kind<RegisteredLimitEntry> = {
  kind: "registered_limit",
  prunedAs: "registered_limits",
  keys: ["service", "region", "resource"],
  defaults: { description: null },
  actions: {
    create: "identity:create_registered_limits",
    update: "identity:update_registered_limit",
    delete: "identity:delete_registered_limit",
  },
  entriesOf: ({ registered_limits }) => located("registered_limits", registered_limits),
  nameOf: resourceText,
  isCovered: ({ service }, { services = [] }) =>
    services.some((each) => serviceText(each) === serviceText(service)),
  async stored(context) {
    const nameOf = await serviceNames(context);
    return (await context.services.registeredLimits.list(WHOLE_LIST)).map((limit) => ({
      entry: {
        service: nameOf(limit.serviceId),
        region: limit.regionId,
        resource: limit.resourceName,
        default: limit.defaultLimit,
        description: limit.description,
      },
      ids: { registered_limit_id: limit.id },
      change: together,
      delete: async () => leaveOut(context, limit),
    }));
  },
  create: async ({ names }, { entry, path }) => ({
    service_id: await names.serviceId(entry.service, [...path, "service"]),
  }),
};

export const limitKind: Kind<LimitInDocument> = {
  kind: "limit",
  prunedAs: "limits",
  keys: ["project", "domain", "service", "region", "resource"],
  defaults: { description: null },
  actions: {
    create: "identity:create_limits",
    update: "identity:update_limit",
    delete: "identity:delete_limit",
  },
  entriesOf: ({ limits }) => located("limits", limits),
  nameOf: ({ project, domain, ...resource }) =>
    `${resourceText(resource)} for ${project === undefined ? `domain ${nameIn(undefined, domain ?? "")}` : `project ${nameIn(project.domain, project.name)}`}`,
  isCovered: ({ project, domain }, { projects = [], domains = [] }) =>
    project === undefined
      ? domains.some(({ name }) => name === domain)
      : projects.some((each) => each.name === project.name && each.domain === project.domain),
  check({ fail }, { entry, path }) {
    const owners = ["project", "domain"].filter((name) => name in entry);
    if (owners.length !== 1)
      fail(
        path,
        `has ${owners.length === 0 ? "no owner" : owners.join(" and ")}, expected one of project and domain`,
      );
  },
  async stored(context) {
    const nameOf = await serviceNames(context);
    const limits = await context.services.limits.list({ ...WHOLE_LIST, visibility: { kind: "all" } });
    const projects = await context.names.projectNames(limits.flatMap(({ projectId }) => projectId ?? []));
    const stored = [];
    for (const limit of limits) {
      const project = projects.get(limit.projectId ?? "");
      const owner =
        limit.projectId === null
          ? { domain: await context.names.domainName(limit.domainId) }
          : { project: { name: project?.name ?? "", domain: project?.domain ?? "" } };
      stored.push({
        entry: {
          ...owner,
          service: nameOf(limit.serviceId),
          region: limit.regionId,
          resource: limit.resourceName,
          limit: limit.resourceLimit,
          description: limit.description,
        },
        ids: { limit_id: limit.id },
        change: together,
        delete: async () => leaveOut(context, limit),
      });
    }
    return stored;
  },
  create: async (context, { entry, path }) => ownerOf(context, { entry, path }),
};

/** Stores all limits of a document, those of the service that it does not name included. */
export async function applyLimits(context: KindContext, document: FederationDocument): Promise<void> {
  const { services, limitChanges } = context;
  const { registered_limits: registered, limits } = document;
  const wantedRegistered: LimitDocument["registered_limits"] = [];
  for (const { entry, path } of located("registered_limits", registered) ?? [])
    wantedRegistered.push({
      ...(await resourceOf(context, { entry, path })),
      default_limit: entry.default,
      description: entry.description ?? null,
    });
  const wanted: LimitDocument["limits"] = [];
  for (const { entry, path } of located("limits", limits) ?? [])
    wanted.push({
      ...(await ownerOf(context, { entry, path })),
      ...(await resourceOf(context, { entry, path })),
      resource_limit: entry.limit,
      description: entry.description ?? null,
    });
  const present = await services.limitTransfer.export({ without: limitChanges.deleted });
  // Those of the document first: messages name entries by their place.
  await services.limitTransfer.replaceAll({
    registered_limits: merged(wantedRegistered, present.registered_limits),
    limits: merged(wanted, present.limits),
  });
}

interface LimitKey {
  readonly project_id?: string | null | undefined;
  readonly domain_id?: string | null | undefined;
  readonly service_id: string;
  readonly region_id?: string | null | undefined;
  readonly resource_name: string;
}

function merged<Item extends LimitKey>(wanted: readonly Item[], present: readonly Item[]): Item[] {
  const keyOf = ({ project_id, domain_id, service_id, region_id, resource_name }: Item) =>
    JSON.stringify([project_id ?? null, domain_id ?? null, service_id, region_id ?? null, resource_name]);
  const named = new Set(wanted.map(keyOf));
  return [...wanted, ...present.filter((item) => !named.has(keyOf(item)))];
}

async function resourceOf(
  { names }: KindContext,
  { entry, path }: Located<Pick<LimitInDocument, "service" | "region" | "resource">>,
) {
  return {
    service_id: await names.serviceId(entry.service, [...path, "service"]),
    ...(typeof entry.region === "string" && { region_id: entry.region }),
    resource_name: entry.resource,
  };
}

async function ownerOf(
  { names }: KindContext,
  { entry, path }: Located<LimitInDocument>,
): Promise<Record<string, string>> {
  if (entry.project !== undefined)
    return { project_id: await names.projectId(entry.project, [...path, "project"]) };
  return { domain_id: await names.domainId(entry.domain ?? "", [...path, "domain"]) };
}

/** Names of services by their ids. */
async function serviceNames({ services }: KindContext): Promise<(id: string) => ServiceName> {
  const byId = new Map((await services.services.list(WHOLE_LIST)).map((service) => [service.id, service]));
  return (id) => {
    const { type = "", name = "" } = byId.get(id) ?? {};
    return name === "" ? { type } : { type, name };
  };
}
