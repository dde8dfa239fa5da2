/** Reads values of the texts of callbook entries. */

/** Reads the text of a field. */
export interface FieldReader<Value> {
  /** The expected kind of text, for messages. */
  readonly expected: string;
  /** The value; `null` for a text that stands for none, `undefined` for an unexpected text. */
  readonly read: (text: string) => Value | null | undefined;
}

/** The elements of a field. Texts of several are joined. Of several rows with the same key the first one with a value is used. */
export type FieldRow<Found> = {
  [Key in keyof Found]-?: readonly [
    elements: string | readonly string[],
    key: Key,
    reader: FieldReader<NonNullable<Found[Key]>>,
  ];
}[keyof Found];

/** The fields of an entry. */
export interface FieldsResult<Found> {
  readonly found: Found;
  /** Texts that were kept because they are not of the expected kind. */
  readonly unexpected: readonly { readonly key: string; readonly text: string; readonly expected: string }[];
}

/** Reads the elements of an entry. Empty ones are left out, and unexpected texts are kept as they are. */
export function readFields<Found extends object>(
  elements: ReadonlyMap<string, string>,
  rows: readonly FieldRow<Found>[],
): FieldsResult<Found> {
  const found: Record<PropertyKey, unknown> = {};
  const unexpected: FieldsResult<Found>["unexpected"][number][] = [];
  for (const [names, key, { read, expected }] of rows) {
    const text = textOf(elements, names);
    if (text === "" || key in found) continue;
    const value = read(text);
    if (value === null) continue;
    found[key] = value ?? text;
    if (value === undefined) unexpected.push({ key: String(key), text, expected });
  }
  return { found: found as Found, unexpected };
}

function textOf(elements: ReadonlyMap<string, string>, names: string | readonly string[]): string {
  const texts = [names].flat().map((name) => elements.get(name) ?? "");
  return texts.filter((text) => text !== "").join(", ");
}

export const TEXT: FieldReader<string> = { expected: "a text", read: (text) => text };

/** HamQTH returns callsigns in the case that its users typed. */
export const CALLSIGN: FieldReader<string> = {
  expected: "a callsign",
  read: (text) => text.toUpperCase(),
};

export const CALLSIGNS: FieldReader<readonly string[]> = {
  expected: "a list of callsigns",
  read(text) {
    const calls = text.split(",").map((call) => call.trim());
    const named = calls.filter((call) => call !== "");
    return named.length > 0 ? named : null;
  },
};

/** A number represents up to fifteen digits exactly. */
export const NUMBER: FieldReader<number> = {
  expected: "a number",
  read: (text) => (/^[-+]?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) + 0 : undefined),
};

const FLAGS: ReadonlyMap<string, boolean | null> = new Map([
  ["Y", true],
  ["1", true],
  ["N", false],
  ["0", false],
  ["?", null],
]);

export const FLAG: FieldReader<boolean> = {
  expected: "Y, N, 1 or 0",
  read: (text) => FLAGS.get(text.toUpperCase()),
};

/** A day, or a day and a time, in UTC. A day alone stands for its beginning. */
export const DATE: FieldReader<Date> = {
  expected: "a date",
  read(text) {
    const [, day, time = "00:00:00"] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d))?$/.exec(text) ?? [];
    if (day === undefined) return undefined;
    if (day === "0000-00-00") return null;
    const date = new Date(`${day}T${time}Z`);
    // Some engines read 30 February as 1 March.
    return Number.isNaN(date.getTime()) || !date.toISOString().startsWith(day) ? undefined : date;
  },
};

/** Hours ahead of UTC: `-7`, `5.5`, or as hours and minutes, `545`, `0545` or `5:45`. */
export const TIME_ZONE: FieldReader<number> = {
  expected: "an offset from UTC",
  read(text) {
    const [, sign, hours, minutes = "0"] = /^([-+]?)(\d{1,2}):?([0-5]\d)$/.exec(text) ?? [];
    const offset =
      hours === undefined
        ? NUMBER.read(text)
        : Number(`${sign}1`) * (Number(hours) + Number(minutes) / 60) + 0;
    return typeof offset === "number" && Math.abs(offset) <= 14 ? offset : undefined;
  },
};

/** Hours behind UTC, negated to hours ahead of it. */
export const WEST_TIME_ZONE: FieldReader<number> = {
  expected: TIME_ZONE.expected,
  read(text) {
    const offset = TIME_ZONE.read(text);
    return typeof offset === "number" ? 0 - offset : offset;
  },
};
