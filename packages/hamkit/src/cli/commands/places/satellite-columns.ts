/** The tables of `hamkit satellite`. */
import type { SatelliteLook, SatellitePass, SharedPass } from "../../../satellites.js";
import { printable, type Column } from "../../terminal/text-table.js";

export interface ListedPass {
  readonly name: string;
  readonly pass: SatellitePass;
}

export function startOf({ pass: { rise, culmination } }: ListedPass): Date {
  return (rise ?? culmination).time;
}

export const PASS_COLUMNS: readonly Column<ListedPass>[] = [
  { title: "Satellite", cell: ({ name }) => printable(name, 24) },
  { title: "Date", cell: (listed) => startOf(listed).toISOString().slice(0, 10) },
  { title: "Rise", cell: ({ pass: { rise } }) => timeText(rise) },
  { title: "Az", cell: ({ pass: { rise } }) => degrees(rise?.azimuth), align: "right" },
  { title: "Top", cell: ({ pass: { culmination } }) => timeText(culmination) },
  { title: "Az", cell: ({ pass: { culmination } }) => degrees(culmination.azimuth), align: "right" },
  { title: "El", cell: ({ pass: { culmination } }) => degrees(culmination.elevation), align: "right" },
  { title: "Set", cell: ({ pass: { set } }) => timeText(set) },
  { title: "Az", cell: ({ pass: { set } }) => degrees(set?.azimuth), align: "right" },
  {
    title: "km",
    cell: ({ pass: { culmination } }) => culmination.rangeKm.toFixed(0),
    align: "right",
    dispensable: 2,
  },
  {
    title: "Light",
    cell: ({ pass: { culmination } }) => (culmination.isSunlit ? "sun" : "shadow"),
    dispensable: 1,
  },
];

export interface ListedSharedPass {
  readonly name: string;
  readonly pass: SharedPass;
}

export function beginOf({ pass: { begin, best } }: ListedSharedPass): Date {
  return (begin ?? best)[0]?.time ?? new Date(0);
}

/** The places, as the user wrote them. */
interface SharedPlaces {
  readonly from?: string;
  readonly with?: readonly string[];
}

/** Azimuth and elevation of each place in the best moment. */
export function sharedColumns({ from = "", with: others = [] }: SharedPlaces): Column<ListedSharedPass>[] {
  return [
    { title: "Satellite", cell: ({ name }) => printable(name, 24) },
    { title: "Date", cell: (listed) => beginOf(listed).toISOString().slice(0, 10) },
    { title: "Begin", cell: ({ pass: { begin } }) => timeText(begin?.[0]) },
    { title: "Best", cell: ({ pass: { best } }) => timeText(best[0]) },
    { title: "End", cell: ({ pass: { end } }) => timeText(end?.[0]) },
    ...[from, ...others].flatMap((place, index): Column<ListedSharedPass>[] => [
      {
        title: `${printable(place, 12)} Az`,
        cell: ({ pass: { best } }) => degrees(best[index]?.azimuth),
        align: "right",
      },
      { title: "El", cell: ({ pass: { best } }) => degrees(best[index]?.elevation), align: "right" },
    ]),
  ];
}

function timeText(look: SatelliteLook | undefined): string {
  return look === undefined
    ? "-"
    : new Date(Math.round(look.time.getTime() / 1000) * 1000).toISOString().slice(11, 19);
}

function degrees(value: number | undefined): string {
  return value === undefined ? "" : value.toFixed(1);
}

export interface ListedLook {
  readonly name: string;
  readonly look: SatelliteLook;
  readonly downlinkMHz?: number;
  readonly uplinkMHz?: number;
}

export const LOOK_COLUMNS: readonly Column<ListedLook>[] = [
  { title: "Satellite", cell: ({ name }) => printable(name, 24) },
  { title: "Az", cell: ({ look }) => degrees(look.azimuth), align: "right" },
  { title: "El", cell: ({ look }) => degrees(look.elevation), align: "right" },
  { title: "km", cell: ({ look }) => look.rangeKm.toFixed(0), align: "right" },
  { title: "km/s", cell: ({ look }) => look.rangeRateKmS.toFixed(3), align: "right" },
  { title: "Lat", cell: ({ look }) => degrees(look.latitude), align: "right", dispensable: 3 },
  { title: "Lon", cell: ({ look }) => degrees(look.longitude), align: "right", dispensable: 3 },
  { title: "Height", cell: ({ look }) => look.heightKm.toFixed(0), align: "right", dispensable: 2 },
  { title: "Hear MHz", cell: ({ downlinkMHz }) => downlinkMHz?.toFixed(6) ?? "", align: "right" },
  { title: "Send MHz", cell: ({ uplinkMHz }) => uplinkMHz?.toFixed(6) ?? "", align: "right" },
  { title: "Light", cell: ({ look }) => (look.isSunlit ? "sun" : "shadow"), dispensable: 1 },
];

export interface ListedSatellite {
  readonly name: string;
  readonly catalogNumber: number;
  readonly ageDays: number;
  readonly lotw: string | null;
}

export const LIST_COLUMNS: readonly Column<ListedSatellite>[] = [
  { title: "Satellite", cell: ({ name }) => printable(name, 30) },
  { title: "Number", cell: ({ catalogNumber }) => String(catalogNumber), align: "right" },
  { title: "Age in days", cell: ({ ageDays }) => ageDays.toFixed(1), align: "right" },
  { title: "LoTW", cell: ({ lotw }) => lotw ?? "" },
];
