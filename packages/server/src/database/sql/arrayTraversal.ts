import type { FieldTypeName } from "@purse/protocol";

/**
 * The path of a condition, split where it may run through the items of an array: `s.a.0.b` of an array field is
 * `[["s"], ["a", "0"], ["b"]]`. Each step but the last one leads to an array, whose items that are objects are
 * traversed, or to an object.
 */
export type TraversalSteps = readonly (readonly string[])[];

/**
 * What a traversal lists: the values that it leads to (`values`); these with the items of arrays in place of arrays
 * (`items`); or these with a null for each missing one and an empty array for each empty array (`nullable`).
 */
export type TraversalList = "values" | "items" | "nullable";

/** A key that may be the index of an array. */
const INDEX = /^\d+$/;

/** Returns the steps of a path; undefined if it runs through no array, given the declared type of its first key. */
export function traversalStepsOf(
  path: readonly string[],
  fieldType: FieldTypeName | undefined,
): TraversalSteps | undefined {
  if (fieldType !== "Array" && fieldType !== "Object") return undefined;
  const steps: string[][] = [[]];
  for (const [position, segment] of path.entries()) {
    const mayFollowArray = position > 1 || (position === 1 && fieldType === "Array");
    if (mayFollowArray && !INDEX.test(segment)) steps.push([]);
    steps.at(-1)?.push(segment);
  }
  return steps.length > 1 ? steps : undefined;
}
