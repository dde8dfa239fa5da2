/**
 * Which of many sorted stretches holds a number, found in a step or two.
 *
 * A binary search over some 130 stretches takes seven steps, each of which the processor guesses wrong half of the
 * time. The leading bits of a floating-point number grow with the number like a coarse logarithm, so they lead straight
 * to the neighborhood, at equal relative width from 135 kHz to 7.5 THz.
 */

/** Sorted stretches with their answers, and where to start looking. */
export interface StretchIndex<Answer> {
  /** The first number of each stretch, ascending; a stretch ends before the next one starts. */
  readonly starts: Float64Array;
  /** What each stretch answers. The last stretch is the end of all: it has no answer. */
  readonly answers: readonly (Answer | undefined)[];
  /** Slot of the first start. */
  readonly firstSlot: number;
  /** For each slot from there on, the last stretch that starts in a lower slot: where stepping up begins. */
  readonly stretchOfSlot: Uint16Array;
}

/** A stretch that starts at a number and ends where the next one starts. */
export interface Stretch<Answer> {
  readonly start: number;
  readonly answer: Answer | undefined;
}

/** Indexes stretches with ascending positive starts; the last one has to be without an answer. */
export function indexStretches<Answer>(stretches: readonly Stretch<Answer>[]): StretchIndex<Answer> {
  const starts = Float64Array.from(stretches, ({ start }) => start);
  const slots = starts.map(slotOf);
  const firstSlot = slots.at(0) ?? 0;
  const stretchOfSlot = new Uint16Array((slots.at(-1) ?? 0) - firstSlot + 1);
  for (let slot = 0, stretch = 0; slot < stretchOfSlot.length; slot++) {
    // A start within the slot may lie above the slot's least number: such stretches are reached by stepping up.
    while ((slots[stretch + 1] ?? Infinity) < firstSlot + slot) stretch++;
    stretchOfSlot[slot] = stretch;
  }
  return { starts, answers: stretches.map(({ answer }) => answer), firstSlot, stretchOfSlot };
}

/** The answer of the stretch that holds the number; `undefined` outside all stretches and for NaN. */
export function searchStretches<Answer>(index: StretchIndex<Answer>, value: number): Answer | undefined {
  const { starts, answers, firstSlot, stretchOfSlot } = index;
  const first = starts[0] ?? Infinity;
  const end = starts[starts.length - 1] ?? -Infinity;
  if (!(value >= first && value < end)) return undefined;
  let stretch = stretchOfSlot[slotOf(value) - firstSlot] ?? 0;
  while ((starts[stretch + 1] ?? Infinity) <= value) stretch++;
  return answers[stretch];
}

const double = new DataView(new ArrayBuffer(8));

/** The exponent and the first 8 bits of the fraction: 256 slots to each doubling. */
function slotOf(value: number): number {
  double.setFloat64(0, value);
  return double.getUint32(0) >>> 12;
}
