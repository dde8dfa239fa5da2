/** Parses the spots of activators in the JSON documents of POTA, SOTA and WWFF. */
import { describeSpotComment } from "./spot-comment-details.js";
import {
  callField,
  countField,
  dateField,
  gridField,
  isoTime,
  numberField,
  textField,
  unixField,
  withoutAbsent,
  normalizeMode,
} from "./feed-fields.js";
import type { ActivatorProgram, SpotItem } from "./feed-item.js";
import type { JsonObject } from "./pskr-report.js";

/** The fields of a service, read. */
interface ActivatorFields {
  readonly program: ActivatorProgram;
  readonly id: number | undefined;
  readonly dx: string | undefined;
  readonly spotter: unknown;
  readonly at: Date | undefined;
  readonly frequencyKHz: number | undefined;
  readonly mode: unknown;
  readonly reference: string | undefined;
  readonly comment: unknown;
  readonly more: Partial<SpotItem>;
}

/** An end of the activation in a comment; "not QRT yet", "QRT soon", "QRT?" and a pause ("QRT 15 min") are none. */
const END =
  /(?<!\b(?:not|not yet|no|never|isn['’]?t|before|until|till|going|nearly|almost|soon|to) )\bQRT\b(?! ?\?)(?! (?:very )?(?:soon|in|at|yet|around|about|shortly|later|@|for [0-9]|[0-9]{1,3} ?(?:min|h|hours?|hrs?)))/i;

/** A terahertz. */
const MAX_KHZ = 1e9;

/** Parses a spot of `api.pota.app`: the frequency is a text in kHz, the time is UTC without a Z. */
export function parsePotaSpot(spot: JsonObject): SpotItem | undefined {
  return spotOf({
    program: "POTA",
    id: countField(spot["spotId"]),
    dx: callField(spot["activator"]),
    spotter: spot["spotter"],
    at: dateField(spot["spotTime"]),
    frequencyKHz: numberField(spot["frequency"]),
    mode: spot["mode"],
    reference: referenceOf(spot["reference"]),
    comment: spot["comments"],
    more: withoutAbsent({
      name: textField(spot["name"]) ?? textField(spot["parkName"]),
      location: textField(spot["locationDesc"]),
      grid: gridField(spot["grid6"]) ?? gridField(spot["grid4"]) ?? undefined,
      position: positionOf(spot),
      ...spotTypeOf(spot["type"]),
      invalid: /^(?:true|1)$/i.test(String(spot["invalid"])) ? (true as const) : undefined,
    }),
  });
}

/**
 * Parses a spot of SOTA's two services: the frequency is in MHz, a text with a point or a comma, or a number; the code of the
 * summit has its association in front in the newer one.
 */
export function parseSotaSpot(spot: JsonObject): SpotItem | undefined {
  const megahertz = numberField(spot["frequency"]);
  const summit = referenceOf(spot["summitCode"]);
  const association = referenceOf(spot["associationCode"]);
  const { name, altitudeM, points } = summitOf(textField(spot["summitDetails"]) ?? "");
  return spotOf({
    program: "SOTA",
    id: countField(spot["id"]),
    dx: callField(spot["activatorCallsign"]),
    spotter: spot["callsign"],
    at: dateField(spot["timeStamp"]),
    frequencyKHz: megahertz === undefined ? undefined : Math.round(megahertz * 1e6) / 1000,
    mode: spot["mode"],
    reference:
      summit === undefined || summit.includes("/") || association === undefined
        ? summit
        : `${association}/${summit}`,
    comment: spot["comments"],
    more: withoutAbsent({
      ...spotTypeOf(spot["type"]),
      name: name ?? textField(spot["summitName"]),
      altitudeM: altitudeM ?? numberField(spot["AltM"]),
      points: points ?? countField(spot["points"]),
    }),
  });
}

/** Parses a spot of `spots.wwff.co`: the time is in seconds since 1970. */
export function parseWwffSpot(spot: JsonObject): SpotItem | undefined {
  return spotOf({
    program: "WWFF",
    id: countField(spot["id"]),
    dx: callField(spot["activator"]),
    spotter: spot["spotter"],
    at: unixField(spot["spot_time"]) ?? dateField(spot["spot_time_formatted"]),
    frequencyKHz: numberField(spot["frequency_khz"]),
    mode: spot["mode"],
    reference: referenceOf(spot["reference"]),
    comment: spot["remarks"],
    more: withoutAbsent({
      ...spotTypeOf(spot["type"]),
      name: textField(spot["reference_name"]),
      position: positionOf(spot),
    }),
  });
}

function spotOf({ at, dx, frequencyKHz, reference, more, ...fields }: ActivatorFields): SpotItem | undefined {
  if (at === undefined || dx === undefined || reference === undefined) return undefined;
  if (frequencyKHz === undefined || !(frequencyKHz > 0 && frequencyKHz < MAX_KHZ)) return undefined;
  const { spotter, skimmer } = spotterOf(fields.spotter);
  const comment = textField(fields.comment) ?? "";
  const { mode: _mode, references: _references, ...details } = describeSpotComment(comment, frequencyKHz);
  return withoutAbsent({
    kind: "spot" as const,
    program: fields.program,
    id: fields.id,
    dx,
    spotter,
    ...details,
    skimmer: skimmer || details.skimmer === true ? (true as const) : undefined,
    frequencyKHz,
    suspect: frequencyKHz < 100 ? ("MHz" as const) : undefined,
    mode: normalizeMode(textField(fields.mode)) ?? null,
    reference,
    at,
    time: isoTime(at),
    comment,
    qrt: END.test(comment) ? (true as const) : undefined,
    ...more,
  });
}

/** The type of a spot: `QRT` ends the activation, and a `TEST` is no spot; `NORMAL` and others say nothing. */
function spotTypeOf(value: unknown): Pick<SpotItem, "qrt" | "test"> {
  const type = textField(value)?.toUpperCase();
  if (type === "QRT") return { qrt: true };
  return type === "TEST" ? { test: true } : {};
}

/** SOTA's spotters can be programs: `SMS`, `RBNHOLE`. */
function spotterOf(value: unknown): { readonly spotter: string | undefined; readonly skimmer: boolean } {
  const text = textField(value)?.toUpperCase();
  const skimmer = text?.endsWith("-#") === true;
  return { spotter: skimmer ? text?.slice(0, -2) : text, skimmer };
}

/** Codes of parks and summits: letters, digits, hyphens, a slash. */
function referenceOf(value: unknown): string | undefined {
  const text = textField(value)?.toUpperCase();
  return text !== undefined && /^[A-Z0-9][A-Z0-9/-]{0,23}$/.test(text) ? text : undefined;
}

function positionOf({ latitude, longitude }: JsonObject): readonly [number, number] | undefined {
  const [north, east] = [numberField(latitude), numberField(longitude)];
  if (north === undefined || east === undefined) return undefined;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? [north, east] : undefined;
}

interface Summit {
  readonly name?: string;
  readonly altitudeM?: number;
  readonly points?: number;
}

/** `Paisano, 636m, 2 pts`: names can have commas. */
function summitOf(details: string): Summit {
  const [, name, altitude, points] =
    /^(.*?), ?(-?[0-9]{1,4}) ?m, ?([0-9]{1,2}) ?(?:pts?|points?)\b/i.exec(details) ?? [];
  if (name === undefined) return details === "" ? {} : { name: details };
  return { name, altitudeM: Number(altitude), points: Number(points) };
}
