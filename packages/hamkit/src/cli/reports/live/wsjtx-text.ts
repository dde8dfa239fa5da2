/** The text output of `hamkit wsjtx`. Columns have fixed widths, since the width of the following lines is unknown. */
import type { QsoLogged, Status } from "../../../wsjtx.js";
import { printable } from "../../terminal/text-table.js";
import { toPrintable } from "../../terminal/terminal.js";
import type { NewOne } from "../logs/worked-stations.js";
import type { HeardStation } from "./wsjtx-decodes.js";

interface Column {
  readonly title: string;
  readonly width: number;
  readonly align?: "right";
  readonly cell: (heard: HeardStation) => string;
}

const MESSAGE_WIDTH = 37;
const COUNTRY_WIDTH = 22;

const COLUMNS: readonly Column[] = [
  { title: "Time", width: 6, cell: ({ decode }) => timeText(decode.timeMs) },
  { title: "dB", width: 3, align: "right", cell: ({ decode }) => String(decode.snr) },
  { title: "DT", width: 4, align: "right", cell: ({ decode }) => decode.deltaTime?.toFixed(1) ?? "" },
  {
    title: "Hz",
    width: 4,
    align: "right",
    cell: ({ decode }) => (decode.kind === "decode" ? String(decode.deltaFrequencyHz) : ""),
  },
  { title: "Band", width: 4, align: "right", cell: ({ band }) => band ?? "" },
  {
    title: "Message",
    width: 24,
    cell: ({ text }) => printable(text.trim().replaceAll(/\s+/g, " "), MESSAGE_WIDTH),
  },
  {
    title: "Country",
    width: COUNTRY_WIDTH,
    cell: ({ record }) => printable(record?.country ?? "", COUNTRY_WIDTH),
  },
  { title: "km", width: 5, align: "right", cell: ({ distanceKm }) => distanceKm?.toFixed(0) ?? "" },
  {
    title: "Deg",
    width: 3,
    align: "right",
    cell: ({ heading }) => (heading === undefined ? "" : String(Math.round(heading) % 360)),
  },
];

/** The header line. */
export function decodeHead(): string {
  return `${lineOf(({ title }) => title)}  New`;
}

/** A decode as a row, without the mark of a new one. */
export function decodeRow(heard: HeardStation): string {
  return lineOf(({ cell }) => cell(heard));
}

/** The mark of a new one: the rarest only. */
export function newOneText({ newOnes: [first] = [], band }: HeardStation): string {
  const texts: Readonly<Record<NewOne, string>> = {
    entity: "new entity",
    band: `new on ${band ?? ""}`,
    call: "new call",
  };
  return first === undefined ? "" : texts[first];
}

function lineOf(textOf: (column: Column) => string): string {
  return COLUMNS.map((column) =>
    column.align === "right" ? textOf(column).padStart(column.width) : textOf(column).padEnd(column.width),
  ).join("  ");
}

/** What of a status is shown, when it changes. */
export function statusText({ id, dialFrequencyHz, mode, deCall, deGrid }: Status): string {
  const parts = [id, `${(dialFrequencyHz / 1e6).toFixed(6)} MHz`, mode, deCall, deGrid];
  return toPrintable(parts.filter(Boolean).join("  "));
}

/** A logged contact. */
export function loggedText({ id, dxCall, dxGrid, mode, reportSent, reportReceived }: QsoLogged): string {
  const parts = [
    id,
    "logged",
    dxCall,
    dxGrid,
    mode,
    `sent ${reportSent ?? ""}`,
    `received ${reportReceived ?? ""}`,
  ];
  return toPrintable(parts.filter(Boolean).join("  "));
}

const DAY_MS = 86_400_000;

/** "115400" of milliseconds since midnight; blank for none. */
function timeText(timeMs: number): string {
  return timeMs < DAY_MS ? new Date(timeMs).toISOString().slice(11, 19).replaceAll(":", "") : "";
}
