import { z } from "zod";

/** Whether clients may call a route: its path without the first and the last slash, such as `classes/Item`. */
export type AllowsRoute = (route: string) => boolean;

/** `routeAllowList` of the config file: regular expressions that match whole paths. Undefined allows all routes. */
export const routeAllowListSchema = z
  .array(
    z.string().refine((each) => patternOf(each) !== undefined, { error: "it is not a regular expression" }),
  )
  .optional()
  .transform((texts): AllowsRoute | undefined => {
    const patterns = texts?.flatMap((each) => patternOf(each) ?? []);
    return patterns && ((route) => patterns.some((pattern) => pattern.test(route)));
  });

function patternOf(text: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${text})$`);
  } catch {
    return undefined;
  }
}
