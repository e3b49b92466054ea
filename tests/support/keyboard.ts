import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

type Role = Parameters<Page["getByRole"]>[0];

/** The most elements that a user passes on the way to another one. */
const MAX_STEPS = 80;

/**
 * What a screen reader says about the focused element: its role, name and state, such as `button "Send"` or
 * `textbox "Amount (ETH)": "0.5"`; `nothing` if the focus is lost.
 */
export async function spoken(page: Page): Promise<string> {
  const isLost = await page.evaluate(
    () => document.activeElement === null || document.activeElement === document.body,
  );
  if (isLost) return "nothing";
  // The element may lose the focus meanwhile.
  const text = await page
    .locator(":focus")
    .ariaSnapshot({ timeout: 2_000 })
    .catch(() => "");
  return (text.split("\n")[0] ?? "").replace(/^- /, "").replace(/:$/, "");
}

/** Waits until a screen reader would say a text about the focused element. */
export async function expectSpoken(page: Page, text: string | RegExp): Promise<void> {
  const expected = typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
  await expect.poll(() => spoken(page)).toEqual(expected);
}

/** Waits until some element has the focus. */
export async function expectFocus(page: Page): Promise<void> {
  await expect.poll(() => spoken(page)).not.toBe("nothing");
}

/** Presses Tab, or Shift+Tab, until the element with a role and a name has the focus. */
export async function tabTo(
  page: Page,
  role: Role,
  name: string | RegExp,
  { backward = false, within = page.locator("body") }: { backward?: boolean; within?: Locator } = {},
): Promise<void> {
  const target = within.getByRole(role, { name, ...(typeof name === "string" && { exact: true }) }).first();
  await target.waitFor();
  // A button that waits for something to be read cannot have the focus.
  await expect.poll(() => target.isEnabled()).toBe(true);
  const passed: string[] = [];
  let element = await target.elementHandle();
  for (;;) {
    const state = await element?.evaluate((wanted) => {
      const { activeElement: active } = document;
      const text = active?.ariaLabel ?? active?.textContent ?? "";
      return {
        isFocused: wanted === active,
        // The page may have replaced it meanwhile.
        isGone: !wanted.isConnected,
        name: `${active?.localName} "${text.slice(0, 40)}"`,
      };
    });
    if (state?.isFocused) return;
    if (state?.isGone !== false) {
      element = await target.elementHandle();
      continue;
    }
    passed.push(state.name);
    if (passed.length > MAX_STEPS) throw new Error(`No way to ${role} ${name}: ${passed.join(", ")}`);
    await page.keyboard.press(backward ? "Shift+Tab" : "Tab");
  }
}

/** Goes to an element by Tab and presses a key on it, Enter by default. Afterwards some element has the focus. */
export async function press(
  page: Page,
  role: Role,
  name: string | RegExp,
  { key = "Enter", ...options }: { key?: string; backward?: boolean; within?: Locator } = {},
): Promise<void> {
  await tabTo(page, role, name, options);
  await page.keyboard.press(key);
  await expectFocus(page);
}

/** Goes to a text field by Tab and types into it, in place of its text. */
export async function type(
  page: Page,
  name: string | RegExp,
  text: string,
  options: { role?: Role; backward?: boolean; within?: Locator } = {},
): Promise<void> {
  const { role = "textbox", ...rest } = options;
  await tabTo(page, role, name, rest);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Waits for a text in a live region, which screen readers announce without the focus. */
export async function expectAnnounced(page: Page, text: string | RegExp): Promise<void> {
  await page
    .locator("[role=status], [role=alert], [role=log], [aria-live=polite], [aria-live=assertive]")
    .filter({ hasText: text })
    .first()
    .waitFor({ state: "attached" });
}
