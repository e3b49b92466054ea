/** A link: a scheme, www, or an invitation to a messenger. */
const LINK = /https?:|www\.|\bt\.me\b|\bt\.ly\b|\bbit\.ly\b/i;
const DOMAIN =
  /\b[a-z0-9-]+\s*\.\s*(com|net|org|io|xyz|app|site|online|top|fun|live|pro|vip|club|info|claims|gift|cash|events?|finance|network|lat|cfd|sbs|icu)\b/i;
/** An invitation or a promise of money. */
const LURE =
  /\b(claim|airdrop|visit|reward|redeem|voucher|bonus|giveaway|eligible|free mint|get your|access)/i;
const MONEY = /[$€£]\s*\d|\d\s*[$€£]|\d\s*(usdt?|usdc|eth|bnb)\b/i;
/** Invisible characters and those that change the direction of text. */
const HIDDEN = /[\u200b\u2060\u202a-\u202e\u2066-\u2069]/;

/**
 * Whether the name or symbol of a token advertises a website as spam does: a link, or a domain together with a lure or
 * an amount of money; or whether it hides characters. A domain alone is the name of some well-known tokens.
 */
export function looksLikeSpam(...texts: readonly (string | null | undefined)[]): boolean {
  const text = texts.filter((each) => typeof each === "string").join("\n");
  if (LINK.test(text) || HIDDEN.test(text)) return true;
  return DOMAIN.test(text) && (LURE.test(text) || MONEY.test(text));
}
