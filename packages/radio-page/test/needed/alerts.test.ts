import { describe, expect, it } from "vitest";

import { createAlerts, isQuiet, NO_ALERTS, type AlertSpot } from "../../src/needed/alerts.js";

const spot = (dx: string, more: Partial<AlertSpot> = {}): AlertSpot => ({
  dx,
  band: "20m",
  mode: "CW",
  frequencyKHz: 14_025,
  country: "Japan",
  needed: [{ text: "New entity", isNew: true }],
  ...more,
});
const ON = { ...NO_ALERTS, notification: true, sound: true };
const NOON = new Date(2026, 10, 28, 12, 0);

function open() {
  const shown: string[] = [];
  let beeps = 0;
  const announce = createAlerts({
    notify: (title, text) => shown.push(`${title}: ${text}`),
    beep: () => beeps++,
  });
  return { announce, shown, beeps: () => beeps };
}

describe("alerts", () => {
  it("are off until they are asked for", () => {
    const { announce, shown, beeps } = open();
    announce([spot("JA1ABC")], NO_ALERTS, NOON);
    expect([shown, beeps()]).toEqual([[], 0]);
  });

  it("announce what is new, and what is not confirmed only if wanted", () => {
    const { announce, shown, beeps } = open();
    const old = spot("DL1ABC", {
      country: "Germany",
      needed: [{ text: "Entity not confirmed", isNew: false }],
    });
    announce([spot("JA1ABC"), old, spot("W1AW", { needed: [] }), spot("X", { needed: undefined })], ON, NOON);
    expect(shown).toEqual(["JA1ABC on 14025.0 kHz, CW: Japan, New entity"]);
    expect(beeps()).toBe(1);
    announce([old], { ...ON, unconfirmed: true }, NOON);
    expect(shown[1]).toBe("DL1ABC on 14025.0 kHz, CW: Germany, Entity not confirmed");
  });

  it("announce a station once in half an hour, on each band and mode", () => {
    const { announce, shown } = open();
    const at = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000);
    announce([spot("JA1ABC")], ON, at(0));
    announce([spot("JA1ABC")], ON, at(29));
    expect(shown.length).toBe(1);
    announce([spot("JA1ABC", { band: "40m" })], ON, at(29));
    announce([spot("JA1ABC")], ON, at(31));
    expect(shown.length).toBe(3);
  });

  it("don't flood: three notifications and one sound for many spots at once", () => {
    const { announce, shown, beeps } = open();
    announce(
      Array.from({ length: 50 }, (_, index) => spot(`JA${index}`)),
      ON,
      NOON,
    );
    announce([spot("JA99")], ON, new Date(NOON.getTime() + 1000));
    expect(shown.length).toBe(5);
    expect(shown[3]).toMatch(/^47 more needed: JA3, JA4/);
    expect(beeps()).toBe(1);
  });

  it.each([
    ["22:00", "07:00", 23, 30, true],
    ["22:00", "07:00", 6, 59, true],
    ["22:00", "07:00", 7, 0, false],
    ["22:00", "07:00", 12, 0, false],
    ["09:00", "17:00", 12, 0, true],
    ["09:00", "17:00", 17, 0, false],
    ["", "07:00", 3, 0, false],
    ["10:00", "10:00", 10, 0, false],
    ["25:00", "07:00", 3, 0, false],
  ])("are quiet from %s to %s at %i:%i: %s", (quietFrom, quietUntil, hour, minute, expected) => {
    const settings = { ...ON, quietFrom, quietUntil };
    const at = new Date(2026, 10, 28, hour, minute);
    expect(isQuiet(settings, at)).toBe(expected);
    const { announce, shown } = open();
    announce([spot("JA1ABC")], settings, at);
    expect(shown.length).toBe(expected ? 0 : 1);
  });
});
