/** The lists that the award programs publish: addresses, columns, and the meaning of their values. */
import { ArgumentTypeError, ValueError } from "../errors.js";
import type { Reference, ReferenceProgram } from "./reference.js";
import type { Position } from "../geo/position.js";

/** The value of a row's column by its name in lower case; empty if the row is shorter. */
export type RowReader = (column: string) => string;

/** A published list. */
export interface ProgramList {
  /** Name in messages. */
  readonly title: string;
  readonly url: string;
  /** Columns without which the file is not this list, in lower case. */
  readonly columns: readonly string[];
  /** The form of a reference. */
  readonly form: RegExp;
  /** The entry of a row; `today` as `2024-06-30`. */
  readonly referenceOf: (row: RowReader, today: string) => Reference;
}

/** All lists, by program. */
export const PROGRAM_LISTS: Readonly<Record<ReferenceProgram, ProgramList>> = {
  pota: {
    title: "the list of parks",
    url: "https://pota.app/all_parks_ext.csv",
    columns: ["reference", "name", "active", "latitude", "longitude"],
    form: /^[A-Z0-9]{1,4}-\d{4,5}$/,
    referenceOf: (row) => ({
      program: "pota",
      reference: row("reference").toUpperCase(),
      name: row("name"),
      active: row("active") === "1",
      position: positionOf(row("latitude"), row("longitude")),
      region: presentText(row("locationdesc")),
      entity: numberOf(row("entityid")),
    }),
  },
  sota: {
    title: "the list of summits",
    url: "https://storage.sota.org.uk/summitslist.csv",
    columns: ["summitcode", "summitname", "longitude", "latitude", "points", "validto"],
    form: /^[A-Z0-9]{1,4}\/[A-Z0-9]{2}-\d{3}$/,
    referenceOf(row, today) {
      const from = dayOf(row("validfrom"));
      const until = dayOf(row("validto"));
      return {
        program: "sota",
        reference: row("summitcode").toUpperCase(),
        name: row("summitname"),
        active: (from ?? "") <= today && today <= (until ?? "9999"),
        position: positionOf(row("latitude"), row("longitude")),
        region: presentText(
          [row("associationname"), row("regionname")].filter((text) => text !== "").join(", "),
        ),
        heightM: numberOf(row("altm")),
        points: numberOf(row("points")),
        from,
        until,
      };
    },
  },
  wwff: {
    title: "the directory of WWFF",
    url: "https://wwff.co/wwff-data/wwff_directory.csv",
    columns: ["reference", "status", "name", "latitude", "longitude"],
    form: /^[A-Z0-9]{1,5}FF-\d{4,5}$/,
    referenceOf: (row) => ({
      program: "wwff",
      reference: row("reference").toUpperCase(),
      name: row("name"),
      active: row("status").toLowerCase() === "active",
      position: positionOf(row("latitude"), row("longitude")),
      region: presentText(row("state")),
      entity: numberOf(row("dxccenum")),
      from: dayOf(row("validfrom")),
      until: dayOf(row("validto")),
    }),
  },
  iota: {
    title: "the list of island groups",
    url: "https://www.iota-world.org/islands-on-the-air/downloads/download-file.html?path=groups.json",
    columns: ["refno", "name"],
    form: /^(?:AF|AN|AS|EU|NA|OC|SA)-\d{3}$/,
    referenceOf: (row) => ({
      program: "iota",
      reference: row("refno").toUpperCase(),
      name: row("name"),
      active: true,
      position: middleOf(row),
      entity: numberOf(row("dxcc_num")),
    }),
  },
};

/** The programs, in the order of messages. */
export const REFERENCE_PROGRAMS = /* @__PURE__ */ Object.keys(PROGRAM_LISTS) as readonly ReferenceProgram[];

/** The list of a program. @throws {ValueError} The program is none of the four. */
export function listOf(program: ReferenceProgram): ProgramList {
  if (Object.hasOwn(PROGRAM_LISTS, program)) return PROGRAM_LISTS[program];
  const expected = `one of ${REFERENCE_PROGRAMS.join(", ")}`;
  throw new ValueError({ argument: "program", value: program, expected });
}

/**
 * The program of a reference, by its form; `undefined` if it has none of these forms.
 *
 * @throws {ArgumentTypeError} It is not a string.
 * @example
 * programOf("DLFF-0001"); // => "wwff"
 */
export function programOf(reference: string): ReferenceProgram | undefined {
  const text = plainReference(reference);
  // A WWFF reference also has the form of a park.
  return (["wwff", "sota", "iota", "pota"] as const).find((program) =>
    PROGRAM_LISTS[program].form.test(text),
  );
}

/** In upper case, without blanks, and without the location of a park in several states: `US-4567@US-CA`. */
export function plainReference(reference: string): string {
  if (typeof reference !== "string")
    throw new ArgumentTypeError({ argument: "reference", value: reference, expected: "a string" });
  const [text = ""] = reference.trim().toUpperCase().split("@");
  return text;
}

/** The middle of an island group's rectangle; its west is greater than its east if it crosses the 180th meridian. */
function middleOf(row: RowReader): Reference["position"] {
  const south = numberOf(row("latitude_min"));
  const north = numberOf(row("latitude_max"));
  const west = numberOf(row("longitude_min"));
  const east = numberOf(row("longitude_max"));
  if (south === undefined || north === undefined || west === undefined || east === undefined)
    return undefined;
  const middle = (west + (east < west ? east + 360 : east)) / 2;
  return positionAt((south + north) / 2, middle > 180 ? middle - 360 : middle);
}

/** A text that is not empty. */
function presentText(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** A decimal number. */
function numberOf(text: string): number | undefined {
  return /^[-+]?\d{1,9}(?:\.\d{0,30})?$/.test(text) ? Number(text) : undefined;
}

/** Degrees within their ranges. Lists write 0 and 0 for an unknown position, which is in the sea. */
function positionOf(latitude: string, longitude: string): Position | undefined {
  return positionAt(numberOf(latitude), numberOf(longitude));
}

function positionAt(latitude: number | undefined, longitude: number | undefined): Position | undefined {
  if (latitude === undefined || longitude === undefined) return undefined;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

/** A day as `2024-06-30`, from that or from 30/06/2024. Lists write 0000-00-00 for none, and 2099 for no end. */
function dayOf(text: string): string | undefined {
  const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(text) ?? [];
  const date = day === undefined ? text.slice(0, 10) : `${year}-${month}-${day}`;
  return /^\d{4}-\d\d-\d\d$/.test(date) && date > "0001" && date < "2099" ? date : undefined;
}
