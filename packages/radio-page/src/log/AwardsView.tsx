import { useEffect, useState } from "preact/hooks";

import type { AwardProgress, AwardRow, MissingUnits, ShownLog } from "./log-types.js";
import type { LogDesk } from "./use-log.js";

interface Props {
  /** Another one is counted anew. */
  readonly shown: ShownLog;
  readonly desk: Pick<LogDesk, "awards" | "missing">;
}

export function AwardsView({ shown, desk }: Props) {
  const [awards, setAwards] = useState<readonly AwardProgress[]>();
  const [problem, setProblem] = useState<string>();
  const [id, setId] = useState("dxcc");
  const [chosen, setChosen] = useState<AwardRow>();

  useEffect(() => {
    let isLatest = true;
    void count();
    async function count(): Promise<void> {
      try {
        const found = await desk.awards();
        if (isLatest) setAwards(found);
      } catch {
        if (isLatest) setProblem("The awards could not be loaded. They need a network the first time.");
      }
    }
    return () => void (isLatest = false);
  }, [shown]);

  const award = awards?.find((each) => each.id === id) ?? awards?.[0];
  const row = award?.rows.find(({ key, band }) => key === chosen?.key && band === chosen.band);
  if (award === undefined) {
    const text = awards === undefined ? "Counting …" : "No contact counts for an award.";
    return <p class="awards muted">{problem ?? text}</p>;
  }
  return (
    <div class="awards" role="region" aria-label="Awards" tabIndex={0}>
      <div class="filter-chips" role="group" aria-label="Award">
        {awards?.map((each) => (
          <button key={each.id} aria-pressed={each === award} onClick={() => setId(each.id)}>
            {each.name}
          </button>
        ))}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">{award.name}</th>
            <th scope="col" class="number">
              Worked
            </th>
            <th scope="col" class="number">
              Confirmed
            </th>
            <th scope="col" class="number">
              Missing
            </th>
          </tr>
        </thead>
        <tbody>
          {award.rows.map((each) => (
            <tr key={each.key + (each.band ?? "")}>
              <th scope="row">{each.label}</th>
              <td class="number">{each.worked}</td>
              <td class="number">{each.confirmed}</td>
              <td class="number">
                <button
                  class="plain"
                  aria-pressed={each === row}
                  aria-label={`What is missing: ${award.name}, ${each.label}`}
                  onClick={() => setChosen(each === row ? undefined : each)}
                >
                  {each.missing ?? "show"}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {row !== undefined && (
        <Missing row={row} shown={shown} title={`${award.name}, ${row.label}`} desk={desk} />
      )}
    </div>
  );
}

interface MissingProps extends Props {
  readonly row: AwardRow;
  readonly title: string;
}

function Missing({ row, shown, title, desk }: MissingProps) {
  const [units, setUnits] = useState<MissingUnits>();
  useEffect(() => {
    let isLatest = true;
    void read();
    async function read(): Promise<void> {
      const found = await desk.missing(row);
      if (isLatest) setUnits(found);
    }
    return () => void (isLatest = false);
  }, [row.key, row.band, shown]);
  if (units === undefined) return null;
  return (
    <section class="missing" aria-label={`Missing: ${title}`}>
      <Units title="Not worked" units={units.unworked} />
      <Units title="Not confirmed" units={units.unconfirmed} />
    </section>
  );
}

function Units({ title, units }: { readonly title: string; readonly units: readonly string[] }) {
  if (units.length === 0) return null;
  return (
    <>
      <h3>
        {title}: {units.length}
      </h3>
      <ul>
        {units.map((unit) => (
          <li key={unit}>{unit}</li>
        ))}
      </ul>
    </>
  );
}
