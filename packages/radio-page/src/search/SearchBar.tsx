import { useEffect, useRef } from "preact/hooks";

interface Props {
  readonly text: string;
  readonly problem: string | undefined;
  readonly onText: (text: string) => void;
  readonly onSearch: (text: string) => void;
  readonly onFile: (file: File) => void;
}

export function SearchBar({ text, problem, onText, onSearch, onFile }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  useEffect(() => {
    addEventListener("keydown", focusBySlash);
    return () => removeEventListener("keydown", focusBySlash);

    function focusBySlash(event: KeyboardEvent): void {
      const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    }
  }, []);

  return (
    <form
      class="search-bar surface"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text);
      }}
    >
      <label class="hidden" for="search">
        Call, locator, frequency
      </label>
      <input
        id="search"
        ref={field}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
        placeholder="DL1ABC, JN48QM, 14.074"
        maxLength={100}
        autocomplete="off"
        autoCapitalize="characters"
        spellcheck={false}
        aria-describedby="search-hint"
        aria-invalid={problem !== undefined}
      />
      <button class="primary">Look up</button>
      <p id="search-hint" class={problem === undefined ? "small muted" : "small problem"} role="status">
        {problem ?? "Or drop a log: ADIF, Cabrillo, EDI, FLE."}
      </p>
      <button type="button" onClick={() => picker.current?.click()}>
        Open log
      </button>
      <input
        class="hidden"
        type="file"
        aria-label="Log file"
        tabIndex={-1}
        ref={picker}
        accept=".adi,.adif,.adx,.log,.cbr,.cabrillo,.edi,.fle,.json,.txt"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          currentTarget.value = ""; // the same file can be chosen again
        }}
      />
    </form>
  );
}
