/** Cuts rings that cross the 180th meridian. */

/**
 * A ring of `[x, y]` on a grid as rings from -180° to 180°. Where its vertices jump from one side of the map to the other, they
 * continue beyond 180° instead, and what lies there is cut off and moved to the other side.
 *
 * @param half 180° in units of the grid.
 */
export function cutAtAntimeridian(ring, half) {
  const whole = continued(ring, half);
  const inside = clipped(clipped(whole, half, 1), -half, -1);
  const east = clipped(whole, half, -1).map(([x, y]) => [x - 2 * half, y]);
  const west = clipped(whole, -half, 1).map(([x, y]) => [x + 2 * half, y]);
  return [inside, east, west].filter(({ length }) => length > 2);
}

/** Without jumps of more than half a turn. */
function continued(ring, half) {
  let turn = 0;
  return ring.map(([x, y], i) => {
    const step = i === 0 ? 0 : x - ring[i - 1][0];
    if (Math.abs(step) > half) turn -= Math.sign(step) * 2 * half;
    return [x + turn, y];
  });
}

/** The part of a ring where `side * x <= side * limit`; pieces of it may be joined along the limit (Sutherland and Hodgman). */
function clipped(ring, limit, side) {
  const isKept = ([x]) => side * x <= side * limit;
  return ring.flatMap((point, i) => {
    const before = ring.at(i - 1);
    const crossing =
      isKept(point) === isKept(before) ? [] : [[limit, Math.round(heightAt(limit, before, point))]];
    return isKept(point) ? [...crossing, point] : crossing;
  });
}

function heightAt(x, [x1, y1], [x2, y2]) {
  return y1 + ((x - x1) * (y2 - y1)) / (x2 - x1);
}
