/** The parts of the recordings of all other resources, each made on a server of its own. */
import type { Rules } from "./golden-rules.js";
import { PART_D } from "./rest-part-d.js";

export interface RestPart {
  readonly part: "a" | "b" | "c" | "d" | "e" | "f";
  readonly rules: Rules;
  /** Requests whose responses depend on chance. */
  readonly byChance?: RegExp;
  /** Settings that the part needs. */
  readonly env?: Readonly<Record<string, string>>;
}

export const REST_PARTS: readonly RestPart[] = [PART_D];
