import { beforeEach, expect, it } from "vitest";
import { forgetPages, rememberPage } from "./openedPages.ts";
import { recentPages } from "./recentPages.ts";

beforeEach(forgetPages);

function visit(href: string, title: string) {
  window.history.pushState(null, "", href);
  rememberPage(title);
}

it("recentPages() lists the pages before the current one, the last first, each title once", () => {
  visit("/explorer", "Explorer");
  visit("/explorer/block/1", "Block 1");
  visit("/explorer/block/1?tab=logs", "Block 1");
  visit("/explorer/token/0x1", "Token 0x1");
  visit("/data?class=Note", "Data");
  expect(recentPages()).toEqual([
    { href: "/explorer/token/0x1", title: "Token 0x1" },
    { href: "/explorer/block/1?tab=logs", title: "Block 1" },
    { href: "/explorer", title: "Explorer" },
  ]);
});

it("recentPages() lists no pages that were forgotten", () => {
  visit("/data?class=Secret", "Secret");
  forgetPages();
  visit("/overview", "Overview");
  visit("/logs", "Logs");
  expect(recentPages()).toEqual([{ href: "/overview", title: "Overview" }]);
});
