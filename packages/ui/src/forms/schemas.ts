import * as z from "zod/mini";

/*
 * Schemas of inputs. Each parses a text, without the spaces around it.
 */

/**
 * The message of a problem that is not shown: it keeps a form from being submitted before it is complete. A blank,
 * because Zod replaces an empty message with its own.
 */
export const NO_MESSAGE = " ";

/** A text that is not empty. */
export const requiredText = (message = NO_MESSAGE) => z.string().check(z.trim(), z.minLength(1, message));

/** A text that may be empty. */
export const optionalText = z.string().check(z.trim());

/** A secret, whose spaces count. */
export const secret = (message = NO_MESSAGE) => z.string().check(z.minLength(1, message));

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
    z.minLength(1, NO_MESSAGE),
    z.refine((name) => name === "" || isValid(name), message),
    z.refine((name) => !existing.includes(name), existsMessage),
  );

/** A number, or undefined for an empty text. */
export const optionalNumber = (isValid: (value: number) => boolean, message: string) =>
  z.pipe(
    optionalText.check(z.refine((text) => text === "" || isValid(Number(text)), message)),
    z.transform((text) => (text === "" ? undefined : Number(text))),
  );
