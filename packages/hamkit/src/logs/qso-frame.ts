/** What stands around QSOs in their file. */
import type { QsoFrame } from "./log.js";

/** A frame; the one of the QSO before, if it is the same, since nearly all are. */
export function frameLike(previous: QsoFrame | undefined, before: string, after: string): QsoFrame {
  return previous?.before === before && previous.after === after ? previous : { before, after };
}
