/** The parts of a callsign and their roles, for people: what identifying it reads, and what it sets aside. */
import { withoutSsid } from "./normalize.js";
import { parseCallsign, partMeaning, type ParsedCallsign } from "./parse-callsign.js";
import { isUsState } from "./us-calls.js";

/** The role of a part. */
export type PartRole =
  /** The station's own call. */
  | "call"
  /** Before or behind the call; may name the place. */
  | "before"
  | "after"
  /** The digit of another call area than the call's own, alone or behind P. */
  | "area"
  /** The digit of the call's own area, which changes nothing. */
  | "own-area"
  /** The state of a station of the United States. */
  | "state"
  /** At sea or in the air. */
  | "maritime"
  | "aeronautical"
  | "beacon"
  /** An activity at home (QRP), and one that may be away from home (/P). */
  | "same-station"
  | "activity"
  /** The number behind a hyphen that packet radio and skimmers append. */
  | "ssid"
  /** What a node appended to the call of a spotter: -# for a skimmer, -@ for a web user. */
  | "spotter"
  /** A further place or digit, where the one nearer to the call, or the later one, counts. */
  | "unused";

/** A part of a callsign between slashes, or what follows a hyphen. */
export interface CallsignPart {
  readonly text: string;
  readonly role: PartRole;
}

/**
 * The parts in their order; none for a text in which no part has the form of a call.
 *
 * @param normal A normalized callsign, which may have SSIDs.
 */
export function callsignParts(normal: string): readonly CallsignPart[] {
  const parsed = parseCallsign(withoutSsid(normal));
  if (parsed === undefined) return [];
  if (parsed.call === normal) return [{ text: normal, role: "call" }];
  const pieces = normal.split("/");
  const texts = pieces.map(withoutSsid);
  const roles = rolesOf(texts, parsed);
  return texts.flatMap((text, index): CallsignPart[] => {
    const ssid = pieces[index]?.slice(text.length) ?? "";
    const part = { text, role: roles[index] ?? "unused" };
    return ssid === "" ? [part] : [part, { text: ssid, role: "ssid" }];
  });
}

function rolesOf(texts: readonly string[], { call, area }: ParsedCallsign): PartRole[] {
  const meanings = texts.map((text, index) => (index === 0 ? "place" : partMeaning(text)));
  const places = texts.filter((_, index) => meanings[index] === "place");
  const position = places.indexOf(call);
  const lastDigit = meanings.lastIndexOf("area");
  let place = 0;
  return meanings.map((meaning, index): PartRole => {
    if (meaning === "place") return placeRole(place++ - position, call, texts[index]);
    if (meaning !== "area") return meaning;
    if (index !== lastDigit) return "unused";
    return area === undefined ? "own-area" : "area";
  });
}

function placeRole(distance: number, call: string, text = ""): PartRole {
  if (distance === 0) return "call";
  if (distance === -1) return "before";
  if (distance !== 1) return "unused";
  return isUsState(call, text) ? "state" : "after";
}
