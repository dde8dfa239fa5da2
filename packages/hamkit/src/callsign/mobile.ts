/** Stations at sea and in the air, which are in no entity, by their calls. */
import { normalizeCallsign, withoutSsid } from "./normalize.js";
import { parseCallsign } from "./parse-callsign.js";
import { suffixMeaning } from "./suffix.js";

/** What most calls lack; tested first. */
const HINT = /^\s*(?:VE|EL)0|\/[AM]M/i;

const SHIPS = /^(?:VE|EL)0[A-Z]/;

/**
 * Whether a text begins like the calls of ships, which are in no entity.
 *
 * @see Industry Canada, RIC-9: VE0 for stations aboard ships in international waters; the log service's prefixes VE0 and EL0.
 */
export function beginsAsShip(text: string): boolean {
  return text[2] === "0" && SHIPS.test(text);
}

/** Whether the station is at sea or in the air: W1AW/MM, W1AW/AM, VE0MM; not VE0MM/KH6, which is ashore. */
export function mobileKind(callsign: string): "maritime" | "aeronautical" | undefined {
  if (!HINT.test(callsign)) return undefined;
  const normal = normalizeCallsign(callsign);
  if (normal === undefined) return undefined;
  const call = withoutSsid(normal);
  const mobile = parseCallsign(call)?.mobile;
  if (mobile !== undefined || !beginsAsShip(call)) return mobile;
  const isAshore = call
    .split("/")
    .slice(1)
    .some((suffix) => ["place", "area"].includes(suffixMeaning(suffix)));
  return isAshore ? undefined : "maritime";
}
