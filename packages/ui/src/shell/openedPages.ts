/** The titles of the pages that were open in this tab, by path and query string; the last page comes last. */
export const openedPages = new Map<string, string>();

/** Remembers the current page for the command palette. */
export function rememberPage(title: string): void {
  const { pathname, search } = window.location;
  openedPages.delete(pathname + search);
  openedPages.set(pathname + search, title);
}

/** Forgets all pages, so that the next user of the tab does not see them. */
export function forgetPages(): void {
  openedPages.clear();
}
