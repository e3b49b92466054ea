/** How the site's search orders pages: those for users before those for contributors, which are many and long. */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  boostDocument: (id: string): number => {
    if (/\/internals\//.test(id)) return 0.1;
    if (/\/contribute\/|\/behavior-differences|endpoints/.test(id)) return 0.4;
    // Tables of every route, setting and difference: they have all words.
    if (/\/(deploy|migrate|reference|studio)\//.test(id)) return 0.7;
    return 1;
  },
};
