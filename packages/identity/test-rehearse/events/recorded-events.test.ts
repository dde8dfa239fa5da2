/** What Debian's Keystone sent over RabbitMQ, recorded next to the checkout, and what the service sends for the same requests. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { startRabbit, type RabbitServer } from "../../test-system/events/rabbitmq-server.js";
import { DOCUMENTED_RULES } from "../../test-system/golden/rule-counts.js";
import { runProgram } from "../../test-system/run-program.js";
import { startService } from "../../test-system/service-process.js";

const shared = fileURLToPath(new URL("../../../../../shared/identity/events/", import.meta.url));
const SECRET = "the-recorder-is-the-front-end";

interface RecordedStep {
  readonly n: number;
  readonly step: string;
  readonly part: string;
  readonly format: string;
  readonly notifications: readonly {
    readonly exchange: string;
    readonly routing_key: string;
    readonly properties: object;
    readonly headers: object;
    readonly normalised: { readonly event_type: string };
  }[];
}

/** By the rule in docs/identity/differences.md, the steps whose events differ by it. */
const RULES: Readonly<Record<string, RegExp>> = {
  "events-name-who-caused-them":
    /^(?:project tags? (?:add|delete)|assignment (?:create|delete) (?:user|group) inherited|ec2 credential|idp create|(?:pci )?user delete|domain delete)/,
  "unknown-names-stay-out-of-events": /^login password unknown user name$/,
  "deleted-federated-users-are-events": /^protocol delete$/,
  "logins-are-events-before-their-scope": /^login disabled project$/,
  "days-left-are-rounded-up": /^pci change before minimum age$/,
};

const PARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  main: {},
  pci1: {
    IDENTITY_LOCKOUT_ATTEMPTS: "3",
    IDENTITY_LOCKOUT_SECONDS: "3600",
    IDENTITY_PASSWORD_REGEX: "^.{7,}$",
    IDENTITY_PASSWORD_HISTORY: "2",
  },
  pci2: { IDENTITY_PASSWORD_MINIMUM_AGE_DAYS: "1", IDENTITY_CHANGE_PASSWORD_UPON_FIRST_USE: "on" },
};

const rulesOf = (step: string) => Object.keys(RULES).filter((rule) => (RULES[rule] as RegExp).test(step));

/** What differs from run to run, as the recording has it. */
function plain({ notifications }: RecordedStep): string {
  const text = JSON.stringify(
    notifications.map(({ exchange, routing_key: key, properties, headers, normalised }) => ({
      exchange,
      key,
      properties,
      headers,
      normalised: sorted(normalised),
    })),
  );
  return text
    .replaceAll(/-(?:\d{6}|\{\{stamp\}\})/g, "-STAMP")
    .replaceAll(/"[^" ]+ xxxxxxxx [^" ]+"|"\{\{\*masked_\w+\}\}"/g, '"MASKED"');
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

it.each(Object.keys(RULES))("the rule %s is documented", (rule) => {
  expect(DOCUMENTED_RULES).toContain(rule);
});

describe.runIf(existsSync(join(shared, "events.jsonl")))("the recorded events", () => {
  let rabbit: RabbitServer;
  let folder: string;
  beforeAll(async () => {
    rabbit = await startRabbit();
    folder = await mkdtemp(join(tmpdir(), "hamkit-events-"));
    // With the broker and the front end of the test.
    const recorder = readFileSync(join(shared, "scripts/record_events.py"), "utf8")
      .replaceAll("127.0.0.1:5672", `127.0.0.1:${rabbit.port}`)
      // Events follow their answers.
      .replace("while idle < 3", "while idle < 8")
      .replace("h = {'User-Agent'", `h = {'X-Forwarded-Assertion-Secret': '${SECRET}', 'User-Agent'`);
    writeFileSync(join(folder, "record.py"), recorder);
  }, 120_000);
  afterAll(async () => {
    await rabbit.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const cases = ["cadf", "basic"].flatMap((format) =>
    Object.keys(PARTS).map((part) => [format, part] as const),
  );
  it.each(cases)(
    "are the same as %s, in the part %s",
    async (format, part) => {
      const vhost = `${format}-${part}`;
      await rabbit.control("add_vhost", vhost);
      await rabbit.control("set_permissions", "-p", vhost, "guest", ".*", ".*", ".*");
      const database = await sqliteDatabases.create();
      const own = await mkdtemp(join(folder, "service-"));
      const options = { databaseUrl: database.url, folder: own };
      // The administrator's password is from before the rules of passwords.
      await (await startService(options)).stop();
      const service = await startService({
        ...options,
        env: {
          IDENTITY_EVENTS_RABBITMQ_URL: `${rabbit.url}/${vhost}`,
          IDENTITY_EVENTS_FORMAT: format,
          IDENTITY_EVENTS_OPT_OUT: "none",
          IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Test-Environ",
          IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
          IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
          IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
          IDENTITY_RATE_LIMIT: "off",
          ...PARTS[part],
        },
      });
      const output = join(folder, `${vhost}.jsonl`);
      const run = await runProgram([
        "/usr/bin/python3",
        join(folder, "record.py"),
        service.url,
        vhost,
        output,
        part,
      ]);
      if (run.exit !== 0) throw new Error(run.errors);
      await service.stop();
      await database.remove();

      const got = new Map(stepsIn(output).map((step) => [step.n, step]));
      const wanted = stepsIn(join(shared, "events.jsonl")).filter(
        (step) => step.format === format && step.part === part,
      );
      expect(wanted.length).toBeGreaterThan(4);
      const different = wanted
        .filter((step) => plain(step) !== plain(got.get(step.n) as RecordedStep))
        .map(({ step }) => step);
      expect(different.filter((step) => rulesOf(step).length === 0)).toEqual([]);
    },
    300_000,
  );
});

function stepsIn(path: string): RecordedStep[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordedStep);
}
