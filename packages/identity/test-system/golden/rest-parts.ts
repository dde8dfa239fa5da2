/** The parts of the recordings of all other resources, each made on a server of its own. */
import type { RestPart } from "./golden-rules.js";
import { PART_A } from "./rest-part-a.js";
import { PART_B } from "./rest-part-b.js";
import { PART_C } from "./rest-part-c.js";
import { PART_D } from "./rest-part-d.js";
import { PART_E } from "./rest-part-e.js";
import { PART_F } from "./rest-part-f.js";

export const REST_PARTS: readonly RestPart[] = [PART_A, PART_B, PART_C, PART_D, PART_E, PART_F];
