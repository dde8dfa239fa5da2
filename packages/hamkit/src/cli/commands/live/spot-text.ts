/** The text output of `hamkit spots`. Columns have fixed widths, since the width of the following lines is unknown. */
import type { AnnotatedSpot, Announcement, TalkLine, WcyReport, WwvReport } from "../../../spots.js";
import { printable } from "../../terminal/text-table.js";
import { toPrintable } from "../../terminal/terminal.js";

interface Column {
  readonly title: string;
  /** Minimum width; longer cells shift the rest: calls and frequencies are never truncated. */
  readonly width: number;
  readonly align?: "right";
  readonly needsDistance?: true;
  readonly isNeeds?: true;
  readonly cell: (spot: ShownSpot) => string;
}

/** A spot, and what it would be for a log. */
export type ShownSpot = AnnotatedSpot & { readonly needs?: string | undefined };

/** Which columns are shown. */
interface ShownColumns {
  readonly hasDistance: boolean;
  readonly hasNeeds: boolean;
}

const COUNTRY_WIDTH = 22;

const COLUMNS: readonly Column[] = [
  { title: "Time", width: 5, cell: ({ time }) => clockText(time) },
  { title: "kHz", width: 10, align: "right", cell: ({ frequency }) => kilohertzText(frequency) },
  { title: "DX", width: 12, cell: ({ dx }) => dx },
  {
    title: "Country",
    width: COUNTRY_WIDTH,
    cell: ({ dxStation: { record } }) => printable(record?.country ?? "unknown", COUNTRY_WIDTH),
  },
  { title: "CQ", width: 2, align: "right", cell: ({ dxStation: { record } }) => zoneText(record?.cqz) },
  { title: "ITU", width: 3, align: "right", cell: ({ dxStation: { record } }) => zoneText(record?.ituz) },
  {
    title: "km",
    width: 5,
    align: "right",
    needsDistance: true,
    cell: ({ dxStation: { distanceKm } }) => (distanceKm === undefined ? "" : distanceKm.toFixed(0)),
  },
  {
    title: "Deg",
    width: 3,
    align: "right",
    needsDistance: true,
    cell: ({ dxStation: { heading } }) => (heading === undefined ? "" : String(Math.round(heading) % 360)),
  },
  { title: "Spotter", width: 10, cell: ({ spotter, skimmer }) => (skimmer ? `${spotter}-#` : spotter) },
  { title: "Needed", width: 16, isNeeds: true, cell: ({ needs = "" }) => needs },
  { title: "Comment", width: 0, cell: ({ comment }) => toPrintable(comment) },
];

/** The header line. */
export function spotHead(columns: ShownColumns): string {
  return lineOf(columns, ({ title }) => title);
}

/** A spot as a row. */
export function spotRow(spot: ShownSpot, columns: ShownColumns): string {
  return lineOf(columns, ({ cell }) => cell(spot));
}

function lineOf({ hasDistance, hasNeeds }: ShownColumns, textOf: (column: Column) => string): string {
  const cells = COLUMNS.filter(
    ({ needsDistance, isNeeds }) =>
      (hasDistance || needsDistance === undefined) && (hasNeeds || isNeeds === undefined),
  ).map((column) =>
    column.align === "right" ? textOf(column).padStart(column.width) : textOf(column).padEnd(column.width),
  );
  return cells.join("  ").trimEnd();
}

/** A WWV or WCY report in words; an announcement unchanged. */
export function bulletinText(line: Announcement | TalkLine | WcyReport | WwvReport): string {
  if (line.kind === "announcement" || line.kind === "talk") return toPrintable(line.line.trim());
  const head = `${clockText(line.time)}  ${line.kind.toUpperCase()} by ${line.reporter}`;
  return toPrintable(`${head}: ${reportText(line)}`);
}

function reportText(report: WcyReport | WwvReport): string {
  const indices = `solar flux ${report.solarFlux}, A ${report.aIndex}, K ${report.kIndex}`;
  if (report.kind === "wwv") return report.forecast === "" ? indices : `${indices}, ${report.forecast}`;
  const { expectedKIndex, sunspots, solarActivity, geomagneticField, aurora } = report;
  return (
    `${indices} (expected ${expectedKIndex}), sunspots ${sunspots}, ` +
    `sun ${solarActivity}, field ${geomagneticField}, aurora ${aurora}`
  );
}

/** "1754Z", as clusters write it. */
export function clockText(time: Date): string {
  return `${time.toISOString().slice(11, 16).replace(":", "")}Z`;
}

/** With one decimal place, or more if the frequency has them. */
export function kilohertzText(frequency: number): string {
  return Number.isInteger(frequency * 10) ? frequency.toFixed(1) : String(frequency);
}

/** Stations at sea and in the air have the zone 0, which means none. */
function zoneText(zone: number | undefined): string {
  return zone === undefined || zone === 0 ? "" : String(zone);
}
