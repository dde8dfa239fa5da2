/** Collects squares, entities and paths QSO by QSO. Loaded with the first log. */
import { locatorToPosition } from "../../geo/locator.js";
import type { Position } from "../../geo/position.js";
import { queryOf, type QsoQuery } from "../../logs/annotation/qso-query.js";
import { fieldValue, type Qso } from "../../logs/log.js";
import { identifyAt } from "../../lookup/identify.js";
import type { CallsignRecord } from "../../lookup/record.js";
import type { TableSource } from "../../lookup/source.js";
import type { MapEntity, MapSquare, WeightedPath } from "../layers/map-layers.js";
import { locatorOf, squareAt, type SquareIndex } from "../layers/square-index.js";
import type { LogToPlace, PlacedLog, PlaceLogOptions } from "./placed-log.js";

/** Collects the places of a log; a QSO is confirmed if one of these fields says so. */
export function collectPlaces(
  log: LogToPlace,
  { table, locator }: PlaceLogOptions,
  confirmations: readonly string[],
): PlacedLog {
  const from = locator === undefined ? undefined : locatorToPosition(locator, "locator", "center");
  const now = Date.now();
  const squares = new Map<SquareIndex, boolean>();
  const entities = new Map<number, MapEntity>();
  const paths = new Map<string, WeightedPath>();
  for (const qso of log.qsos as readonly Qso[]) {
    const query = queryOf(qso, { from, now });
    const isConfirmed = confirmations.some((name) => isReceived(qso, name));
    for (const square of squaresOf(qso, query))
      squares.set(square, isConfirmed || squares.get(square) === true);
    const record = recordOf(query.call, query.at, table);
    addEntity(entities, table, entityOf(qso, record), isConfirmed);
    addPath(
      paths,
      query.ownPlace ?? placeIn(recordOf(query.ownCall, query.at, table)),
      query.place ?? placeIn(record),
    );
  }
  return {
    squares: Array.from(squares, ([square, confirmed]): MapSquare => ({
      locator: locatorOf(square),
      confirmed,
    })),
    entities: Array.from(entities.values()),
    paths: Array.from(paths.values()),
  };
}

/** A card that came electronically is none, as for awards. */
function isReceived(qso: Qso, name: string): boolean {
  if (!/^[YV]$/i.test(fieldValue(qso, name) ?? "")) return false;
  return name !== "QSL_RCVD" || fieldValue(qso, "QSL_RCVD_VIA")?.toUpperCase() !== "E";
}

function squaresOf(qso: Qso, { place }: QsoQuery): SquareIndex[] {
  const corners = (fieldValue(qso, "VUCC_GRIDS") ?? "")
    .split(",")
    .filter((text) => /^\s*[A-R]{2}\d\d(?:[A-X]{2})?\s*$/i.test(text));
  if (corners.length > 0 && corners.length <= 4)
    return corners.map((text) => squareAt(locatorToPosition(text.trim(), "VUCC_GRIDS", "center")));
  return place === undefined ? [] : [squareAt(place)];
}

function recordOf(
  call: string | undefined,
  at: number,
  table: TableSource | undefined,
): CallsignRecord | undefined {
  if (call === undefined || table === undefined) return undefined;
  const found = identifyAt(call, table, at);
  return found.kind === "identified" ? found.record : undefined;
}

/** The place of a record; stations at sea and in the air have none. */
function placeIn(record: CallsignRecord | undefined): Position | undefined {
  return record === undefined || record.continent === "" ? undefined : record;
}

/** The code of the log, or else of the call; 0 is no entity. */
function entityOf(qso: Qso, record: CallsignRecord | undefined): number | undefined {
  const code = fieldValue(qso, "DXCC");
  if (code !== undefined && /^\d{1,3}$/.test(code)) return Number(code);
  return record === undefined || record.continent === "" ? undefined : record.adif;
}

function addEntity(
  entities: Map<number, MapEntity>,
  table: TableSource | undefined,
  adif: number | undefined,
  isConfirmed: boolean,
): void {
  const known = adif === undefined ? undefined : entities.get(adif);
  if (adif === undefined || known?.confirmed === true || (known !== undefined && !isConfirmed)) return;
  const record = table?.entity(adif);
  if (record === undefined) return;
  const { country, latitude, longitude } = record;
  entities.set(adif, { adif, country, latitude, longitude, confirmed: isConfirmed });
}

/** QSOs between the same squares share a path. */
function addPath(
  paths: Map<string, WeightedPath>,
  from: Position | undefined,
  to: Position | undefined,
): void {
  if (from === undefined || to === undefined) return;
  const key = `${squareAt(from)} ${squareAt(to)}`;
  const known = paths.get(key);
  const ends = known ?? { from: positionOf(from), to: positionOf(to), qsos: 0 };
  paths.set(key, { ...ends, qsos: ends.qsos + 1 });
}

function positionOf({ latitude, longitude }: Position): Position {
  return { latitude, longitude };
}
