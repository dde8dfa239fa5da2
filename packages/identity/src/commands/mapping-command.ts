/** `hamkit-identity mapping evaluate`: a dry run of mapping rules, without server and database. */
import { readFileSync } from "node:fs";

import type { Command } from "commander";

import { compileMapping } from "../mappings/rules/compile-mapping.js";
import type { Assertion } from "../mappings/rules/evaluate-mapping.js";
import { isRecord } from "../mappings/rules/rule-schema.js";
import { traceMapping } from "../mappings/rules/trace-mapping.js";

export interface MappingCommandContext {
  readonly stdout: { write(text: string): unknown };
  /** Sets the exit code, if not success. */
  readonly end: (code: number) => void;
}

interface EvaluateOptions {
  readonly rules: string;
  readonly assertion: string;
  readonly schemaVersion?: string;
}

/** A file can't be read or is malformed. */
export class MappingFileError extends Error {
  override readonly name = "MappingFileError";
  readonly code = "mapping/unusable-file";
}

export function addMappingCommand(program: Command, { stdout, end }: MappingCommandContext): void {
  program
    .command("mapping")
    .description("Test mapping rules.")
    .command("evaluate")
    .description("Evaluate rules against an assertion, with a trace. Exits with 1 if they reject it.")
    .requiredOption("--rules <file>", "JSON: a mapping, or its list of rules")
    .requiredOption("--assertion <file>", "attributes: a JSON object, or lines such as MAIL: kim@example.org")
    .option("--schema-version <version>", "1.0, 2.0 or 3.0; overrides that of the file")
    .action(({ rules: rulesFile, assertion: assertionFile, schemaVersion }: EvaluateOptions) => {
      const source = readRules(rulesFile);
      const mapping = compileMapping({ ...source, schemaVersion: schemaVersion ?? source.schemaVersion });
      const outcome = traceMapping(mapping, readAssertion(assertionFile));
      stdout.write(`${JSON.stringify(outcome, null, 2)}\n`);
      if (outcome.result === null) end(1);
    });
}

/** Reads a list of rules, an object with `rules`, or one with a `mapping`, as the API returns it. */
function readRules(path: string): { readonly rules: unknown; readonly schemaVersion?: unknown } {
  const content = parseJson(readText(path), path);
  const mapping = isRecord(content) && isRecord(content["mapping"]) ? content["mapping"] : content;
  if (!isRecord(mapping)) return { rules: mapping };
  return { rules: mapping["rules"], schemaVersion: mapping["schema_version"] };
}

/** Reads attributes as JSON, or in the format of `keystone-manage mapping_engine`. */
function readAssertion(path: string): Assertion {
  const text = readText(path);
  if (/^\s*[{[]/.test(text)) {
    const content = parseJson(text, path);
    if (!isRecord(content)) throw new MappingFileError(`${path} is not a JSON object of attributes`);
    return isRecord(content["assertion"]) ? content["assertion"] : content;
  }
  return Object.fromEntries(
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => readAttribute(line, path)),
  );
}

function readAttribute(line: string, path: string): [string, string] {
  const colon = line.indexOf(":");
  if (colon === -1) throw new MappingFileError(`${path}: "${line.trim()}" is not of the form NAME: value`);
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new MappingFileError(`"${path}" can't be read`, { cause });
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MappingFileError(`${path} is not JSON`, { cause });
  }
}
