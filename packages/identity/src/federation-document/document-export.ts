/** Reads all that a document has from a service: in the order of names, without what is the default. */
import type { StoredProtocol } from "../identity-providers/protocols/protocol-store.js";
import { once } from "../platform/concurrency/once.js";
import type { Queries } from "../platform/database/database.js";
import {
  DOCUMENT_VERSION,
  SECTIONS,
  type FederationDocument,
  type GrantEntry,
  type IdentityProviderEntry,
  type LimitInDocument,
  type ProjectEntry,
  type ProtocolEntry,
  type RegionEntry,
  type RegisteredLimitEntry,
  type RoleEntry,
  type Section,
  type ServiceEntry,
} from "./document.js";
import type { DocumentServices } from "./document-services.js";
import type { DocumentText } from "./document-source.js";
import { entryFields, type Kind, type KindContext } from "./kind.js";
import { domainKind, projectKind } from "./kinds/domains.js";
import { identityProviderKind, mappingKind, serviceProviderKind } from "./kinds/federation.js";
import { grantKind } from "./kinds/grants.js";
import { groupKind } from "./kinds/groups.js";
import { limitKind, regionKind, registeredLimitKind, serviceKind } from "./kinds/limits.js";
import { protocolKind, type OwnedProtocolEntry } from "./kinds/protocols.js";
import { implicationKind, roleKind, roleReferenceText } from "./kinds/roles.js";
import { createNameLookup } from "./name-lookup.js";
import { variableFor } from "./secret-references.js";

export interface ExportDeps {
  readonly services: DocumentServices;
  readonly queries: Queries;
  readonly source: DocumentText;
}

/** @param sections Those that are read: a part of a large cloud is cheap. */
export async function exportDocument(
  deps: ExportDeps,
  sections: readonly Section[] = SECTIONS,
): Promise<FederationDocument> {
  const context = contextOf(deps);
  const grants = once(() => entriesOf(grantKind, context));
  const registered = once(() => entriesOf(registeredLimitKind, context));
  const limits = once(() => entriesOf(limitKind, context));
  const readers: { readonly [Name in Section]: () => Promise<FederationDocument[Name]> } = {
    domains: () => entriesOf(domainKind, context),
    projects: async () =>
      neededProjects(await entriesOf(projectKind, context), [...(await grants()), ...(await limits())]),
    groups: () => entriesOf(groupKind, context),
    roles: () => rolesOf(context),
    grants,
    services: async () => neededServices(await entriesOf(serviceKind, context), await registered()),
    regions: async () => neededRegions(await entriesOf(regionKind, context), await registered()),
    registered_limits: registered,
    limits,
    mappings: () => entriesOf(mappingKind, context),
    identity_providers: () => providersOf(context),
    service_providers: async () => (await entriesOf(serviceProviderKind, context)).map(withEnabled),
  };
  const document: FederationDocument = { version: DOCUMENT_VERSION };
  // One after the other: they are read in one transaction.
  for (const section of SECTIONS)
    if (sections.includes(section)) Object.assign(document, { [section]: await readers[section]() });
  return document;
}

const unused = (): never => {
  throw new TypeError("an export neither reads secrets nor finds faults");
};

function contextOf(deps: ExportDeps): KindContext {
  return {
    ...deps,
    names: createNameLookup(deps),
    limitChanges: { deleted: new Set(), isChanged: false },
    secretAt: unused,
    fail: unused,
  };
}

/** All entries of a kind, in the order of their names. */
async function entriesOf<Entry extends object>(kind: Kind<Entry>, context: KindContext): Promise<Entry[]> {
  const stored = await kind.stored(context);
  return stored
    .map(({ entry }) => ({ name: kind.nameOf(entry), entry: withoutDefaults(kind, entry) }))
    .toSorted((one, other) => compareText(one.name, other.name))
    .map(({ entry }) => entry);
}

/** By code units, whatever the locale. */
const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

function withoutDefaults<Entry extends object>(kind: Kind<Entry>, entry: Entry): Entry {
  const fields = entryFields(kind, entry);
  const isUsual = (name: string) =>
    Object.hasOwn(kind.defaults, name) &&
    JSON.stringify(fields[name]) === JSON.stringify(kind.defaults[name]);
  return Object.fromEntries(
    Object.entries(entry).filter(([name, value]) => !isUsual(name) && !(name === "region" && value === null)),
  ) as Entry;
}

/** In every export: the default of providers is to be disabled, which is easily missed. */
function withEnabled<Entry extends { readonly enabled?: boolean }>(entry: Entry): Entry {
  return { ...entry, enabled: entry.enabled ?? false };
}

const keyOf = ({ domain, name }: { readonly domain: string; readonly name: string }): string =>
  JSON.stringify([domain, name]);

/** Those of grants and limits, and those above them. */
function neededProjects(
  all: readonly ProjectEntry[],
  users: readonly Pick<GrantEntry | LimitInDocument, "project">[],
): ProjectEntry[] {
  const byKey = new Map(all.map((project) => [keyOf(project), project]));
  const needed = new Set<string>();
  for (const { project } of users)
    for (let next = project && byKey.get(keyOf(project)); next !== undefined;) {
      needed.add(keyOf(next));
      next =
        typeof next.parent === "string"
          ? byKey.get(keyOf({ domain: next.domain, name: next.parent }))
          : undefined;
    }
  return all.filter((project) => needed.has(keyOf(project)));
}

function neededServices(
  all: readonly ServiceEntry[],
  registered: readonly RegisteredLimitEntry[],
): ServiceEntry[] {
  const needed = new Set(registered.map(({ service }) => serviceKind.nameOf(service)));
  return all.filter((service) => needed.has(serviceKind.nameOf(service)));
}

function neededRegions(
  all: readonly RegionEntry[],
  registered: readonly RegisteredLimitEntry[],
): RegionEntry[] {
  const byId = new Map(all.map((region) => [region.id, region]));
  const needed: RegionEntry[] = [];
  for (const { region } of registered)
    for (let next = byId.get(region ?? ""); next !== undefined && !needed.includes(next);)
      next = (needed.push(next), byId.get(next.parent ?? ""));
  // A region after the one that it is within.
  const depthOf = ({ parent }: RegionEntry): number => {
    const above = byId.get(parent ?? "");
    return above === undefined ? 0 : depthOf(above) + 1;
  };
  return all
    .filter((region) => needed.includes(region))
    .toSorted((one, other) => depthOf(one) - depthOf(other));
}

async function rolesOf(context: KindContext): Promise<RoleEntry[]> {
  const implications = await entriesOf(implicationKind, context);
  return (await entriesOf(roleKind, context)).map((role) => {
    const name = roleKind.nameOf(role);
    const implies = implications.flatMap(({ prior, implied }) =>
      roleReferenceText(prior) === name ? [implied] : [],
    );
    return implies.length === 0 ? role : Object.assign(role, { implies });
  });
}

async function providersOf(context: KindContext): Promise<IdentityProviderEntry[]> {
  const protocols = await entriesOf(protocolKind, context);
  const secretsSet = new Map(
    (await context.services.protocols.listAll()).map((each) => [`${each.idpId}\0${each.id}`, each]),
  );
  const variables = new Set<string>();
  return (await entriesOf(identityProviderKind, context)).map((provider) => {
    const own = protocols.filter((protocol) => protocol.provider === provider.id);
    return Object.assign(withEnabled(provider), {
      protocols: own.map((protocol) =>
        withReferences(protocol, secretsSet.get(`${provider.id}\0${protocol.id}`), variables),
      ),
    });
  });
}

function withReferences(
  { provider, settings = null, ...protocol }: OwnedProtocolEntry,
  stored: StoredProtocol | undefined,
  variables: Set<string>,
): ProtocolEntry {
  if (settings === null) return protocol;
  const { type, ...members } = settings;
  const references = (stored?.secretsSet ?? []).map((name) => [
    name,
    { env: variableFor([provider, protocol.id, name], variables) },
  ]);
  const sorted = [...Object.entries(members), ...references].toSorted(([one], [other]) =>
    compareText(one as string, other as string),
  );
  return { ...protocol, settings: { type, ...(Object.fromEntries(sorted) as object) } };
}
