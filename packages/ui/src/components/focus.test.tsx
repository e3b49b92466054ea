import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepFocus } from "./focus.ts";

let stop: () => void;

beforeEach(() => {
  document.body.innerHTML = `<main><h1>Files</h1><button id="delete">Delete</button></main>`;
  stop = keepFocus();
});
afterEach(() => {
  stop();
  document.body.innerHTML = "";
});

function element(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
}

describe("keepFocus()", () => {
  it("focuses the page heading when the focused element is removed", async () => {
    element("#delete").focus();
    element("#delete").remove();
    await expect.poll(() => document.activeElement).toBe(element("h1"));
  });

  it("focuses the open dialog when the focused element is removed from it", async () => {
    document.body.insertAdjacentHTML(
      "beforeend",
      `<div class="dialog" tabindex="-1"><button>Go</button></div>`,
    );
    element(".dialog button").focus();
    element(".dialog button").remove();
    await expect.poll(() => document.activeElement).toBe(element(".dialog"));
  });

  it("focuses an element again that was disabled for a while", async () => {
    const button = element("#delete");
    button.focus();
    button.setAttribute("disabled", "");
    // Browsers blur disabled elements, without an event.
    button.blur();
    await Promise.resolve();
    button.removeAttribute("disabled");
    await expect.poll(() => document.activeElement).toBe(button);
  });

  it("focuses the heading of a page that loads after the focused element was removed", async () => {
    element("#delete").focus();
    element("main").remove();
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    document.body.innerHTML = `<main><h1>Overview</h1></main>`;
    await expect.poll(() => document.activeElement).toBe(element("h1"));
  });

  it("does not move the focus that another element has got meanwhile", async () => {
    element("main").insertAdjacentHTML("beforeend", `<button id="undo">Undo</button>`);
    element("#delete").focus();
    element("#delete").remove();
    element("#undo").focus();
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    expect(document.activeElement).toBe(element("#undo"));
  });

  it("leaves the document focused after a click beside all elements", async () => {
    element("#delete").focus();
    document.body.dispatchEvent(new Event("pointerdown", { bubbles: true }));
    element("#delete").remove();
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    expect(document.activeElement).toBe(document.body);
  });
});
