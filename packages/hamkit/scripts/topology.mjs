/** Finds the lines that polygons share: the arcs of TopoJSON. */

/**
 * Cuts rings at the vertices where borders meet, and stores each line once.
 *
 * @param objects `{ id, polygons }`: polygons of rings of `[x, y]` in whole numbers, the first vertex not repeated.
 * @returns `{ arcs, objects }`: lines of vertices, and the objects with rings of indices of arcs; `~index` is an arc in
 *   reverse.
 */
export function topologyOf(objects) {
  const neighbors = neighborsOf(objects.flatMap(({ polygons }) => polygons.flat()));
  const isJunction = (point) => neighbors.get(keyOf(point)).size !== 2;
  const arcs = [];
  const indexes = new Map();

  return {
    objects: objects.map(({ id, polygons }) => ({
      id,
      polygons: polygons.map((rings) => rings.map((ring) => linesOf(ring).map(indexOf))),
    })),
    arcs,
  };

  /** The ring as lines from junction to junction; a ring without junctions as one closed line. */
  function linesOf(ring) {
    const junction = ring.findIndex(isJunction);
    // A ring that is shared as a whole begins at the same vertex everywhere.
    const start = junction < 0 ? ring.indexOf(ring.reduce(lower)) : junction;
    const points = [...ring.slice(start), ...ring.slice(0, start), ring[start]];
    const cuts = [...points.keys()].filter(
      (i) => i > 0 && (i === points.length - 1 || isJunction(points[i])),
    );
    return cuts.map((end, i) => points.slice(cuts[i - 1] ?? 0, end + 1));
  }

  function indexOf(line) {
    const known = indexes.get(line.join(" "));
    if (known !== undefined) return known;
    const reversed = indexes.get(line.toReversed().join(" "));
    if (reversed !== undefined) return ~reversed;
    indexes.set(line.join(" "), arcs.length);
    return arcs.push(line) - 1;
  }
}

function neighborsOf(rings) {
  const neighbors = new Map();
  const add = (point, other) => {
    const set = neighbors.get(keyOf(point)) ?? new Set();
    neighbors.set(keyOf(point), set.add(keyOf(other)));
  };
  for (const ring of rings)
    for (const [i, point] of ring.entries()) {
      add(point, ring.at(i - 1));
      add(point, ring[(i + 1) % ring.length]);
    }
  return neighbors;
}

function keyOf([x, y]) {
  return `${x},${y}`;
}

function lower(a, b) {
  return a[0] < b[0] || (a[0] === b[0] && a[1] <= b[1]) ? a : b;
}
