/** Modes and submodes. */
import { ENUMERATIONS } from "../tables/generated/enumeration-table.js";
import { MODES } from "../tables/generated/mode-table.js";
import { entryOf, fault, type FieldValue, type Fault, type Fix } from "./fault.js";
import type { AdifRecord } from "../parse-adif.js";
import type { AdifEnumerationEntry } from "../tables/table-types.js";
import { stringFault } from "./text-rules.js";

/** Names in use that ADIF doesn't have, and what they mean. */
const ALIASES: Readonly<Record<string, { readonly mode: string; readonly submode?: string }>> = {
  BPSK: { mode: "PSK" },
  BPSK31: { mode: "PSK", submode: "PSK31" },
  BPSK63: { mode: "PSK", submode: "PSK63" },
  BPSK125: { mode: "PSK", submode: "PSK125" },
  RTTY45: { mode: "RTTY" },
  "RTTY-45": { mode: "RTTY" },
  PACKET: { mode: "PKT" },
  PH: { mode: "SSB" },
  PHONE: { mode: "SSB" },
  "D-STAR": { mode: "DIGITALVOICE", submode: "DSTAR" },
  FUSION: { mode: "DIGITALVOICE", submode: "C4FM" },
  "CW-R": { mode: "CW" },
  CWR: { mode: "CW" },
  CWL: { mode: "CW" },
  CWU: { mode: "CW" },
  "RTTY-R": { mode: "RTTY" },
  "SSB-U": { mode: "SSB", submode: "USB" },
  "SSB-L": { mode: "SSB", submode: "LSB" },
  FMN: { mode: "FM" },
  NFM: { mode: "FM" },
  WFM: { mode: "FM" },
};

export function modeFault(at: FieldValue): Fault | undefined {
  const { value } = at;
  const entry = entryOf("Mode", value);
  if (entry !== undefined && entry.importOnly !== true) {
    const level = entry.code === value ? undefined : "none";
    return level && fault(at, { level, rule: "mode-lowercase", expected: "in upper case", to: entry.code });
  }
  const name = value.trim().toUpperCase();
  const alias = ALIASES[name];
  const submode = submodeOf(name) ?? (alias?.submode === undefined ? undefined : alias);
  if (submode !== undefined) {
    const expected = `a mode: it is the submode ${submode.submode} of ${submode.mode}`;
    return fault(at, { rule: "mode-that-is-a-submode", expected, fix: submodeFix(submode, at.record) });
  }
  const to = alias?.mode ?? entryOf("Mode", name)?.code;
  return fault(at, { rule: "mode-form", expected: "a mode of ADIF", to });
}

/** A submode with its mode, by a name with or without separators: `OLIVIA 8/500`, `PSK-31`. */
function submodeOf(name: string): { mode: string; submode: string } | undefined {
  const exact = entryOf("Submode", name);
  if (exact?.mode !== undefined) return { mode: exact.mode, submode: exact.code };
  const replacement = MODES.find(({ mode }) => mode === name)?.replacement;
  if (replacement !== undefined) return replacement;
  const compact = compactSubmodes().get(withoutSeparators(name));
  return compact?.mode === undefined ? undefined : { mode: compact.mode, submode: compact.code };
}

let compactIndex: ReadonlyMap<string, AdifEnumerationEntry | undefined> | undefined;

/** Submodes without separators: `OLIVIA8500` is OLIVIA 8/500; `undefined` where two submodes differ by separators alone. */
function compactSubmodes(): ReadonlyMap<string, AdifEnumerationEntry | undefined> {
  if (compactIndex !== undefined) return compactIndex;
  const index = new Map<string, AdifEnumerationEntry | undefined>();
  for (const entry of ENUMERATIONS.Submode) {
    const name = withoutSeparators(entry.code);
    index.set(name, index.has(name) ? undefined : entry);
  }
  return (compactIndex = index);
}

function withoutSeparators(name: string): string {
  return name.toUpperCase().replaceAll(/[\s/_-]/g, "");
}

/** A different submode of the record is not overwritten. */
function submodeFix(
  { mode, submode = "" }: { mode: string; submode?: string },
  record: AdifRecord,
): Fix | undefined {
  const existing = record["SUBMODE"]?.trim().toUpperCase() ?? "";
  if (existing !== "" && existing !== submode) {
    return entryOf("Submode", existing)?.mode === mode ? { MODE: mode } : undefined;
  }
  return { MODE: mode, SUBMODE: submode };
}

/** The submode must belong to the mode. Submodes that ADIF doesn't list are legal. */
export function submodeFault(at: FieldValue): Fault | undefined {
  const entry = entryOf("Submode", at.value.trim());
  const mode = at.record["MODE"]?.trim().toUpperCase() ?? "";
  if (entry === undefined) return submodeFormFault(at, mode) ?? stringFault(at);
  if (entry.mode === undefined) return undefined;
  if (mode === "") {
    const expected = `complete without MODE ${entry.mode}`;
    return fault(at, { rule: "submode-without-mode", expected, fix: { MODE: entry.mode } });
  }
  if (mode === entry.mode || submodeOf(mode)?.mode === entry.mode) return undefined;
  const expected = `a submode of ${mode}, but of ${entry.mode}`;
  return fault(at, { level: "error", rule: "submode-of-another-mode", expected });
}

/** A submode of the mode that is written with other separators: `OLIVIA-8-500`. */
function submodeFormFault(at: FieldValue, mode: string): Fault | undefined {
  const entry = compactSubmodes().get(withoutSeparators(at.value));
  if (entry?.mode !== mode) return undefined;
  const expected = `the submode ${entry.code} in ADIF's spelling`;
  return fault(at, { level: "info", rule: "submode-form", expected, to: entry.code });
}
