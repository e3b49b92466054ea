import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import type { Page } from "playwright-core";
import { translationsOf } from "./translations.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCENTED = "àƀçđéƒĝĥîĵķļɱñôþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÔÞǪŔŠŢÛṼŴẊÝŽ";
/** Vowels that are repeated, which makes most texts about 40 % longer. */
const REPEATED = /[aeiouAEIOU]/g;

type Token = ReturnType<typeof compileMessageOrThrow>[number];

/**
 * Shows the apps in a pseudo-locale: `Sign in` becomes `⟦Šîîĝñ îîñ⟧`, which shows texts that are not translated, and those
 * that have no room for longer languages. Numbers and dates are German, whose place the pseudo-locale takes.
 */
export async function installPseudoLocale(page: Page): Promise<void> {
  const texts = Object.keys(translationsOf("de"));
  const messages = Object.fromEntries(texts.map((text) => [text, pseudoMessage(text)]));
  const body = `export default ${JSON.stringify(messages)};`;
  await page.route("**/assets/de-*.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
  await page.addInitScript(() => localStorage.setItem("purse/language", "de"));
}

/** A message in the pseudo-locale, as the build compiles it. */
export function pseudoMessage(message: string): Token[] {
  return ["⟦", ...compileMessageOrThrow(message).map(pseudoToken), "⟧"];
}

/** Texts between the arguments; names of arguments stay, the forms of a plural are texts again. */
function pseudoToken(token: Token): Token {
  if (typeof token === "string") return token === "#" ? token : pseudoText(token);
  const [name, format, options] = token;
  if (typeof options !== "object" || options === null) return token;
  const forms = Object.entries(options).map(([form, tokens]) => [
    form,
    Array.isArray(tokens) ? tokens.map(pseudoToken) : tokens,
  ]);
  return [name, format ?? "", Object.fromEntries(forms)];
}

function pseudoText(text: string): string {
  return text
    .replace(REPEATED, (letter) => letter + letter.toLowerCase())
    .replace(/[a-z]/gi, (letter) => ACCENTED.charAt(LETTERS.indexOf(letter)));
}

/** Elements whose text is no text of the app: code, keys, times, addresses, and what comes from users, contracts or files. */
const NOT_TRANSLATED =
  "pre, code, bdi, kbd, time, option, script, style, .mono, .address, .brand, [translate=no], [lang]:not(html)";

/** Visible texts, and names of elements, that do not come from the catalogs. Numbers and units of numbers may stay. */
export function untranslatedTexts(page: Page): Promise<string[]> {
  return page.evaluate((excluded) => {
    const found = new Set<string>();
    const add = (element: Element, text: string) => {
      if (!/\p{L}{2}/u.test(text) || text.includes("⟦") || element.closest(excluded)) return;
      found.add(`${element.localName}${element.className ? `.${element.className}` : ""}: ${text.trim()}`);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, textContent } = walker.currentNode;
      // A message may be shown in pieces, if elements stand for its arguments.
      const isPiece = (parent?.textContent ?? "").includes("⟦") && !parent?.querySelector("button, a, p, li");
      if (parent?.checkVisibility({ visibilityProperty: true }) && !isPiece) add(parent, textContent ?? "");
    }
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      for (const element of document.body.querySelectorAll(`[${name}]`))
        if (element.checkVisibility()) add(element, element.getAttribute(name) ?? "");
    return [...found];
  }, NOT_TRANSLATED);
}

/** Texts of the app that are cut off and cannot be read, not even as a title. */
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.body.querySelectorAll<HTMLElement>("*")) {
      if (
        !(element.textContent ?? "").includes("⟦") ||
        !element.checkVisibility({ visibilityProperty: true })
      )
        continue;
      const { overflowX, overflowY, clipPath } = getComputedStyle(element);
      if (clipPath !== "none" || element.closest("svg, .visually-hidden, [title], [aria-label]")) continue;
      const hides = (overflow: string) => overflow === "hidden" || overflow === "clip";
      const isCut =
        (hides(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
        (hides(overflowY) && element.scrollHeight > element.clientHeight + 1);
      // Several lines in a space for one would be painted over their neighbors.
      if (isCut)
        found.push(`${element.localName}.${element.className}: ${(element.textContent ?? "").slice(0, 80)}`);
    }
    for (const element of document.body.querySelectorAll<HTMLElement>("button, a, th, label, .tag, .pill")) {
      if (
        !(element.textContent ?? "").includes("⟦") ||
        !element.checkVisibility({ visibilityProperty: true })
      )
        continue;
      if (element.closest(".visually-hidden") || getComputedStyle(element).display === "inline") continue;
      const { scrollWidth, clientWidth } = element;
      if (scrollWidth > clientWidth + 1 && getComputedStyle(element).overflowX === "visible")
        found.push(
          `too wide: ${element.localName}.${element.className}: ${(element.textContent ?? "").slice(0, 80)}`,
        );
    }
    return found;
  });
}
