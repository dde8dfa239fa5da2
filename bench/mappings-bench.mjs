/** What the rules of a mapping cost at each login, beside Keystone's own engine in process; and once, when they are read. */
import { readFileSync } from "node:fs";

const built = (path) =>
  import(new URL(`../packages/identity/dist/mappings/rules/${path}.js`, import.meta.url).href);
const { compileMapping } = await built("compile-mapping");
const { evaluateMapping } = await built("evaluate-mapping");
const { traceMapping } = await built("trace-mapping");

const read = (name) => JSON.parse(readFileSync(new URL(`mappings/${name}.json`, import.meta.url), "utf8"));

export async function bench({ rate, row }) {
  const simple = read("simple");
  const large = read("thirty-rules");
  measure("simple rule", simple, { limit: 500_000, peer: 62_700 });
  measure("30 rules, each with 20 values and a pattern", large, { limit: 30_000, peer: 4800 });
  measure("  of a user whom each rule accepts", large, {}, large.assertions.all);

  row({ work: "simple rule read", hamkit: rate("read", () => compileMapping(simple), 1) });
  row({ work: "30 rules read", hamkit: rate("read", () => compileMapping(large), 1) });
  const mapping = compileMapping(large);
  row({
    work: "30 rules tried, with a report",
    hamkit: rate("trace", () => traceMapping(mapping, large.assertions.one), 1),
  });

  function measure(work, given, limits, assertion = given.assertions.one) {
    const ready = compileMapping(given);
    const { kind } = evaluateMapping(ready, assertion);
    if (kind !== "mapped") throw new Error(`${work}: no user was mapped`);
    row({ work, hamkit: rate(work, () => evaluateMapping(ready, assertion), 1), ...limits });
  }
}
