/** A page that was open in this tab since it was loaded. */
export interface RecentPage {
  /** Path and query string. */
  href: string;
  title: string;
}

const MAX_PAGES = 20;
/** Titles by path and query string, the last page at the end. */
const titles = new Map<string, string>();

/** Remembers the current page for the command palette. */
export function rememberPage(title: string): void {
  const href = window.location.pathname + window.location.search;
  titles.delete(href);
  titles.set(href, title);
  for (const oldest of [...titles.keys()].slice(0, -MAX_PAGES)) titles.delete(oldest);
}

/** The pages that were open before the current one, the last first; one for each title. */
export function recentPages(): RecentPage[] {
  const [current, ...others] = [...titles].map(([href, title]) => ({ href, title })).reverse();
  return others.filter(
    ({ title }, i) => title !== current?.title && others.findIndex((other) => other.title === title) === i,
  );
}
