/** `hamkit contest`: scores and checks the logs of contests. */
import type { Command } from "commander";

import { scoreContestLog, type ContestLogScore, type ContestRule } from "../../../contest.js";
import { ContestRuleError } from "../../../errors.js";
import { readBytes } from "../../../io/file.js";
import { decodeText } from "../../../text/file-text.js";
import { readLog } from "../../../logs/read-log.js";
import type { TableSource } from "../../../lookup.js";
import { openTable } from "../../databases/callsign-database.js";
import { addDataOptions, type DataOptions } from "../../databases/lookup-options.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { requireMaxSize } from "../../input/log-files.js";
import type { Report, Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { checkLines, rateLines, ruleLines, scoreLines } from "./contest-text.js";

const EXAMPLES = [
  { line: "hamkit contest score test.cbr", shows: "points, multipliers and total, band by band" },
  { line: "hamkit contest score test.cbr --qsos", shows: "what each contact counts" },
  { line: "hamkit contest check test.cbr", shows: "what the robot would refuse, with the line" },
  { line: "hamkit contest rate test.cbr", shows: "contacts per hour, best rates and breaks" },
  { line: "hamkit contest score test.adi --contest CQ-WW", shows: "a log in ADIF" },
  { line: "hamkit contest score test.cbr --rules my.json", shows: "by rules of your own" },
];

export function defineContestCommand(command: Command, session: Session): void {
  command
    .description("Scores and checks logs of contests in Cabrillo or ADIF, by rules that are data.")
    .addHelpText("after", examplesText(EXAMPLES, session.ink));

  contestOptions(command.command("score"))
    .summary("points, multipliers, dupes and total")
    .description(
      "Scores a log. Rules were written from public texts; what of them was not checked is listed.",
    )
    .option("--qsos", "list what each contact counts")
    .action(async (log: string, options: ContestOptions) => {
      const scored = await score(log, options, session);
      session.present(scoreReport(log, scored, options, session), options);
    });
  contestOptions(command.command("check"))
    .summary("what the robot would refuse")
    .description("Checks a Cabrillo file as the robots of contests do, line by line.")
    .action(async (log: string, options: ContestOptions) => {
      session.present(await reportCheck(log, options, session), options);
    });
  contestOptions(command.command("rate"))
    .summary("contacts per hour, best rates and breaks")
    .description("The rate sheet of a log: contacts per hour and band, best rates, breaks.")
    .action(async (log: string, options: ContestOptions) => {
      session.present(await reportRate(log, options, session), options);
    });
  command
    .command("rules")
    .summary("the contests with rules")
    .description("Lists the contests with rules, and what of them was not checked with the sponsor.")
    .option("--rules <path>", "a JSON file with rules of further contests")
    .option("--json", "output JSON")
    .action(async (options: ContestOptions) => {
      const rules = await rulesOf(options);
      session.present({ document: rules, lines: () => ruleLines(rules, session) }, options);
    });
}

function contestOptions(command: Command): Command {
  return addDataOptions(command)
    .argument("<log>", "the log, in Cabrillo or ADIF")
    .option("--contest <id>", "the rules of this contest, such as CQ-WW; default: that of the log")
    .option(
      "--day <date>",
      "a day of the contest, where a log in ADIF has it in several years; default: the last",
    )
    .option("--rules <path>", "a JSON file with rules of further contests")
    .option("--json", "output JSON");
}

interface ContestOptions extends DataOptions {
  readonly contest?: string;
  readonly day?: string;
  readonly rules?: string;
  readonly qsos?: boolean;
  readonly json?: boolean;
}

async function rulesOf({ rules: path }: ContestOptions): Promise<readonly ContestRule[]> {
  const { CONTEST_RULES, checkContestRules } = await import("../../../contest.js");
  if (path === undefined) return CONTEST_RULES;
  const text = decodeText(await readBytes(path)) ?? "";
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ContestRuleError(path, text, error instanceof Error ? error.message : String(error));
  }
  const own = checkContestRules(json);
  return [...own, ...CONTEST_RULES.filter(({ id }) => own.every((rule) => rule.id !== id))];
}

/** The rule of `--contest`, by its id or one of its contests; all rules without it. */
async function chosenRules(options: ContestOptions): Promise<ContestRule | readonly ContestRule[]> {
  const rules = await rulesOf(options);
  if (options.contest === undefined) return rules;
  const name = options.contest.toUpperCase();
  const found = rules.find(({ id, contests }) => id === name || contests.includes(name));
  if (found !== undefined) return found;
  const known = rules.map(({ id }) => id).join(", ");
  throw new UsageError(`--contest: ${options.contest} is none of ${known}`);
}

interface Scored {
  readonly scored: ContestLogScore;
  readonly table: TableSource | undefined;
}

async function score(input: string, options: ContestOptions, session: Session): Promise<Scored> {
  await requireMaxSize(input);
  const log = await readLog(await readBytes(input), { name: input });
  const table = await openTable(options, session);
  return {
    scored: scoreContestLog(log, { rules: await chosenRules(options), table, day: options.day }),
    table,
  };
}

function scoreReport(
  input: string,
  { scored, table }: Scored,
  { qsos = false }: ContestOptions,
  session: Session,
): Report {
  const { rule, contacts, ...sums } = scored;
  return {
    document: {
      input,
      contest: { id: rule.id, name: rule.name, checked: rule.checked },
      ...sums,
      ...(qsos && { contacts }),
    },
    lines: () => scoreLines({ input, scored, table, qsos }, session),
    exitCode: contacts.length === 0 ? EXIT.notFound : EXIT.success,
  };
}

async function reportCheck(input: string, options: ContestOptions, session: Session): Promise<Report> {
  const { checkContestLog } = await import("../../../contest.js");
  const { chooseRule } = await import("../../../contest/log/score-contest-log.js");
  await requireMaxSize(input);
  const text = decodeText(await readBytes(input)) ?? "";
  const [, name = ""] = /^\s*CONTEST:[ \t]*(\S*)/im.exec(text) ?? [];
  const rules = await chosenRules(options);
  const isKnown =
    !Array.isArray(rules) || rules.some(({ contests }) => contests.includes(name.toUpperCase()));
  const rule = isKnown ? chooseRule(name, rules) : undefined;
  const findings = checkContestLog(text, { rule, table: await openTable(options, session) });
  const errors = findings.filter(({ level }) => level === "error").length;
  return {
    document: { input, contest: rule?.id ?? null, errors, warnings: findings.length - errors, findings },
    lines: () => checkLines({ input, findings, rule }, session),
    exitCode: errors > 0 ? EXIT.notFound : EXIT.success,
  };
}

async function reportRate(input: string, options: ContestOptions, session: Session): Promise<Report> {
  const { rateSheet } = await import("../../../contest.js");
  const { scored } = await score(input, options, session);
  const sheet = rateSheet(scored.contacts);
  return {
    document: { input, ...sheet },
    lines: () => rateLines({ input, sheet, rule: scored.rule }, session),
    exitCode: sheet.hours.length === 0 ? EXIT.notFound : EXIT.success,
  };
}
