import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { IOError, ValueError } from "../../src/errors.js";
import {
  lookAtGeostationary,
  lotwSatelliteName,
  openElements,
  parseElements,
  QO_100,
  squaresInView,
  trackSatellite,
  uplinkOf,
  uplinkToSend,
  type Observer,
  type SatelliteElements,
} from "../../src/satellites.js";
import { sends, startFileServer } from "../fixtures/file-server.js";

const ISS = `ISS (ZARYA)
1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927
2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537`;

/** As CelesTrak writes it (gp.php?FORMAT=json). */
const OMM = JSON.stringify([
  {
    OBJECT_NAME: "ISS (ZARYA)",
    OBJECT_ID: "1998-067A",
    EPOCH: "2008-09-20T12:25:40.104192",
    MEAN_MOTION: 15.72125391,
    ECCENTRICITY: 0.0006703,
    INCLINATION: 51.6416,
    RA_OF_ASC_NODE: 247.4627,
    ARG_OF_PERICENTER: 130.536,
    MEAN_ANOMALY: 325.0288,
    EPHEMERIS_TYPE: 0,
    CLASSIFICATION_TYPE: "U",
    NORAD_CAT_ID: 25544,
    ELEMENT_SET_NO: 292,
    REV_AT_EPOCH: 56353,
    BSTAR: -0.000011606,
    MEAN_MOTION_DOT: -0.00002182,
    MEAN_MOTION_DDOT: 0,
  },
]);

describe("parseElements", () => {
  it("reads the same of TLE and of OMM in JSON", () => {
    const [tle] = parseElements(ISS).satellites;
    expect(tle).toEqual({
      name: "ISS (ZARYA)",
      catalogNumber: 25544,
      epoch: new Date("2008-09-20T12:25:40.104Z"),
      meanMotion: 15.72125391,
      eccentricity: 0.0006703,
      inclination: 51.6416,
      ascendingNode: 247.4627,
      perigee: 130.536,
      meanAnomaly: 325.0288,
      bstar: -0.000011606,
    });
    expect(parseElements(OMM).satellites).toEqual([tle]);
    expect(parseElements(OMM.replace("25544", '"25544"')).satellites).toEqual([tle]);
  });

  it.each([
    ["without a name", ISS.split("\n").slice(1).join("\n"), "25544"],
    ["with 0 before the name", `0 ${ISS}`, "ISS (ZARYA)"],
    ["with quotes around the name", ISS.replace("ISS (ZARYA)", '"ISS (ZARYA)"'), "ISS (ZARYA)"],
    ["with bare carriage returns", ISS.replaceAll("\n", "\r"), "ISS (ZARYA)"],
    ["with blanks at the ends", ISS.replaceAll("\n", "   \r\n"), "ISS (ZARYA)"],
    ["with a name that begins with a number", ISS.replace("ISS (ZARYA)", "2 COOL"), "2 COOL"],
  ])("reads lines %s", (_name, text, name) => {
    const { satellites, problems } = parseElements(text);
    expect(satellites.map((each) => each.name)).toEqual([name]);
    expect(problems).toEqual([]);
  });

  it("reads numbers of five digits with a letter", () => {
    // The checksum counts no letters: 2 less in both lines.
    const text = ISS.replace("1 25544U", "1 T5544U").replace("2 25544 ", "2 T5544 ");
    const lines = text.split("\n").map((line, index) => (index === 0 ? line : line.slice(0, 68)));
    expect(parseElements(lines.join("\n")).satellites[0]?.catalogNumber).toBe(275_544);
  });

  it("reports what is no satellite, and reads the rest", () => {
    const broken = ISS.replace("51.6416", "51.6417");
    const { satellites, problems } = parseElements(
      `${broken}\n${ISS}\n${ISS.split("\n").slice(0, 2).join("\n")}`,
    );
    expect(satellites).toHaveLength(1);
    expect(problems.map(({ message }) => message)).toEqual([
      "the checksum does not match",
      "line 2 is missing at the end",
    ]);
    expect(parseElements("[{},5]").problems.map(({ message }) => message)).toEqual([
      "undefined: EPOCH is missing",
      "no object",
    ]);
    expect(parseElements("")).toEqual({ satellites: [], problems: [] });
    expect(() => parseElements("[{")).toThrow(ValueError);
  });
});

describe("a tracker", () => {
  it("knows the age of its elements, and ends with the satellite", async () => {
    const [elements] = parseElements(ISS).satellites;
    if (elements === undefined) throw new RangeError("no elements");
    const tracker = await trackSatellite(elements);
    expect(tracker.ageDays(new Date("2008-09-23T12:25:40.104Z"))).toBeCloseTo(3, 6);
    // Down to 90 km within a year by drag of a hundredfold.
    const falling = await trackSatellite({ ...elements, bstar: 0.5 });
    expect(falling.look(new Date("2010-09-20T12:00:00Z"), { latitude: 0, longitude: 0 })).toBeUndefined();
    const from = new Date("2010-09-20T12:00:00Z");
    expect(falling.passes({ latitude: 0, longitude: 0 }, { from })).toEqual([]);
  });

  it("leaves out low passes, and says where one is cut", async () => {
    const [elements] = parseElements(ISS).satellites;
    const tracker = await trackSatellite(elements as NonNullable<typeof elements>);
    const observer = { latitude: 48.5208333, longitude: 9.375 };
    const from = new Date("2008-09-20T12:25:40Z");
    const high = tracker.passes(observer, { from, minElevation: 30 });
    expect(high.every(({ culmination }) => culmination.elevation >= 30)).toBe(true);
    expect(high.length).toBeLessThan(tracker.passes(observer, { from }).length);
    const [cut] = tracker.passes(observer, { from: new Date("2008-09-20T19:55:00Z"), hours: 0.05 });
    expect(cut?.rise).toBeUndefined();
    expect(cut?.set).toBeUndefined();
    expect(cut?.culmination.elevation).toBeGreaterThan(80);
    for (const options of [
      { from, hours: 0 },
      { from, hours: 9999 },
      { from, minElevation: 90 },
    ])
      expect(() => tracker.passes(observer, options)).toThrow(ValueError);
    expect(() => tracker.passes(observer, { from: new Date("x") })).toThrow(ValueError);
  });

  it("sees a satellite lit by the sun before and after the night", async () => {
    const [elements] = parseElements(ISS).satellites;
    const tracker = await trackSatellite(elements as NonNullable<typeof elements>);
    // Over a revolution of 92 minutes a satellite at 355 km is in the shadow for 36 at most.
    const minutes = Array.from(
      { length: 92 },
      (_, minute) => new Date(Date.parse("2008-09-20T13:00:00Z") + minute * 60_000),
    );
    const dark = minutes.filter((at) => tracker.look(at, { latitude: 0, longitude: 0 })?.isSunlit === false);
    expect(dark.length).toBeGreaterThan(30);
    expect(dark.length).toBeLessThan(37);
  });
});

describe("shared passes", () => {
  const stations = [
    { latitude: 48.520833, longitude: 9.375 }, // JN48QM
    { latitude: 60.1875, longitude: 24.958333 }, // KP20LE
  ];
  const iss = parseElements(ISS).satellites[0] as SatelliteElements;
  const search = { from: new Date("2008-09-20T12:26:00Z"), hours: 12 };

  it("are those of PyEphem 4.1.4, without refraction", async () => {
    const tracker = await trackSatellite(iss);
    const expected = [
      ["18:22:28.456", "18:25:11", 6.92, "18:26:56.458"],
      ["19:56:13.712", "19:59:54", 14.13, "20:02:25.819"],
      ["21:30:50.006", "21:35:09.5", 14.48, "21:37:53.520"],
      ["23:06:01.077", "23:09:32.5", 6.72, "23:13:02.916"],
    ] as const;
    const passes = tracker.sharedPasses(stations, search);
    expect(passes).toHaveLength(expected.length);
    for (const [index, [begin, best, elevation, end]] of expected.entries()) {
      const pass = passes[index];
      const at = (time: string) => Date.parse(`2008-09-20T${time}Z`);
      const low = (looks: readonly { elevation: number }[] = []) =>
        Math.min(...looks.map((look) => look.elevation));
      expect(Math.abs((pass?.begin?.[0]?.time.getTime() ?? 0) - at(begin))).toBeLessThan(1000);
      expect(Math.abs((pass?.end?.[1]?.time.getTime() ?? 0) - at(end))).toBeLessThan(1000);
      expect(Math.abs((pass?.best[0]?.time.getTime() ?? 0) - at(best))).toBeLessThan(1000);
      expect(low(pass?.best)).toBeCloseTo(elevation, 1);
      expect(low(pass?.begin)).toBeCloseTo(0, 1);
      expect(pass?.begin?.length).toBe(2);
    }
    expect(tracker.sharedPasses(stations, { ...search, minElevation: 10 })).toHaveLength(2);
  });

  it("of one place are its passes, and of places that are far apart none", async () => {
    const tracker = await trackSatellite(iss);
    const [one] = stations as [Observer, Observer];
    const far = { latitude: -35, longitude: 149 };
    const rises = tracker.passes(one, search).map(({ rise }) => rise?.time);
    expect(tracker.sharedPasses([one], search).map(({ begin }) => begin?.[0]?.time)).toEqual(rises);
    expect(tracker.sharedPasses([one, far], search)).toEqual([]);
    expect(() => tracker.sharedPasses([], search)).toThrow("at least one place");
  });
});

describe("QO-100", () => {
  it.each([
    // The formula of geostationary satellites by hand, on a sphere: within a quarter of a degree.
    ["Bochum", { latitude: 51.43, longitude: 7.19 }, 156.6, 28.6],
    ["below it", { latitude: 0, longitude: 25.9 }, undefined, 90],
    ["São Paulo", { latitude: -23.5, longitude: -46.6 }, 82.8, 7.4],
    ["Tokyo", { latitude: 35.7, longitude: 139.7 }, 284.4, -26.9],
  ])("stands still, seen from %s", (_name, observer, azimuth, elevation) => {
    const look = lookAtGeostationary(observer, QO_100.longitude);
    expect(Math.abs(look.elevation - elevation)).toBeLessThan(0.3);
    expect(Math.abs(look.azimuth - (azimuth ?? look.azimuth))).toBeLessThan(0.3);
  });

  it("moves frequencies by 8089.5 MHz", () => {
    expect(uplinkOf(QO_100.narrowband, 10_489_750_000)).toBe(2_400_250_000);
    expect(() => uplinkOf(QO_100.narrowband, 10_491_000_000)).toThrow(ValueError);
  });
});

describe("frequencies", () => {
  it("have a constant sum in inverting transponders", () => {
    // AO-7 mode B: 432.125 to 432.175 MHz up, 145.975 to 145.925 down (AMSAT)
    const ao7 = {
      uplinkHz: [432_125_000, 432_175_000],
      downlinkHz: [145_925_000, 145_975_000],
      isInverting: true,
    } as const;
    expect(uplinkOf(ao7, 145_925_000)).toBe(432_175_000);
    expect(uplinkOf(ao7, 145_960_000) + 145_960_000).toBe(432_175_000 + 145_925_000);
  });

  it("are sent lower to a satellite that comes", () => {
    // 7 km/s of 299792 is 23.35 millionths
    expect(uplinkToSend(435_000_000, -7) - 435_000_000).toBeCloseTo(-10_157, 0);
  });
});

describe("squares and names", () => {
  it("are those within the footprint", () => {
    // The horizon of 420 km is 2,240 km away: acos(6371 / 6791) = 20.2 degrees.
    const squares = squaresInView({ latitude: 0.5, longitude: 1, heightKm: 420 });
    expect(squares).toEqual(expect.arrayContaining(["JJ00", "JL00", "KJ00"]));
    expect(squares).not.toContain("KJ10"); // 20.9 degrees away
    expect(squares).not.toContain("JL01"); // 21 degrees away
    expect(squaresInView({ latitude: 0.5, longitude: 1, heightKm: 420 }, 30).length).toBeLessThan(
      squares.length / 5,
    );
    expect(squaresInView({ latitude: 89.5, longitude: 0, heightKm: 800 }).length).toBeGreaterThan(180 * 20);
  });

  it.each([
    ["ISS (ZARYA)", "ARISS"],
    ["ARISS", "ARISS"],
    ["AO-07", "AO-7"],
    ["OSCAR 7 (AO-7)", "AO-7"],
    ["SAUDISAT 1C (SO-50)", "SO-50"],
    ["RS44", "RS-44"],
    ["DOSAAF-85 (RS-44)", "RS-44"],
    ["IO-117", "GREENCUBE"],
    ["ES'HAIL 2", "QO-100"],
    ["arsene", "Arsene"],
    ["STARLINK-1007", undefined],
  ])("are LoTW's: %s", (name, expected) => {
    expect(lotwSatelliteName(name)).toBe(expected);
  });
});

describe("openElements", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("reads a local file, and finds satellites by number and name", async () => {
    const filename = join(folder, "amateur.txt");
    await writeFile(filename, ISS);
    const list = await openElements({ filename });
    for (const name of ["25544", 25544, "ISS (ZARYA)", "iss", "zarya"])
      expect(list.find(name)?.catalogNumber).toBe(25544);
    expect(list.find("AO-7")).toBeUndefined();
    await expect(openElements({ filename: join(folder, "missing") })).rejects.toThrow(IOError);
    await writeFile(filename, "Invalid query: you have downloaded this file too often");
    await expect(openElements({ filename })).rejects.toThrow("elements of satellites");
  });

  it("downloads once, keeps a copy, and uses an older one where the download fails", async () => {
    const server = await startFileServer();
    server.answers = [sends(OMM)];
    try {
      const options = { url: server.url, cacheDir: folder };
      const first = await openElements(options);
      expect(first.satellites).toHaveLength(1);
      await openElements(options);
      expect(server.requests).toHaveLength(1);
      expect((await openElements({ ...options, offline: true })).satellites).toEqual(first.satellites);
      expect(first.checkedAt).toBeInstanceOf(Date);
      await expect(openElements({ ...options, maxAgeMs: 1000 })).rejects.toThrow("two hours");
      await expect(openElements({ ...options, source: "x" as never })).rejects.toThrow(ValueError);
    } finally {
      await server.close();
    }
    await expect(
      openElements({ url: "http://127.0.0.1:9/none", cacheDir: folder, offline: true }),
    ).rejects.toThrow("no copy of it was kept");
  });
});
