/** What is shown of the data, all in the URL. */
export interface DataSearch {
  class?: string | undefined;
  /** See filter.ts. */
  where?: string | undefined;
  /** A field; with `-` in front the last come first. */
  sort?: string | undefined;
  /** `own` shows only what one may change, `shared` what others have given one by name or role. */
  whose?: "own" | "shared" | undefined;
  /** The id of the record that is open, or `new`. */
  record?: string | undefined;
}
