/** The three regions into which the International Amateur Radio Union divides the world. */
import { ValueError } from "../errors.js";

/** 1: Europe, Africa, the Middle East and northern Asia. 2: the Americas. 3: the rest of Asia, and Oceania. */
export type IaruRegion = 1 | 2 | 3;

/** All regions, in the order in which their plans are consulted. */
export const REGIONS: readonly IaruRegion[] = [1, 2, 3];

/** @throws {ValueError} The value is not 1, 2 or 3. */
export function requireRegion(region: unknown): IaruRegion {
  const known = REGIONS.find((candidate) => candidate === region);
  if (known === undefined) {
    throw new ValueError({ argument: "region", value: region, expected: "an IARU region: 1, 2 or 3" });
  }
  return known;
}
