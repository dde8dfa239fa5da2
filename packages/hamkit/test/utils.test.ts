import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as frequency from "../src/frequency.js";

const WARNING = /freqToBand of hamkit\/utils has moved: import it from hamkit\/frequency/;

describe("freqToBand of hamkit/utils", () => {
  beforeEach(() => {
    vi.resetModules(); // each test gets a module that has not warned yet
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it("returns the same as freqToBand of hamkit/frequency, region included", async () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { freqToBand } = await import("../src/utils.js");
    for (const freq of [14005.3, 5357, 7300, 28250]) {
      expect(freqToBand(freq)).toEqual(frequency.freqToBand(freq));
      expect(freqToBand(freq, { region: 2 })).toEqual(frequency.freqToBand(freq, { region: 2 }));
    }
  });

  it("fails as freqToBand of hamkit/frequency", async () => {
    vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { freqToBand } = await import("../src/utils.js");
    expect(() => freqToBand(14351)).toThrow("the nearest is 20m, 14000-14350 kHz");
    expect(() => freqToBand(NaN)).toThrow("is not a number of kHz");
    expect(() => freqToBand(14000, { region: 4 as 3 })).toThrow("is not an IARU region");
  });

  it("warns of its deprecation once per process, at the first call and not at the import", async () => {
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const { freqToBand } = await import("../src/utils.js");
    expect(emitWarning).not.toHaveBeenCalled();
    expect(() => freqToBand(NaN)).toThrow("is not a number");
    freqToBand(14005.3);
    freqToBand(7005);
    expect(emitWarning).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(WARNING), {
      type: "DeprecationWarning",
      code: "HAMKIT_DEP0001",
    });
  });

  it("warns on the console where there is no process, as in a browser", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { freqToBand } = await import("../src/utils.js");
    vi.stubGlobal("process", undefined);
    freqToBand(14005.3);
    freqToBand(14005.3);
    vi.unstubAllGlobals();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(WARNING));
  });

  it("returns the result without a warning if neither process nor console exists", async () => {
    const { freqToBand } = await import("../src/utils.js");
    vi.stubGlobal("process", undefined);
    vi.stubGlobal("console", undefined);
    const result = freqToBand(14005.3);
    vi.unstubAllGlobals();
    expect(result.band).toBe(20);
  });
});

describe("freqToBand of hamkit/frequency", () => {
  it("warns of nothing", () => {
    const emitWarning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    frequency.freqToBand(14005.3);
    expect(emitWarning).not.toHaveBeenCalled();
  });
});
