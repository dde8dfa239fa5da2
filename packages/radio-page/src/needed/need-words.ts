/** What a contact would be for the awards of a log, in few words: "New entity", "New zone on 40m", "Entity not confirmed". */
import type { Need } from "hamkit/awards";

/** One thing that is needed. */
export interface Needed {
  readonly text: string;
  /** Not worked; otherwise worked, but not confirmed. */
  readonly isNew: boolean;
}

/** What is asked about: a spot, a decode, a call that is looked up. */
export interface AskedStation {
  readonly dx: string;
  readonly band?: string | undefined;
  readonly mode?: string | undefined;
  readonly frequencyKHz?: number | undefined;
  readonly dxGrid?: string | undefined;
  readonly references?: readonly string[] | undefined;
}

/** Answers for each station, in their order. */
export type NeedReader = (stations: readonly AskedStation[]) => Promise<readonly (readonly Needed[])[]>;

const NAMES: Readonly<Record<Need["kind"], string>> = {
  entity: "entity",
  wae: "country of WAE",
  cqz: "zone",
  ituz: "ITU zone",
  continent: "continent",
  state: "state",
  county: "county",
  grid: "square",
  field: "field",
  prefix: "prefix",
  iota: "island group",
  pota: "park",
  sota: "summit",
  wwff: "nature reserve",
};

/** Units that mean something to a reader; entities are numbers, and their names are next to them. */
const IS_NAMED: ReadonlySet<Need["kind"]> = new Set([
  "cqz",
  "ituz",
  "state",
  "county",
  "grid",
  "field",
  "iota",
]);

/** Counts of all bands and modes, behind the id of the award. */
const GENERAL: ReadonlySet<string> = new Set(["", "mixed", "mixed.current", "mixed.withDeleted"]);
const MODES: Readonly<Record<string, string>> = {
  cw: "CW",
  phone: "phone",
  ssb: "SSB",
  digital: "digital",
  rtty: "RTTY",
  am: "AM",
  sstv: "SSTV",
};

/** The most wanted first; empty if nothing is needed. */
export function needWords(needs: readonly Need[]): Needed[] {
  const kinds = new Map<Need["kind"], Need[]>();
  for (const need of needs) {
    const group = kinds.get(need.kind);
    if (group === undefined) kinds.set(need.kind, [need]);
    else group.push(need);
  }
  const words = Array.from(kinds, ([kind, group]) => wordsOf(kind, group));
  return words.toSorted((a, b) => Number(b.isNew) - Number(a.isNew));
}

function wordsOf(kind: Need["kind"], group: readonly Need[]): Needed {
  const name = nameOf(kind, group);
  const general = group.find(isGeneral);
  if (general?.state === "new") return { text: `New ${name}`, isNew: true };
  const fresh = placesOf(group.filter(({ state }) => state === "new"));
  if (fresh !== "") return { text: `New ${name} ${fresh}`, isNew: true };
  // A unit that is confirmed in none is told once, not again for its bands.
  const old = general === undefined ? placesOf(group) : "";
  return {
    text: `${name} not confirmed ${old}`.trim().replace(/^./, (first) => first.toUpperCase()),
    isNew: false,
  };
}

function isGeneral({ key, award }: Need): boolean {
  return GENERAL.has(key.slice(award.length + 1));
}

/** `zone 14`, `park US-1234` */
function nameOf(kind: Need["kind"], group: readonly Need[]): string {
  const isReference = kind === "pota" || kind === "sota" || kind === "wwff";
  if (!isReference && !IS_NAMED.has(kind)) return NAMES[kind];
  // A slot has its band or mode behind the unit.
  const [unit = ""] = String(group[0]?.unit ?? "").split(" ");
  return `${NAMES[kind]} ${unit}`;
}

/** `on 40m`, `in CW`, `on 40m, in CW` */
function placesOf(group: readonly Need[]): string {
  const bands = new Set<string>();
  const modes = new Set<string>();
  for (const { key, award, unit } of group) {
    const [first = "", second = ""] = key.slice(award.length + 1).split(".");
    const slot = /^\S+ (\S+)$/.exec(String(unit))?.[1] ?? second;
    const band = /^[\d.]+(?:m|cm|mm)$/.test(first) ? first : slot;
    if (/^[\d.]+(?:m|cm|mm)$/.test(band)) bands.add(band);
    else if (Object.hasOwn(MODES, first)) modes.add(MODES[first] ?? "");
  }
  const parts = [
    bands.size > 0 ? `on ${[...bands].join(", ")}` : "",
    modes.size > 0 ? `in ${[...modes].join(", ")}` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
