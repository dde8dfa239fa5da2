/** Values of options that are whole numbers. */
import { InvalidArgumentError } from "commander";

/** A parser of whole numbers in a range. */
export function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected an integer from ${min} to ${max}.`);
  };
}
