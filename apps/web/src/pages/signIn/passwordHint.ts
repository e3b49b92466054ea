import type { Translator } from "@purse/ui";

/** Shorter passwords are called short. The server may demand more, or less. */
const ADVISED_LENGTH = 12;

/** Returns a hint for users who choose a password. */
export function passwordHint(password: string, t: Translator["t"]): string {
  if (password === "") return t("At least {n, number} characters are recommended.", { n: ADVISED_LENGTH });
  if (password.length < ADVISED_LENGTH) {
    return t("Short: {now, number} of at least {n, number} recommended characters.", {
      now: password.length,
      n: ADVISED_LENGTH,
    });
  }
  return new Set(password).size < 6 ? t("Weak: it repeats a few characters.") : t("Good length.");
}
