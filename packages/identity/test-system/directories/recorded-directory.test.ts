/** What a Keystone answered over a directory, recorded next to the checkout, and the service over the same directory. */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { sqliteDatabases } from "../../test/databases.js";
import { DOCUMENTED_RULES } from "../golden/rule-counts.js";
import { runProgram } from "../run-program.js";
import { startService } from "../service-process.js";

const shared = fileURLToPath(new URL("../../../../../shared/identity/ldap/", import.meta.url));
const RECORDING = join(shared, "golden/head");
const SECRET = "the-recorder-is-the-front-end";
const PYTHON = "/usr/bin/python3";

/** Shares of all requests, apart from what docs/identity/differences.md names, in percent. */
const SAME_STATUS = 95;
const SAME_BODY = 92;

const FILES = [
  "11_lists",
  "12_filters",
  "13_members",
  "14_auth",
  "15_assignments",
  "16_writes",
  "17_delegation",
  "18_changes",
  "19_expired",
  "20_variants",
  "21_bulk",
  "22_outage",
  "23_config",
] as const;

/** By the rule in docs/identity/differences.md and the file, the requests whose answers differ by it. */
const RULES: Readonly<Record<string, Partial<Record<(typeof FILES)[number], RegExp>>>> = {
  "duplicates-in-a-directory-are-one-user": {
    "11_lists": /^users of corp /,
    "12_filters":
      /^users of corp &(?:name=twin|name__contains=|name__(?:iexact|unknown|equals)=\w+|enabled.*|email.*|description=first|id=alva|default_project_id=x|sort_key=name|foo=bar)$/,
    "13_members": /^members of corp subs$/,
    "15_assignments": /&effective/,
    "18_changes": /^assignments of p_corp effective$/,
    "20_variants":
      /^users of (?:mask|invert|boolean|extra|tls|ldaps|deref|hint|multiurl|blind) (?:&phone__contains=49)?$|^users of emul &enabled=false$/,
  },
  "odd-members-of-a-directory-are-left-out": {
    "13_members": /^members of corp (?:empty-|parent)|^HEAD corp group (?:othercase|empty-blank)/,
    "15_assignments": /effective$/,
    "17_delegation": /^federated, ephemeral in an LDAP group$/,
    "18_changes": /^all effective assignments with a deleted group$/,
    "20_variants": /^(?:byname|posixgid) members/,
  },
  "lists-of-a-directory-have-markers": {
    "12_filters": /&(?:limit=\d|marker=x)$/,
    "21_bulk": /^users of bulk/,
  },
  "directories-that-fail-are-unavailable": {
    "20_variants": /badpw|tiny/,
    "22_outage":
      /^(?:users|groups) of down|^login down|drops|second|&name=alva(?: #4)?$|^delete the domain|^its assignments$/,
  },
  "ids-in-a-directory-are-of-any-kind": { "20_variants": /adguid|long/ },
  "options-of-a-directory-are-checked": {
    "20_variants": /enfilter/,
    "23_config":
      /bad value|^users of crud |^(?:config: option not allowed|substitution|bad substitution|driver unknown|config put)/,
  },
  "users-that-are-gone-keep-their-names": { "18_changes": /deleted (?:user|group)/ },
  // Not of directories: rules of requests of all kinds, ids that are drawn, and paths of files.
  "": {
    "12_filters": /%00|password_expires_at|eve/,
    "14_auth": /\\x00/,
    "16_writes": /a bad type/,
    "17_delegation": /^(?:credentials of alva|protocol$|users of corp &name=eve)/,
    "20_variants": /byname|^config of (?:tls|ldaps)$/,
  },
};

const isThere = existsSync(join(shared, "record.py"));

it.each(Object.keys(RULES).filter((rule) => rule !== ""))("the rule %s is documented", (rule) => {
  expect(DOCUMENTED_RULES).toContain(rule);
});

describe.runIf(isThere)("the recorded requests over a directory", () => {
  let folder: string;
  let proxy: ChildProcess | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hamkit-directory-"));
    const env = { DIR: join(folder, "ldap-run") };
    const up = await runProgram(["/bin/bash", join(shared, "up_slapd.sh")], { env });
    if (up.exit !== 0) throw new Error(up.errors);
    const mode = join(env.DIR, "proxy.mode");
    proxy = spawn(PYTHON, [join(shared, "tools/proxy.py"), "6790", "6789", mode]);
    const database = await sqliteDatabases.create();
    const service = await startService({
      databaseUrl: database.url,
      folder,
      through: ["/usr/bin/env", "-C", folder],
      env: {
        IDENTITY_DOMAIN_SPECIFIC_DRIVERS_ENABLED: "on",
        IDENTITY_LDAP_RECHECK: "0",
        IDENTITY_PASSWORD_EXPIRES_DAYS: "30",
        IDENTITY_FORWARDED_ASSERTION_HEADER: "X-Test-Environ",
        IDENTITY_FORWARDED_ASSERTION_SECRET: SECRET,
        IDENTITY_FORWARDED_ASSERTION_FROM: "127.0.0.1",
        IDENTITY_REMOTE_ID_ATTRIBUTE: "MELLON_IDP",
      },
    });
    const sections = FILES.map((file) => file.slice(0, 2));
    const recorded = await runProgram([PYTHON, join(shared, "record.py"), ...sections], {
      env: {
        KS_BASE: service.url,
        KS_OUT: join(folder, "got"),
        KS_TIMEOUT: "30",
        KS_ENV_SECRET: SECRET,
        PROXY_MODE: mode,
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    if (recorded.exit !== 0) throw new Error(recorded.errors);
    await service.stop();
    await database.remove();
  }, 300_000);
  afterAll(async () => {
    proxy?.kill();
    const pid = join(folder, "ldap-run/run/slapd.pid");
    if (existsSync(pid)) process.kill(Number(readFileSync(pid, "utf8")));
    await rm(folder, { recursive: true, force: true });
  });

  it("are answered as by Keystone, apart from named differences", async () => {
    const { output } = await runProgram(
      [PYTHON, join(shared, "tools/compare_ldap.py"), RECORDING, join(folder, "got"), "-v"],
      { env: { COMPARE: join(shared, "../tools/compare.py") } },
    );
    const total = { requests: 0, status: 0, body: 0 };
    for (const [, file = "", requests] of output.matchAll(/^(\S+)\.jsonl: (\d+) requests, \d+ same status/gm))
      if (FILES.includes(file as never)) total.requests += Number(requests);
    for (const [, file = "", part, name = ""] of output.matchAll(
      /^ {2}(\S+)\.jsonl (status|body)[^:]*: .*? \[(.*?)\](?: got |$)/gm,
    )) {
      if (Object.values(RULES).some((rule) => rule[file as (typeof FILES)[number]]?.test(name))) continue;
      total.body++;
      if (part === "status") total.status++;
    }
    expect(total.requests).toBeGreaterThan(800);
    const same = (count: number) => (100 * (total.requests - count)) / total.requests;
    expect(same(total.status)).toBeGreaterThanOrEqual(SAME_STATUS);
    expect(same(total.body)).toBeGreaterThanOrEqual(SAME_BODY);
  });
});
