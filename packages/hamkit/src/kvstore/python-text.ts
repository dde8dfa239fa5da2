/** Values as Python writes them: `str(value)` of numbers, `strftime`, `json.dumps`. */

/** A float as `repr` spells it: 51.0, -0.0, 1e-05, 1e+16. */
export function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent = ""] = value.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** A truth value as `str` spells it. */
export function pythonBool(value: boolean): string {
  return value ? "True" : "False";
}

/** A flat object with texts as values, as `json.dumps` writes it: blanks behind separators, ASCII alone. */
export function pythonJson(fields: Iterable<readonly [name: string, text: string]>): string {
  const parts = Array.from(fields, ([name, text]) => `${quoted(name)}: ${quoted(text)}`);
  return `{${parts.join(", ")}}`;
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007F-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
