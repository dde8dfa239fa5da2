/**
 * Reads records of a property list that have the layout of the record before.
 *
 * The records of a file have the same layout, so one pattern made of the first record reads most of the others, several
 * times faster than tag by tag. A record that differs is read tag by tag.
 */

import { unescapeXml } from "../text/xml-text.js";

/** The fields that are used, as texts; `undefined` where the record has none. */
export interface Fields {
  Country: string | undefined;
  Prefix: string | undefined;
  ADIF: string | undefined;
  CQZone: string | undefined;
  ITUZone: string | undefined;
  Continent: string | undefined;
  Latitude: string | undefined;
  Longitude: string | undefined;
  /** "true" or "false", after the tags `<true/>` and `<false/>`. */
  ExactCallsign: string | undefined;
}

export function noFields(): Fields {
  return {
    Country: undefined,
    Prefix: undefined,
    ADIF: undefined,
    CQZone: undefined,
    ITUZone: undefined,
    Continent: undefined,
    Latitude: undefined,
    Longitude: undefined,
    ExactCallsign: undefined,
  };
}

/** The layout of a record: a pattern with a group for each used field. */
export interface Layout {
  /** Sticky: it matches at the position of the reader only. */
  readonly pattern: RegExp;
  /** The fields of its groups. */
  readonly names: readonly (keyof Fields)[];
}

/** One value of a record. */
export interface LayoutStep {
  /** The text between the value before and the tag of this one. */
  readonly lead: string;
  /** The start tag, or the whole of an empty one. */
  readonly tag: string;
  /** `undefined` for a field that is not used. */
  readonly name: keyof Fields | undefined;
}

/** The layout of a record that was read tag by tag. */
export function layoutOf(steps: readonly LayoutStep[], tail: string): Layout {
  const source = steps.map(({ lead, tag, name }) => {
    const value = tag.endsWith("/>") ? "<(?:true|false)/>" : `${tag}[^<]*${tag.replace("<", "</")}`;
    const group = tag.endsWith("/>") ? "<(true|false)/>" : `${tag}([^<]*)${tag.replace("<", "</")}`;
    return escape(lead) + (name === undefined ? value : group);
  });
  return {
    pattern: new RegExp(source.join("") + escape(tail), "y"),
    names: steps.flatMap(({ name }) => name ?? []),
  };
}

/** The fields of a record and its end; `undefined` where it has another layout. */
export function readWithLayout(
  text: string,
  start: number,
  { pattern, names }: Layout,
): { readonly fields: Fields; readonly end: number } | undefined {
  pattern.lastIndex = start;
  const values = pattern.exec(text);
  if (values === null) return undefined;
  const fields = noFields();
  const isEscaped = values[0].includes("&");
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    const value = values[index + 1];
    if (name !== undefined && value !== undefined) fields[name] = isEscaped ? unescapeXml(value) : value;
  }
  return { fields, end: pattern.lastIndex };
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
