/** Collects what a map shows of a log: squares, entities and paths. */
import { ArgumentTypeError, ValueError } from "../../errors.js";
import type { Confirmation, LogToPlace, PlacedLog, PlaceLogOptions } from "./placed-log.js";

const CONFIRMATIONS: Readonly<Record<Confirmation, string>> = {
  card: "QSL_RCVD",
  lotw: "LOTW_QSL_RCVD",
  eqsl: "EQSL_QSL_RCVD",
};

/**
 * The squares, entities and paths of a log.
 *
 * Squares are those of `GRIDSQUARE` and `VUCC_GRIDS`, or of `LAT` and `LON`. The entity is the log's `DXCC`, or else that of
 * the call at the time of the QSO. A path ends at the other station's locator, or else in the middle of its entity; QSOs with
 * stations of one square share a path.
 *
 * @param log A log of `readLog`.
 * @throws {ArgumentTypeError} The argument is not a log.
 * @throws {LocatorError} The own locator is malformed.
 * @throws {ValueError} A confirmation is not one of `card`, `lotw`, `eqsl`.
 * @example
 * const log = await readLog("<CALL:4>W1AW<GRIDSQUARE:6>FN31PR<QSL_RCVD:1>Y<EOR><CALL:5>DH1TW<EOR>");
 * const table = await loadEmbeddedCountryFile();
 * const placed = await placeLog(log, { table, locator: "JN48QM" });
 * placed.squares; // => [{ locator: "FN31", confirmed: true }]
 * placed.entities.map(({ country }) => country); // => ["United States", "Fed. Rep. of Germany"]
 * placed.paths.length; // => 2
 */
export async function placeLog(log: LogToPlace, options: PlaceLogOptions = {}): Promise<PlacedLog> {
  if (!Array.isArray(log?.qsos))
    throw new ArgumentTypeError({ argument: "log", value: log, expected: "a log, as readLog returns it" });
  const fields = (options.confirmedBy ?? ["card", "lotw"]).map((kind) => {
    if (Object.hasOwn(CONFIRMATIONS, kind)) return CONFIRMATIONS[kind];
    throw new ValueError({
      argument: "confirmedBy",
      value: kind,
      expected: Object.keys(CONFIRMATIONS).join(", "),
    });
  });
  const { collectPlaces } = await import("./collect-places.js");
  return collectPlaces(log, options, fields);
}
