/** The parts of the recordings of all other resources, each made on a server of its own. */
import type { RestPart } from "./golden-rules.js";
import { PART_D } from "./rest-part-d.js";
import { PART_F } from "./rest-part-f.js";

export const REST_PARTS: readonly RestPart[] = [PART_D, PART_F];
