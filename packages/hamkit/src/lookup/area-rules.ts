/** Prefixes whose country hangs on more than their own letters. */
import { prefixText } from "../callsign/form.js";
import type { Moment } from "./ports.js";

/** From this day on the second letter of a VK9 suffix names the island, as VK9xNx is Norfolk. */
const VK9_BY_SECOND_LETTER = Date.UTC(2006, 0, 1);
const VK9 = /^((?:VK|AX|VI)9)[A-Z]([A-Z])[A-Z]/;

/** KG4 is Guantanamo Bay with two letters behind it; with one or three it is the fourth area of the United States. */
const KG4_OF_THE_STATES = /^KG4(?:[A-Z]|[A-Z]{3,})$/;

/**
 * The text whose longest prefix tells where a call is from: the call itself, as a rule.
 *
 * @param call A call without what stands before or behind it.
 */
export function areaText(call: string, at: Moment): string {
  if (call.startsWith("KG4") && KG4_OF_THE_STATES.test(call)) return "K4";
  if (call.charCodeAt(2) === 57 && at > VK9_BY_SECOND_LETTER) {
    const vk9 = VK9.exec(call);
    if (vk9 !== null) return `${vk9[1]}${vk9[2]}`;
  }
  return prefixText(call);
}
