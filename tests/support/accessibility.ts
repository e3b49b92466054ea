import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { AxeBuilder } from "@axe-core/playwright";
import type axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const CONTRAST = "color-contrast";
/** Marks the texts whose contrast is checked. */
const SAMPLE = "data-contrast-sample";
/** Reporting only violations is faster. Style sheets would be parsed again for an experimental rule that does not run. */
const FASTER: axe.RunOptions = { resultTypes: ["violations"], preload: { assets: ["media"] } };
const OPTIONS: axe.RunOptions = {
  ...FASTER,
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
};
/** The minified code, which a page compiles in half of the time. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Expects no automatically detectable violations of WCAG 2.2 AA. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
}

/** The automatically detectable violations of WCAG 2.2 AA. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const violations = page.frames().length === 1 ? await violationsOf(page) : await violationsInFrames(page);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`);
}

/** Evaluates axe once for each document; `AxeBuilder` evaluates it twice for each analysis. */
async function violationsOf(page: Page): Promise<axe.Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ({ options, contrast, sample }) => {
      const { configure, run }: typeof axe = Reflect.get(window, "axe");

      /*
       * The contrast of a text depends on its font and on the colors of it and of the elements around it. axe takes most of
       * its time to find them again for each row of a table: it is given one of all texts that have the same.
       */
      const surroundings = new Map<Element, string>();
      const surroundingsOf = (element: Element): string => {
        const known = surroundings.get(element);
        if (known !== undefined) return known;
        const { backgroundColor, backgroundImage, opacity, position, textShadow } = getComputedStyle(element);
        const own = [backgroundColor, backgroundImage, opacity, position, textShadow].join();
        const { parentElement: parent } = element;
        const all = parent ? `${surroundingsOf(parent)}/${own}` : own;
        surroundings.set(element, all);
        return all;
      };
      // axe skips texts that are disabled, inert or of a single character: they do not represent others.
      const disabled = ":disabled, [aria-disabled=true]";
      const disabledLabels = new Set<string>();
      for (const control of document.querySelectorAll("[aria-labelledby]")) {
        if (!control.closest(disabled)) continue;
        for (const id of control.getAttribute("aria-labelledby")?.split(/\s+/) ?? []) disabledLabels.add(id);
      }
      const isSkipped = (element: Element): boolean => {
        if (element.closest(`${disabled}, [inert]`)) return true;
        if (element.closest("label")?.control?.closest(disabled)) return true;
        for (let each: Element | null = element; each; each = each.parentElement) {
          if (disabledLabels.has(each.id)) return true;
        }
        return false;
      };
      const looks = new Map<string, Element>();
      const addText = (element: Element, isWord = true) => {
        if (!element.checkVisibility({ visibilityProperty: true })) return;
        const { color, fontSize, fontWeight } = getComputedStyle(element);
        const font = [color, fontSize, fontWeight].join();
        const look = [font, isSkipped(element), isWord, surroundingsOf(element)].join();
        if (!looks.has(look)) looks.set(look, element);
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const { parentElement: parent, textContent } = walker.currentNode;
        const text = textContent?.trim() ?? "";
        if (parent && text !== "") addText(parent, text.length > 1 && /[\p{L}\p{N}]/u.test(text));
      }
      for (const field of document.body.querySelectorAll("input, select, textarea")) addText(field);

      // A second analysis would find the elements of the page and their roles again.
      configure({ rules: [{ id: contrast, selector: `[${sample}]` }] });
      for (const text of looks.values()) text.setAttribute(sample, "");
      try {
        return (await run(document, options)).violations;
      } finally {
        for (const text of looks.values()) text.removeAttribute(sample);
      }
    },
    { options: OPTIONS, contrast: CONTRAST, sample: SAMPLE },
  );
}

async function violationsInFrames(page: Page): Promise<axe.Result[]> {
  return (await new AxeBuilder({ page }).options(OPTIONS).analyze()).violations;
}
