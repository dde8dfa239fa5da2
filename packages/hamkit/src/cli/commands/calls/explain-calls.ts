/** The output of `hamkit call --explain`: the reasons of each answer, as text or JSON. */
import { IOError } from "../../../errors.js";
import { askMany } from "../../../lookup/ask-many.js";
import { explain, type SourceAnswer } from "../../../lookup/explanation/explain.js";
import type { Explanation } from "../../../lookup/explanation/explanation.js";
import { explanationLines, headingOf } from "../../../lookup/explanation/explanation-text.js";
import { openSources, type SelectedSources } from "../../databases/callsign-database.js";
import { EXIT } from "../../exit-code.js";
import { writeDiagnostic, type Session } from "../../session.js";
import { layOutCard } from "../../terminal/text-table.js";
import type { LookupOptions } from "../../databases/lookup-options.js";
import { jsonListWriter, streamAnswers, type ListWriter } from "./stream-answers.js";

/** Explains the callsigns of the arguments and, for "-", of standard input, as they arrive. */
export async function explainCalls(
  words: readonly string[],
  options: LookupOptions & { readonly json?: boolean },
  session: Session,
): Promise<void> {
  const { io } = session;
  const sources = await openSources(options, session);
  const moment = (): Date => options.at ?? io.now();
  const streamed = await streamAnswers(words, session, {
    writer: options.json ? jsonWriter(sources, moment()) : textWriter(session),
    answer: (inputs) => explainAll(inputs, sources, moment(), session),
    exitCode: (explanations) =>
      explanations.every(({ kind }) => kind === "identified") ? EXIT.success : EXIT.notFound,
  });
  if (streamed?.problem !== undefined && !options.json)
    writeDiagnostic(io, "error", streamed.problem.message);
}

/** The explanations in the order of the callsigns. A service that fails is left out with a warning. */
async function explainAll(
  inputs: readonly string[],
  { tables, services }: SelectedSources,
  at: Date,
  { warn }: Session,
): Promise<Explanation[]> {
  const queries = inputs.map((callsign) => ({ callsign, at: at.getTime() }));
  const answered = await Promise.all(
    services.map(async (service): Promise<readonly SourceAnswer[]> => {
      try {
        const answers = await askMany(service, queries);
        return answers.map((answer) => ({ source: service.name, answer }));
      } catch (failure) {
        if (!(failure instanceof IOError)) throw failure;
        warn(`${service.name} is left out. ${failure.message}`);
        return [];
      }
    }),
  );
  return inputs.map((input, index) => {
    const answers = answered.flatMap((all) => all[index] ?? []);
    return explain(input, { tables, answers, at });
  });
}

function textWriter({ ink }: Session): ListWriter<Explanation> {
  return {
    begin: () => [],
    row(explanation, index) {
      const heading = headingOf(explanation);
      const lines = explanationLines(explanation).map(({ label, text }) => [label, text] as const);
      return [...(index === 0 ? [] : [""]), ...layOutCard(heading, lines, ink)].join("\n");
    },
    end: () => [],
  };
}

function jsonWriter({ tables }: SelectedSources, at: Date): ListWriter<Explanation> {
  const data = tables.map(({ name, date }) => ({ name, date: date ?? null }));
  return jsonListWriter({ at, data }, "explanations");
}
