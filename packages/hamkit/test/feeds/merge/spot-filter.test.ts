import { describe, expect, it } from "vitest";

import { createSpotFilter, type FeedSpot, type SpotCriteria } from "../../../src/feeds.js";
import { cpuMs } from "../../fixtures/cpu-time.js";

const SPOT: FeedSpot = {
  source: "x",
  time: new Date(0),
  frequencyKHz: 14_025,
  band: "20m",
  mode: "SSB",
  dx: "JA1ABC/P",
  spotter: "DH1TW",
  skimmer: false,
  comment: "",
  dxStation: { country: "Japan", adif: 339, continent: "AS", cqz: 25 },
  spotterStation: { country: "Fed. Rep. of Germany", adif: 230, continent: "EU", cqz: 14 },
};

describe("createSpotFilter", () => {
  it.each<[SpotCriteria, boolean]>([
    [{}, true],
    [{ bands: ["40m", "20M"] }, true],
    [{ bands: ["40m"] }, false],
    [{ bands: [] }, false],
    [{ modes: ["usb"] }, true],
    [{ modes: ["CW", "FT8"] }, false],
    [{ dxContinents: ["as"] }, true],
    [{ dxContinents: ["EU"] }, false],
    [{ dxEntities: [1, 339] }, true],
    [{ dxEntities: [230] }, false],
    [{ spotterContinents: ["EU"] }, true],
    [{ spotterContinents: ["AS"] }, false],
    [{ spotterEntities: [230] }, true],
    [{ spotterEntities: [339] }, false],
    [{ skimmer: false }, true],
    [{ skimmer: true }, false],
    [{ calls: ["JA1ABC/P"] }, true],
    [{ calls: ["ja*"] }, true],
    [{ calls: ["*/P"] }, true],
    [{ calls: ["J?1*/?"] }, true],
    [{ calls: ["*"] }, true],
    [{ calls: ["*A*B*C*P*"] }, true],
    [{ calls: ["JA"] }, false],
    [{ calls: ["?"] }, false],
    [{ calls: [""] }, false],
    [{ calls: ["J.1*"] }, false],
    [{ bands: ["20m"], modes: ["SSB"], calls: ["JA*"], dxContinents: ["AS"], skimmer: false }, true],
    [{ bands: ["20m"], modes: ["CW"], calls: ["JA*"] }, false],
  ])("%j: %s", (criteria, expected) => {
    expect(createSpotFilter(criteria)(SPOT)).toBe(expected);
  });

  it("leaves out spots that lack what is asked for", () => {
    const { band: _band, mode: _mode, dxStation: _dx, spotterStation: _spotter, ...bare } = SPOT;
    for (const criteria of [
      { bands: ["20m"] },
      { modes: ["SSB"] },
      { dxContinents: ["AS"] },
      { spotterEntities: [230] },
    ]) {
      expect(createSpotFilter(criteria)(bare)).toBe(false);
    }
  });

  it.each<[object, string]>([
    [{ bands: ["20"] }, 'bands: "20" is not a band such as 20m'],
    [{ modes: [5] }, "modes: 5 is not a mode such as CW"],
    [{ dxContinents: ["Europe"] }, 'dxContinents: "Europe" is not EU, NA, SA, AS, AF, OC or AN'],
    [{ spotterEntities: ["230"] }, 'spotterEntities: "230" is not ADIF\'s code of an entity'],
    [{ calls: [undefined] }, "calls: undefined is not a pattern such as DL*"],
  ])("rejects %j, which would match nothing", (criteria, message) => {
    expect(() => createSpotFilter(criteria as SpotCriteria)).toThrow(message);
  });

  it("takes no longer for hostile patterns", () => {
    const isWanted = createSpotFilter({ calls: ["*A".repeat(15)] });
    const started = cpuMs();
    for (let count = 0; count < 10_000; count++) isWanted({ ...SPOT, dx: "A".repeat(24) });
    expect(cpuMs() - started).toBeLessThan(2000);
    expect(() => createSpotFilter({ calls: ["*".repeat(31)] })).toThrow("at most 30 characters");
    expect(() => createSpotFilter({ bands: "20m" as unknown as string[] })).toThrow("bands: ");
  });
});
