/** The legend of a map: what its colors and lines mean. */
import type { MapRequest } from "./map-options.js";
import { layerCounts, zonesText } from "./map-text.js";

/** A sample and its meaning. */
export interface LegendItem {
  readonly form: "area" | "line" | "shade";
  /** Classes of the sample's shapes: of areas side by side, of shades on each other, on sea and land. */
  readonly kinds: readonly string[];
  readonly text: string;
}

/** The items of the layers that a map has. */
export function legendOf(request: MapRequest): LegendItem[] {
  const { date, twilight, zones } = request;
  const { confirmed, worked, lines } = layerCounts(request);
  const items: LegendItem[] = [];
  if (confirmed !== undefined) items.push(areaItem(request, "confirmed", confirmed));
  if (worked !== undefined) items.push(areaItem(request, "worked", worked));
  if (lines !== undefined) items.push({ form: "line", kinds: ["ray many"], text: lines });
  if (zones !== undefined) items.push({ form: "line", kinds: ["border sample"], text: zonesText(zones) });
  return date === undefined ? items : [...items, ...NIGHT[twilight]];
}

const NIGHT: Readonly<Record<MapRequest["twilight"], readonly LegendItem[]>> = {
  none: [{ form: "shade", kinds: ["night all"], text: "Night" }],
  civil: [
    { form: "shade", kinds: ["night twilit"], text: "Civil twilight" },
    { form: "shade", kinds: ["night twilit", "night dark"], text: "Night" },
  ],
};

/** The colors of squares and entities, of those that the map has. */
function areaItem(
  { squares, entities }: MapRequest,
  kind: "worked" | "confirmed",
  counts: string,
): LegendItem {
  const isConfirmed = kind === "confirmed";
  const kinds: string[] = [];
  if (Array.from(squares.values()).includes(isConfirmed)) kinds.push(`square ${kind}`);
  if (entities.some(({ confirmed }) => confirmed === isConfirmed)) kinds.push(`area ${kind}`);
  return { form: "area", kinds, text: `${counts} ${kind}` };
}
