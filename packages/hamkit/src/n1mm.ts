/**
 * `hamkit/n1mm`: reads and writes the messages that N1MM Logger+ broadcasts over UDP, receives them, and makes contacts of them.
 *
 * @module hamkit/n1mm
 */
export { decodeN1mm, encodeN1mm } from "./n1mm/decode-n1mm.js";
export type { WritableFields, WritableN1mmMessage } from "./n1mm/decode-n1mm.js";
export type {
  N1mmContact,
  N1mmDeletion,
  N1mmInvalid,
  N1mmMessage,
  N1mmOther,
  N1mmRadio,
  N1mmSpot,
} from "./n1mm/n1mm-message.js";
export { listenN1mm } from "./n1mm/listen-n1mm.js";
export type { ListenN1mmOptions, N1mmListener, ReceivedN1mm } from "./n1mm/listen-n1mm.js";
export { contestOfN1mm } from "./n1mm/n1mm-contests.js";
export { recordOfN1mm } from "./n1mm/n1mm-record.js";
