/** The stations of a message as its members, and the message type that can carry them. */
import type { StationMember } from "./message.js";
import type { NamedStation } from "./message-words.js";

type StationMembers = { readonly [Name in StationMember]?: string } & {
  readonly hashed?: readonly StationMember[];
};

/** The calls by the member's name, and the names of those that were sent as a hash. */
export function membersOf(stations: { readonly [Name in StationMember]?: NamedStation }): StationMembers {
  const members: { [Name in StationMember]?: string } & { hashed?: StationMember[] } = {};
  const hashed: StationMember[] = [];
  for (const [name, { call, hashed: isHashed }] of Object.entries(stations) as [
    StationMember,
    NamedStation,
  ][]) {
    if (call !== undefined) members[name] = call;
    if (isHashed) hashed.push(name);
  }
  if (hashed.length > 0) members.hashed = hashed;
  return members;
}

/**
 * The type of a message with one call or two: 1 and 2 have room for a locator, a report or a word of a CQ; 4 sends one call in
 * full, and nothing of these.
 *
 * @param carries Whether the message has what type 4 has no room for.
 * @returns Nothing where no type or more than one can carry them.
 */
export function typeOf(
  stations: readonly NamedStation[],
  carries: boolean,
): { readonly type: string } | undefined {
  const forms = new Set(stations.map(({ form }) => form));
  if (forms.has("nonstandard")) return carries ? undefined : { type: "4" };
  const isPortable = forms.has("portable");
  if (isPortable) return forms.has("rover") ? undefined : { type: "2" };
  // A standard call beside a hash is also sent by type 4.
  if (forms.has("hash") && !carries) return undefined;
  return { type: "1" };
}
