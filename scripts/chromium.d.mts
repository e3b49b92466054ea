/** The path of a Chromium that starts. */
export function ensureChromium(): string;
