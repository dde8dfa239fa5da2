/** Names of modes, however they are written. */
import { MODE_SPELLINGS } from "../../spots/spot-comment.js";

/** A mode in upper case and in one spelling; `undefined` for text that can't be one. */
export function normalizeMode(text: string | undefined): string | undefined {
  const mode = text?.trim().toUpperCase();
  if (mode === undefined || !/^[A-Z0-9][A-Z0-9 ./-]{0,19}$/.test(mode)) return undefined;
  if (mode === "PHONE") return "SSB";
  return MODE_SPELLINGS.get(mode) ?? mode;
}

/** The mode of which USB and LSB are sidebands. */
export function broadMode(mode: string): string {
  return mode === "USB" || mode === "LSB" ? "SSB" : mode;
}
