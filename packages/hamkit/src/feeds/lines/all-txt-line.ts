/** Parses lines of WSJT-X's file ALL.TXT: `190106_000015     7.080 Rx FT8    -15  0.2  178 N1TRK N4FKH 569 VA`. */
import { isoTime } from "./feed-fields.js";
import type { DecodeItem } from "./feed-item.js";

/** Since WSJT-X 2.0. */
const LINE =
  /^([0-9]{2})([0-9]{2})([0-9]{2})_([0-9]{2})([0-9]{2})([0-9]{2}) +([0-9]{1,6}\.[0-9]{1,6}) +(Rx|Tx) +([A-Z0-9-]{2,10}) +([+-]?[0-9]{1,3}) +(-?[0-9]{1,3}\.[0-9]{1,3}) +(-?[0-9]{1,5}) +(\S.*)$/i;
/** The form of JTDX: the year has four digits, and a character names the mode. */
const JTDX_LINE =
  /^[0-9]{2}([0-9]{2})([0-9]{2})([0-9]{2})_([0-9]{2})([0-9]{2})([0-9]{2}) +([+-]?[0-9]{1,3}) +(-?[0-9]{1,3}\.[0-9]{1,3}) +(-?[0-9]{1,5}) ([~+#@]) +(\S.*)$/;
const JTDX_MODES: Readonly<Record<string, string>> = { "~": "FT8", "+": "FT4", "#": "JT65", "@": "JT9" };

/** Parses a line; `undefined` for any other text. */
export function parseAllTxtLine(text: string): DecodeItem | undefined {
  const modern = LINE.exec(text);
  if (modern !== null) {
    const [dial, direction, mode, ...signal] = modern.slice(7);
    return decodeOf(modern, { mode: mode ?? "", signal, direction, dialMHz: Number(dial) });
  }
  const jtdx = JTDX_LINE.exec(text);
  if (jtdx === null) return undefined;
  const [snr = "", dt = "", df = "", symbol = "", message = ""] = jtdx.slice(7);
  return decodeOf(jtdx, { mode: JTDX_MODES[symbol] ?? "", signal: [snr, dt, df, message] });
}

interface DecodeFields {
  readonly mode: string;
  readonly signal: readonly string[];
  readonly direction?: string | undefined;
  readonly dialMHz?: number;
}

function decodeOf(
  date: readonly string[],
  { mode, signal, direction = "rx", dialMHz }: DecodeFields,
): DecodeItem | undefined {
  const [, year, month, day, hour, minute, second] = date;
  const at = new Date(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // An engine may map 31 February to March.
  if (Number.isNaN(at.getTime()) || at.getUTCDate() !== Number(day)) return undefined;
  const [snr, dt, df, message = ""] = signal;
  return {
    kind: "decode",
    at,
    time: isoTime(at),
    ...(dialMHz === undefined ? undefined : { dialMHz }),
    direction: direction.toLowerCase() === "tx" ? "tx" : "rx",
    mode: mode.toUpperCase(),
    snr: Number(snr),
    dt: Number(dt),
    df: Number(df),
    message: message.trim(),
  };
}
