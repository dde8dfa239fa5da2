/** The three kinds of things in the catalog: how each is listed, made, changed and deleted. */
import { api, ask, type operations } from "../../api/client.ts";
import type { Page, PageRequest } from "../../api/paged-list.svelte.ts";
import { pageQuery } from "../../parts/list-query.ts";
import type { Column } from "../../ui/table/columns.ts";
import type { RecordField, RecordValues } from "../../ui/forms/record-fields.ts";

/** A region, service or endpoint as the API returns it. */
export interface CatalogItem {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** What endpoints refer to, for names and choices. */
export interface CatalogNames {
  readonly services: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  readonly regions: readonly { readonly id: string }[];
}

export interface CatalogKind {
  /** Of the address, and of policy actions: `region`. */
  readonly key: "region" | "service" | "endpoint";
  readonly title: string;
  readonly about: string;
  /** What to do if there are none. */
  readonly empty: string;
  columns(names: CatalogNames): readonly Column<CatalogItem>[];
  /** @param item `undefined` for a new one. */
  fields(names: CatalogNames, item: CatalogItem | undefined): readonly RecordField[];
  values(item: CatalogItem | undefined, names: CatalogNames): RecordValues;
  nameOf(item: CatalogItem, names: CatalogNames): string;
  list(page: PageRequest): Promise<Page<CatalogItem>>;
  create(values: RecordValues): Promise<unknown>;
  update(id: string, changes: RecordValues): Promise<unknown>;
  delete(id: string): Promise<unknown>;
  /** What a deletion takes along. */
  readonly loss: string;
}

type Body<Operation extends keyof operations> = operations[Operation] extends {
  requestBody: { content: { "application/json": infer Content } };
}
  ? Content
  : never;

const text = (item: CatalogItem | undefined, member: string): string => {
  const value = item?.[member];
  return typeof value === "string" ? value : "";
};

const state: Column<CatalogItem> = {
  title: "State",
  text: (item) => (item["enabled"] === false ? "disabled" : "enabled"),
  width: "7rem",
  minor: true,
};

const regions: CatalogKind = {
  key: "region",
  title: "Regions",
  about: "Places of the cloud. Endpoints and limits belong to one.",
  empty: "There are no regions yet. Endpoints and limits can name one.",
  columns: () => [
    { title: "Region", text: ({ id }) => id },
    { title: "Part of", text: (item) => text(item, "parent_region_id"), minor: true },
    { title: "Description", text: (item) => text(item, "description"), minor: true },
  ],
  fields: ({ regions: all }, item) => [
    {
      key: "id",
      kind: "text",
      label: "Region id",
      required: true,
      maxLength: 255,
      fixed: item !== undefined,
    },
    { key: "description", kind: "text", label: "Description" },
    {
      key: "parent_region_id",
      kind: "select",
      label: "Part of",
      options: [
        { value: "", text: "No other region" },
        ...all.filter(({ id }) => id !== item?.id).map(({ id }) => ({ value: id, text: id })),
      ],
    },
  ],
  values: (item) => ({
    id: item?.id ?? "",
    description: text(item, "description"),
    parent_region_id: text(item, "parent_region_id"),
  }),
  nameOf: ({ id }) => id,
  async list(page) {
    const body = await ask(
      api.GET("/v3/regions", { params: { query: pageQuery(page) }, signal: page.signal }),
    );
    return { rows: body.regions, next: body.links.next };
  },
  create: (values) => ask(api.POST("/v3/regions", { body: { region: nullable(values) } })),
  update: (id, changes) =>
    ask(
      api.PATCH("/v3/regions/{region_id}", {
        params: { path: { region_id: id } },
        body: { region: nullable(changes) },
      }),
    ),
  delete: (id) => ask(api.DELETE("/v3/regions/{region_id}", { params: { path: { region_id: id } } })),
  loss: "It can't be deleted while endpoints, limits or other regions belong to it.",
};

const services: CatalogKind = {
  key: "service",
  title: "Services",
  about: "Parts of the cloud by their type, such as compute and image.",
  empty: "There are no services yet. Clients find a service's endpoints by its type.",
  columns: () => [
    { title: "Name", text: (item) => text(item, "name") || item.id },
    { title: "Type", text: (item) => text(item, "type") },
    state,
    { title: "Description", text: (item) => text(item, "description"), minor: true },
  ],
  fields: () => [
    { key: "name", kind: "text", label: "Service name", required: true, maxLength: 255 },
    {
      key: "type",
      kind: "text",
      label: "Type",
      required: true,
      hint: "Such as compute, image, network, volumev3.",
    },
    { key: "description", kind: "text", label: "Description" },
    {
      key: "enabled",
      kind: "check",
      label: "Enabled",
      hint: "A disabled service is left out of tokens' catalogs.",
    },
  ],
  values: (item) => ({
    name: text(item, "name"),
    type: text(item, "type"),
    description: text(item, "description"),
    enabled: item?.["enabled"] !== false,
  }),
  nameOf: (item) => text(item, "name") || item.id,
  async list(page) {
    const body = await ask(
      api.GET("/v3/services", { params: { query: pageQuery(page) }, signal: page.signal }),
    );
    return { rows: body.services, next: body.links.next };
  },
  create: (values) =>
    ask(api.POST("/v3/services", { body: { service: values } as unknown as Body<"post_v3_services"> })),
  update: (id, changes) =>
    ask(
      api.PATCH("/v3/services/{service_id}", {
        params: { path: { service_id: id } },
        body: { service: changes },
      }),
    ),
  delete: (id) => ask(api.DELETE("/v3/services/{service_id}", { params: { path: { service_id: id } } })),
  loss: "Its endpoints and registered limits are deleted, too.",
};

const endpoints: CatalogKind = {
  key: "endpoint",
  title: "Endpoints",
  about: "Addresses of services, by region and interface.",
  empty: "There are no endpoints yet. Without them, clients can't find the services of the cloud.",
  columns: (names) => [
    { title: "Service", text: (item) => serviceName(item, names), narrow: "30%" },
    { title: "Interface", text: (item) => text(item, "interface"), width: "7rem", narrow: "25%" },
    { title: "Region", text: (item) => text(item, "region_id"), width: "9rem", minor: true },
    { title: "URL", text: (item) => text(item, "url") },
    state,
  ],
  fields: (names) => [
    {
      key: "service_id",
      kind: "select",
      label: "Service",
      required: true,
      options: names.services.map(({ id, name, type }) => ({ value: id, text: `${name} (${type})` })),
    },
    {
      key: "interface",
      kind: "select",
      label: "Interface",
      required: true,
      options: ["public", "internal", "admin"].map((value) => ({ value, text: value })),
    },
    {
      key: "region_id",
      kind: "select",
      label: "Region",
      options: [{ value: "", text: "None" }, ...names.regions.map(({ id }) => ({ value: id, text: id }))],
    },
    {
      key: "url",
      kind: "text",
      label: "URL",
      required: true,
      hint: "May have $(project_id)s and $(user_id)s, which the catalog fills in.",
    },
    {
      key: "enabled",
      kind: "check",
      label: "Enabled",
      hint: "A disabled endpoint is left out of tokens' catalogs.",
    },
  ],
  values: (item, names) => ({
    service_id: text(item, "service_id") || (names.services[0]?.id ?? ""),
    interface: text(item, "interface") || "public",
    region_id: text(item, "region_id"),
    url: text(item, "url"),
    enabled: item?.["enabled"] !== false,
  }),
  nameOf: (item, names) => `${serviceName(item, names)} ${text(item, "interface")}`,
  async list(page) {
    const body = await ask(
      api.GET("/v3/endpoints", { params: { query: pageQuery(page) }, signal: page.signal }),
    );
    return { rows: body.endpoints, next: body.links.next };
  },
  create: (values) =>
    ask(
      api.POST("/v3/endpoints", {
        body: { endpoint: nullable(values) } as unknown as Body<"post_v3_endpoints">,
      }),
    ),
  update: (id, changes) =>
    ask(
      api.PATCH("/v3/endpoints/{endpoint_id}", {
        params: { path: { endpoint_id: id } },
        body: { endpoint: nullable(changes) },
      }),
    ),
  delete: (id) => ask(api.DELETE("/v3/endpoints/{endpoint_id}", { params: { path: { endpoint_id: id } } })),
  loss: "Clients no longer find it in the catalog of new tokens.",
};

export const CATALOG_KINDS: readonly CatalogKind[] = [services, endpoints, regions];

/** Names for columns and choices; empty where the caller may not list them. */
export async function loadCatalogNames(): Promise<CatalogNames> {
  const [known, places] = await Promise.all([
    ask(api.GET("/v3/services")).then(
      (body) => body.services,
      () => [],
    ),
    ask(api.GET("/v3/regions")).then(
      (body) => body.regions,
      () => [],
    ),
  ]);
  return { services: known, regions: places };
}

function serviceName(item: CatalogItem, { services: known }: CatalogNames): string {
  const id = text(item, "service_id");
  const service = known.find((each) => each.id === id);
  return service === undefined ? id : service.name || service.type;
}

/** Choices of nothing are `null` for the API. */
function nullable(values: RecordValues): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, key.endsWith("_id") && value === "" ? null : value]),
  );
}
