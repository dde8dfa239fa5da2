/**
 * Writes data/zones/cq-zones.json and itu-zones.json from GeoJSON files with the zones as polygons:
 *
 *     node packages/hamkit/scripts/import-zones.mjs FOLDER
 *
 * The files are TopoJSON: borders that two zones share are stored once, on a grid of a thousandth of a degree, without loss.
 * Vertices that miss a line of the zones' definition are moved onto it; see CORRECTIONS.
 */
import { readFileSync, writeFileSync } from "node:fs";

import { topologyOf } from "./topology.mjs";

const [folder] = process.argv.slice(2);
const target = new URL("../data/zones/", import.meta.url);

/** The grid of the coordinates, in degrees. */
const STEP = 0.001;

/** Faults of the polygons, with the definitions that they miss. */
const CORRECTIONS = {
  // The line runs between the Diomede islands along the border of the countries, 168°58'37" W (treaty of 1867): without
  // these vertices, Big Diomede would be in zone 1.
  cq: [
    {
      between: [
        [-167.687, 66.667],
        [-180, 59.125],
      ],
      insert: [
        [-168.977, 65.9],
        [-168.977, 65.6],
      ],
    },
  ],
  // 90° W and 110° W are borders by definition, and miss them by up to 0.017°.
  itu: [
    { axis: 0, line: -90, south: 25, within: 0.02 },
    { axis: 0, line: -110, south: 31, within: 0.02 },
  ],
};

for (const kind of ["cq", "itu"]) {
  const { features } = JSON.parse(readFileSync(`${folder}/${kind}zones.geojson`, "utf8"));
  const zones = features.map(({ properties, geometry }) => ({
    id: properties[`${kind}z`],
    polygons: polygonsOf(geometry).map((rings) => rings.map((ring) => gridRing(corrected(kind, ring)))),
  }));
  zones.sort((a, b) => a.id - b.id);
  writeFileSync(new URL(`${kind}-zones.json`, target), textOf(kind, topologyOf(zones)));
}

function polygonsOf({ type, coordinates }) {
  return type === "Polygon" ? [coordinates] : coordinates;
}

/** The vertices on the grid, without repetitions; the last one is not the first one again. */
function gridRing(ring) {
  const points = ring.map(([longitude, latitude]) => [
    Math.round(longitude / STEP),
    Math.round(latitude / STEP),
  ]);
  return points.filter(([x, y], i) => {
    const [nextX, nextY] = points[i + 1] ?? points[0];
    return x !== nextX || y !== nextY;
  });
}

function corrected(kind, ring) {
  let result = ring;
  for (const correction of CORRECTIONS[kind])
    result =
      correction.insert === undefined
        ? result.map((point) => movedTo(correction, point))
        : withInserted(correction, result);
  return result;
}

function movedTo({ line, south, within }, [longitude, latitude]) {
  return latitude > south && Math.abs(longitude - line) <= within ? [line, latitude] : [longitude, latitude];
}

function withInserted({ between: [from, to], insert }, ring) {
  return ring.flatMap((point, i) => {
    const next = ring[i + 1];
    if (next !== undefined && isAt(point, from) && isAt(next, to)) return [point, ...insert];
    if (next !== undefined && isAt(point, to) && isAt(next, from)) return [point, ...insert.toReversed()];
    return [point];
  });
}

function isAt(point, [longitude, latitude]) {
  return point[0] === longitude && point[1] === latitude;
}

/** TopoJSON with a line for each arc and each zone. */
function textOf(kind, { arcs, objects }) {
  const deltas = arcs.map((arc) =>
    arc.map(([x, y], i) => (i === 0 ? [x, y] : [x - arc[i - 1][0], y - arc[i - 1][1]])),
  );
  const geometries = objects.map(({ id, polygons }) => ({ type: "MultiPolygon", id, arcs: polygons }));
  const source =
    "https://github.com/HB9HIL/hamradio-zones-geojson, commit ea9d34e, simplified by 0.02 degrees";
  return `{
"type": "Topology",
"source": ${JSON.stringify(source)},
"date": "2024-11-15",
"license": "MIT, see LICENSE.txt",
"transform": ${JSON.stringify({ scale: [STEP, STEP], translate: [0, 0] })},
"objects": { "${kind}": { "type": "GeometryCollection", "geometries": [
${geometries.map((one) => JSON.stringify(one)).join(",\n")}
] } },
"arcs": [
${deltas.map((arc) => JSON.stringify(arc)).join(",\n")}
]
}
`;
}
