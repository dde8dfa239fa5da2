/** The state of the workbench: rules as text, an assertion, and what the service makes of both. */
import { api, ask, isAbort } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Schemas } from "./rules/schemas.ts";
import { parseRules, rulesText, type Rule } from "./rules/rules.ts";

/** A protocol whose logins the rules map. */
export interface ProtocolName {
  readonly idp: string;
  readonly protocol: string;
}

export type Attributes = Readonly<Record<string, unknown>>;

/** After the last keystroke. */
const PAUSE_MS = 120;

export class Workbench {
  /** The one truth: cards and editor both change it. */
  text = $state("[]");
  schemaVersion = $state("1.0");
  /** As stored. */
  stored = $state.raw<{ readonly text: string; readonly schemaVersion: string }>({
    text: "[]",
    schemaVersion: "1.0",
  });
  /** `undefined` before an assertion is chosen. */
  attributes = $state.raw<Attributes | undefined>();
  protocol = $state.raw<ProtocolName | undefined>();
  evaluation = $state.raw<Schemas["evaluation"] | undefined>();
  lint = $state.raw<Schemas["lint"] | undefined>();
  /** Faults of the rules, `place: fault` each; or why the service did not answer. */
  faults = $state.raw<readonly string[]>([]);
  isEvaluating = $state(false);

  readonly rules: readonly Rule[] | undefined = $derived(parseRules(this.text));
  readonly isChanged: boolean = $derived(
    this.text !== this.stored.text || this.schemaVersion !== this.stored.schemaVersion,
  );
  /** The rule that clicks on attributes change. */
  selected = $state(0);
  /** The field that had the focus last, with the index of its rule: puts a placeholder where the cursor is. */
  field: { readonly rule: number; readonly insert: (placeholder: string) => boolean } | undefined;

  #running: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #linted = "";

  open(mapping: { readonly rules: readonly object[]; readonly schema_version: string }): void {
    this.text = rulesText(mapping.rules);
    this.schemaVersion = mapping.schema_version;
    this.stored = { text: this.text, schemaVersion: this.schemaVersion };
  }

  setRules(rules: readonly Rule[]): void {
    this.text = rulesText(rules);
  }

  revert(): void {
    this.text = this.stored.text;
    this.schemaVersion = this.stored.schemaVersion;
  }

  /** The body's rules; the service reports what is wrong with them. */
  draft(): { readonly rules: unknown; readonly schema_version: string } {
    return { rules: JSON.parse(this.text) as unknown, schema_version: this.schemaVersion };
  }

  /** Evaluates a moment later; a run that is under way is given up. */
  evaluateSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.evaluate(), PAUSE_MS);
  }

  async evaluate(): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    let draft: ReturnType<Workbench["draft"]>;
    try {
      draft = this.draft();
    } catch (error) {
      this.faults = [`JSON: ${(error as Error).message}`];
      return;
    }
    this.isEvaluating = true;
    try {
      const [evaluation, lint] = await Promise.all([
        this.#evaluation(draft, running.signal),
        this.#lintOf(draft, running.signal),
      ]);
      if (running.signal.aborted) return;
      this.evaluation = evaluation;
      this.lint = lint;
      this.faults = [];
    } catch (error) {
      if (running.signal.aborted || isAbort(error)) return;
      this.faults = faultsOf(error);
    } finally {
      if (this.#running === running) this.isEvaluating = false;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  async #evaluation(draft: ReturnType<Workbench["draft"]>, signal: AbortSignal) {
    const { attributes, protocol } = this;
    if (attributes === undefined) return undefined;
    const named = protocol && { identity_provider_id: protocol.idp, protocol_id: protocol.protocol };
    const body = { ...draft, assertion: attributes, ...named };
    return ask(api.POST("/v3/OS-FEDERATION/mappings/evaluate", { body, signal }));
  }

  /** Only for other rules: another assertion changes nothing. */
  async #lintOf(draft: ReturnType<Workbench["draft"]>, signal: AbortSignal) {
    const key = JSON.stringify(draft);
    if (key === this.#linted && this.lint !== undefined) return this.lint;
    const lint = await ask(api.POST("/v3/OS-FEDERATION/mappings/lint", { body: draft, signal }));
    this.#linted = key;
    return lint;
  }
}

/** The service joins the faults of rules by semicolons, each with its place. */
function faultsOf(error: unknown): string[] {
  if (!(error instanceof ApiError)) return [String(error)];
  return error.status === 400
    ? error.message.split(/; (?=rules\[|schema_version|and \d+ more)/)
    : [error.message];
}
