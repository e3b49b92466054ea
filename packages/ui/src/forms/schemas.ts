import * as z from "zod/mini";

/*
 * Schemas of inputs. Each parses a text, without the spaces around it. Empty messages are not shown: they keep a form
 * from being submitted before it is complete.
 */

/** A text that is not empty. */
export const requiredText = (message = "") => z.string().check(z.trim(), z.minLength(1, message));

/** A text that may be empty. */
export const optionalText = z.string().check(z.trim());

/** A secret, whose spaces count. */
export const secret = (message = "") => z.string().check(z.minLength(1, message));

/** An address, as it was entered. */
export const address = requiredText().check(
  z.regex(/^(0x[0-9a-fA-F]{40})?$/, "Invalid address: expected 0x followed by 40 hex characters."),
);

/** A name that is not taken yet. */
export const newName = (
  isValid: (name: string) => boolean,
  message: string,
  existing: readonly string[],
  existsMessage: string,
) =>
  z.string().check(
    z.minLength(1, ""),
    z.refine((name) => name === "" || isValid(name), message),
    z.refine((name) => !existing.includes(name), existsMessage),
  );

/** A number, or undefined for an empty text. */
export const optionalNumber = (isValid: (value: number) => boolean, message: string) =>
  z.pipe(
    optionalText.check(z.refine((text) => text === "" || isValid(Number(text)), message)),
    z.transform((text) => (text === "" ? undefined : Number(text))),
  );
