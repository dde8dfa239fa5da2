/** `hamkit satellite`: passes of satellites over a place, and where they are. */
import { InvalidArgumentError, Option, type Command } from "commander";

import { positionOfPlace } from "../../../geo/locator.js";
import { MAX_AGE_MS } from "../../../io/cache-ages.js";
import {
  downlinkHeard,
  lotwSatelliteName,
  trackSatellite,
  uplinkToSend,
  type SatelliteElements,
  type SatelliteTracker,
} from "../../../satellites.js";
import {
  ELEMENTS_URLS,
  MAX_ELEMENTS_BYTES,
  readElementsFile,
  type ElementsList,
  type ElementsSource,
} from "../../../satellites/open-elements.js";
import { ageText, openPublicFile, type OpenedFile } from "../../databases/public-file.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { integerFrom } from "../../input/integer-option.js";
import { collect } from "../../input/list-option.js";
import { parseMoment } from "../../input/moment.js";
import type { Report, Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { layOutTable, printable, type Column } from "../../terminal/text-table.js";
import {
  beginOf,
  LIST_COLUMNS,
  LOOK_COLUMNS,
  PASS_COLUMNS,
  sharedColumns,
  startOf,
  type ListedLook,
  type ListedPass,
  type ListedSatellite,
  type ListedSharedPass,
} from "./satellite-columns.js";

const EXAMPLES = [
  { line: "hamkit satellite passes ISS AO-7 --from JN48QM", shows: "the passes of a day" },
  { line: "hamkit satellite passes --from JN48QM --min-elevation 30", shows: "the high passes of all" },
  { line: "hamkit satellite passes AO-7 --from JN48QM --with FN31PR", shows: "when two stations see it" },
  { line: "hamkit satellite look ISS --from JN48QM --downlink 145.8", shows: "azimuth, elevation, Doppler" },
  { line: "hamkit satellite list", shows: "the satellites, and the age of their elements" },
];

export function defineSatelliteCommand(command: Command, session: Session): void {
  command
    .description(
      "Passes of amateur satellites over a place, and where they are. Their elements are downloaded from CelesTrak or AMSAT, and kept for " +
        "a day.",
    )
    .addHelpText("after", examplesText(EXAMPLES, session.ink));
  placeOptions(command.command("passes"))
    .summary("when satellites rise and set")
    .description(
      "Lists passes in the order of their rise, with the highest point. Without satellites, of all.",
    )
    .argument("[satellite...]", "names or numbers: ISS, AO-7, 25544")
    .option("--with <place>", "only while another station sees it too; can be repeated", collect)
    .option("--hours <number>", "hours to search; default 24", integerFrom(1, 240))
    .option("--min-elevation <degrees>", "only passes above this; default 0", integerFrom(0, 89))
    .action(async (names: readonly string[], options: SatelliteOptions) => {
      const report = options.with === undefined ? reportPasses : reportSharedPasses;
      session.present(await report(names, options, session), options);
    });
  placeOptions(command.command("look"))
    .summary("where satellites are")
    .description("Azimuth, elevation, range, and frequencies shifted by Doppler.")
    .argument("<satellite...>", "names or numbers: ISS, AO-7, 25544")
    .option("--downlink <MHz>", "the frequency that the satellite sends on", megahertz)
    .option("--uplink <MHz>", "the frequency that the satellite receives", megahertz)
    .action(async (names: readonly string[], options: SatelliteOptions) => {
      session.present(await reportLooks(names, options, session), options);
    });
  dataOptions(command.command("list"))
    .summary("the satellites, and the age of their elements")
    .description("Lists the satellites whose elements are known, with LoTW's names.")
    .action(async (options: SatelliteOptions) => {
      session.present(await reportList(options, session), options);
    });
}

function dataOptions(command: Command): Command {
  return command
    .addOption(new Option("--source <name>", "celestrak (default) or amsat").choices(["celestrak", "amsat"]))
    .option("--file <path>", "read elements (TLE, or OMM in JSON) from a file or its http address")
    .option("--offline", "use the kept elements, whatever their age, without network access")
    .option("--at <date>", "the moment, in UTC; default: now", moment)
    .option("--json", "output JSON");
}

function placeOptions(command: Command): Command {
  return dataOptions(command).requiredOption("--from <place>", "own locator, or coordinates as 48.5,9.3");
}

function moment(text: string): Date {
  const parsed = parseMoment(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError("Expected a moment in UTC, such as 2024-06-30T12:00.");
}

function megahertz(text: string): number {
  const value = Number(text);
  if (value > 0 && value < 1_000_000) return value;
  throw new InvalidArgumentError("Expected a frequency in MHz, such as 145.8.");
}

interface SatelliteOptions {
  readonly from?: string;
  readonly source?: ElementsSource;
  readonly file?: string;
  readonly offline?: boolean;
  readonly at?: Date;
  readonly hours?: number;
  readonly minElevation?: number;
  readonly with?: readonly string[];
  readonly downlink?: number;
  readonly uplink?: number;
  readonly json?: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** In low orbit. */
const MAX_AGE_DAYS = 14;

async function openList(options: SatelliteOptions, session: Session): Promise<OpenedFile<ElementsList>> {
  const { source = "celestrak" } = options;
  return openPublicFile(
    {
      title: "the elements",
      cacheName: `satellites-${source}`,
      url: ELEMENTS_URLS[source],
      maxAgeMs: MAX_AGE_MS.orbitalElements,
      maxBytes: MAX_ELEMENTS_BYTES,
      read: async (name, content) => readElementsFile(name, content),
    },
    { from: options.file, offline: options.offline },
    session,
  );
}

interface Observation {
  readonly file: OpenedFile<ElementsList>;
  readonly observer: { readonly latitude: number; readonly longitude: number };
  readonly at: Date;
  readonly trackers: readonly SatelliteTracker[];
}

async function observe(
  names: readonly string[],
  options: SatelliteOptions,
  session: Session,
): Promise<Observation> {
  const observer = positionOfPlace(options.from ?? "", "--from");
  const file = await openList(options, session);
  const at = options.at ?? session.io.now();
  const wanted =
    names.length === 0 ? file.value.satellites : names.map((name) => satelliteOf(name, file.value));
  const trackers = await Promise.all(wanted.map(trackSatellite));
  const old = trackers.filter((tracker) => tracker.ageDays(at) > MAX_AGE_DAYS);
  if (old.length > 0) {
    const days = Math.round(Math.max(...old.map((tracker) => tracker.ageDays(at))));
    session.warn(
      `elements of ${old.length} of ${trackers.length} satellites are up to ${days} days from the moment asked for`,
    );
  }
  return { file, observer, at, trackers };
}

function satelliteOf(name: string, list: ElementsList): SatelliteElements {
  const found = list.find(name);
  if (found !== undefined) return found;
  throw new UsageError(
    `'${printable(name, 60)}' is no satellite of ${list.source}, or several; see hamkit satellite list`,
  );
}

async function reportPasses(
  names: readonly string[],
  options: SatelliteOptions,
  session: Session,
): Promise<Report> {
  const { file, observer, at, trackers } = await observe(names, options, session);
  const { hours, minElevation } = options;
  const passes = trackers
    .flatMap((tracker) =>
      tracker
        .passes(observer, { from: at, hours, minElevation })
        .map((pass): ListedPass => ({ name: tracker.elements.name, pass })),
    )
    .toSorted((a, b) => startOf(a).getTime() - startOf(b).getTime());
  return {
    document: {
      data: dataOf(file),
      from: observer,
      at,
      passes: passes.map(({ name, pass }) => ({ name, rise: null, set: null, ...pass })),
    },
    ...passesOrNone(passes, { columns: PASS_COLUMNS, file }, session),
  };
}

function passesOrNone<Listed>(
  passes: readonly Listed[],
  { columns, file }: Pick<Observation, "file"> & { readonly columns: readonly Column<Listed>[] },
  session: Session,
): Pick<Report, "lines" | "exitCode"> {
  return {
    lines: () => [
      ...(passes.length === 0 ? ["no passes"] : tableOf(passes, columns, session)),
      "",
      session.ink("dim", `Times in UTC, without refraction. Elements: ${ageText(file)}`),
    ],
    exitCode: passes.length === 0 ? EXIT.notFound : EXIT.success,
  };
}

async function reportSharedPasses(
  names: readonly string[],
  options: SatelliteOptions,
  session: Session,
): Promise<Report> {
  const { file, observer, at, trackers } = await observe(names, options, session);
  const others = (options.with ?? []).map((place) => positionOfPlace(place, "--with"));
  const { hours, minElevation } = options;
  const passes = trackers
    .flatMap((tracker) =>
      tracker
        .sharedPasses([observer, ...others], { from: at, hours, minElevation })
        .map((pass): ListedSharedPass => ({ name: tracker.elements.name, pass })),
    )
    .toSorted((a, b) => beginOf(a).getTime() - beginOf(b).getTime());
  return {
    document: {
      data: dataOf(file),
      from: observer,
      with: others,
      at,
      passes: passes.map(({ name, pass }) => ({ name, begin: null, end: null, ...pass })),
    },
    ...passesOrNone(passes, { columns: sharedColumns(options), file }, session),
  };
}

async function reportLooks(
  names: readonly string[],
  options: SatelliteOptions,
  session: Session,
): Promise<Report> {
  const { file, observer, at, trackers } = await observe(names, options, session);
  const { downlink, uplink } = options;
  const looks = trackers.flatMap((tracker): ListedLook[] => {
    const { name } = tracker.elements;
    const look = tracker.look(at, observer);
    if (look === undefined) return [];
    return [
      {
        name,
        look,
        ...(downlink !== undefined && { downlinkMHz: downlinkHeard(downlink, look.rangeRateKmS) }),
        ...(uplink !== undefined && { uplinkMHz: uplinkToSend(uplink, look.rangeRateKmS) }),
      },
    ];
  });
  const columns = LOOK_COLUMNS.filter(({ title }) => title !== "Hear MHz" || downlink !== undefined).filter(
    ({ title }) => title !== "Send MHz" || uplink !== undefined,
  );
  return {
    document: {
      data: dataOf(file),
      from: observer,
      at,
      satellites: looks.map(({ look, ...rest }) => ({ ...rest, ...look })),
    },
    lines: () => [
      ...tableOf(looks, columns, session),
      "",
      session.ink("dim", `At ${at.toISOString().slice(0, 19)}Z. Elements: ${ageText(file)}`),
    ],
    exitCode: looks.length < names.length ? EXIT.notFound : EXIT.success,
  };
}

async function reportList(options: SatelliteOptions, session: Session): Promise<Report> {
  const file = await openList(options, session);
  const at = (options.at ?? session.io.now()).getTime();
  const satellites = file.value.satellites.map(({ name, catalogNumber, epoch }): ListedSatellite => ({
    name,
    catalogNumber,
    ageDays: Math.round(((at - epoch.getTime()) / DAY_MS) * 10) / 10,
    lotw: lotwSatelliteName(name) ?? null,
  }));
  return {
    document: { data: dataOf(file), satellites },
    lines: () => [
      ...tableOf(satellites, LIST_COLUMNS, session),
      "",
      session.ink("dim", `Elements: ${ageText(file)}`),
    ],
  };
}

function dataOf({ name, checkedAt }: OpenedFile<ElementsList>): object {
  return { source: name, checkedAt: checkedAt ?? null };
}

function tableOf<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { ink, io }: Session,
): readonly string[] {
  return layOutTable(
    rows.map((row) => ({ row })),
    columns,
    { ink, width: io.stdout.columns },
  ).lines;
}
