/** Users and groups as a directory's entries describe them: pure functions of entries and settings. */
import type { DirectoryEntry } from "./directory.js";
import type { EnabledSettings, EntrySettings, UserSettings } from "./directory-settings.js";
import { parseDn } from "./ldap/distinguished-name.js";

/** A user or group of a directory. */
export interface NamedEntry {
  readonly dn: string;
  /** The value of the id attribute, as the entry spells it. */
  readonly localId: string;
  readonly name: string;
  readonly description: string | undefined;
}

export interface UserEntry extends NamedEntry {
  readonly enabled: boolean;
  readonly email: string | undefined;
  readonly defaultProjectId: string | undefined;
}

export interface GroupEntry extends NamedEntry {
  readonly entry: DirectoryEntry;
}

/** Attributes of Active Directory that hold a GUID. */
const GUIDS = new Set(["objectguid", "msexchmailboxguid"]);

export function isGuid(attribute: string): boolean {
  return GUIDS.has(attribute.toLowerCase());
}

/** The attributes of an entry that name it. */
export function attributesOf({ id, name, description }: EntrySettings): string[] {
  return [...new Set([id, name, ...(description === undefined ? [] : [description])])];
}

export function attributesOfUser(settings: UserSettings): string[] {
  const { mail, defaultProject, enabled } = settings;
  const others = [mail, defaultProject, "attribute" in enabled ? enabled.attribute : undefined];
  return [...new Set([...attributesOf(settings), ...others.filter((name) => name !== undefined)])];
}

/** Attributes to be read as bytes. */
export function binaryAttributes({ id }: EntrySettings): string[] {
  return isGuid(id) ? [id, "objectGUID"] : [];
}

/** `undefined` for an entry without an id, or with a name of blanks. */
export function readEntryName(entry: DirectoryEntry, settings: EntrySettings): NamedEntry | undefined {
  const localId = idOf(entry, settings.id);
  const name = firstText(entry, settings.name);
  if (localId === undefined || localId === "" || name === undefined || name.trim() === "") return undefined;
  return { dn: entry.dn, localId, name, description: firstText(entry, settings.description) };
}

export function readUser(
  entry: DirectoryEntry,
  settings: UserSettings,
  isEnabledMember: (user: NamedEntry) => boolean,
): UserEntry | undefined {
  const named = readEntryName(entry, settings);
  if (named === undefined) return undefined;
  return {
    ...named,
    enabled: isEnabled(entry, settings.enabled, () => isEnabledMember(named)),
    email: firstText(entry, settings.mail),
    defaultProjectId: firstText(entry, settings.defaultProject),
  };
}

/** The id of an entry; of several values, the one in its DN. */
function idOf(entry: DirectoryEntry, attribute: string): string | undefined {
  const values = entry
    .valuesOf(attribute)
    .map((value) => (isGuid(attribute) ? guidText(value) : textOrGuid(value)))
    .filter((value) => value !== undefined);
  if (values.length <= 1) return values[0];
  const [rdn = []] = parseDn(entry.dn) ?? [];
  const inName = rdn.find(({ type }) => type === attribute.toLowerCase())?.value;
  return values.find((value) => value === inName) ?? values[0];
}

function textOrGuid(value: string | Buffer): string | undefined {
  return typeof value === "string" ? value : guidText(value);
}

/** Sixteen bytes as Active Directory writes a GUID: the first three parts have their low bytes first. */
function guidText(value: string | Buffer): string | undefined {
  const bytes = Buffer.from(value);
  if (bytes.length !== 16) return undefined;
  const hex = swapped(bytes).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The first three parts of a GUID with their bytes in the other order. */
function swapped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.subarray(0, 4).swap32();
  copy.subarray(4, 8).swap16();
  return copy;
}

/** The value of an id in the directory: bytes, if it is a GUID there. */
export function idValue(attribute: string, localId: string): string | Buffer {
  return isGuid(attribute) ? (guidBytes(localId) ?? localId) : localId;
}

function guidBytes(text: string): Buffer | undefined {
  const hex = text.replaceAll("-", "");
  if (!/^[0-9a-f]{32}$/i.test(hex)) return undefined;
  const bytes = Buffer.from(hex, "hex");
  return swapped(bytes);
}

function firstText(entry: DirectoryEntry, attribute: string | undefined): string | undefined {
  if (attribute === undefined) return undefined;
  return entry.valuesOf(attribute).find((value) => typeof value === "string");
}

function isEnabled(entry: DirectoryEntry, settings: EnabledSettings, isMember: () => boolean): boolean {
  switch (settings.kind) {
    case "always":
      return true;
    case "group":
      return isMember();
    case "mask": {
      const { attribute, mask, standard } = settings;
      const number = Number.parseInt(firstText(entry, attribute) ?? String(standard), 10);
      return Number.isNaN(number) ? false : (number & mask) !== mask;
    }
    default: {
      const { attribute, isInverted, standard } = settings;
      // Also the default is inverted.
      const isTrue = (firstText(entry, attribute) ?? standard).toLowerCase() === "true";
      return isTrue !== isInverted;
    }
  }
}

/** The first entry of each id. */
export function distinct<Item extends NamedEntry>(entries: readonly Item[]): Item[] {
  const known = new Map<string, Item>();
  for (const entry of entries) if (!known.has(entry.localId)) known.set(entry.localId, entry);
  return [...known.values()];
}
