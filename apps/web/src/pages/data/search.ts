/** The state of the data page in the URL. */
export interface DataSearch {
  class?: string | undefined;
  /** See filter.ts. */
  where?: string | undefined;
  /** A field; a leading `-` sorts in descending order. */
  sort?: string | undefined;
  /** `own` shows records the user can edit, `shared` those shared by name or role. */
  whose?: "own" | "shared" | undefined;
  /** The ID of the open record, or `new`. */
  record?: string | undefined;
}
