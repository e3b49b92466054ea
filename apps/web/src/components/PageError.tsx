import { ErrorState, isChunkError } from "@purse/ui";

/** What a page or a section shows in place of its content after an error. */
export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  return <ErrorState error={error} retry={isChunkError(error) ? () => window.location.reload() : reset} />;
}
