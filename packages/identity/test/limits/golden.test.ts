/** Replayed requests about limits: responses are Keystone's, or named in docs/identity/differences.md. */
import { isDeepStrictEqual } from "node:util";

import { describe, expect, it } from "vitest";

import { hasGolden } from "../golden.js";
import { inOrder, replay, type Replayed, type ReplayOptions } from "./golden-replay.js";

/** Rows with a deviation, by the rule that explains it. */
const RULES: Readonly<Record<string, RegExp>> = {
  "permissions-before-bodies": /^(?:rl create: invalid body|limit create invalid) as /,
  "limits-come-in-pages": /^(?:rl|limits) list \?(?:limit=(?:[12]|-1|abc)|marker=)/,
  "no-duplicate-of-itself": /^rl update: region back$/,
  "limits-take-zero-and-null": /^limit update: description null$/,
  "defaults-may-change": /^rl update with limits: (?:default_limit|description|same values)$/,
  "limits-end-with-what-they-are-of":
    /after service delete$|^limits of deleted (?:project|domain)$|list end$/,
  "unlimited-is-no-number":
    /^limit update: unlimited$|^model: project (?:unlimited under finite|under unlimited) domain$/,
  "zero-is-a-limit": /^model: project above zero domain$/,
  "refusals-say-the-numbers":
    /^model: (?:project above (?:registered default, no domain limit|domain)|domain below child|project and domain in one request bad|lower domain below child)$/,
};

/** How many rows each rule is about. */
const FLAT = {
  rows: 453,
  differences: {
    "permissions-before-bodies": 18,
    "limits-come-in-pages": 7,
    "no-duplicate-of-itself": 1,
    "limits-take-zero-and-null": 1,
    "defaults-may-change": 3,
    "limits-end-with-what-they-are-of": 5,
    "refusals-name-the-entry": 33,
  },
};
const TWO_LEVEL = {
  rows: 451,
  differences: {
    ...FLAT.differences,
    "limits-end-with-what-they-are-of": 6,
    "refusals-name-the-entry": 28,
    "unlimited-is-no-number": 3,
    "zero-is-a-limit": 1,
    "refusals-say-the-numbers": 5,
  },
};

const FILES = ["08", "09", "10", "11"];

describe.runIf(hasGolden)("the recorded Keystone", () => {
  it("answers the same about flat limits", async () => {
    const replayed = await replay({ recording: "head", model: "flat", files: FILES });
    expect(summary(replayed)).toEqual(FLAT);
  });

  it("answers the same about limits of two levels", async () => {
    const replayed = await replay({ recording: "head-two-level", model: "strict_two_level", files: FILES });
    expect(summary(replayed)).toEqual(TWO_LEVEL);
  });

  it("gives lists of the same form where the operator limits them", async () => {
    const options: ReplayOptions = {
      recording: "head",
      model: "flat",
      files: [...FILES, "15"],
      defaultPageSize: 2,
    };
    const asked = (await replay(options)).filter(({ row }) => row.name.startsWith("list_limit=2"));
    expect(asked).toHaveLength(14);
    const different = asked.filter(
      ({ row, body }) => !isDeepStrictEqual(formOf(body), formOf(row.response_body)),
    );
    // Keystone's limit for lists isn't one for these, and it overlooks markers, also unknown ones.
    expect(different.map(({ row }) => row.path)).toEqual([
      "/v3/registered_limits",
      "/v3/registered_limits?limit=2&marker=zzz",
      "/v3/registered_limits?resource_name__contains=a",
      "/v3/limits",
      "/v3/limits?limit=2&marker=zzz",
      "/v3/limits?resource_name__contains=a",
    ]);
  });
});

function summary(replayed: readonly Replayed[]): typeof FLAT {
  const differences: Record<string, number> = {};
  const different = replayed.filter(isDifferent);
  const names = different.filter((each) => !isLongerRefusal(each)).map(({ row }) => row.name);
  differences["refusals-name-the-entry"] = different.length - names.length;
  for (const name of names) {
    const rules = Object.keys(RULES).filter((rule) => RULES[rule]?.test(name));
    const rule = rules.length === 1 ? (rules[0] ?? "") : `${name} has ${rules.length} rules`;
    differences[rule] = (differences[rule] ?? 0) + 1;
  }
  return { rows: replayed.length, differences: differences as typeof FLAT.differences };
}

function isDifferent({ row, status, body }: Replayed): boolean {
  return status !== row.status || !isDeepStrictEqual(inOrder(body), inOrder(row.response_body));
}

/** Whether it is Keystone's refusal, followed by what it is about. */
function isLongerRefusal({ row, status, body }: Replayed): boolean {
  const messageOf = (answer: unknown) => (answer as { error?: { message: string } }).error?.message;
  const recorded = messageOf(row.response_body);
  return (
    status === row.status && recorded !== undefined && messageOf(body)?.startsWith(`${recorded} `) === true
  );
}

/** What of a list doesn't depend on which items come first. */
function formOf(body: unknown) {
  const { limits, registered_limits: registered, links, truncated } = body as Record<string, unknown[]>;
  if (links === undefined) return "no list";
  const { self, next } = links as unknown as { readonly self: string; readonly next: string | null };
  return { items: (limits ?? registered)?.length, self, next: next?.replace(/marker=\w+/, ""), truncated };
}
