/** A log with QSOs in many squares and entities, for pictures: the same each time. */
import { readLog, type Log } from "../../src/logs.js";
import { positionToLocator } from "../../src/geo/locator.js";

/** Places with a call, a location, and the spread of its squares in degrees. */
const PLACES = [
  ["DL1ABC", 50, 10, 4],
  ["G4ABC", 52, -1.5, 2],
  ["F5ABC", 47, 2, 4],
  ["I2ABC", 44, 11, 3],
  ["EA3ABC", 40, -3, 3],
  ["SP5ABC", 52, 19, 3],
  ["OH2ABC", 62, 25, 3],
  ["UA3ABC", 55, 38, 6],
  ["UA9ABC", 56, 65, 8],
  ["K1ABC", 42, -74, 4],
  ["K5ABC", 33, -97, 6],
  ["W6ABC", 37, -119, 4],
  ["VE3ABC", 45, -79, 4],
  ["PY2ABC", -23, -47, 4],
  ["LU1ABC", -34, -60, 4],
  ["JA1ABC", 36, 138, 3],
  ["VK3ABC", -37, 145, 4],
  ["ZS6ABC", -27, 28, 3],
  ["ZL1ABC", -38, 176, 2],
  ["BY1ABC", 38, 114, 6],
  ["VU2ABC", 20, 78, 6],
  ["EA8ABC", 28, -15, 0.5],
  ["5Z4ABC", -1, 37, 1],
  ["CE3ABC", -33, -71, 1],
] as const;

export async function sampleLog(): Promise<Log> {
  let state = 1;
  const random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const qsos = Array.from({ length: 420 }, (_, index) => {
    const [call, latitude, longitude, spread] =
      PLACES[Math.floor(random() ** 1.5 * PLACES.length)] ?? PLACES[0];
    const off = () => (random() + random() - 1) * spread;
    const locator = positionToLocator({ latitude: latitude + off(), longitude: longitude + 1.5 * off() }, 6);
    const confirmation = random() < 0.6 && !/^(?:BY|ZS|5Z|LU)/.test(call) ? "<LOTW_QSL_RCVD:1>Y" : "";
    const date = `202405${String(1 + (index % 28)).padStart(2, "0")}`;
    return `<CALL:${call.length}>${call}<QSO_DATE:8>${date}<GRIDSQUARE:6>${locator}${confirmation}<EOR>`;
  });
  return readLog(qsos.join("\n"));
}
