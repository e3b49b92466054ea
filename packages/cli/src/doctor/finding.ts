/** One result of `purse doctor`. */
export interface Finding {
  /** What was checked, such as `database`. */
  area: string;
  state: "ok" | "warning" | "error";
  text: string;
  /** What to do; missing if nothing has to be done. */
  advice?: string;
}

export function ok(area: string, text: string): Finding {
  return { area, state: "ok", text };
}

export function warning(area: string, text: string, advice: string): Finding {
  return { area, state: "warning", text, advice };
}

export function failure(area: string, text: string, advice: string): Finding {
  return { area, state: "error", text, advice };
}

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const reason = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
  return (reason || error.name).split("\n", 1)[0] ?? "";
}
