/** `hamkit sun`: sunrise, sunset, civil twilight and position of the sun at a place. */
import type { Command } from "commander";

import { examplesText, placesText } from "../../terminal/help-text.js";
import { addLookupOptions, type LookupOptions } from "../../databases/lookup-options.js";
import type { Session, Report } from "../../session.js";
import { sunPosition, type Position, type SunPosition, type SunTimes } from "../../../locator.js";
import { sunTimes } from "../../../sun/sun-times.js";
import { compassPoint } from "../../terminal/geo-text.js";
import { momentText, waitText } from "../../input/moment.js";
import { createPlaceFinder, dataLines, placeText } from "../../input/place.js";
import { layOutCard } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit sun JN48QM", shows: "from now on" },
  { line: "hamkit sun W1AW --at 2024-06-20T12:00", shows: "from a given time, at a callsign's position" },
  { line: "hamkit sun JQ78 --at 2024-12-21 --json", shows: "polar night, as JSON" },
];

export function defineSunCommand(command: Command, session: Session): void {
  addLookupOptions(command)
    .description(
      "Shows the next sunrise and sunset at a place, begin and end of civil twilight (6° below the horizon), and the position of the sun.",
    )
    .argument("<place>", "locator, coordinates or callsign")
    .option("--json", "output JSON")
    .addHelpText("after", placesText(session.ink))
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (place: string, options: SunOptions) => {
      session.present(await reportSun(place, options, session), options);
    });
}

interface SunOptions extends LookupOptions {
  readonly json?: boolean;
}

type EventName = keyof SunTimes;

/** Labels of the events, and the altitude of the sun's center in degrees that defines them. */
const EVENTS: Readonly<Record<EventName, { readonly label: string; readonly altitude: number }>> = {
  morning_dawn: { label: "Morning dawn", altitude: -6 },
  sunrise: { label: "Sunrise", altitude: -5 / 6 },
  sunset: { label: "Sunset", altitude: -5 / 6 },
  evening_dawn: { label: "Evening dawn", altitude: -6 },
};
const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];

const HOUR_MS = 3_600_000;

/** The sun at a place, from a given time. */
async function reportSun(text: string, options: SunOptions, session: Session): Promise<Report> {
  const finder = createPlaceFinder(options, session);
  const place = await finder.find("place", text);
  const at = options.at ?? session.io.now();
  const times = sunTimes(place, at.getTime());
  const { elevation, azimuth } = sunPosition(place, at);
  const polar = polarState(place, at, times);
  return {
    document: { place, at, ...inOrder(times), elevation, azimuth, polar },
    lines: () => [
      ...layOutCard(
        undefined,
        [
          ["Place", placeText(place)],
          ["From", momentText(at)],
          ["Sun", sunPositionText({ elevation, azimuth })],
        ],
        session.ink,
      ),
      "",
      ...layOutCard(undefined, eventEntries(place, at, times), session.ink),
      ...dataLines(finder, session),
    ],
  };
}

function inOrder({ morning_dawn, sunrise, sunset, evening_dawn }: SunTimes): SunTimes {
  return { morning_dawn, sunrise, sunset, evening_dawn };
}

/** The events in order of time; those that don't occur last. */
function eventEntries(
  place: Position,
  at: Date,
  times: SunTimes,
): (readonly [label: string, value: string])[] {
  const order = (name: EventName) => times[name]?.getTime() ?? Infinity;
  return EVENT_NAMES.toSorted((a, b) => (order(a) === order(b) ? 0 : order(a) - order(b))).map((name) => {
    const time = times[name];
    const value = time === null ? absenceText(name, place, at) : `${momentText(time)}  ${waitText(at, time)}`;
    return [EVENTS[name].label, value];
  });
}

/** The reason why an event doesn't occur: the sun stays on one side of its altitude. */
function absenceText(name: EventName, place: Position, at: Date): string {
  const isAbove = middleElevation(place, at) > EVENTS[name].altitude;
  if (name === "sunrise" || name === "sunset") {
    return isAbove ? "none: the sun does not set (polar day)" : "none: the sun does not rise (polar night)";
  }
  return isAbove ? "none: it does not get darker than twilight" : "none: it stays darker than twilight";
}

function polarState(place: Position, at: Date, { sunrise, sunset }: SunTimes): "day" | "night" | null {
  if (sunrise !== null || sunset !== null) return null;
  return middleElevation(place, at) > EVENTS.sunrise.altitude ? "day" : "night";
}

/**
 * The mean of the sun's highest and lowest elevation in the next 24 hours: if the sun doesn't cross an altitude, it stays on
 * the same side as the mean.
 */
function middleElevation(place: Position, at: Date): number {
  const elevations = Array.from(
    { length: 24 },
    (_, hour) => sunPosition(place, new Date(at.getTime() + hour * HOUR_MS)).elevation,
  );
  return (Math.max(...elevations) + Math.min(...elevations)) / 2;
}

function sunPositionText({ elevation, azimuth }: SunPosition): string {
  const side = elevation < 0 ? "below" : "above";
  const height = `${Math.abs(elevation).toFixed(1)}° ${side} the horizon`;
  return `${height}, azimuth ${azimuth.toFixed(1)}° ${compassPoint(azimuth)}`;
}
