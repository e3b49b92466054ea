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
  const body = Buffer.from(`export default ${JSON.stringify(messages)};`).toString("base64");
  // Playwright's routes would disable the browser's cache: see outage.ts.
  const session = await page.context().newCDPSession(page);
  session.on("Fetch.requestPaused", ({ requestId }) => {
    const responseHeaders = [{ name: "Content-Type", value: "text/javascript" }];
    const sent = session.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: 200,
      responseHeaders,
      body,
    });
    // The page may have been left meanwhile.
    sent.catch(() => undefined);
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: "*/assets/de-*.js" }] });
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

/** Elements whose text is no text of the app: code, keys, times, amounts, and what comes from users, contracts or files. */
const NOT_TRANSLATED =
  "pre, code, bdi, kbd, time, option, script, style, svg, .mono, .address, .number, .grid-cell, .brand, [translate=no], [lang]:not(html)";

/** Texts that are the same in every language. */
const SAME_EVERYWHERE = [
  // Addresses, hashes, and IDs of requests.
  /0x[\da-f]{6}/i,
  /^[\da-f]{16}-\d+$/,
  // Amounts with their unit or symbol.
  /^[<+−-]?\s*[\d.,\s]+\s\S+$/,
  // Names of fields, functions and internal classes, and parameters of functions.
  /^[a-z_$][\w$.:/(),-]*$/,
  /^\([\w,()[\]]*\)$/,
  // Abbreviations, names of languages, types and JSON.
  /^[A-Z\d-]+$/,
  /^(GraphQL|JavaScript)$/,
  /^(String|Number|Boolean|Date|Object|Array|File|GeoPoint|Polygon|Bytes|Relation|Pointer)\b/,
  /^\{"/,
];

/** Visible texts of a page, and names of its elements, that do not come from the catalogs. */
export async function untranslatedTexts(page: Page): Promise<string[]> {
  const texts = await page.evaluate((excluded) => {
    const found: [element: string, text: string][] = [];
    const add = (element: Element, text: string) => {
      // A sentence with names in elements of their own is one message.
      const message = element.closest(".sentence")?.textContent ?? text;
      const isTranslated = message.includes("⟦") || !/\p{L}{2}/u.test(text);
      if (!isTranslated && !element.closest(excluded)) found.push([element.localName, text.trim()]);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, textContent } = walker.currentNode;
      // A field for longer texts contains what the user wrote.
      if (!parent || parent.localName === "textarea") continue;
      if (parent.checkVisibility({ visibilityProperty: true })) add(parent, textContent ?? "");
    }
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      for (const element of document.body.querySelectorAll(`[${name}]`)) {
        // What is shown of a token or a contract is its full name as a title.
        const isExternal = name === "title" && element.querySelector("bdi");
        if (!isExternal && element.checkVisibility()) add(element, element.getAttribute(name) ?? "");
      }
    }
    return found;
  }, NOT_TRANSLATED);
  return texts
    .filter(([, text]) => !SAME_EVERYWHERE.some((pattern) => pattern.test(text)))
    .map(([element, text]) => `not translated: <${element}> ${text}`);
}

/**
 * Texts of the app that are cut off and cannot be read, not even as a title, and those that are painted beyond their button,
 * label or cell.
 */
export function clippedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const elements = [...document.body.querySelectorAll<HTMLElement>("*")].filter(
      (element) =>
        element.textContent.includes("⟦") &&
        element.checkVisibility({ visibilityProperty: true }) &&
        !element.closest(
          "svg, .visually-hidden, [title], [aria-label]:not(nav, section, ul, dialog, fieldset)",
        ),
    );
    for (const element of elements) {
      const { overflowX, overflowY, clipPath, display } = getComputedStyle(element);
      if (clipPath !== "none" || display === "inline") continue;
      const isTooWide = element.scrollWidth > element.clientWidth + 1;
      const isTooHigh = element.scrollHeight > element.clientHeight + 1;
      const hides = (overflow: string) => overflow === "hidden" || overflow === "clip";
      const isCut = (hides(overflowX) && isTooWide) || (hides(overflowY) && isTooHigh);
      const isBeyond =
        overflowX === "visible" && isTooWide && element.matches("button, a, th, label, .tag, .pill");
      if (isCut || isBeyond) {
        const where = `<${element.localName} class="${element.className}">`;
        found.push(`${isCut ? "cut off" : "too wide"}: ${where} ${element.textContent.slice(0, 80)}`);
      }
    }
    return found;
  });
}

/** The elements that are wider than the window, the innermost ones, for the message of a failure. */
export function tooWideElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const isBeyond = (element: Element) => element.getBoundingClientRect().right > clientWidth + 0.5;
    const beyond = [...document.body.querySelectorAll("*")].filter(
      (element) => isBeyond(element) && ![...element.children].some(isBeyond),
    );
    const names = beyond.map(
      ({ localName, className, textContent }) =>
        `<${localName} class="${className}"> ${textContent.slice(0, 60)}`,
    );
    return [`${scrollWidth - clientWidth} pixels wider than the window: ${names.slice(0, 3).join("; ")}`];
  });
}
