/**
 * Profiles: the combinations of band, mode, propagation, power, continent and period that tell facets apart.
 *
 * A log has few of them. Each gets a number, under which units are tallied, and facets look at profiles alone.
 */
import { BAND_NAMES, type LoggedContact } from "./contact.js";
import { MODE_COUNT, type GroupedMode } from "./mode-group.js";
import type { AwardFacet } from "../rules/award-rule.js";

/** What of a contact decides in which facets it counts. */
export interface Profile {
  /** From 0, in the order of appearance. */
  readonly index: number;
  readonly band: string;
  readonly mode: GroupedMode;
  readonly propagation: LoggedContact["propagation"];
  /** At most 5 W. */
  readonly qrp: boolean;
  /** "" where it is unknown. */
  readonly continent: string;
  /** The number of the facets' first days, ascending, that are not after the contact's. */
  readonly era: number;
}

/** More profiles than any log has: without a limit, a hostile one would fill the memory. */
export const MAX_PROFILES = 1 << 14;

const CONTINENTS = ["", "AF", "AN", "AS", "EU", "NA", "OC", "SA"];
const PROPAGATIONS: readonly LoggedContact["propagation"][] = ["", "SAT", "EME"];
const BAND_NUMBERS = /* @__PURE__ */ numbered(["", ...BAND_NAMES]);
const CONTINENT_NUMBERS = /* @__PURE__ */ numbered(CONTINENTS);

function numbered(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, index) => [name, index]));
}

const QRP_WATTS = 5;

export interface ProfileRegister {
  /** The profile of a contact; `undefined` if there are too many. */
  profileOf(contact: LoggedContact, continent: string | undefined): Profile | undefined;
  readonly profiles: readonly Profile[];
}

/** @param firstDays First days of facets, ascending. */
export function createProfileRegister(firstDays: readonly number[]): ProfileRegister {
  const byKey = new Map<number, Profile>();
  const profiles: Profile[] = [];
  return {
    profiles,
    profileOf(contact, continent = "") {
      const { band, mode, propagation, record, day } = contact;
      const qrp = isQrp(record["TX_PWR"]);
      let era = 0;
      while (era < firstDays.length && (firstDays[era] ?? 0) <= day) era++;
      let key = (BAND_NUMBERS.get(band) ?? 0) * MODE_COUNT + mode.number;
      key = key * PROPAGATIONS.length + PROPAGATIONS.indexOf(propagation);
      key = key * CONTINENTS.length + (CONTINENT_NUMBERS.get(continent) ?? 0);
      key = (key * (firstDays.length + 1) + era) * 2 + (qrp ? 1 : 0);
      const known = byKey.get(key);
      if (known !== undefined || profiles.length >= MAX_PROFILES) return known;
      const profile = { index: profiles.length, band, mode, propagation, qrp, continent, era };
      byKey.set(key, profile);
      profiles.push(profile);
      return profile;
    },
  };
}

function isQrp(power: string | undefined): boolean {
  if (power === undefined || power === "") return false;
  const watts = Number(power);
  return watts > 0 && watts <= QRP_WATTS;
}

/** Whether a mode is one of these: groups, `digital`, or modes of ADIF. */
export function hasMode(modes: readonly string[], { mode, group }: GroupedMode): boolean {
  return (
    modes.includes(group) ||
    (mode !== "" && modes.includes(mode)) ||
    (modes.includes("digital") && (group === "data" || group === "image"))
  );
}

/** Whether contacts of a profile count for a facet. */
export function isCounted(
  profile: Profile,
  facet: AwardFacet,
  { satellites, firstDays, fromDay }: FacetContext,
): boolean {
  const { band, mode, propagation, qrp, continent, era } = profile;
  const isSatellite = propagation === "SAT";
  if (satellites === "none" && isSatellite) return false;
  if (satellites === "separate" && isSatellite !== (facet.satellite ?? false)) return false;
  if (satellites === "together" && facet.satellite === true && !isSatellite) return false;
  if (facet.propagation !== undefined && facet.propagation !== propagation) return false;
  if (facet.bands !== undefined && !facet.bands.includes(band)) return false;
  if (facet.excludedBands?.includes(band)) return false;
  if (facet.modes !== undefined && !hasMode(facet.modes, mode)) return false;
  if (facet.exceptModes !== undefined && hasMode(facet.exceptModes, mode)) return false;
  if (facet.continents !== undefined && !facet.continents.includes(continent)) return false;
  if (facet.maxPowerW !== undefined && !qrp) return false;
  // A slot needs a name.
  if (facet.slots === "band" && band === "") return false;
  return fromDay === undefined || era > firstDays.indexOf(fromDay);
}

/** The band or mode of `slots` that contacts of a profile count in. */
export function facetSlot({ slots, modes }: AwardFacet, { mode, band }: Profile): string | undefined {
  return slots === "mode" ? modes?.find((each) => hasMode([each], mode)) : band;
}

/** What `isCounted` needs beside profile and facet. */
export interface FacetContext {
  readonly satellites: "separate" | "together" | "none";
  /** As passed to the register. */
  readonly firstDays: readonly number[];
  /** The facet's first day, one of them. */
  readonly fromDay: number | undefined;
}
