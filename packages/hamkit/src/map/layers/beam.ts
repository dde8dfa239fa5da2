/** The beam of a directional antenna: the area between two great circles from the station to its antipode. */
import { destination, headingDegrees } from "../../geo/great-circle.js";
import type { Chart } from "../drawing/projection.js";
import type { Coordinates } from "../drawing/coastline.js";
import type { MapRequest } from "../map-options.js";

const RADIANS = Math.PI / 180;
/** Distance of the points of its edges, and where these end: at the antipode they would meet in a point, or a circle. */
const STEP = 2;
const END = 179.5;

/** A beam along the short path, or at its own heading; nothing without a station. */
export function drawBeam({ from, to, beam }: MapRequest, { trace }: Chart): string {
  if (beam === undefined || from === undefined) return "";
  const heading = beam.heading ?? (to && headingDegrees(from.position, to.position));
  if (heading === undefined) return "";
  const edge = (turn: number): Coordinates[] =>
    Array.from({ length: Math.ceil(END / STEP) + 1 }, (_, index) => {
      const away = Math.min(index * STEP, END) * RADIANS;
      const { latitude, longitude } = destination(from.position, (heading + turn) * RADIANS, away);
      return [longitude, latitude];
    });
  const left = edge(-beam.width / 2);
  const right = edge(beam.width / 2);
  const start: Coordinates = [from.position.longitude, from.position.latitude];
  const ring = [...left, ...right.toReversed().slice(0, -1), start];
  const area = trace({ type: "Polygon", coordinates: [ring] });
  const edges = trace({ type: "MultiLineString", coordinates: [left, right] });
  return `<path class="beam" d="${area}"/><path class="beam-edge" d="${edges}"/>`;
}
