/** Text output of `hamkit adif`. */
import type { AdifFileFinding } from "../../../adif/adif-finding.js";
import type { AdifRepair } from "../../../adif/repair-adif.js";
import { showValue } from "../../../show-value.js";
import { toPrintable } from "../../terminal/terminal.js";

/** A finding with the call of its record, by which a user finds it. */
export interface ListedFinding extends AdifFileFinding {
  readonly call?: string | undefined;
}

/** Findings and repairs that are listed of each rule, unless all are asked for. */
const EXAMPLES = 3;

interface CheckResult {
  readonly input: string;
  readonly records: number;
  readonly findings: readonly ListedFinding[];
  /** Number of findings by rule. */
  readonly counts: ReadonlyMap<string, number>;
  readonly all: boolean;
}

export function adifCheckLines({ input, records, findings, counts, all }: CheckResult): string[] {
  const lines = [`${toPrintable(input)}: ${records} records`];
  for (const [rule, count] of counts) {
    const listed = findings.filter((finding) => finding.rule === rule);
    const shown = all ? listed : listed.slice(0, EXAMPLES);
    lines.push("", `${rule} (${count})`, ...shown.map(findingLine), ...restLine(count - shown.length));
  }
  if (counts.size === 0) lines.push("no findings");
  return lines;
}

function findingLine({ level, record, call, message }: ListedFinding): string {
  const place = record === undefined ? "file" : `record ${record + 1}${call === undefined ? "" : ` ${call}`}`;
  return `  ${level}: ${toPrintable(place)}: ${toPrintable(message)}`;
}

interface RepairResult {
  readonly output: string;
  readonly records: number;
  readonly repairs: readonly AdifRepair[];
}

export function adifRepairLines({ output, records, repairs }: RepairResult): string[] {
  const byRule = new Map<string, AdifRepair[]>();
  for (const repair of repairs) {
    const list = byRule.get(repair.rule);
    if (list === undefined) byRule.set(repair.rule, [repair]);
    else list.push(repair);
  }
  const lines = [`${records} records written to ${toPrintable(output)}, ${repairs.length} values repaired`];
  for (const [rule, list] of byRule) {
    const shown = list.slice(0, EXAMPLES).map(repairLine);
    lines.push("", `${rule} (${list.length})`, ...shown, ...restLine(list.length - shown.length));
  }
  return lines;
}

function repairLine({ record, field, before, after }: AdifRepair): string {
  const change = `${valueText(before)} becomes ${valueText(after)}`;
  return `  record ${record + 1}: ${toPrintable(field)}: ${toPrintable(change)}`;
}

function valueText(value: string | undefined): string {
  return value === undefined ? "no value" : showValue(value);
}

function restLine(count: number): string[] {
  return count > 0 ? [`  and ${count} more`] : [];
}
