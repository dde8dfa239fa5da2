/** The fields of a form for one thing, as data. */
import type { Pick } from "./Picker.svelte";

interface FieldFacts {
  /** The member of the values. */
  readonly key: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  /** Shown, and not to be changed. */
  readonly fixed?: boolean;
}

export type RecordField = FieldFacts &
  (
    | { readonly kind: "text" | "password" | "area" | "check" | "time"; readonly maxLength?: number }
    | {
        readonly kind: "select";
        readonly options: readonly { readonly value: string; readonly text: string }[];
      }
    | {
        readonly kind: "choices";
        readonly options: readonly { readonly value: string; readonly text: string }[];
      }
    | {
        /** Ids of things that the service finds by name. */
        readonly kind: "picks";
        readonly find: (text: string) => Promise<readonly Pick[]>;
        /** How many may be chosen; any number, if left out. */
        readonly max?: number;
        /** The names of those that are chosen at first. */
        readonly known?: readonly Pick[];
      }
  );

export type RecordValues = Record<string, string | boolean | readonly string[]>;

/** What is wrong with a value; `undefined` if nothing is. */
export function faultOf(field: RecordField, value: RecordValues[string] | undefined): string | undefined {
  if (field.required === true && field.kind === "choices" && !(Array.isArray(value) && value.length > 0))
    return `${field.label}: none is chosen; at least one is required`;
  const isEmpty = value === undefined || value === "" || (typeof value === "string" && value.trim() === "");
  if (field.required === true && isEmpty) return `${field.label} is empty; it is required`;
  if (
    "maxLength" in field &&
    field.maxLength !== undefined &&
    typeof value === "string" &&
    value.length > field.maxLength
  )
    return `${value.length} characters, at most ${field.maxLength} are allowed`;
  return undefined;
}

/** The values that differ from the ones before, for a PATCH. */
export function changesOf(before: RecordValues, after: RecordValues): RecordValues {
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  );
}
