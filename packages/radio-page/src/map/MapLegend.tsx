import type { ShownPlaces } from "../log/log-types.js";

/** What the colors mean that the shown part of a log has on the map. */
export function MapLegend({
  squares = [],
  entities = [],
  paths = [],
}: { readonly [Kind in keyof ShownPlaces]?: ShownPlaces[Kind] | undefined }) {
  const entries = [
    { kind: "confirmed", text: "Confirmed square", isThere: squares.some(({ confirmed }) => confirmed) },
    { kind: "worked", text: "Worked square", isThere: squares.some(({ confirmed }) => !confirmed) },
    {
      kind: "confirmed area",
      text: "Confirmed entity",
      isThere: entities.some(({ confirmed }) => confirmed),
    },
    { kind: "worked area", text: "Worked entity", isThere: entities.some(({ confirmed }) => !confirmed) },
    { kind: "path", text: "Path of QSOs", isThere: paths.length > 0 },
  ].filter(({ isThere }) => isThere);
  if (entries.length === 0) return null;
  return (
    <ul class="map-legend" aria-label="Legend">
      {entries.map(({ kind, text }) => (
        <li key={kind} class={kind}>
          {text}
        </li>
      ))}
    </ul>
  );
}
