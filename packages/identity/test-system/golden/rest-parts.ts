/** The parts of the recordings of all other resources, each made on a server of its own. */
import type { RestPart } from "./golden-rules.js";
import { PART_D } from "./rest-part-d.js";

export const REST_PARTS: readonly RestPart[] = [PART_D];
