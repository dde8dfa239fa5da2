/** The decodes of an hour of WSJT-X on a busy band. */

/** FT8 has 240 periods an hour; 35 decodes in each are those of 20 m on a weekend. */
export const PERIODS = 240;
export const DECODES = 35;

/** A station that no decode was of before. */
export function stationOf(index: number): string {
  const letters = [26 * 26, 26, 1].map((size) =>
    String.fromCharCode(65 + (Math.floor(index / 10 / size) % 26)),
  );
  return `DL${index % 10}${letters.join("")}`;
}

/** The messages of a period. */
export function decodesOf(period: number): readonly string[] {
  return Array.from({ length: DECODES }, (_, index) => `CQ ${stationOf(period * DECODES + index)} JO40`);
}
