/** References of award programs: parks, summits, nature reserves, island groups. */
import type { Position } from "../geo/position.js";

/** The award programs whose lists can be read: Parks, Summits and Islands on the Air, and World Wide Flora and Fauna. */
export type ReferenceProgram = "pota" | "sota" | "wwff" | "iota";

/** An entry of a program's list. */
export interface Reference {
  readonly program: ReferenceProgram;
  /** `US-0001`, `DM/BW-001`, `DLFF-0001`, `EU-005`. */
  readonly reference: string;
  readonly name: string;
  /** Whether it counts now; of a summit, whether the list's dates include the current day. */
  readonly active: boolean;
  /** Absent if the list has none. Of an island group it is the middle of the rectangle that contains the islands. */
  readonly position?: Position | undefined;
  /** Location in the program's form: `US-ME` (POTA), `Germany (Low Mountains), Baden-Württemberg` (SOTA). */
  readonly region?: string | undefined;
  /** ADIF code of the DXCC entity, where the list has it. */
  readonly entity?: number | undefined;
  /** Of a summit, above sea level in meters. */
  readonly heightM?: number | undefined;
  /** Of a summit. */
  readonly points?: number | undefined;
  /** First day on which it counts, as `2024-06-30`. */
  readonly from?: string | undefined;
  /** Last day on which it counts; absent without a known end. */
  readonly until?: string | undefined;
}
