/** Python's spelling of values: `str` of numbers and truth values, `json.dumps`. */

/** A float in the spelling of `repr`: 51.0, -0.0, 1e-05, 1e+16. */
export function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, exponent = ""] = value.toExponential().split("e");
    return `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** A truth value in the spelling of `str`. */
export function pythonBool(value: boolean): string {
  return value ? "True" : "False";
}

/** A flat object of texts in the spelling of `json.dumps`: blanks behind separators, ASCII only. */
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
