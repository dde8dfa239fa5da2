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
  UTF8,
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
export interface DatagramLayout<Name extends string = string> {
  readonly type: number;
  readonly fields: readonly (readonly [name: Name, type: FieldType])[];
  /** The number of members that every version of the protocol has; the others may be missing at the end. */
  readonly required: number;
}

/** The beginning of Status. */
const STATUS_START = [
  ["dialFrequencyHz", UINT64],
  ["mode", UTF8],
  ["dxCall", UTF8],
  ["report", UTF8],
  ["txMode", UTF8],
  ["txEnabled", BOOL],
  ["transmitting", BOOL],
  ["decoding", BOOL],
] as const;

const LAYOUTS: { readonly [Kind in MessageKind]: DatagramLayout<FieldName<Kind>> } = {
  heartbeat: {
    type: 0,
    required: 0,
    fields: [
      ["maxSchema", UINT32],
      ["version", UTF8],
      ["revision", UTF8],
    ],
  },
  status: {
    type: 1,
    required: 13,
    fields: [
      ...STATUS_START,
      ["rxDf", UINT32],
      ["txDf", UINT32],
      ["deCall", UTF8],
      ["deGrid", UTF8],
      ["dxGrid", UTF8],
      ["txWatchdog", BOOL],
      ["subMode", UTF8],
      ["fastMode", BOOL],
      ["specialOperation", UINT8],
      ["frequencyTolerance", UINT32_OR_NULL],
      ["trPeriod", UINT32_OR_NULL],
      ["configurationName", UTF8],
      ["txMessage", UTF8],
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
      ["mode", UTF8],
      ["message", UTF8],
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
      ["mode", UTF8],
      ["message", UTF8],
      ["lowConfidence", BOOL],
      ["modifiers", UINT8],
    ],
  },
  qsoLogged: {
    type: 5,
    required: 10,
    fields: [
      ["timeOff", DATE_TIME],
      ["dxCall", UTF8],
      ["dxGrid", UTF8],
      ["txFrequencyHz", UINT64],
      ["mode", UTF8],
      ["reportSent", UTF8],
      ["reportReceived", UTF8],
      ["txPower", UTF8],
      ["comments", UTF8],
      ["name", UTF8],
      ["timeOn", DATE_TIME],
      ["operatorCall", UTF8],
      ["myCall", UTF8],
      ["myGrid", UTF8],
      ["exchangeSent", UTF8],
      ["exchangeReceived", UTF8],
      ["propagationMode", UTF8],
      // Sent since WSJT-X 3.0, though its comment doesn't list them.
      ["satellite", UTF8],
      ["satelliteMode", UTF8],
      ["frequencyRx", UTF8],
    ],
  },
  close: { type: 6, required: 0, fields: [] },
  replay: { type: 7, required: 0, fields: [] },
  haltTx: { type: 8, required: 1, fields: [["autoTxOnly", BOOL]] },
  freeText: {
    type: 9,
    required: 2,
    fields: [
      ["text", UTF8],
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
      ["callsign", UTF8],
      ["grid", UTF8],
      ["powerDbm", INT32],
      ["offAir", BOOL],
    ],
  },
  location: { type: 11, required: 1, fields: [["location", UTF8]] },
  loggedAdif: { type: 12, required: 1, fields: [["adif", UTF8]] },
  highlightCallsign: {
    type: 13,
    required: 3,
    fields: [
      ["callsign", UTF8],
      ["background", COLOR],
      ["foreground", COLOR],
      ["highlightLast", BOOL],
    ],
  },
  switchConfiguration: { type: 14, required: 1, fields: [["configurationName", UTF8]] },
  configure: {
    type: 15,
    required: 9,
    fields: [
      ["mode", UTF8],
      ["frequencyTolerance", UINT32_OR_NULL],
      ["subMode", UTF8],
      ["fastMode", BOOL],
      ["trPeriod", UINT32_OR_NULL],
      ["rxDf", UINT32_OR_NULL],
      ["dxCall", UTF8],
      ["dxGrid", UTF8],
      ["generateMessages", BOOL],
    ],
  },
  annotationInfo: {
    type: 16,
    required: 3,
    fields: [
      ["dxCall", UTF8],
      ["sortOrderProvided", BOOL],
      ["sortOrder", UINT32_OR_NULL],
    ],
  },
};

/** JTDX: signed frequencies, and a member of its own where WSJT-X has the special operation, which ends it. */
const JTDX_STATUS: DatagramLayout<FieldName<"status">> = {
  type: 1,
  required: 13,
  fields: [
    ...STATUS_START,
    ["rxDf", INT32],
    ["txDf", INT32],
    ["deCall", UTF8],
    ["deGrid", UTF8],
    ["dxGrid", UTF8],
    ["txWatchdog", BOOL],
    ["subMode", UTF8],
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
export function datagramLayoutOf(kind: MessageKind, id: string | null): DatagramLayout {
  return kind === "status" && id !== null && /^JTDX\b/.test(id) ? JTDX_STATUS : LAYOUTS[kind];
}
