/** Protocols as requests describe them: whole ones, and changes of stored ones. */
import type { ProtocolChange, ProtocolDraft } from "./protocol-schema.js";
import type { Protocol, ProtocolKey, StoredProtocol } from "./protocol-store.js";
import type { NewSecrets } from "./protocol-secrets.js";
import type {
  OpenedSettings,
  ProtocolSettings,
  ProtocolSettingsDraft,
  PublicSettings,
} from "./protocol-settings.js";

/** A protocol to store. */
export interface DraftedProtocol {
  readonly protocol: Protocol;
  /** Its new settings; `undefined` if they stay. */
  readonly sent: ProtocolSettingsDraft | null | undefined;
  readonly secrets: NewSecrets;
  /** Whether stored secrets stay, unless `secrets` names them. */
  readonly keepsSecrets: boolean;
}

/** @throws {ProtocolSettingsError} */
export function newProtocol(
  key: ProtocolKey,
  draft: ProtocolDraft,
  rules: ProtocolSettings,
): DraftedProtocol {
  const { mapping_id: mappingId, remote_id_attribute: remoteIdAttribute = null, settings: sent } = draft;
  const { settings, secrets } = split(sent, rules);
  const protocol = { ...key, mappingId, remoteIdAttribute, settings, refreshedAt: 0 };
  return { protocol, sent, secrets, keepsSecrets: false };
}

/** @throws {SchemaError} {@link ProtocolSettingsError} */
export function changedProtocol(
  known: StoredProtocol,
  { mapping_id, remote_id_attribute, settings: change }: ProtocolChange,
  rules: ProtocolSettings,
): DraftedProtocol {
  const mappingId = mapping_id ?? known.mappingId;
  const remoteIdAttribute = remote_id_attribute ?? known.remoteIdAttribute;
  const sent = change && rules.merge(known.settings, change);
  const { settings, secrets } = sent === undefined ? { ...known, secrets: NONE } : split(sent, rules);
  return {
    protocol: { ...known, mappingId, remoteIdAttribute, settings },
    sent,
    secrets,
    keepsSecrets: settings?.type === known.settings?.type,
  };
}

const NONE: NewSecrets = new Map();

/**
 * The settings of a draft with their secrets.
 *
 * @param stored Reads the stored secrets.
 */
export async function openDraft(
  settings: PublicSettings,
  { secrets, keepsSecrets }: DraftedProtocol,
  stored: () => Promise<Readonly<Record<string, string>>>,
): Promise<OpenedSettings> {
  const kept = keepsSecrets ? await stored() : {};
  return { ...settings, ...kept, ...Object.fromEntries(secrets) };
}

/** Splits settings into public ones and secrets. */
function split(
  draft: ProtocolSettingsDraft | null | undefined,
  rules: ProtocolSettings,
): {
  readonly settings: PublicSettings | null;
  readonly secrets: NewSecrets;
} {
  return draft === null || draft === undefined ? { settings: null, secrets: NONE } : rules.split(draft);
}
