import type { Typed } from "./values.ts";

export interface ValueEditorProps {
  label: string;
  typed: Typed;
  onChange: (typed: Typed) => void;
  problem?: string | undefined;
}
