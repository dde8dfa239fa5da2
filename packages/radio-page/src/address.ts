/**
 * What the page shows, as the fragment of its address, which browsers don't send to the server:
 * `#call=DL1ABC&from=JN48QM&time=2026-11-23T07:00Z`.
 */
import { isLocator } from "./search/is-locator.js";

export interface PageAddress {
  /** The text of the search field. */
  readonly search: string;
  /** The own locator, if the link has one. */
  readonly from?: string | undefined;
  /** The moment for the sun; without one it is now. */
  readonly time?: Date | undefined;
}

/** Reads a fragment. Parts that are not what they should be are left out. */
export function readAddress(fragment: string): PageAddress {
  const values = new URLSearchParams(fragment.replace(/^#/, ""));
  const from = values.get("from")?.toUpperCase();
  return {
    search: values.get("call") ?? "",
    from: from !== undefined && isLocator(from) ? from : undefined,
    time: readTime(values.get("time") ?? ""),
  };
}

export function writeAddress({ search, from, time }: PageAddress): string {
  const values = new URLSearchParams();
  if (search.trim() !== "") values.set("call", search.trim());
  if (from !== undefined) values.set("from", from);
  if (time !== undefined) values.set("time", minuteText(time));
  return values.size === 0 ? "" : `#${values.toString().replaceAll("%3A", ":").replaceAll("%2C", ",")}`;
}

/** A moment in UTC, to the minute: `2026-11-23T07:00Z`, as links and the field for the time have it. */
export function readTime(text: string): Date | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?Z$/.test(text)) return undefined;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export function minuteText(date: Date): string {
  return `${date.toISOString().slice(0, 16)}Z`;
}
