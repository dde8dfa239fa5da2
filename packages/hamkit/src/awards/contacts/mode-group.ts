/** Modes as awards group them. */
import { MODES } from "../../adif/tables/generated/mode-table.js";

/** The mode groups of LoTW. */
export type ModeGroup = "phone" | "cw" | "data" | "image";

/** A mode of ADIF with its group. */
export interface GroupedMode {
  /** A number from 1, for keys; 0 for a contact without a mode. */
  readonly number: number;
  /** The mode of ADIF, that of a submode; "" for unknown ones. */
  readonly mode: string;
  readonly group: ModeGroup | "";
}

const GROUPS: Readonly<Record<string, ModeGroup>> = {
  SSB: "phone",
  AM: "phone",
  FM: "phone",
  DIGITALVOICE: "phone",
  CW: "cw",
  SSTV: "image",
  FAX: "image",
  ATV: "image",
};

/** Names in use that ADIF doesn't have. */
const ALIASES: Readonly<Record<string, string>> = {
  PHONE: "SSB",
  VOICE: "SSB",
  NFM: "FM",
  FMN: "FM",
  WFM: "FM",
  "D-STAR": "DIGITALVOICE",
  FUSION: "DIGITALVOICE",
  CWR: "CW",
  "CW-R": "CW",
};

const NONE: GroupedMode = { number: 0, mode: "", group: "" };
const UNKNOWN: GroupedMode = { number: 1, mode: "", group: "data" };
const BY_NAME = /* @__PURE__ */ byName();

/** The number of different modes, none and unknown among them. */
export const MODE_COUNT = MODES.length + 2;

/** Whether a name is that of a mode of ADIF. */
export function isModeName(name: string): boolean {
  return BY_NAME.get(name)?.mode === name;
}

/** The mode of a contact. A mode that ADIF doesn't know is taken for data, as all that is not phone, CW or image. */
export function groupedMode(mode: string | undefined, submode: string | undefined): GroupedMode {
  const name = mode === undefined || mode === "" ? submode : mode;
  if (name === undefined || name === "") return NONE;
  return BY_NAME.get(name) ?? BY_NAME.get(name.trim().toUpperCase()) ?? UNKNOWN;
}

function byName(): ReadonlyMap<string, GroupedMode> {
  const modes = new Map<string, GroupedMode>();
  for (const [index, { mode }] of MODES.entries())
    modes.set(mode, { number: index + 2, mode, group: GROUPS[mode] ?? "data" });
  const add = (name: string, mode: string) => {
    const grouped = modes.get(mode);
    if (grouped !== undefined) modes.set(name, grouped);
  };
  for (const { mode, submodes, replacement } of MODES) {
    if (replacement !== undefined) add(mode, replacement.mode);
    // Submodes such as JT65 bear the name of another mode.
    for (const submode of submodes) if (!modes.has(submode)) add(submode, mode);
  }
  for (const [name, mode] of Object.entries(ALIASES)) if (!modes.has(name)) add(name, mode);
  return modes;
}
