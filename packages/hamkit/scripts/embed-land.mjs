/**
 * Makes src/map/land.ts, the outlines of the land as a module, out of the package world-atlas: a step of the build.
 *
 * Coordinates stay on the grid of the source, so nothing is lost, and follow each other as differences, which are short.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

import { feature } from "topojson-client";

const target = new URL("../src/map/land.ts", import.meta.url);
const source = createRequire(import.meta.url).resolve("world-atlas/land-110m.json");
const topology = JSON.parse(readFileSync(source, "utf8"));
const [longitudeStep, latitudeStep] = topology.transform.scale;
const [west, south] = topology.transform.translate;

const polygons = feature(topology, topology.objects.land).features.flatMap(
  ({ geometry }) => geometry.coordinates,
);
const text = `/**
 * @license
 * Made by scripts/embed-land.mjs out of world-atlas 2, land-110m.json.
 *
 * The outlines are those of Natural Earth, which are in the public domain. The edition is under the ISC license:
 *
 * Copyright 2013-2019 Michael Bostock
 *
 * Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
 * granted, provided that the above copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
 * IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
 * INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN
 * AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR
 * PERFORMANCE OF THIS SOFTWARE.
 */

/** The grid that coordinates are counted on, in degrees. */
export const GRID = {
  west: ${west},
  south: ${south},
  longitudeStep: ${longitudeStep},
  latitudeStep: ${latitudeStep},
};

/** Polygons of rings of columns and rows, in JSON: the first point as it is, the others by what they differ. */
export const LAND: string =
  ${JSON.stringify(JSON.stringify(polygons.map((rings) => rings.map(differences))))};
`;
if (read(target) !== text) writeFileSync(target, text);

/** Columns and rows of a ring, in turn. The last point is the first one again, and left out. */
function differences(ring) {
  let column = 0;
  let row = 0;
  return ring.slice(0, -1).flatMap(([longitude, latitude]) => {
    const next = [
      Math.round((longitude - west) / longitudeStep),
      Math.round((latitude - south) / latitudeStep),
    ];
    const step = [next[0] - column, next[1] - row];
    [column, row] = next;
    return step;
  });
}

function read(url) {
  try {
    return readFileSync(url, "utf8");
  } catch {
    return undefined;
  }
}
