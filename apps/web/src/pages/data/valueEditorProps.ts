import type { ValueDraft } from "./values.ts";

export interface ValueEditorProps {
  label: string;
  draft: ValueDraft;
  onChange: (draft: ValueDraft) => void;
  problem?: string | undefined;
}
