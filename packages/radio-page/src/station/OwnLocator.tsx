import { latlongToLocator } from "hamkit/locator";
import { useState } from "preact/hooks";

import { isLocator } from "../search/is-locator.js";

interface Props {
  readonly locator: string | undefined;
  readonly onSave: (locator: string) => void;
  readonly onCancel: (() => void) | undefined;
}

export function OwnLocator({ locator, onSave, onCancel }: Props) {
  const [text, setText] = useState(locator ?? "");
  const [problem, setProblem] = useState<string>();

  function save(): void {
    const word = text.trim().toUpperCase();
    if (isLocator(word)) onSave(word);
    else setProblem(`“${text.trim()}” is not a locator. Expected 4, 6, 8 or 10 characters, such as JN48QM.`);
  }

  function locate(): void {
    setProblem(undefined);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => onSave(latlongToLocator(coords.latitude, coords.longitude)),
      () => setProblem("The browser did not give a position. Enter the locator instead."),
    );
  }

  return (
    <form
      class="own-locator surface"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label for="own">Your locator</label>
      <div>
        <input
          id="own"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          maxLength={10}
          placeholder="JN48QM"
          autocomplete="off"
          autoCapitalize="characters"
          spellcheck={false}
          aria-describedby="own-hint"
          aria-invalid={problem !== undefined}
        />
        <button class="primary">Save locator</button>
        {"geolocation" in navigator && (
          <button type="button" onClick={locate}>
            Use my position
          </button>
        )}
        {onCancel && (
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
      <p id="own-hint" class={problem === undefined ? "small muted" : "small problem"} role="status">
        {problem ?? "For distance and heading. It stays on this device."}
      </p>
    </form>
  );
}
