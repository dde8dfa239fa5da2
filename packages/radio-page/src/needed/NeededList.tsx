import type { Needed } from "./need-words.js";

export function NeededList({ needed }: { readonly needed: readonly Needed[] }) {
  return (
    <>
      {needed.map(({ text, isNew }) => (
        <span key={text} class={isNew ? "needed new" : "needed"}>
          {text}
        </span>
      ))}
    </>
  );
}
