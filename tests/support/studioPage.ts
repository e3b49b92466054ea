import type { Locator, Page } from "playwright-core";

/** The table of a class. */
export const grid = (page: Page): Locator => page.getByRole("grid");

export const cells = (page: Page, text: string): Locator =>
  grid(page)
    .getByRole("gridcell")
    .filter({ hasText: new RegExp(`^${text}$`) });

/** Moves to a cell of the first row by keyboard; the first column after the checkboxes is objectId. */
export async function goTo(page: Page, column: number): Promise<void> {
  await grid(page).focus();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < column; i += 1) await page.keyboard.press("ArrowRight");
}

export async function columnOf(page: Page, field: string): Promise<number> {
  const head = grid(page).getByRole("columnheader", { name: field });
  return Number(await head.getAttribute("aria-colindex")) - 2;
}

export const card = (page: Page, name: string): Locator =>
  page.getByRole("region", { name, exact: true }).first();

/** The topmost dialog. Toasts are dialogs too. */
export const dialog = (page: Page): Locator =>
  page.getByRole("dialog").and(page.locator(":not(.toast)")).last();

export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option }).click();
}

export async function pressInDialog(page: Page, name: string): Promise<void> {
  await dialog(page).getByRole("button", { name, exact: true }).click();
}
