/** CodeMirror for JSON, a chunk of its own. */
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { linter } from "@codemirror/lint";
import { Annotation } from "@codemirror/state";
import { tags } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";

/** Marks a change that came from the page. */
const FROM_PAGE = Annotation.define<boolean>();

/** Replaces the text without reporting it as a change. The cursor stays where it was. */
export function replaceText(view: EditorView, text: string): void {
  const changes = { from: 0, to: view.state.doc.length, insert: text };
  view.dispatch({ changes, annotations: FROM_PAGE.of(true) });
}

interface EditorOptions {
  readonly parent: HTMLElement;
  readonly label: string;
  readonly value: string;
  readonly onchange: (text: string) => void;
}

/** Of the design's tokens: each has enough contrast in light and dark. */
const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warning)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const THEME = EditorView.theme({
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-scroller": { overflow: "auto", lineHeight: "1.5" },
  ".cm-gutters": { background: "var(--sunken)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "transparent" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    background: "var(--selected)",
  },
  ".cm-tooltip": { background: "var(--surface)", color: "var(--text)", borderColor: "var(--border)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { background: "var(--selected)" },
});

export function createEditor({ parent, label, value, onchange }: EditorOptions): EditorView {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
  return new EditorView({
    parent,
    doc: value,
    extensions: [
      EditorView.cspNonce.of(nonce),
      basicSetup,
      json(),
      linter(jsonParseLinter()),
      syntaxHighlighting(COLORS),
      THEME,
      EditorView.lineWrapping,
      // A contenteditable has the focus anyway; tools that check pages look for the attribute.
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        const isOfPage = update.transactions.some((transaction) => transaction.annotation(FROM_PAGE));
        if (update.docChanged && !isOfPage) onchange(update.state.doc.toString());
      }),
    ],
  });
}
