/** Times and durations in SAML. */
import type { Moment } from "../../platform/clock.js";
import { quoted } from "../../platform/text/quoted-value.js";
import { attributeOf, XmlError } from "./xml-reading.js";

/** An attribute as a time; `undefined` without it. @throws {XmlError} It is no time. */
export function momentOf(element: Element, name: string): Moment | undefined {
  const text = attributeOf(element, name);
  if (text === undefined) return undefined;
  const moment = parseMoment(text);
  if (moment === undefined)
    throw new XmlError(
      `${name} of ${element.localName} is ${quoted(text)}, expected a time in UTC such as "2026-11-21T12:00:00Z"`,
    );
  return moment;
}

/** In UTC. @see SAML core, 1.3.3 */
export function parseMoment(text: string): Moment | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text)) return undefined;
  const moment = Date.parse(text.replace(/(\.\d{3})\d+/, "$1"));
  return Number.isNaN(moment) ? undefined : moment;
}

const SECONDS = { years: 31_536_000, months: 2_592_000, days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
const DURATION =
  /^P(?=.)(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<days>\d+)D)?(?:T(?=.)(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+(?:\.\d+)?)S)?)?$/;

/** An `xs:duration` in milliseconds, with years of 365 days and months of 30; `undefined` if it is none, or negative. */
export function parseDuration(text: string): number | undefined {
  const { groups } = DURATION.exec(text) ?? {};
  if (groups === undefined) return undefined;
  return Object.entries(SECONDS).reduce(
    (sum, [unit, seconds]) => sum + Number(groups[unit] ?? 0) * seconds * 1000,
    0,
  );
}
