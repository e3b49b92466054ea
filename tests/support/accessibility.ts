import { AxeBuilder } from "@axe-core/playwright";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const OPTIONS: axe.RunOptions = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  // Reporting only violations is faster.
  resultTypes: ["violations"],
  // Style sheets would be parsed again for an experimental rule that does not run.
  preload: { assets: ["media"] },
};

/** Expects no automatically detectable violations of WCAG 2.2 AA. */
export async function expectAccessible(page: Page): Promise<void> {
  const violations = page.frames().length === 1 ? await violationsOf(page) : await violationsInFrames(page);
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`),
  ).toEqual([]);
}

/** Evaluates axe once for each document; `AxeBuilder` evaluates its half megabyte twice for each analysis. */
async function violationsOf(page: Page): Promise<axe.Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(async (options) => {
    const { run }: typeof axe = Reflect.get(window, "axe");
    return (await run(document, options)).violations;
  }, OPTIONS);
}

async function violationsInFrames(page: Page): Promise<axe.Result[]> {
  return (await new AxeBuilder({ page }).options(OPTIONS).analyze()).violations;
}
