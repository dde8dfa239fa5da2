/** `hamkit reference`: parks, summits, nature reserves and island groups, by reference or near a place. */
import { Option, type Command } from "commander";

import { positionToLocator } from "../../../geo/locator.js";
import { MAX_AGE_MS } from "../../../io/cache-ages.js";
import { MAX_REFERENCE_BYTES, parseReferenceFile } from "../../../references/open-references.js";
import { PROGRAM_LISTS, programOf } from "../../../references/program-lists.js";
import type { NearReference, ReferenceList } from "../../../references/reference-list.js";
import type { Reference, ReferenceProgram } from "../../../references/reference.js";
import { ageText, openPublicFile, type OpenedFile } from "../../databases/public-file.js";
import { UsageError, errorLines, isFailure, worstExitCode, type QueryResult } from "../../exit-code.js";
import { withInputLines } from "../../input/input-lines.js";
import { integerFrom } from "../../input/integer-option.js";
import { createPlaceFinder, dataLines } from "../../input/place.js";
import type { Session, Report } from "../../session.js";
import { compassPoint, positionText } from "../../terminal/geo-text.js";
import { examplesText } from "../../terminal/help-text.js";
import { layOutCard, layOutTable, printable, type Column } from "../../terminal/text-table.js";

const EXAMPLES = [
  { line: "hamkit reference US-0001 DLFF-0001", shows: "names and places of references" },
  { line: "hamkit reference --near JN48QM", shows: "the nearest parks" },
  { line: "hamkit reference --near DL1ABC --program sota --limit 3", shows: "the three nearest summits" },
  { line: "hamkit reference DM/BW-001 --file summitslist.csv", shows: "in a local copy of the list" },
];

export function defineReferenceCommand(command: Command, session: Session): void {
  command
    .description(
      "Looks up references of POTA, SOTA, WWFF and IOTA, or finds those near a place. The programs' lists are downloaded when " +
        "they are needed, and cached for a week.",
    )
    .argument("[reference...]", "US-0001, DM/BW-001, DLFF-0001 or EU-005; - reads standard input")
    .option("--near <place>", "the references nearest to a locator, coordinates or callsign instead")
    .addOption(
      new Option(
        "--program <name>",
        "the award program; default: by the form of the reference, pota with --near",
      ).choices(["pota", "sota", "wwff", "iota"]),
    )
    .option("--limit <number>", "with --near: maximum number of references; default 10", integerFrom(1, 9999))
    .option("--file <path>", "read this copy of the list, or its http address")
    .option("--offline", "use the cached lists, whatever their age, without network access")
    .option("--json", "output JSON")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(async (references: string[], options: ReferenceOptions) => {
      session.present(await reportReferences(references, options, session), options);
    });
}

interface ReferenceOptions {
  readonly json?: boolean;
  readonly near?: string;
  readonly program?: ReferenceProgram;
  readonly limit?: number;
  readonly file?: string;
  readonly offline?: boolean;
}

type KnownReference = Reference & { readonly input: string };

type Lists = ReadonlyMap<ReferenceProgram, OpenedFile<ReferenceList>>;

/**
 * References by name, or the nearest ones.
 *
 * @throws {UsageError} There is neither a reference nor `--near`, or both.
 * @throws {IOError} @throws {ReferenceListError} A list can't be read.
 */
async function reportReferences(
  words: readonly string[],
  options: ReferenceOptions,
  session: Session,
): Promise<Report> {
  const { near, limit } = options;
  if ((near === undefined) === (words.length === 0))
    throw new UsageError("expected references, or --near with a place");
  if (near !== undefined) return reportNearest(near, options, session);
  if (limit !== undefined) throw new UsageError("--limit: expected --near");
  return reportFound(await withInputLines(words, session.io.stdin), options, session);
}

async function reportFound(
  inputs: readonly string[],
  options: ReferenceOptions,
  session: Session,
): Promise<Report> {
  const { ink, io } = session;
  const lists = new Map<ReferenceProgram, OpenedFile<ReferenceList>>();
  const references: QueryResult<KnownReference>[] = [];
  for (const input of inputs) references.push(await find(input));
  const [only] = references;
  const isSingle = references.length === 1 && only !== undefined && !isFailure(only);
  const rows = references.map((one) =>
    isFailure(one) ? { first: one.input, remark: one.error.message } : { row: one },
  );
  return {
    document: { data: dataOf(lists), references },
    lines: () => {
      if (references.every(isFailure) && references.length < 2) return [];
      const body = isSingle
        ? cardOf(only, session)
        : layOutTable(rows, COLUMNS, { ink, width: io.stdout.columns }).lines;
      return [...body, ...footer(lists, session)];
    },
    errors: errorLines(references, "references"),
    exitCode: worstExitCode(references),
  };

  async function find(input: string): Promise<QueryResult<KnownReference>> {
    const program = options.program ?? programOf(input);
    if (program === undefined) {
      const message = `reference: ${JSON.stringify(input)} is not a reference such as US-0001, DM/BW-001, DLFF-0001 or EU-005`;
      return { input, error: { code: "argument/invalid", message } };
    }
    const list = lists.get(program) ?? (await openList(program, options, session));
    lists.set(program, list);
    const found = list.value.find(input);
    if (found !== undefined) return { input, ...found };
    const message = `reference ${JSON.stringify(input)} is not in ${PROGRAM_LISTS[program].title}`;
    return { input, error: { code: "lookup/no-match", message } };
  }
}

async function reportNearest(text: string, options: ReferenceOptions, session: Session): Promise<Report> {
  const { program = "pota", limit = 10, offline } = options;
  const finder = createPlaceFinder({ ...(offline !== undefined && { offline }) }, session);
  const place = await finder.find("--near", text);
  const lists: Lists = new Map([[program, await openList(program, options, session)]]);
  const { latitude, longitude } = place;
  const references = lists.get(program)?.value.nearest({ latitude, longitude }, { limit }) ?? [];
  return {
    document: {
      data: dataOf(lists),
      place,
      references: references.map(({ reference, distanceKm, heading }) => ({
        ...reference,
        distanceKm,
        heading,
      })),
    },
    lines: () => [
      ...layOutTable(
        references.map((row) => ({ row })),
        NEAR_COLUMNS,
        { ink: session.ink, width: session.io.stdout.columns },
      ).lines,
      ...footer(lists, session),
      ...dataLines(finder, session).slice(1),
    ],
  };
}

function openList(
  program: ReferenceProgram,
  { file, offline }: ReferenceOptions,
  session: Session,
): Promise<OpenedFile<ReferenceList>> {
  const { title, url } = PROGRAM_LISTS[program];
  return openPublicFile(
    {
      title,
      cacheName: `references-${program}`,
      url,
      maxAgeMs: MAX_AGE_MS.references,
      maxBytes: MAX_REFERENCE_BYTES,
      read: (name, content) => parseReferenceFile(program, name, content),
    },
    { from: file, offline },
    session,
  );
}

function dataOf(lists: Lists): object {
  return Object.fromEntries(
    Array.from(lists, ([program, { name, checkedAt, value }]) => [
      program,
      { source: name, checkedAt: checkedAt ?? null, references: value.size },
    ]),
  );
}

function footer(lists: Lists, { ink }: Session): string[] {
  return Array.from(lists, ([program, file], index) => [
    ...(index === 0 ? [""] : []),
    ink("dim", `Data: ${file.value.size} references of ${program.toUpperCase()}, ${ageText(file)}`),
  ]).flat();
}

function cardOf(reference: KnownReference, { ink }: Session): string[] {
  const { name, program, region, position, heightM, points, active, from, until } = reference;
  const period = [from === undefined ? "" : `from ${from}`, until === undefined ? "" : `until ${until}`];
  return layOutCard(
    reference.reference,
    [
      ["Name", name],
      ["Program", program.toUpperCase()],
      ["Location", region],
      ["Position", position && positionText(position, 4)],
      ["Locator", position && positionToLocator(position, 6)],
      ["Height", heightM === undefined ? undefined : `${heightM} m`],
      ["Points", points?.toString()],
      ["Counts", [active ? "yes" : "no", ...period].filter((text) => text !== "").join(", ")],
    ].flatMap(([label = "", value]) => (value === undefined ? [] : [[label, value] as const])),
    ink,
  );
}

const COLUMNS: readonly Column<KnownReference>[] = [
  { title: "Reference", cell: ({ reference }) => reference },
  { title: "Name", cell: ({ name }) => name },
  { title: "Location", cell: ({ region = "" }) => region, dispensable: 1 },
  { title: "Locator", cell: ({ position }) => (position ? positionToLocator(position, 6) : "") },
  { title: "Counts", cell: ({ active }) => (active ? "yes" : "no"), dispensable: 2 },
];

const NEAR_COLUMNS: readonly Column<NearReference>[] = [
  { title: "Reference", cell: ({ reference }) => reference.reference },
  { title: "Name", cell: ({ reference }) => printable(reference.name) },
  { title: "Distance", cell: ({ distanceKm }) => `${distanceKm.toFixed(1)} km`, align: "right" },
  { title: "Heading", cell: ({ heading }) => `${Math.round(heading) % 360}° ${compassPoint(heading)}` },
  {
    title: "Locator",
    cell: ({ reference: { position } }) => (position ? positionToLocator(position, 6) : ""),
    dispensable: 1,
  },
];
