/** What the benchmarks of logs share: files as loggers write them, in pieces, and the best time of a task. */

const PIECE = 1 << 16;

/** A file with a line per QSO, of the fields of each index. */
export function adiText(count, fieldsOf) {
  const lines = Array.from({ length: count }, (_, index) => {
    const fields = Object.entries(fieldsOf(index)).map(
      ([name, value]) => `<${name}:${value.length}>${value}`,
    );
    return `${fields.join(" ")} <EOR>\n`;
  });
  return `A log\n<ADIF_VER:5>3.1.7\n<EOH>\n${lines.join("")}`;
}

/** Three letters that differ from those of the indices nearby. */
export function letters(index) {
  return [1, 26, 676].map((step) => String.fromCharCode(65 + (Math.floor(index / step) % 26))).join("");
}

/** Pieces of 64 kB. */
export function* piecesOf(bytes) {
  for (let index = 0; index < bytes.length; index += PIECE) yield bytes.subarray(index, index + PIECE);
}

/** Milliseconds of the fastest of four rounds. */
export async function bestTime(task) {
  let shortest = Infinity;
  for (let round = 0; round < 4; round++) {
    const start = performance.now();
    await task();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}
