/** Protocols of identity providers in documents: their settings, with references instead of secrets. */
import { Type } from "typebox";

import { withoutPrivateParts } from "../../identity-providers/protocols/private-parts.js";
import type { StoredProtocol } from "../../identity-providers/protocols/protocol-store.js";
import { createSchemaCheck } from "../../platform/http/validation/validation.js";
import { quoted } from "../../platform/text/quoted-value.js";
import type { FieldDifference } from "../differences.js";
import type { ProtocolEntry } from "../document.js";
import type { DocumentPath } from "../document-errors.js";
import type { Kind, KindContext, Located } from "../kind.js";
import { isSameSecret, isSecretReference, type SecretReference } from "../secret-references.js";

/** A protocol and the id of its provider. */
export interface OwnedProtocolEntry extends ProtocolEntry {
  readonly provider: string;
}

export const protocolKind: Kind<OwnedProtocolEntry> = {
  kind: "protocol",
  prunedAs: "protocols",
  keys: ["provider", "id"],
  defaults: { remote_id_attribute: null, settings: null },
  actions: {
    create: "identity:create_protocol",
    update: "identity:update_protocol",
    delete: "identity:delete_protocol",
  },
  entriesOf: ({ identity_providers }) =>
    identity_providers?.flatMap(({ id: provider, protocols = [] }, index) =>
      protocols.map((protocol, place) => ({
        entry: { provider, ...protocol },
        path: ["identity_providers", index, "protocols", place],
      })),
    ),
  nameOf: ({ provider, id }) => `${provider}/${id}`,
  // References are compared by the secrets that they lead to.
  normalized: ({ settings = null, ...entry }) => ({
    ...entry,
    settings: settings && publicMembers(settings),
  }),
  isCovered: ({ provider }, { identity_providers = [] }) =>
    identity_providers.some(({ id, protocols }) => id === provider && protocols !== undefined),
  async stored(context) {
    const { services } = context;
    return (await services.protocols.listAll()).map((protocol) => ({
      entry: entryOf(protocol),
      ids: { idp_id: protocol.idpId, protocol_id: protocol.id },
      hiddenDifferences: (to) => secretDifferences(context, protocol, to),
      change: (to) => put(context, to, { known: protocol }),
      delete: () => services.protocols.delete(protocol),
    }));
  },
  async create(context, to) {
    await put(context, to, { known: undefined });
    return { idp_id: to.entry.provider, protocol_id: to.entry.id };
  },
};

type Settings = NonNullable<ProtocolEntry["settings"]>;

function entryOf({ idpId, id, mappingId, remoteIdAttribute, settings }: StoredProtocol): OwnedProtocolEntry {
  return {
    provider: idpId,
    id,
    mapping: mappingId,
    remote_id_attribute: remoteIdAttribute,
    settings: settings === null ? null : { ...withoutPrivateParts(settings) },
  };
}

function publicMembers(settings: Settings): Settings {
  const members = Object.entries(settings).filter(
    // `null` is the same as left out, for a secret.
    ([name, value]) => name !== "secrets_set" && value !== null && !isSecretReference(value),
  );
  return { ...Object.fromEntries(members), type: settings.type };
}

function referencesIn({ settings }: ProtocolEntry): [name: string, reference: SecretReference][] {
  return Object.entries<unknown>(settings ?? {}).flatMap(([name, value]) =>
    isSecretReference(value) ? [[name, value]] : [],
  );
}

/** The secrets of an entry, by name. @param stored Those that are kept where the document's are not read. */
function secretsOf(
  { secretAt, fail }: KindContext,
  { entry, path }: Located<OwnedProtocolEntry>,
  stored: Readonly<Record<string, unknown>>,
): Map<string, string> {
  return new Map(
    referencesIn(entry).map(([name, reference]) => {
      const place: DocumentPath = [...path, "settings", name];
      const kept = Object.hasOwn(stored, name) ? stored[name] : undefined;
      const secret = secretAt(place, reference) ?? (typeof kept === "string" ? kept : undefined);
      return [
        name,
        secret ?? fail(place, "the service has no such secret to keep, expected one that can be read"),
      ];
    }),
  );
}

async function storedSecrets({ services }: KindContext, known: StoredProtocol | undefined) {
  if (known === undefined || known.secretsSet.length === 0) return {};
  return (await services.protocols.openSettings(known)) ?? {};
}

async function secretDifferences(
  context: KindContext,
  known: StoredProtocol,
  to: Located<OwnedProtocolEntry>,
): Promise<FieldDifference[]> {
  const opened: Readonly<Record<string, unknown>> = { ...(await storedSecrets(context, known)) };
  const wanted = secretsOf(context, to, opened);
  return [...new Set([...known.secretsSet, ...wanted.keys()])].flatMap((name) => {
    const from = known.secretsSet.includes(name) ? String(opened[name]) : undefined;
    const next = wanted.get(name);
    if (from !== undefined && next !== undefined && isSameSecret(from, next)) return [];
    return [
      {
        field: `settings.${name}`,
        from: from !== undefined,
        to: next !== undefined,
        isSecret: true as const,
      },
    ];
  });
}

async function put(
  context: KindContext,
  to: Located<OwnedProtocolEntry>,
  { known }: { readonly known: StoredProtocol | undefined },
): Promise<void> {
  const { services, queries, fail } = context;
  const { provider: idpId, id, mapping, remote_id_attribute = null, settings = null } = to.entry;
  if (!(await services.mappings.exists(queries, mapping)))
    fail(
      [...to.path, "mapping"],
      `${quoted(mapping)} does not exist, expected the id of a mapping in the document or in the service`,
    );
  const secrets = settings && secretsOf(context, to, { ...(await storedSecrets(context, known)) });
  const draft = settings && { ...publicMembers(settings), ...Object.fromEntries(secrets ?? []) };
  const { draftSchema } = services.protocols.settings;
  const error = createSchemaCheck(Type.Object({ settings: draftSchema }))({ settings: draft });
  if (error !== undefined) fail([...to.path, ...error.path], error.message);
  await services.protocols.put(
    { idpId, id },
    {
      mapping_id: mapping,
      remote_id_attribute,
      settings: draft,
    },
    { replaces: known !== undefined },
  );
}
