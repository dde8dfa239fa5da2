/** DXCC entities of positions per second. */
import { entitiesAt } from "hamkit/places";

/** Places to ask for, a power of two, so that the processor can't learn the sequence by heart. */
const COUNT = 1 << 14;
const MASK = COUNT - 1;

export async function bench({ rate, row }) {
  const places = Array.from({ length: COUNT }, (_, i) => spread(i));
  let sum = 0;
  row({
    work: "DXCC entity of a position",
    hamkit: await rate("entitiesAt", (i) => (sum += entitiesAt(places[i & MASK]).dxcc.length), COUNT),
    limit: 10_000,
    others: [],
    peer: undefined,
  });
  if (sum === 0) throw new Error("no entity was found");
}

/** Points spread evenly over the globe, in random order. */
function spread(index) {
  const height = ((index * 2_654_435_761) % COUNT) / COUNT;
  const turns = index * 0.618_033_988_75;
  return {
    latitude: (Math.asin(2 * height - 1) * 180) / Math.PI,
    longitude: 360 * (turns - Math.floor(turns)) - 180,
  };
}
