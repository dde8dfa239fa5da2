/** Numbers among the options of sockets. */
import { ValueError } from "../../errors.js";

interface Range {
  readonly min: number;
  readonly max: number;
}

/** @throws {ValueError} The value is not an integer in the range. */
export function requireInteger(argument: string, value: unknown, { min, max }: Range): void {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return;
  throw new ValueError({ argument, value, expected: `an integer from ${min} to ${max}` });
}
