/** Values in Python's notation, as in Keystone's messages. */

/** Characters of one value that are shown. */
const LENGTH = 4096;

/** As `repr` writes it: `'text'`, `True`, `None`, `['a', 1]`, `{'a': None}`. Shortened where it would be very long. */
export function pythonRepr(value: unknown): string {
  const text = write(value, LENGTH);
  return text.length <= LENGTH ? text : `${text.slice(0, LENGTH)}...`;
}

/** As `str` writes it: text without quotes, all else like {@link pythonRepr}. */
export function pythonText(value: unknown): string {
  if (typeof value !== "string") return pythonRepr(value);
  return value.length <= LENGTH ? value : `${value.slice(0, LENGTH)}...`;
}

/** As `str` writes it, whole: for comparisons, where a shortened value could equal another. */
export function wholePythonText(value: unknown): string {
  return typeof value === "string" ? value : write(value, Infinity);
}

/** @param room How many characters will be used of the text; parts behind that are left out. */
function write(value: unknown, room: number): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quote(value.slice(0, room + 1));
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return `[${join(value, (item, left) => write(item, left), room)}]`;
  const entries = Object.entries(value);
  return `{${join(entries, ([key, item], left) => `${quote(key)}: ${write(item, left)}`, room)}}`;
}

function join<Item>(
  items: readonly Item[],
  show: (item: Item, left: number) => string,
  room: number,
): string {
  let text = "";
  for (const item of items) {
    if (text.length > room) break;
    text += (text === "" ? "" : ", ") + show(item, room - text.length);
  }
  return text;
}

/** Single quotes, unless the text contains only those. */
function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inside = text.replaceAll(/[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|'/gu, (character) =>
    escape(character, mark),
  );
  return mark + inside + mark;
}

const NAMED: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escape(character: string, mark: string): string {
  if (character === "'") return mark === "'" ? "\\'" : character;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  return NAMED[character] ?? (code < 256 ? `\\x${digits.padStart(2, "0")}` : `\\u${digits.padStart(4, "0")}`);
}
