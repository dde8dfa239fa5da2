/** Simplifies lines of `[x, y]`. */

/**
 * A line without the vertices that are closer than a tolerance to what remains; its ends stay, and a closed line keeps four
 * vertices.
 *
 * @see Douglas and Peucker, "Algorithms for the reduction of the number of points", Cartographica 10 (1973).
 */
export function simplifyLine(line, tolerance) {
  const isKept = new Set([0, line.length - 1]);
  const [first] = line;
  const last = line.at(-1);
  if (first[0] === last[0] && first[1] === last[1]) {
    // Between two equal ends every vertex has a distance, so that the farthest one, and those farthest from it, shape the ring.
    const far = farthest(line, 0, line.length - 1).index;
    const sides = [farthest(line, 0, far), farthest(line, far, line.length - 1)];
    for (const index of [far, ...sides.map((side) => side.index)]) isKept.add(index);
  }
  const cuts = [...isKept].sort((a, b) => a - b);
  const pending = cuts.slice(1).map((end, i) => [cuts[i], end]);
  for (let span = pending.pop(); span !== undefined; span = pending.pop()) {
    const { index, distance } = farthest(line, ...span);
    if (distance <= tolerance) continue;
    isKept.add(index);
    pending.push([span[0], index], [index, span[1]]);
  }
  return line.filter((_, index) => isKept.has(index));
}

/** The vertex between two others that is farthest from the line through them. */
function farthest(line, from, to) {
  let index = from;
  let distance = -1;
  for (let i = from + 1; i < to; i++) {
    const one = distanceFrom(line[i], line[from], line[to]);
    if (one > distance) [index, distance] = [i, one];
  }
  return { index, distance };
}

function distanceFrom([x, y], [x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length === 0) return Math.hypot(x - x1, y - y1);
  return Math.abs((x - x1) * (y2 - y1) - (y - y1) * (x2 - x1)) / length;
}
