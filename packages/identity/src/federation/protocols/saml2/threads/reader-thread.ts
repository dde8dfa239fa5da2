/** The thread that reads SAML messages. */
import { limitHeapGrowth } from "../../../../platform/heap-growth.js";
import { samlReader, toOutcome, type Outcome, type SamlReader } from "../saml-reader.js";

limitHeapGrowth();

export interface ReaderTask {
  /** The function of the reader. */
  readonly name: keyof SamlReader;
  readonly task: unknown;
}

export const read = ({ name, task }: ReaderTask): Promise<Outcome<unknown>> =>
  toOutcome(() => (samlReader[name] as (task: unknown) => Promise<unknown>)(task));
