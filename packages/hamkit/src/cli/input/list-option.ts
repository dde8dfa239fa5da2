/** Options with several values. */
import { InvalidArgumentError } from "commander";

/** Values with commas between them. */
export function list(text: string): string[] {
  const values = text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "");
  if (values.length > 0 && values.length <= 100) return values;
  throw new InvalidArgumentError("Expected 1 to 100 values with commas between them.");
}

/** The values of an option that can be repeated. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
