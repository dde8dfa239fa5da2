import { expect, it } from "vitest";

import { readFeedSpot } from "../../../src/feeds/connections/event-stream-source.js";

// Fixed: stations at sea and in the air, which have no zone, were left out.
it.each([
  [{ country: "MARITIME MOBILE", adif: 999, continent: "" }],
  [{ country: "Germany", adif: 230, continent: "EU", cqz: 14, ituz: 28 }],
])("the station %j comes through JSON", (dxStation) => {
  const spot = {
    source: "x",
    time: "2026-02-26T17:51:00.000Z",
    frequencyKHz: 14_025,
    dx: "VE0MM",
    dxStation,
  };
  expect(readFeedSpot(spot)?.dxStation).toEqual(dxStation);
});
