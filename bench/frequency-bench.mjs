/** How many frequencies a second get their band and mode. */
import { findBand, freqToBand, listBands } from "hamkit/frequency";

/** Frequencies to ask for, a power of two, so that the processor can't learn the sequence by heart. */
const COUNT = 1 << 16;

/** Records two rows: frequencies inside the bands, and frequencies in and between them. */
export async function bench({ rate, row }) {
  const random = generator(20_241_102);
  const bands = listBands();
  const inBands = Float64Array.from({ length: COUNT }, () => {
    const { lower, upper } = bands[Math.floor(random() * bands.length)];
    return lower + random() * (upper - lower);
  });
  // Every band with as much again on either side: a third of the frequencies lies in a band.
  const inAndBetween = Float64Array.from({ length: COUNT }, () => {
    const { lower, upper } = bands[Math.floor(random() * bands.length)];
    return lower + (3 * random() - 1) * (upper - lower);
  });

  let sum = 0;
  row({
    work: "frequency to band and mode, in all bands",
    hamkit: await rate("freqToBand", (i) => (sum += freqToBand(inBands[i & (COUNT - 1)]).band), COUNT),
    limit: 10_000_000,
    others: [],
    peer: 667_000,
  });
  row({
    work: "frequency to band and mode, in and between bands (findBand)",
    hamkit: await rate("findBand", (i) => (sum += findBand(inAndBetween[i & (COUNT - 1)])?.band ?? 0), COUNT),
    limit: 10_000_000,
    others: [],
    peer: 667_000,
  });
  if (!(sum > 0)) throw new Error("the answers were thrown away");
}

/** Random numbers from 0 to 1, the same in every run (a linear congruential generator). */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
