/** `hamkit selfspot`: spots the own activation of a park or a summit. */
import type { Command } from "commander";

import { selfSpot, type SelfSpot, type SelfSpotProgram, type UploadSettings } from "../../../uploads.js";
import { checkSelfSpot, SELF_SPOT_SERVICES } from "../../../uploads/self-spot.js";
import { howToSet, readSettings, serviceSettings, settingName } from "../../databases/credentials.js";
import { EXIT, UsageError } from "../../exit-code.js";
import { parseKilohertz } from "../../input/frequency.js";
import type { Report, Session } from "../../session.js";
import { examplesText } from "../../terminal/help-text.js";
import { toPrintable } from "../../terminal/terminal.js";

const NAMES = Object.keys(SELF_SPOT_SERVICES) as readonly SelfSpotProgram[];

const EXAMPLES = [
  { line: "hamkit selfspot pota DE-0123 14285 SSB --call DH1TW", shows: "asks, and spots" },
  {
    line: 'hamkit selfspot sota DM/BW-001 7.032MHz CW --call DH1TW/P --comment "QRP 5 W"',
    shows: "a summit",
  },
  {
    line: "hamkit selfspot pota DE-0123 14285 SSB --call DH1TW --qrt --yes",
    shows: "the end, without a question",
  },
];

export function defineSelfspotCommand(command: Command, session: Session): void {
  const settings = SELF_SPOT_SERVICES.sota.settings.map((setting) => settingName("sota", setting));
  command
    .description(
      "Spots your activation of a park (POTA) or a summit (SOTA), after a question: everyone sees it. Nothing is sent by itself.\n\nPOTA needs no account. SOTA " +
        `needs ${settings.join(", ")}, from the environment, a file of credentials, or the keyring (hamkit keyring).`,
    )
    .argument("<program>", NAMES.join(" or "), program)
    .argument("<reference>", "the park or summit, such as DE-0123 or DM/BW-001")
    .argument("<frequency>", "in kHz, or with a unit: 14285, 14.285MHz")
    .argument("<mode>", "CW, SSB, FM, FT8...")
    .requiredOption("--call <call>", "your call, as it is on the air")
    .option("--comment <text>", "a comment, one line")
    .option("--qrt", "the activation ends")
    .option("--yes", "send without a question")
    .option("--credentials <path>", "a file with keys and accounts; the environment counts before it")
    .option("--json", "output JSON; needs --yes")
    .addHelpText("after", examplesText(EXAMPLES, session.ink))
    .action(
      async (
        name: SelfSpotProgram,
        reference: string,
        frequency: string,
        mode: string,
        options: SelfspotOptions,
      ) => {
        const { call, comment, qrt } = options;
        const frequencyKHz = parseKilohertz(frequency);
        const spot = checkSelfSpot({ program: name, reference, call, frequencyKHz, mode, comment, qrt });
        session.present(await sendSpot(spot, options, session), options);
      },
    );
}

interface SelfspotOptions {
  readonly call: string;
  readonly comment?: string;
  readonly qrt?: boolean;
  readonly yes?: boolean;
  readonly credentials?: string;
  readonly json?: boolean;
}

function program(text: string): SelfSpotProgram {
  const name = NAMES.find((each) => each === text.toLowerCase());
  if (name !== undefined) return name;
  throw new UsageError(`${text} is none of ${NAMES.join(", ")}`);
}

async function sendSpot(spot: SelfSpot, options: SelfspotOptions, session: Session): Promise<Report> {
  const { title } = SELF_SPOT_SERVICES[spot.program];
  const settings = await settingsOf(spot.program, options, session);
  const text = toPrintable(textOfSpot(spot));
  if (!(await mayBeSent(`${title}: ${text}. Send? [y/N] `, options, session)))
    return { document: { spot, sent: false }, lines: () => ["Nothing was sent."], exitCode: EXIT.notFound };
  const { kind, reason } = await selfSpot(spot, { settings });
  const isSent = kind === "accepted";
  return {
    document: { spot, sent: isSent, kind, reason },
    lines: () => [isSent ? `${title}: spotted ${text}` : toPrintable(`${title}: ${kind}: ${reason}`)],
    exitCode: isSent ? EXIT.success : kind === "rejected" ? EXIT.notFound : EXIT.ioError,
  };
}

function textOfSpot({ call, reference, frequencyKHz, mode, comment = "", qrt = false }: SelfSpot): string {
  const parts = [`${call} at ${reference}`, `${frequencyKHz} kHz`, mode, qrt ? "QRT" : "", comment];
  return parts.filter((part) => part !== "").join(", ");
}

async function mayBeSent(
  question: string,
  { yes, json }: SelfspotOptions,
  { io }: Session,
): Promise<boolean> {
  if (yes === true) return true;
  if (io.ask === undefined || json === true)
    throw new UsageError("a spot is sent after a question at the terminal; --yes sends it without");
  return /^y(?:es)?$/i.test((await io.ask(question, {})).trim());
}

async function settingsOf(
  name: SelfSpotProgram,
  { credentials }: SelfspotOptions,
  { io }: Session,
): Promise<UploadSettings> {
  const { title, settings } = SELF_SPOT_SERVICES[name];
  const names = settings.map((setting) => settingName(name, setting));
  const all = await readSettings(io, names, credentials);
  const { missing } = serviceSettings(name, settings, all);
  if (missing.length > 0) throw new UsageError(`${title}: ${await howToSet(missing, io)}`);
  return serviceSettings(name, [...settings, "url"], all).values;
}
