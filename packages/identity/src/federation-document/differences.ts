/** The changes from what is stored to a document, as data and in lines. Secrets are not in them. */
import { quoted } from "../platform/text/quoted-value.js";

/** One value that differs, by its path: `rules[0].local[0].group.name`. */
export interface FieldDifference {
  readonly field: string;
  /** `undefined` where there is none. */
  readonly from: unknown;
  readonly to: unknown;
  /** A secret: `from` and `to` only state whether it is set. */
  readonly isSecret?: true;
}

/** What the document changes. */
export interface DocumentChange {
  readonly change: "create" | "update" | "delete";
  /** `mapping`, `identity_provider`. */
  readonly kind: string;
  /** In its kind: `corp/openid` for a protocol. */
  readonly name: string;
  /** Empty but for updates. */
  readonly fields: readonly FieldDifference[];
}

/** The values that differ, from the outside in: as deep as both sides have maps, or lists. */
export function differencesBetween(from: unknown, to: unknown, field = ""): FieldDifference[] {
  if (isList(from) && isList(to))
    return Array.from({ length: Math.max(from.length, to.length) }, (_, index) =>
      differencesBetween(from[index], to[index], `${field}[${index}]`),
    ).flat();
  if (isMap(from) && isMap(to))
    return [...new Set([...Object.keys(from), ...Object.keys(to)])].flatMap((name) =>
      differencesBetween(
        ownMember(from, name),
        ownMember(to, name),
        field === "" ? name : `${field}.${name}`,
      ),
    );
  return from === to || (isEmptyList(from) && isEmptyList(to)) ? [] : [{ field, from, to }];
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isEmptyList = (value: unknown): boolean => isList(value) && value.length === 0;

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !isList(value);
}

function ownMember(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** For programs: values instead of words. */
export function changesView(changes: readonly DocumentChange[]) {
  return changes.map(({ change, kind, name, fields }) => ({
    change,
    kind,
    name,
    fields: fields.map(({ field, from = null, to = null, isSecret = false }) => ({
      field,
      ...(isSecret ? { secret: true, is_set: to === true } : { from, to }),
    })),
  }));
}

const SIGNS = { create: "+", update: "~", delete: "-" } as const;

/** `+` creates, `~` changes, with a line for each value, `-` deletes. */
export function describeChanges(changes: readonly DocumentChange[]): string[] {
  return changes.flatMap(({ change, kind, name, fields }) => [
    `${SIGNS[change]} ${kind.replaceAll("_", " ")} ${name}`,
    ...fields.map(describeField),
  ]);
}

function describeField({ field, from, to, isSecret }: FieldDifference): string {
  if (isSecret === true) return `    ${field}: ${secretText(from)} -> ${secretText(to, from === to)}`;
  return `    ${field}: ${valueText(from)} -> ${valueText(to)}`;
}

function secretText(isSet: unknown, isOther = false): string {
  if (isSet !== true) return "no secret";
  return isOther ? "another secret" : "a secret";
}

function valueText(value: unknown): string {
  if (value === undefined) return "none";
  if (typeof value === "string") return quoted(value);
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}

/** Of one value in a line; data has all of it. */
const MAX_VALUE_CHARACTERS = 300;

const counted = (number: number, noun: string): string => `${number} ${number === 1 ? noun : `${noun}s`}`;

/** `3 creates, 1 change, 0 deletes` */
export function countChanges(changes: readonly DocumentChange[]): string {
  const count = (wanted: DocumentChange["change"]) =>
    changes.filter(({ change }) => change === wanted).length;
  return [
    counted(count("create"), "create"),
    counted(count("update"), "change"),
    counted(count("delete"), "delete"),
  ].join(", ");
}
