/**
 * The members of each type of datagram, in their order.
 *
 * @see The comment of Network/NetworkMessage.hpp of WSJT-X 3.0.1, and of JTDX 2.2.
 */
import type { WsjtxMessage } from "./datagram.js";
import { DATE_TIME } from "./date-time.js";
import {
  BOOL,
  COLOR,
  FLOAT64,
  INT32,
  TEXT,
  UINT32,
  UINT32_OR_NULL,
  UINT64,
  UINT8,
  type FieldType,
} from "./field-types.js";

export type MessageKind = WsjtxMessage["kind"];

type HeaderName = "kind" | "schema" | "type" | "id" | "absentFields" | "extraBytes";

type FieldName<Kind extends MessageKind> = Exclude<
  keyof Extract<WsjtxMessage, { readonly kind: Kind }> & string,
  HeaderName
>;

/** A type of datagrams. */
export interface Layout<Name extends string = string> {
  readonly type: number;
  readonly fields: readonly (readonly [name: Name, type: FieldType])[];
  /** The number of members that every version of the protocol has; the others may be missing at the end. */
  readonly required: number;
}

/** The beginning of Status. */
const STATUS_START = [
  ["dialFrequencyHz", UINT64],
  ["mode", TEXT],
  ["dxCall", TEXT],
  ["report", TEXT],
  ["txMode", TEXT],
  ["txEnabled", BOOL],
  ["transmitting", BOOL],
  ["decoding", BOOL],
] as const;

const LAYOUTS: { readonly [Kind in MessageKind]: Layout<FieldName<Kind>> } = {
  heartbeat: {
    type: 0,
    required: 0,
    fields: [
      ["maxSchema", UINT32],
      ["version", TEXT],
      ["revision", TEXT],
    ],
  },
  status: {
    type: 1,
    required: 13,
    fields: [
      ...STATUS_START,
      ["rxDf", UINT32],
      ["txDf", UINT32],
      ["deCall", TEXT],
      ["deGrid", TEXT],
      ["dxGrid", TEXT],
      ["txWatchdog", BOOL],
      ["subMode", TEXT],
      ["fastMode", BOOL],
      ["specialOperation", UINT8],
      ["frequencyTolerance", UINT32_OR_NULL],
      ["trPeriod", UINT32_OR_NULL],
      ["configurationName", TEXT],
      ["txMessage", TEXT],
    ],
  },
  decode: {
    type: 2,
    required: 7,
    fields: [
      ["new", BOOL],
      ["timeMs", UINT32],
      ["snr", INT32],
      ["deltaTime", FLOAT64],
      ["deltaFrequencyHz", UINT32],
      ["mode", TEXT],
      ["message", TEXT],
      ["lowConfidence", BOOL],
      ["offAir", BOOL],
    ],
  },
  clear: { type: 3, required: 0, fields: [["window", UINT8]] },
  reply: {
    type: 4,
    required: 6,
    fields: [
      ["timeMs", UINT32],
      ["snr", INT32],
      ["deltaTime", FLOAT64],
      ["deltaFrequencyHz", UINT32],
      ["mode", TEXT],
      ["message", TEXT],
      ["lowConfidence", BOOL],
      ["modifiers", UINT8],
    ],
  },
  qsoLogged: {
    type: 5,
    required: 10,
    fields: [
      ["timeOff", DATE_TIME],
      ["dxCall", TEXT],
      ["dxGrid", TEXT],
      ["txFrequencyHz", UINT64],
      ["mode", TEXT],
      ["reportSent", TEXT],
      ["reportReceived", TEXT],
      ["txPower", TEXT],
      ["comments", TEXT],
      ["name", TEXT],
      ["timeOn", DATE_TIME],
      ["operatorCall", TEXT],
      ["myCall", TEXT],
      ["myGrid", TEXT],
      ["exchangeSent", TEXT],
      ["exchangeReceived", TEXT],
      ["propagationMode", TEXT],
      // Sent since WSJT-X 3.0, though its comment doesn't list them.
      ["satellite", TEXT],
      ["satelliteMode", TEXT],
      ["frequencyRx", TEXT],
    ],
  },
  close: { type: 6, required: 0, fields: [] },
  replay: { type: 7, required: 0, fields: [] },
  haltTx: { type: 8, required: 1, fields: [["autoTxOnly", BOOL]] },
  freeText: {
    type: 9,
    required: 2,
    fields: [
      ["text", TEXT],
      ["send", BOOL],
    ],
  },
  wsprDecode: {
    type: 10,
    required: 9,
    fields: [
      ["new", BOOL],
      ["timeMs", UINT32],
      ["snr", INT32],
      ["deltaTime", FLOAT64],
      ["frequencyHz", UINT64],
      ["driftHz", INT32],
      ["callsign", TEXT],
      ["grid", TEXT],
      ["powerDbm", INT32],
      ["offAir", BOOL],
    ],
  },
  location: { type: 11, required: 1, fields: [["location", TEXT]] },
  loggedAdif: { type: 12, required: 1, fields: [["adif", TEXT]] },
  highlightCallsign: {
    type: 13,
    required: 3,
    fields: [
      ["callsign", TEXT],
      ["background", COLOR],
      ["foreground", COLOR],
      ["highlightLast", BOOL],
    ],
  },
  switchConfiguration: { type: 14, required: 1, fields: [["configurationName", TEXT]] },
  configure: {
    type: 15,
    required: 9,
    fields: [
      ["mode", TEXT],
      ["frequencyTolerance", UINT32_OR_NULL],
      ["subMode", TEXT],
      ["fastMode", BOOL],
      ["trPeriod", UINT32_OR_NULL],
      ["rxDf", UINT32_OR_NULL],
      ["dxCall", TEXT],
      ["dxGrid", TEXT],
      ["generateMessages", BOOL],
    ],
  },
  annotationInfo: {
    type: 16,
    required: 3,
    fields: [
      ["dxCall", TEXT],
      ["sortOrderProvided", BOOL],
      ["sortOrder", UINT32_OR_NULL],
    ],
  },
};

/** JTDX: signed frequencies, and a member of its own where WSJT-X has the special operation, which ends it. */
const JTDX_STATUS: Layout<FieldName<"status">> = {
  type: 1,
  required: 13,
  fields: [
    ...STATUS_START,
    ["rxDf", INT32],
    ["txDf", INT32],
    ["deCall", TEXT],
    ["deGrid", TEXT],
    ["dxGrid", TEXT],
    ["txWatchdog", BOOL],
    ["subMode", TEXT],
    ["fastMode", BOOL],
    ["txFirst", BOOL],
  ],
};

const KINDS: ReadonlyMap<number, MessageKind> = new Map(
  (Object.keys(LAYOUTS) as MessageKind[]).map((kind) => [LAYOUTS[kind].type, kind]),
);

/** The kind with this number; `undefined` outside 0 to 16. */
export function kindOfType(type: number): MessageKind | undefined {
  return KINDS.get(type);
}

export function isMessageKind(kind: unknown): kind is MessageKind {
  return typeof kind === "string" && Object.hasOwn(LAYOUTS, kind);
}

/** The members of a datagram of an instance, whose id names the program. */
export function layoutOf(kind: MessageKind, id: string | null): Layout {
  return kind === "status" && id !== null && /^JTDX\b/.test(id) ? JTDX_STATUS : LAYOUTS[kind];
}
