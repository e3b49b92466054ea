import { openedPages } from "./openedPages.ts";

export interface RecentPage {
  /** Path and query string. */
  href: string;
  title: string;
}

/** The pages that were open before the current one, the last first; one for each title. */
export function recentPages(): RecentPage[] {
  const [current, ...others] = [...openedPages].map(([href, title]) => ({ href, title })).reverse();
  return others.filter(
    ({ title }, i) => title !== current?.title && others.findIndex((other) => other.title === title) === i,
  );
}
