/** A contact as a row of the table. Runs in the worker of the logs. */
import { latlongToLocator } from "hamkit/locator";
import { fieldValue, type Qso } from "hamkit/logs";

import type { LogRow } from "./log-types.js";
import type { Contact } from "./read-contacts.js";

type TextColumn = Exclude<keyof LogRow, "line" | "coordinates">;

const FIELDS: Readonly<Partial<Record<keyof LogRow, string>>> = {
  call: "CALL",
  country: "COUNTRY",
  cqz: "CQZ",
  ituz: "ITUZ",
  locator: "GRIDSQUARE",
  distanceKm: "DISTANCE",
  heading: "APP_HAMKIT_HEADING",
};

/** The text of a column. */
export function columnText(contact: Contact, column: TextColumn): string {
  const field = FIELDS[column];
  if (field !== undefined) return fieldValue(contact.qso, field) ?? "";
  if (column === "confirmed") return contact.confirmed.join(", ");
  return contact[column as "time" | "band" | "mode"];
}

export function rowOf(contact: Contact): LogRow {
  const { qso, time, band, mode } = contact;
  const text = (column: TextColumn) => columnText(contact, column);
  const locator = text("locator");
  return {
    line: qso.line,
    time,
    call: text("call"),
    band,
    mode,
    country: text("country"),
    cqz: text("cqz"),
    ituz: text("ituz"),
    locator,
    distanceKm: text("distanceKm"),
    heading: text("heading"),
    confirmed: text("confirmed"),
    coordinates: locator === "" ? coordinatesOf(qso) : undefined,
  };
}

/** Of coordinates as ADIF has them, `N048 31.250` and `E009 22.500`: exact to some meters. */
function coordinatesOf(qso: Qso): string | undefined {
  const [degreesNorth, degreesEast] = ["LAT", "LON"].map((name) => {
    const [, direction = "", degrees, minutes] =
      /^([NSEW])(\d{3}) (\d\d\.\d{3})$/i.exec(fieldValue(qso, name) ?? "") ?? [];
    return (Number(degrees) + Number(minutes) / 60) * (/[SW]/i.test(direction) ? -1 : 1);
  });
  const isPlace = Math.abs(degreesNorth ?? Number.NaN) <= 90 && Math.abs(degreesEast ?? Number.NaN) <= 180;
  return isPlace ? latlongToLocator(degreesNorth ?? 0, degreesEast ?? 0, 10) : undefined;
}
